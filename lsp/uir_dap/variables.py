"""The variables pane: counters, what this line does, accumulators, what was computed so far, buffers in pages."""

from __future__ import annotations

from typing import Any

from uopc.ops import Ops
from uopc.stepping.code import Address, Fault, Kind, Memory, fetch
from uopc.stepping.describe import Describer, type_text
from uopc.uir.printer import number_text

MOMENT, BUFFERS, COMPUTED = 1, 2, 3
_FIRST_MEMORY = 100
_MOST = 1_000  # variables in one answer to a client that does not ask for pages

Variable = dict[str, Any]


class Variables:
    """Answers about one moment after the other; the references stay the same."""

    def __init__(self, describer: Describer) -> None:
        self.describer = describer
        self.program, self.machine = describer.program, describer.machine
        self.memories = list(self.machine.memories.values())

    def scopes(self) -> list[dict[str, Any]]:
        """The groups of the pane."""
        # Editors open the first group by themselves, and only that: what a person reads at each step is in it.
        named = [
            ("Counters, accumulators, this line", MOMENT),
            ("Buffers", BUFFERS),
            ("Computed in this round", COMPUTED),
        ]
        return [
            {"name": name, "variablesReference": reference, "expensive": reference == COMPUTED}
            for name, reference in named
        ]

    def variables(self, reference: int, start: int, count: int) -> list[Variable]:
        """The children of a reference, those asked for (count 0: all, up to a limit)."""
        count = min(count or _MOST, 10 * _MOST)
        if reference >= _FIRST_MEMORY:
            return self._elements(reference - _FIRST_MEMORY, start, count)
        groups = {MOMENT: self._moment, COMPUTED: self._computed, BUFFERS: self._buffers}
        return groups[reference]()[start : start + count] if reference in groups else []

    # -- groups --------------------------------------------------------------------------------------------------------
    def _moment(self) -> list[Variable]:
        accumulators = [_variable(name, text, "", evaluate=name) for name, text in self.describer.accumulators()]
        return [*self._counters(), *accumulators, *self._line()]

    def _counters(self) -> list[Variable]:
        return [
            _variable(name, f"{value}  (0..{size - 1})", "i32", evaluate=name)
            for name, value, size in self.describer.counters()
        ]

    def _line(self) -> list[Variable]:
        if self.machine.ended:
            return [_variable("this line", "the program has ended", "")]
        facts = self.describer.line(self.machine.position)
        found = [_variable("this line", facts.sentence, "")]
        for name, text in facts.operands:
            found.append(_variable(name, text, "", evaluate=name if name.startswith("%") else ""))
        if facts.places:
            found.append(_variable("that is", " = ".join(facts.places), ""))
        return found

    def _buffers(self) -> list[Variable]:
        return [self._memory(m) for m in self.memories if m.node.op is Ops.BUFFER or len(m.elements) != 1]

    def _computed(self) -> list[Variable]:
        found = []
        for position, op in enumerate(self.program.code.ops):
            name = self.program.name(op.node)
            if op.kind is Kind.VALUE and name and self.machine.is_current(position):
                found.append(_variable(name, self.describer.outcome(position), str(op.node.dtype), evaluate=name))
        return found

    # -- memory --------------------------------------------------------------------------------------------------------
    def _memory(self, memory: Memory) -> Variable:
        node, size = memory.node, len(memory.elements)
        name = self.program.name(node) or f"buffer {node.arg.slot}"
        output, shape = self.program.outputs.get(node, ("", ()))
        of = f", {output} : {node.dtype}[{', '.join(map(str, shape))}]" if output else ""
        role = ("output" if memory.stored else "input") if node.op is Ops.BUFFER else "local"
        just = self._just(memory)
        text = f"{type_text(node.dtype, size)}  {role}{of}" + (f"  {just[1]} [{just[0]}]" if just else "")
        reference = _FIRST_MEMORY + self.memories.index(memory)
        variable = _variable(name, text, type_text(node.dtype, size))
        return {**variable, "variablesReference": reference, "indexedVariables": size}

    def _elements(self, number: int, start: int, count: int) -> list[Variable]:
        if not 0 <= number < len(self.memories):
            return []
        memory = self.memories[number]
        name = self.program.name(memory.node) or ""
        just = self._just(memory)
        found = []
        for k in range(max(start, 0), min(start + count, len(memory.elements))):
            place = self.describer.output_place(memory, k)
            text = self._element_text(memory, k) + (f"  ({place})" if place else "")
            mark = f"  ← {just[1]}" if just and just[0] == k else ""
            evaluate = f"{name}[{k}]" if name else ""
            found.append(_variable(f"[{k}]", text + mark, str(memory.node.dtype), evaluate))
        return found

    @staticmethod
    def _element_text(memory: Memory, k: int) -> str:
        try:
            return number_text(fetch(Address(memory, k, "")), memory.node.dtype)
        except Fault:
            return "nothing yet"

    def _just(self, memory: Memory) -> tuple[int, str] | None:
        touched = self.machine.touched()
        if touched is None or touched[0].memory is not memory:
            return None
        return touched[0].position, "just written" if touched[1] else "just read"

    def element_of(self, reference: int, name: str) -> tuple[Memory, int] | None:
        """The element that a variable stands for: a child of a memory, or an accumulator of one element."""
        if reference >= _FIRST_MEMORY and name.startswith("[") and name[1:-1].isdigit():
            number, element = reference - _FIRST_MEMORY, int(name[1:-1])
            if number < len(self.memories) and element < len(self.memories[number].elements):
                return self.memories[number], element
        for memory in self.memories:
            if reference == MOMENT and self.program.name(memory.node) == name and len(memory.elements) == 1:
                return memory, 0
        return None


def _variable(name: str, value: str, type_: str, evaluate: str = "") -> Variable:
    found: Variable = {"name": name, "value": value, "type": type_, "variablesReference": 0}
    return {**found, "evaluateName": evaluate} if evaluate else found
