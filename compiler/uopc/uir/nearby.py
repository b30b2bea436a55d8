"""One value of a text whose analysis is not settled: made of the newest nodes, at the cost of what it is made of.

After an edit high in a long file most lines below still have nodes that are made of what the edit replaced. To speak of
one of them, only the lines that it is made of are elaborated again, and of these only as many as anything that is said
about a value looks at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from uopc.ops import ALU, MOVEMENT, Ops
from uopc.uir.state import State
from uopc.uir.values import Values
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.uir.analysis import Analysis
    from uopc.uir.lines import Line
    from uopc.uir.model import Diagnostic, Statement
    from uopc.uir.values import Value

DEPTH = 64  # steps down that are made anew; an index map is followed through fewer nodes (see `analysis.composition`)
WIDTH = 400  # lines in all


class Near:
    """What is known about a text, for one value and what it is made of.

    Other values may be those before the edit: these have no names.
    """

    def __init__(self, analysis: Analysis, age: Age, made: Mapping[Line, UOp | None]) -> None:
        self._analysis, self._age, self._made = analysis, age, made
        self.values: Mapping[str, Value] = Values(analysis.state, made)
        self.statements: Mapping[int, Statement] = analysis.statements
        self._names: dict[UOp, list[str]] = {}
        for item, u in made.items():
            if u is not None and item.name is not None:
                self._names.setdefault(u, []).append(item.name)

    @property
    def root(self) -> UOp | None:
        """What the program computes, if its node is not one from before the edit."""
        analysis = self._analysis
        line = analysis.root_line
        return None if line is None or self._age.is_stale(analysis.state.items[line]) else analysis.root

    @property
    def kind(self) -> str:
        """As that of the analysis."""
        return self._analysis.kind

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Those of the analysis, right about errors."""
        return self._analysis.diagnostics

    def names_of(self, uop: UOp) -> list[str]:
        """The names of the values that are known to be this node, in order."""
        defs, places = self._analysis.state.defs, self._analysis.state.places
        settled = [name for name in self._analysis.names_of(uop) if self._is_newest(defs[name][0], uop)]
        made = self._names.get(uop)
        return sorted({*settled, *made}, key=lambda name: places[defs[name][0]]) if made else settled

    def _is_newest(self, item: Line, uop: UOp) -> bool:
        """Whether the newest node of a line, which has this node, is this one."""
        return self._made[item] is uop if item in self._made else not self._age.is_stale(item)


class Age:
    """Which lines have nodes that are made of nodes from before an edit: found out about those that are asked for."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._fresh: set[Line] = set()
        self.first = min(map(state.places.__getitem__, state.ahead))  # all down to this line are new

    def is_stale(self, item: Line) -> bool:
        """Whether a line is: whether an edit was above it, in what it is made of. Costs what it is made of."""
        state, first, fresh = self._state, self.first, self._fresh
        ahead, defs, places = state.ahead, state.defs, state.places
        seen, todo = {item}, [item]
        while todo:
            line = todo.pop()
            place = places[line]
            if place <= first or line in fresh:
                continue
            for name in line.uses:
                maker = found[0] if (found := defs.get(name)) else None
                if maker is None or maker in seen or places[maker] >= place:
                    continue
                if maker in ahead:
                    return True
                seen.add(maker)
                todo.append(maker)
        fresh |= seen
        return False


def near(analysis: Analysis, name: str) -> Analysis | Near | None:
    """What `explain` needs to know to explain a value; None if it takes more than a look at a part of the file."""
    state = analysis.state
    if not state.ahead or name not in analysis.values:
        return analysis
    age = analysis.age
    item = state.defs[name][0]
    if state.places[item] <= age.first or state.value_of(name) is None:
        return Near(analysis, age, {})
    cone, whole = _cone(state, item, age.first)
    made = _made(state, cone)
    return Near(analysis, age, made) if whole or _is_local(made[item], made.values()) else None


def _cone(state: State, item: Line, first: int) -> tuple[list[Line], bool]:
    """The lines below `first` that a value is made of, nearest first, and whether these are all."""
    places = state.places
    seen = {item: None}
    level = [item]
    for _ in range(DEPTH):
        below = {defs[0]: None for line in level for name in line.uses if (defs := state.defs.get(name))}
        level = [line for line in below if places[line] > first and line not in seen]
        if not level:
            return list(seen), True
        seen.update(dict.fromkeys(level))
        if len(seen) > WIDTH:
            break
    return list(seen), False


def _made(state: State, cone: list[Line]) -> dict[Line, UOp | None]:
    """The newest nodes of some lines."""
    made: dict[Line, UOp | None] = {}

    def resolve(name: str) -> UOp | None:
        item = state.defs[name][0]
        return made[item] if item in made else state.uops[state.places[item]]

    for item in sorted(cone, key=state.places.__getitem__):
        made[item], _ = state.evaluate(item, resolve)
    return made


def _is_local(u: UOp | None, made: Iterable[UOp | None]) -> bool:
    """Whether nothing that is said about a value looks further down than what was made anew.

    What an index is known to be does, and whether a sum is a contraction, and the strides of a long chain of views.
    """
    if u is None or u.op not in ALU | MOVEMENT | {Ops.STAGE}:
        return False
    if any(x is not None and x.op is Ops.INDEX for x in made):
        return False
    for _ in range(DEPTH // 2):
        if u.op not in MOVEMENT:
            return True
        u = u.src[0]
    return False
