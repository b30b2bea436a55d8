"""Going on until something: a line, a round, a breakpoint, a write, the end; forward and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from uopc.ops import Ops
from uopc.stepping.code import MOST_STEPS, Address, Fault, Kind
from uopc.stepping.expressions import Expression, Unknown
from uopc.stepping.machine import Machine
from uopc.uop import UOp


class Why(Enum):
    """Why the execution stopped."""

    STEP = "step"
    BREAKPOINT = "breakpoint"
    DATA = "data breakpoint"
    FAULT = "exception"
    END = "end"
    BEGIN = "begin"
    LIMIT = "limit"
    PAUSE = "pause"


class Stopped(NamedTuple):
    """Why, in words where there is more to say, and the numbers of the breakpoints that were met."""

    why: Why
    text: str = ""
    met: tuple[int, ...] = ()


@dataclass
class Breakpoint:
    """Stops before the operations at `positions`. hits: whether it stops the n-th time that its condition holds (None:
    it always does); message: what is told in place of stopping."""

    number: int
    positions: frozenset[int]
    condition: Expression | None = None
    hits: Callable[[int], bool] | None = None
    message: Callable[[], str] | None = None
    passed: int = 0


@dataclass
class Watch:
    """Stops after a load from or a store to one element of a memory."""

    number: int
    memory: UOp
    element: int
    reads: bool
    writes: bool


@dataclass
class Control:
    """Drives a machine. tell: where messages of breakpoints go."""

    machine: Machine
    tell: Callable[[str], None]
    breakpoints: list[Breakpoint] = field(default_factory=list)
    watches: list[Watch] = field(default_factory=list)
    most_steps: int = MOST_STEPS

    # -- one step ------------------------------------------------------------------------------------------------------
    def forward(self) -> Stopped | None:
        """One operation; why not, when there is none."""
        if self.machine.ended:
            return Stopped(Why.END)
        if self.machine.time >= self.most_steps:
            return Stopped(Why.LIMIT)
        try:
            with np.errstate(all="ignore"):
                self.machine.forward()
        except Fault as fault:
            return Stopped(Why.FAULT, str(fault))
        return None

    def line(self) -> Stopped:
        """One line: operations that have no line of their own go with the statement that they are part of."""
        while True:
            before = self.machine.position
            stopped = self.forward()
            if stopped or not self._same_line(before, self.machine.position):
                return stopped or self._arrived()

    def line_back(self) -> Stopped:
        """The line before, as it was when it was about to be executed."""
        while self.machine.time:
            self.machine.back()
            previous = self.machine.previous()
            if previous is None or not self._same_line(previous, self.machine.position):
                return Stopped(Why.STEP)
        return Stopped(Why.BEGIN)

    def _same_line(self, a: int, b: int) -> bool:
        ops = self.machine.code.ops
        return a >= 0 and b == a + 1 and b < len(ops) and ops[a].line == ops[b].line

    def _arrived(self) -> Stopped:
        return Stopped(Why.END) if self.machine.ended else Stopped(Why.STEP)

    # -- many steps ----------------------------------------------------------------------------------------------------
    def go(self, budget: int, until: Callable[[], bool] | None = None) -> Stopped | None:
        """On until something stops it or `until` holds; None when `budget` operations have passed before that."""
        machine, armed, end = self.machine, self._armed(), len(self.machine.code.ops)
        left = min(budget, self.most_steps - machine.time)
        if machine.ended or left <= 0:
            return Stopped(Why.END if machine.ended else Why.LIMIT)
        forward, watching = machine.forward, bool(self.watches)
        try:
            with np.errstate(all="ignore"):
                for _ in range(left):
                    forward()
                    if machine.position >= end:
                        return Stopped(Why.END)
                    if watching or machine.position in armed:
                        met = self._watched() or self._met(armed)
                        if met:
                            return met
                    if until is not None and until():
                        return Stopped(Why.STEP)
        except Fault as fault:
            return Stopped(Why.FAULT, str(fault))
        return None

    def go_back(self, budget: int) -> Stopped | None:
        """Back until a breakpoint, a watched access or the beginning."""
        machine, armed, watching = self.machine, self._armed(), bool(self.watches)
        for _ in range(budget):
            if not machine.time:
                return Stopped(Why.BEGIN)
            machine.back()
            if watching or machine.position in armed:
                met = self._met(armed, told=False) or self._watched_next()
                if met:
                    return met
        return None

    def next_round(self) -> Callable[[], bool]:
        """Holds at the first line of the next round: of this loop, of one inside it, or of one further out."""
        machine = self.machine

        def began() -> bool:
            previous = machine.previous()
            kind = None if previous is None else machine.code.ops[previous].kind
            at = machine.position
            opened = at > 0 and machine.code.ops[at - 1].kind is Kind.RANGE
            return opened and kind in (Kind.RANGE, Kind.END)

        return began

    def out_of_loop(self) -> Callable[[], bool]:
        """Holds once the innermost of the loops that are open now has ended."""
        loops = self.machine.open_loops()
        depth = len(loops)
        return lambda: len(self.machine.open_loops()) < depth or self.machine.open_loops()[:depth] != loops

    # -- what stops it -------------------------------------------------------------------------------------------------
    def _armed(self) -> dict[int, list[Breakpoint]]:
        found: dict[int, list[Breakpoint]] = {}
        for breakpoint_ in self.breakpoints:
            for position in breakpoint_.positions:
                found.setdefault(position, []).append(breakpoint_)
        return found

    def _met(self, armed: dict[int, list[Breakpoint]], told: bool = True) -> Stopped | None:
        here = armed.get(self.machine.position)
        met = [b.number for b in here if self._holds(b, told)] if here else []
        return Stopped(Why.BREAKPOINT, "", tuple(met)) if met else None

    def _holds(self, b: Breakpoint, told: bool) -> bool:
        try:
            if b.condition is not None and not b.condition():
                return False
        except Unknown:
            return False
        if told:
            b.passed += 1
            if b.hits is not None and not b.hits(b.passed):
                return False
        if b.message is not None:
            if told:
                self.tell(b.message())
            return False
        return True

    def _watched(self) -> Stopped | None:
        touched = self.machine.touched()
        return self._of_watch(*touched) if touched else None

    def _watched_next(self) -> Stopped | None:
        """Going back: the operation that has just been taken back."""
        node = self.machine.code.ops[self.machine.position].node
        if node.op not in (Ops.LOAD, Ops.STORE):
            return None
        address = self.machine.values[self.machine.code.slots[node.src[0]]]
        return self._of_watch(address, node.op is Ops.STORE)

    def _of_watch(self, address: Any, stored: bool) -> Stopped | None:
        if not isinstance(address, Address):
            return None
        for watch in self.watches:
            wanted = watch.writes if stored else watch.reads
            if wanted and watch.memory is address.memory.node and watch.element == address.position:
                return Stopped(Why.DATA, "", (watch.number,))
        return None
