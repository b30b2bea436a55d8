"""What names in conditions and hovers stand for: counters, lines of the loop program, values of the file, memory."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from uopc.ops import Ops
from uopc.stepping.code import Address, Fault, Kind, Memory, fetch
from uopc.stepping.describe import Describer, type_text
from uopc.stepping.expressions import ExpressionError, Unknown
from uopc.stepping.machine import Machine
from uopc.stepping.program import SteppedProgram
from uopc.uop import UOp

_MEMORY = (Ops.BUFFER, Ops.ALLOC)


class MomentNames:
    """The names of one program and their values in its machine. from_source: names of the file come before those of
    the loop program that is shown, as in a hover over the file."""

    def __init__(self, program: SteppedProgram, machine: Machine, from_source: bool = False) -> None:
        self.program, self.machine = program, machine
        self._nodes = {name: node for node, name in reversed(list(program.names.items()))}
        self._computed: dict[str, list[int]] = {}
        for position, op in enumerate(program.code.ops):
            for name, _, _ in program.places.get(op.node, ()):
                self._computed.setdefault(name.removeprefix("%"), []).append(position)
        self._from_source = from_source

    def scalar(self, name: str) -> Callable[[], Any]:
        """The value of a name now. Raises ExpressionError when there is none of that name."""
        if self._from_source and name in self._computed:
            return self._computed_now(self._computed[name])
        node = self._nodes.get(name)
        if node is None:
            if name in self._computed:
                return self._computed_now(self._computed[name])
            raise ExpressionError(self._unknown(name))
        if node.op in _MEMORY:
            return self._whole(name, node)
        position = self.program.code.at.get(node)
        if node.op is Ops.RANGE and position is not None:
            return self._counter(position)
        if position is not None and self.program.code.ops[position].kind is Kind.VALUE:
            return self._computed_now([position])
        if node in self.program.code.slots and node.op in (Ops.AFTER, Ops.CONST):
            return self._constant_or_alias(node)
        raise ExpressionError(f"%{name} is an effect: it has no value")

    def element(self, name: str, indices: int) -> Callable[[list[Any]], Any]:
        """An element of a buffer, an accumulator or an output. Raises ExpressionError when that is none of these."""
        for node, (output, shape) in self.program.outputs.items():
            if output == "%" + name and len(shape) == indices and name not in self._nodes:
                return self._in_shape(self.machine.memories[node], shape)
        node_ = self._nodes.get(name)
        memory = None if node_ is None else self.machine.memories.get(node_)
        if memory is None:
            raise ExpressionError(f"%{name} is no memory: only buffers, accumulators and outputs have elements here")
        if indices != 1:
            raise ExpressionError(f"%{name} is flat: one index")
        return self._in_shape(memory, (len(memory.elements),))

    def places(self, name: str, describer: Describer) -> list[str]:
        """The elements of values of the file that the named line, or value, is now."""
        node = self._nodes.get(name)
        position = self.program.code.at.get(node) if node is not None else None
        positions = [] if position is None else [position]
        if not positions or self._from_source:
            positions = self._computed.get(name, positions)
        for position in reversed(positions):
            if self.machine.is_current(position):
                return describer.places(self.program.code.ops[position].node)
        return []

    def _unknown(self, name: str) -> str:
        counters = [self.program.counter(op) for op in self.program.code.ops if op.kind is Kind.RANGE]
        known = f": the counters are {', '.join(counters[:8])}" if counters else ""
        return f"there is no `{name}` here{known}"

    def _counter(self, position: int) -> Callable[[], Any]:
        slot = self.program.code.ops[position].slot

        def value() -> Any:
            if position not in self.machine.open_loops():
                raise Unknown("its loop is not open")
            return self.machine.values[slot]

        return value

    def _computed_now(self, positions: list[int]) -> Callable[[], Any]:
        ops = self.program.code.ops

        def value() -> Any:
            for position in reversed(positions):
                if self.machine.is_current(position):
                    return self._number(self.machine.values[ops[position].slot])
            raise Unknown("not computed yet in this round")

        return value

    def _constant_or_alias(self, node: UOp) -> Callable[[], Any]:
        slot = self.program.code.slots[node]

        def value() -> Any:
            if self.machine.values[slot] is None:
                raise Unknown("it is no number")
            return self._number(self.machine.values[slot])

        return value

    @staticmethod
    def _number(value: Any) -> Any:
        if not isinstance(value, Address):
            return value
        try:
            return fetch(value)
        except Fault as fault:
            raise Unknown(str(fault)) from fault

    def _whole(self, name: str, node: UOp) -> Callable[[], Any]:
        size = node.arg.shape[0]
        if size != 1:
            raise ExpressionError(f"%{name} is {type_text(node.dtype, size)}: say which element, as {name}[0]")
        memory = self.machine.memories[node]
        return lambda: self._number(Address(memory, 0, ""))

    def _in_shape(self, memory: Memory, shape: tuple[int, ...]) -> Callable[[list[Any]], Any]:
        def value(indices: list[Any]) -> Any:
            position = 0
            for i, n in zip(indices, shape):
                if not isinstance(i, int) or not 0 <= i < n:
                    raise Unknown(f"index {i} is not in 0..{n - 1}")
                position = position * n + i
            if position >= max(prod(shape), 1):
                raise Unknown("there are no elements")
            return self._number(Address(memory, position, ""))

        return value
