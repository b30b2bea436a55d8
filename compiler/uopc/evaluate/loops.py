"""A step-by-step interpreter of loop programs: one element at a time, every access checked.

It runs the flat list that `uopc.linearize` makes of a sink: a RANGE opens a loop, an END closes its loops, everything
else is one step. Global memory starts as the inputs (zeros where there is none); registers start empty, and reading
one before a store is an error, as it would be a read of garbage in C.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from uopc.evaluate.errors import EvaluationError, EvaluationTooLarge
from uopc.evaluate.memory import Inputs, by_slot, input_array
from uopc.evaluate.scalar import Function, scalar_function
from uopc.linearize import linearize
from uopc.nptypes import Array, np_dtype
from uopc.ops import ALU, Ops
from uopc.uop import UOp, UOpError

MAX_STEPS = 5_000_000

_MEMORY = (Ops.BUFFER, Ops.ALLOC)
_NOTHING = frozenset({Ops.SINK, Ops.GROUP, Ops.CONST, *_MEMORY})


def evaluate_loops(sink: UOp, inputs: Inputs, *, steps: int = MAX_STEPS) -> dict[int, Array]:
    """The buffers that the loop program stores to, flat, by slot, as they are when it ends.

    Raises EvaluationError for an access outside its memory, naming the LOAD or STORE; EvaluationTooLarge beyond
    `steps`.
    """
    try:
        program = linearize(sink)
    except UOpError as error:
        raise EvaluationError(error.message, sink) from None
    with np.errstate(all="ignore"):
        return _Interpreter(program, inputs).run(steps)


class _Memory(NamedTuple):
    """A buffer or a register array. written: which elements hold a value; None where all do."""

    elements: Array
    written: Array | None


class _Address(NamedTuple):
    """One element of memory, or the place outside of it that an index names."""

    memory: _Memory
    position: int
    outside: str  # "" when inside


class _Interpreter:
    def __init__(self, program: list[UOp], inputs: Inputs) -> None:
        self.program = program
        self.values: dict[UOp, Any] = {}
        self.functions: dict[UOp, Function] = {u: scalar_function(u) for u in program if u.op in ALU}
        self.opened: dict[UOp, int] = {u: k for k, u in enumerate(program) if u.op is Ops.RANGE}
        self.closed: dict[UOp, int] = {r: k for k, u in enumerate(program) if u.op is Ops.END for r in u.src[1:]}
        self.running: list[UOp] = []  # the loops that are open, innermost last
        self.stored: dict[int, Array] = {}
        self._place(inputs)

    def _place(self, inputs: Inputs) -> None:
        """Constants get their values, memory its elements."""
        given = by_slot(inputs)
        nodes = {n: None for u in self.program for n in (u, *u.src)}
        targets = {memory_of(u.src[0]) for u in nodes if u.op is Ops.STORE}
        for u in nodes:
            if u.op is Ops.CONST:
                self.values[u] = u.arg
            elif u.op is Ops.ALLOC:
                self.values[u] = _Memory(np.zeros(u.shape, np_dtype(u.dtype)), np.zeros(u.shape, np.bool_))
            elif u.op is Ops.BUFFER:
                empty = u in targets and u.arg.slot not in given
                elements = np.zeros(u.shape, np_dtype(u.dtype)) if empty else input_array(given, u)
                if u in targets:
                    elements = self.stored[u.arg.slot] = np.array(elements)
                self.values[u] = _Memory(elements, None)

    def run(self, steps: int) -> dict[int, Array]:
        at, end = 0, len(self.program)
        while at < end:
            steps -= 1
            if steps < 0:
                raise EvaluationTooLarge("the loops take too many steps to follow one by one", self.program[at])
            u = self.program[at]
            if u.op is Ops.RANGE:
                at = self._open(u, at)
            elif u.op is Ops.END:
                at = self._close(u, at)
            else:
                self._step(u)
                at += 1
        return self.stored

    # -- loops -----------------------------------------------------------------------------------------------------
    def _open(self, r: UOp, at: int) -> int:
        self.running.append(r)
        self.values[r] = 0
        return at + 1 if r.arg.size > 0 else self.closed[r]

    def _close(self, end: UOp, at: int) -> int:
        """The next iteration of the innermost loop that `end` closes and that has one; else the step after."""
        while self.running and self.running[-1] in end.src[1:]:
            r = self.running[-1]
            if self.values[r] + 1 < r.arg.size:
                self.values[r] += 1
                return self.opened[r] + 1
            self.running.pop()
        return at + 1

    # -- steps -----------------------------------------------------------------------------------------------------
    def _step(self, u: UOp) -> None:
        function = self.functions.get(u)
        if function is not None:
            self.values[u] = function(*[self._read(s, u) for s in u.src])
        elif u.op not in _NOTHING:
            rule = _STEPS.get(u.op)
            if rule is None:
                raise EvaluationError(f"{u.op.value} does not belong in a loop program", u)
            rule(self, u)

    def _read(self, u: UOp, reader: UOp) -> Any:
        """The number that `u` stands for; an operation that is given an address reads it."""
        value = self.values[u]
        return self._fetch(value, reader) if isinstance(value, _Address) else value

    def _fetch(self, address: _Address, reader: UOp) -> Any:
        if address.outside:
            raise EvaluationError(f"{reader.op.value} outside its memory: {address.outside}", reader)
        if address.memory.written is not None and not address.memory.written[address.position]:
            raise EvaluationError(f"{reader.op.value} of element {address.position} before a store to it", reader)
        return address.memory.elements.item(address.position)

    def _index(self, u: UOp) -> None:
        shape = u.src[0].shape
        if len(u.src) - 1 != len(shape):
            raise EvaluationError("an address in a loop program is one element", u)
        position, outside = 0, ""
        for i, n in zip((self._read(s, u) for s in u.src[1:]), shape):
            if not 0 <= i < n:
                outside = outside or (f"index {i} is not in 0..{n - 1}" if n else f"index {i} of no elements")
            position = position * n + i
        self.values[u] = _Address(self.values[u.src[0]], position, outside)

    def _load(self, u: UOp) -> None:
        self.values[u] = self._fetch(self.values[u.src[0]], u)

    def _store(self, u: UOp) -> None:
        address = self.values[u.src[0]]
        if not isinstance(address, _Address):
            raise EvaluationError("a store of a whole buffer does not belong in a loop program", u)
        if address.outside:
            raise EvaluationError(f"store outside its memory: {address.outside}", u)
        address.memory.elements[address.position] = self._read(u.src[1], u)
        if address.memory.written is not None:
            address.memory.written[address.position] = True

    def _same(self, u: UOp) -> None:
        self.values[u] = self.values[u.src[0]]


_STEPS: dict[Ops, Callable[[_Interpreter, UOp], None]] = {
    Ops.INDEX: _Interpreter._index,
    Ops.LOAD: _Interpreter._load,
    Ops.STORE: _Interpreter._store,
    Ops.AFTER: _Interpreter._same,
    Ops.RESHAPE: _Interpreter._same,
}


def memory_of(u: UOp) -> UOp:
    """The BUFFER or ALLOC that an address or a view of memory belongs to (or the first node that is neither)."""
    while u.op in (Ops.INDEX, Ops.AFTER, Ops.RESHAPE):
        u = u.src[0]
    return u
