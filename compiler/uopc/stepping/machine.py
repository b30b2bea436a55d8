"""A loop program in the middle of its execution, which can go forward and back by one operation.

Going back takes what the last operation overwrote from a log. The log is bounded; what is further back is reached from
the nearest checkpoint before it, forward again: a program is a function of its inputs, so that is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from uopc.evaluate.loops import memory_of
from uopc.ops import Ops
from uopc.stepping.code import MOST_STEPS, Address, Code, Kind, Memory, Op, Values
from uopc.uop import UOp

MOST_LOGGED = 1 << 18  # operations whose effects can be taken back without a checkpoint
CHECKPOINT_EVERY = 1 << 16  # operations, for programs with little memory
CHECKPOINT_BYTES = 128 << 20  # that all checkpoints together may take


class _Checkpoint(NamedTuple):
    position: int
    values: Values
    elements: list[list[Any]]
    written: list[bytearray | None]


class Machine:
    """position: of the next operation among `code.ops`; time: operations executed so far.

    last: the address that the operation before this one loaded from or stored to, None if it did neither.
    """

    def __init__(self, code: Code, *, logged: int = MOST_LOGGED, every: int | None = None) -> None:
        self.code = code
        self.values: Values = list(code.initial)
        self.memories = _memories(code)
        self.position = self.time = 0
        self._changing = [m for m in self.memories.values() if m.stored]
        self._acts = [code.act(k, self.memories) for k in range(len(code.ops))]
        self._slots = [op.slot if op.kind is Kind.VALUE else -1 for op in code.ops]
        self._logged = logged
        self._every = every or _interval(code, self._changing)
        self._log: list[tuple[Any, ...]] = []  # (position, slot, old) or (position, memory, element, old, written)
        self._checkpoints: dict[int, _Checkpoint] = {}
        self._keep()

    @property
    def ended(self) -> bool:
        """Whether there is no operation left."""
        return self.position >= len(self.code.ops)

    # -- forward -------------------------------------------------------------------------------------------------------
    def forward(self) -> None:
        """Executes one operation. Raises Fault, with nothing changed, when it has no result."""
        here = self.position
        slot = self._slots[here]
        if slot >= 0:  # most operations: a value of their own
            new = self._acts[here](self.values)
            self._log.append((here, slot, self.values[slot]))
            self.values[slot] = new
            self.position = here + 1
        else:
            self._effect(here, self.code.ops[here])
        self.time += 1
        if self.time % self._every == 0:
            self._keep()

    def _effect(self, here: int, op: Op) -> None:
        if op.kind is Kind.STORE:
            self._store(here)
        elif op.kind is Kind.RANGE and op.node.arg.size > 0:
            self._log.append((here, op.slot, self.values[op.slot]))
            self.values[op.slot] = 0
            self.position = here + 1
        else:
            self._next_round(here)

    def _store(self, here: int) -> None:
        (memory, element, _), value = self._acts[here](self.values)
        written = memory.written
        self._log.append((here, memory, element, memory.elements[element], written is None or written[element]))
        memory.elements[element] = value
        if written is not None:
            written[element] = 1
        self.position = here + 1

    def _next_round(self, here: int) -> None:
        """At an END, or at a RANGE without rounds: the next round of the innermost loop of that END that has one."""
        end = self.code.end_of.get(here, here)
        closed = self.code.jumps.get(end, ())
        for loop in closed[closed.index(here) + 1 :] if here != end else closed:
            range_ = self.code.ops[loop]
            counter = self.values[range_.slot]
            if counter + 1 < range_.node.arg.size:
                self._log.append((here, range_.slot, counter))
                self.values[range_.slot] = counter + 1
                self.position = loop + 1
                return
        slot = self.code.ops[end].slot
        self._log.append((here, slot, self.values[slot]))
        self.position = end + 1

    # -- back ----------------------------------------------------------------------------------------------------------
    def back(self) -> None:
        """Takes the last operation back; at the beginning nothing happens."""
        if not self.time:
            return
        if not self._log:
            self._replay(self.time - 1)
            return
        entry = self._log.pop()
        if len(entry) == 3:
            self.values[entry[1]] = entry[2]
        else:
            _, memory, element, old, written = entry
            memory.elements[element] = old
            if memory.written is not None:
                memory.written[element] = written
        self.position = entry[0]
        self.time -= 1

    def _keep(self) -> None:
        if len(self._log) > self._logged:
            del self._log[: -(self._logged // 2) or None]
        if self.time not in self._checkpoints:
            elements = [list(m.elements) for m in self._changing]
            written = [None if m.written is None else bytearray(m.written) for m in self._changing]
            self._checkpoints[self.time] = _Checkpoint(self.position, list(self.values), elements, written)

    def _replay(self, time: int) -> None:
        base = max((t for t in self._checkpoints if t < time), default=0)
        kept = self._checkpoints[base]
        self.position, self.values[:], self.time = kept.position, kept.values, base
        for memory, elements, written in zip(self._changing, kept.elements, kept.written):
            memory.elements[:] = elements
            if memory.written is not None and written is not None:
                memory.written[:] = written
        self._log.clear()
        while self.time < time:
            self.forward()

    # -- looking -------------------------------------------------------------------------------------------------------
    def preview(self, position: int) -> Any:
        """What the operation there would compute now, without executing it. Raises Fault."""
        return self._acts[position](self.values)

    def previous(self) -> int | None:
        """The position of the operation that was executed last, None at the beginning."""
        if self.time and not self._log:
            self._replay(self.time)
        position: int | None = self._log[-1][0] if self._log else None
        return position

    def is_current(self, position: int) -> bool:
        """Whether the operation there has been executed in the rounds that the loops around it are in now."""
        if position >= self.position:
            return False
        loops = self.code.ops[position].loops
        return not loops or self.position <= self.code.end_of[loops[-1]]

    def open_loops(self) -> tuple[int, ...]:
        """The positions of the RANGEs whose rounds are going on, outermost first."""
        return () if self.ended else self.code.ops[self.position].loops

    def touched(self) -> tuple[Address, bool] | None:
        """The address that the last operation loaded from or stored to, and whether it was stored to."""
        previous = self.previous()
        if previous is None:
            return None
        node = self.code.ops[previous].node
        if node.op not in (Ops.LOAD, Ops.STORE):
            return None
        address = self.values[self.code.slots[node.src[0]]]
        return (address, node.op is Ops.STORE) if isinstance(address, Address) else None

    def state(self) -> tuple[Any, ...]:
        """All of it, for comparing: position, time, values, and the elements of every memory."""
        memories = [
            (m.node.digest, tuple(map(repr, m.elements)), bytes(m.written or b"")) for m in self.memories.values()
        ]
        return self.position, self.time, tuple(map(_plain, self.values)), tuple(memories)


def _plain(value: Any) -> str:
    return repr((value.memory.node.arg, value[1:])) if isinstance(value, Address) else repr(value)


def _memories(code: Code) -> dict[UOp, Memory]:
    targets = {memory_of(op.node.src[0]) for op in code.ops if op.kind is Kind.STORE}
    made = {}
    for node, elements in code.elements.items():
        size = node.arg.shape[0]
        zero: Any = False if node.dtype.is_bool else 0.0 if node.dtype.is_float else 0
        start = [zero] * size if elements is None else list(elements)
        made[node] = Memory(node, start, bytearray(size) if node.op is Ops.ALLOC else None, node in targets)
    return made


def _interval(code: Code, changing: list[Memory]) -> int:
    """Operations between two checkpoints, so that all of them take no more memory than they may."""
    size = 8 * (len(code.initial) + sum(len(m.elements) for m in changing))
    most = max(1, CHECKPOINT_BYTES // max(1, size))
    return max(CHECKPOINT_EVERY, -(-min(code.steps, MOST_STEPS) // most))
