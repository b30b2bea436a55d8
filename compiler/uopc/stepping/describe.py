"""What a person is told about a moment of the execution: counters, what a line does, where elements are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from uopc.dtype import DType
from uopc.evaluate.loops import memory_of
from uopc.evaluate.scalar import scalar_function
from uopc.indexmap import Index, released
from uopc.ops import ALU, Ops
from uopc.stepping.code import Address, Fault, Kind, Memory, Op, fetch
from uopc.stepping.machine import Machine
from uopc.stepping.program import SteppedProgram
from uopc.symbolic import simplify
from uopc.typerules import is_address
from uopc.uir.printer import number_text
from uopc.uop import UOp

_SIGNS = {
    Ops.ADD: "+",
    Ops.MUL: "*",
    Ops.FLOORDIV: "//",
    Ops.FLOORMOD: "%",
    Ops.CMPLT: "<",
    Ops.CMPNE: "!=",
    Ops.AND: "&",
    Ops.OR: "|",
    Ops.XOR: "^",
    Ops.SHL: "<<",
    Ops.SHR: ">>",
}


@dataclass(frozen=True)
class LineFacts:
    """What one operation does: a sentence, its operands (name, value), what it gives ("" for an effect), and the
    elements of named values that this is. fault: why it has no result, "" when it has one."""

    sentence: str
    operands: list[tuple[str, str]] = field(default_factory=list)
    result: str = ""
    places: list[str] = field(default_factory=list)
    fault: str = ""


class Describer:
    """Describes the moments of one machine."""

    def __init__(self, program: SteppedProgram, machine: Machine) -> None:
        self.program, self.machine = program, machine
        self._indices: dict[UOp, Callable[[], int | None]] = {}
        self._reduced = _reductions(program)

    # -- loops -----------------------------------------------------------------------------------------------------
    def counters(self) -> list[tuple[str, int, int]]:
        """(name, value, rounds) of the open loops, outermost first."""
        found = []
        for position in self.machine.open_loops():
            op = self.machine.code.ops[position]
            found.append((self.program.counter(op), self.machine.values[op.slot], op.node.arg.size))
        return found

    def where(self) -> str:
        """The counters in one line: `i = 0, k = 2`."""
        return ", ".join(f"{name} = {value}" for name, value, _ in self.counters())

    # -- lines -----------------------------------------------------------------------------------------------------
    def line(self, position: int) -> LineFacts:
        """What the operation there does with the values of now."""
        op = self.machine.code.ops[position]
        if op.kind is Kind.RANGE:
            return LineFacts(self._range(op))
        if op.kind is Kind.END:
            return LineFacts(self._end(position))
        operands = [(self._called(s), self._value_text(s)) for s in self._operands(op.node)]
        try:
            result = self.machine.preview(position)
        except Fault as fault:
            return LineFacts(str(fault), operands, fault=str(fault))
        if op.kind is Kind.STORE:
            return self._store(op, operands, *result)
        if isinstance(result, Address):
            return LineFacts(f"the address of {self.address(result)}", operands, self.address(result))
        places = self.places(op.node)
        text = number_text(result, op.node.dtype)
        if op.node.op is Ops.LOAD:
            address = self.machine.values[self.machine.code.slots[op.node.src[0]]]
            return LineFacts(f"load {self._memory(address)} → {text}", operands, text, places)
        return LineFacts(f"{self._formula(op.node)} → {text}", operands, text, places)

    def outcome(self, position: int) -> str:
        """What an operation that has been executed in this round gave, for the end of its line."""
        op = self.machine.code.ops[position]
        if op.kind is Kind.RANGE:
            return f"{self.program.counter(op)} = {self.machine.values[op.slot]}"
        if op.kind is Kind.END:
            return ""
        if op.kind is Kind.STORE:
            address = self.machine.values[self.machine.code.slots[op.node.src[0]]]
            # What it stored: by now something else may be there.
            return (
                f"{self.address(address)} = {self._value_text(op.node.src[1])}" if isinstance(address, Address) else ""
            )
        value = self.machine.values[op.slot]
        if isinstance(value, Address):
            return self.address(value)
        text = number_text(value, op.node.dtype)
        if op.node.op is not Ops.LOAD:
            return text
        address = self.machine.values[self.machine.code.slots[op.node.src[0]]]
        return f"{self.address(address)} → {text}" if isinstance(address, Address) else text

    def _range(self, op: Op) -> str:
        name, size = self.program.counter(op), op.node.arg.size
        if not size:
            return f"no rounds: the loop over {name} is left out"
        return f"{name} begins at 0 and has {size:,} round{'s' if size > 1 else ''}"

    def _end(self, position: int) -> str:
        ops = self.machine.code.ops
        ended: list[str] = []
        for loop in self.machine.code.jumps.get(position, ()):
            name, value = self.program.counter(ops[loop]), self.machine.values[ops[loop].slot]
            if value + 1 < ops[loop].node.arg.size:
                done = f"{' and '.join(ended)} ended; " if ended else ""
                return f"{done}{name} becomes {value + 1}"
            ended.append(f"{name} = {value}")
        return f"{' and '.join(ended)} was the last round" if ended else "nothing to close"

    def _store(self, op: Op, operands: list[tuple[str, str]], address: Address, value: Any) -> LineFacts:
        text = number_text(value, op.node.dtype if op.node.dtype.bits else address.memory.node.dtype)
        written = address.memory.written
        empty = written is not None and not written[address.position]
        before = "" if empty else f" (was {self._element(address)})"
        output = self.output_place(address.memory, address.position)
        places = [output] if output else [self._accumulated(address.memory)]
        sentence = f"store {text} in {self._memory(address)}{before}"
        return LineFacts(sentence, operands, "", [p for p in places if p])

    def _formula(self, node: UOp) -> str:
        """`0.5 * 4.0`, `max(0.5, 2.0)`: an operation with the numbers filled in."""
        numbers = [self._number(s) for s in node.src]
        sign = _SIGNS.get(node.op)
        return f" {sign} ".join(numbers) if sign else f"{node.op.value}({', '.join(numbers)})"

    def _number(self, s: UOp) -> str:
        value = s.arg if s.op is Ops.CONST else self.machine.values[self.machine.code.slots[s]]
        return self._element(value) if isinstance(value, Address) else number_text(value, s.dtype)

    # -- names and numbers -----------------------------------------------------------------------------------------
    def _operands(self, node: UOp) -> list[UOp]:
        if node.op is Ops.INDEX:
            return list(node.src[1:])
        return [s for s in node.src if s.op is not Ops.CONST or node.op is Ops.STORE]

    def _called(self, s: UOp) -> str:
        while s.op is Ops.AFTER and self.program.name(s) is None:
            s = s.src[0]
        return self.program.name(s) or ("number" if s.op is Ops.CONST else s.op.value)

    def _value_text(self, s: UOp) -> str:
        slot = self.machine.code.slots.get(s)
        value = s.arg if s.op is Ops.CONST else None if slot is None else self.machine.values[slot]
        if value is None:
            return "not computed yet"
        if isinstance(value, Address):
            return f"{self.address(value)}, which holds {self._element(value)}"
        return number_text(value, s.dtype)

    def address(self, address: Address) -> str:
        """`%b0[14]`; an accumulator of one element is its name."""
        node = address.memory.node
        name = self.program.name(node) or f"buffer {node.arg.slot}"
        alone = node.op is Ops.ALLOC and node.arg.shape[0] == 1 and not address.outside
        return name if alone else f"{name}[{address.position}]"

    def _memory(self, address: Address) -> str:
        """`buffer 0 at 14`, or the name of an accumulator of one element."""
        node = address.memory.node
        if node.op is Ops.BUFFER:
            return f"buffer {node.arg.slot} at {address.position}"
        name = self.program.name(node) or f"accumulator {node.arg.slot}"
        return name if node.arg.shape[0] == 1 else f"{name} at {address.position}"

    def _element(self, address: Address) -> str:
        try:
            return number_text(fetch(address), address.memory.node.dtype)
        except Fault as fault:
            return f"({fault})" if address.outside else "nothing yet"

    # -- elements of the values that a person wrote ----------------------------------------------------------------
    def places(self, node: UOp) -> list[str]:
        """The elements of named values that the operation computes now: `%t[1, 2]`, the one written last first."""
        found = []
        for name, shape, index in reversed(self.program.places.get(node, [])):
            place = self._place(name, shape, index)
            if place and place not in found:
                found.append(place)
        return found

    def _place(self, name: str, shape: tuple[int, ...], index: Index) -> str:
        at = [self._index_value(i) for i in index]
        if any(i is None for i in at):
            return ""
        if any(i is not None and not 0 <= i < n for i, n in zip(at, shape)):
            return ""  # where a pad's mask chooses zero
        return f"{name}[{', '.join(map(str, at))}]" if at else name

    def _index_value(self, i: UOp) -> int | None:
        if i not in self._indices:
            self._indices[i] = self._index_function(simplify(released(i)))
        return self._indices[i]()

    def _index_function(self, root: UOp) -> Callable[[], int | None]:
        """The value of an index expression now; None while something in it is not known."""
        order, slots, values = root.toposort(), self.machine.code.slots, self.machine.values
        known = {u for u in order if u in slots or u.op is Ops.CONST}

        def value() -> int | None:
            found: dict[UOp, Any] = {}
            for u in order:
                if u in known:
                    found[u] = u.arg if u.op is Ops.CONST else values[slots[u]]
                elif u.op in ALU and all(found.get(s) is not None for s in u.src):
                    found[u] = scalar_function(u)(*[found[s] for s in u.src])
            result = found.get(root)
            return None if result is None or isinstance(result, Address) else int(result)

        return value

    def output_place(self, memory: Memory, position: int) -> str:
        """`%y[1, 2]`, the element of the output that is kept there; "" for other memory."""
        name, shape = self.program.outputs.get(memory.node, ("", ()))
        if not name or position >= prod(shape):
            return ""
        return element_name(name, shape, position)

    # -- memory ----------------------------------------------------------------------------------------------------
    def accumulators(self) -> list[tuple[str, str]]:
        """(name, what it holds and of what) of every accumulator of one element."""
        found = []
        for memory in self.machine.memories.values():
            if memory.node.op is Ops.ALLOC and memory.node.arg.shape[0] == 1:
                of = self._accumulated(memory)
                text = self._element(Address(memory, 0, ""))
                found.append((self.program.name(memory.node) or "accumulator", text + (f"  ({of})" if of else "")))
        return found

    def _accumulated(self, memory: Memory) -> str:
        """`add for %y[1]`: the element of a reduction that an accumulator is for."""
        for op, name, shape, index in self._reduced.get(memory.node, ()):
            place = self._place(name, shape, index)
            return f"{op} for {place or name}"
        return ""


def element_name(name: str, shape: tuple[int, ...], position: int) -> str:
    """The element at a flat, row-major position: `%y[1, 2]`."""
    index = []
    for n in reversed(shape):
        position, i = divmod(position, n)
        index.append(i)
    return f"{name}[{', '.join(map(str, reversed(index)))}]" if shape else name


def _reductions(program: SteppedProgram) -> dict[UOp, list[tuple[str, str, tuple[int, ...], Index]]]:
    """accumulator -> (operation, name, shape, index) of the reductions that it is for."""
    found: dict[UOp, list[tuple[str, str, tuple[int, ...], Index]]] = {}
    updates = {
        memory_of(op.node.src[0]): op.node.src[1].op.value
        for op in program.code.ops
        if op.kind is Kind.STORE and op.node.src[1].op in (Ops.ADD, Ops.MAX, Ops.MUL)
    }
    for node, places in program.places.items():
        load = node.src[0] if node.op is Ops.CAST else node
        if load.op is not Ops.LOAD or not is_address(load.src[0]):
            continue
        memory = memory_of(load.src[0])
        if memory.op is Ops.ALLOC:
            found.setdefault(memory, []).extend((updates.get(memory, "reduce"), *place) for place in places)
    return found


def type_text(dtype: DType, size: int) -> str:
    """`f32[12]`."""
    return f"{dtype}[{size:,}]"
