"""A loop program made ready to be stepped through: what each operation does, which loops it is in, which line it has.

Only what executes is an operation: counters, arithmetic, addresses, loads, stores and the ends of loops. Declarations
of memory, constants and the orders that AFTER states are resolved here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from math import prod
from typing import Any, NamedTuple

from uopc.evaluate.loops import memory_of
from uopc.evaluate.scalar import scalar_function
from uopc.ops import ALU, Ops
from uopc.typerules import is_address
from uopc.uop import UOp

MOST_STEPS = 2_000_000  # operations that are followed unless more are asked for: some seconds


class Kind(IntEnum):
    """What an operation changes: a value, one element of memory, or where the program goes on."""

    VALUE = 0
    STORE = 1
    RANGE = 2
    END = 3


class Fault(Exception):
    """The program cannot take its next step; the message is a sentence without the place."""


class StepError(Exception):
    """The program cannot be stepped through; the message is a sentence for a person. line: 0-based, where one is."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class Memory:
    """A buffer or an accumulator while the program runs. written: None where all elements hold a value."""

    def __init__(self, node: UOp, elements: list[Any], written: bytearray | None, stored: bool) -> None:
        self.node, self.elements, self.written, self.stored = node, elements, written, stored


class Address(NamedTuple):
    """One element of a memory, or why there is none."""

    memory: Memory
    position: int
    outside: str


Values = list[Any]
Act = Callable[[Values], Any]


class Op(NamedTuple):
    """One operation. slot: of its value; loops: the positions of the RANGEs around it, outermost first; line: in the
    program that is shown, 0-based."""

    node: UOp
    kind: Kind
    slot: int
    loops: tuple[int, ...]
    line: int


class Code:
    """The program. ops in the order of execution; `memories` as they are when it begins."""

    def __init__(
        self, order: Sequence[UOp], line_of: Callable[[UOp], int], elements: Mapping[UOp, list[Any] | None]
    ) -> None:
        self.slots: dict[UOp, int] = {}
        self.initial: Values = []
        self.ops: list[Op] = []
        self.at: dict[UOp, int] = {}
        self.jumps: dict[int, tuple[int, ...]] = {}  # END -> the RANGEs it closes, innermost first
        self.end_of: dict[int, int] = {}  # RANGE -> its END
        self.elements = dict(elements)
        self._lay_out(order, line_of)
        self.steps: int = sum(prod(self.ops[r].node.arg.size for r in op.loops) for op in self.ops)

    def _lay_out(self, order: Sequence[UOp], line_of: Callable[[UOp], int]) -> None:
        nest: list[int] = []
        for node in order:
            if node.op is Ops.CONST:
                self._slot(node, node.arg)
            elif node.op in (Ops.BUFFER, Ops.ALLOC):
                self._slot(node, None)
            elif node.op in (Ops.AFTER, Ops.RESHAPE) and node.src[0] in self.slots:
                self.slots[node] = self.slots[node.src[0]]
            elif node.op not in (Ops.SINK, Ops.GROUP, Ops.AFTER):
                self._add(node, nest, line_of(node))

    def _slot(self, node: UOp, value: Any) -> int:
        self.slots[node] = len(self.initial)
        self.initial.append(value)
        return self.slots[node]

    def _add(self, node: UOp, nest: list[int], line: int) -> None:
        for s in node.src:
            if s.op is Ops.CONST and s not in self.slots:
                self._slot(s, s.arg)
        here = len(self.ops)
        self.at[node] = here
        self.ops.append(Op(node, _kind(node), self._slot(node, None), tuple(nest), line))
        if node.op is Ops.RANGE:
            nest.append(here)
        elif node.op is Ops.END and len(node.src) > 1:
            closed = tuple(nest[: -len(node.src) : -1])
            self.jumps[here] = closed
            self.end_of.update(dict.fromkeys(closed, here))
            del nest[-len(closed) :]

    def act(self, position: int, memories: Mapping[UOp, Memory]) -> Act:
        """What the operation computes from the values; for a STORE the pair (address, element)."""
        node = self.ops[position].node
        if node.op in ALU:
            return _arithmetic(node, [self._reader(s) for s in node.src])
        if node.op is Ops.INDEX:
            return _address(node, memories[memory_of(node)], [self._reader(s) for s in node.src[1:]])
        if node.op is Ops.LOAD:
            return self._reader(node.src[0])
        if node.op is Ops.STORE:
            slot, element = self.slots[node.src[0]], self._reader(node.src[1])
            return lambda v: (_inside(v[slot], "store"), element(v))
        return lambda v: None

    def _reader(self, s: UOp) -> Act:
        slot = self.slots[s]
        if not is_address(s):
            return lambda v: v[slot]
        return lambda v: fetch(v[slot])


def _kind(node: UOp) -> Kind:
    if node.op is Ops.RANGE:
        return Kind.RANGE
    if node.op is Ops.END:
        return Kind.END
    if node.op is Ops.STORE and is_address(node.src[0]):
        return Kind.STORE
    if node.op in ALU or node.op is Ops.LOAD or (node.op is Ops.INDEX and is_address(node)):
        return Kind.VALUE
    raise StepError(f"{node.op.value} does not belong in a loop program")


def _arithmetic(node: UOp, operands: list[Act]) -> Act:
    f = scalar_function(node)
    if len(operands) == 1:
        (a,) = operands
        return lambda v: f(a(v))
    if len(operands) == 2:
        a, b = operands
        return lambda v: f(a(v), b(v))
    return lambda v: f(*[operand(v) for operand in operands])


def _address(node: UOp, memory: Memory, indices: list[Act]) -> Act:
    shape = node.src[0].shape
    if len(shape) == 1:
        n, index = shape[0], indices[0]

        def flat(v: Values) -> Address:
            i = index(v)
            return Address(memory, i, "" if 0 <= i < n else _outside(i, n))

        return flat

    def address(v: Values) -> Address:
        position, outside = 0, ""
        for index, n in zip(indices, shape):
            i = index(v)
            outside = outside or ("" if 0 <= i < n else _outside(i, n))
            position = position * n + i
        return Address(memory, position, outside)

    return address


def _outside(i: int, n: int) -> str:
    return f"index {i} is not in 0..{n - 1}" if n else f"index {i} of no elements"


def _inside(address: Address, verb: str) -> Address:
    if address.outside:
        raise Fault(f"{verb} outside its memory: {address.outside}")
    return address


def fetch(address: Address) -> Any:
    """The element at an address. Raises Fault when it is outside, or was never stored to."""
    memory, position, outside = address
    if outside:
        raise Fault(f"load outside its memory: {outside}")
    if memory.written is not None and not memory.written[position]:
        raise Fault(f"load of element {position} before a store to it")
    return memory.elements[position]
