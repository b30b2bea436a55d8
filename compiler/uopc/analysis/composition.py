"""Steps put together: what an element is read from, down to buffers and to the values in between that stay.

The walk asks "where does the element at this index come from?" and carries the index down through movement
operations, as rangeify does. It ends at buffers, at reductions and staged values (which are computed on their own),
and, where a value is made of too much to read, at its elementwise operands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from uopc.analysis.counting import Count, count_positions
from uopc.analysis.names import Names, no_names
from uopc.analysis.style import elements
from uopc.indexmap import Index, conjunction, ravel, released, source_index, valid
from uopc.symbolic import bounds, simplify
from uopc.uop import ALU, MOVEMENT, Ops, UOp, range_

MAX_VISITED = 48  # nodes looked at for one value
MAX_READS = 6  # places listed for one value
_FIRST_CHOICE = 1000  # loop numbers from here on stand for indices that are only known when the program runs


def step_index(u: UOp, idx: Index) -> Index:
    """The index of a movement operation's operand for the element of `u` at `idx`. Where axes are put together, those
    of one entry, whose index can only be 0, are left out."""
    if u.op is Ops.RESHAPE:
        idx = tuple(UOp.const(0) if n == 1 else i for i, n in zip(idx, u.shape))
    return source_index(u, idx)


@dataclass(frozen=True)
class Read:
    """One place elements come from.

    value: a BUFFER or a value that is computed on its own; index: where in it; position: the same as one row-major
    number; guard: when it is read (else the element is 0); case: which elements come from here (a stack's others come
    from elsewhere); count: distinct elements read; clamped: an index in it is
    only known at run time and is clamped into its axis.
    """

    value: UOp
    index: Index
    position: UOp
    guard: UOp | None
    case: UOp | None
    count: Count
    clamped: bool

    @property
    def total(self) -> int:
        """How many elements the place has."""
        return elements(self.value.shape)


@dataclass(frozen=True)
class Composition:
    """Where elements come from.

    reads: the places, in the order they are met; loops: the counters they use, a reduction's own included; choices: for
    each counter that stands for an index known only at run time, the value it is; complete: nothing was left out.
    """

    reads: tuple[Read, ...]
    loops: tuple[UOp, ...]
    choices: dict[UOp, UOp]
    complete: bool


class _Step(NamedTuple):
    """An element on the way down."""

    value: UOp
    at: Index
    guard: UOp | None
    case: UOp | None


@dataclass
class _Walk:
    """One walk. `stop_at_elementwise`: elementwise values below the first are ends."""

    root: UOp
    names: Names
    stop_at_elementwise: bool
    loops: list[UOp] = field(default_factory=list)
    choices: dict[UOp, UOp] = field(default_factory=dict)
    clamped: set[UOp] = field(default_factory=set)
    reduced: UOp | None = None  # the reduction that is the step itself
    found: dict[_Step, None] = field(default_factory=dict)
    complete: bool = True
    branches: bool = False  # it went through elementwise values or stacks

    def run(self) -> None:
        loops = tuple(range_(n, k) for k, n in enumerate(self.root.shape))
        self.loops.extend(loops)
        seen: set[_Step] = set()
        stack = [_Step(self.root, loops, None, None)]
        while stack:
            step = stack.pop()
            if step in seen:
                continue
            if len(seen) >= MAX_VISITED or len(self.found) > MAX_READS:
                self.complete = False
                return
            seen.add(step)
            stack.extend(reversed(self.below(step)))

    def below(self, step: _Step) -> list[_Step]:
        """Where the element comes from, one step down; an end is noted."""
        u, idx, guard, case = step
        if u is not self.root and self.is_kept_reduction(u):
            self.found[step] = None
            return []
        if u.op in MOVEMENT:
            return [_Step(u.src[0], step_index(u, idx), conjunction(guard, valid(u, idx)), case)]
        if u.op is Ops.INDEX:
            return [_Step(u.src[0], self.chosen(u) + idx, guard, case)]
        if u.op in ALU and not (self.stop_at_elementwise and u is not self.root):
            self.branches = True
            return [_Step(s, idx, guard, case) for s in u.src]
        if u.op is Ops.STACK and not (self.stop_at_elementwise and u is not self.root):
            self.branches = True
            return self.cases(step)
        if u is self.root and u.op is Ops.STAGE:
            return [_Step(u.src[0], idx, guard, case)]
        if self.is_own_reduction(u):
            self.reduced = u
            own_loops = tuple(range_(n, len(self.loops) + k) for k, n in enumerate(u.src[0].shape[len(idx) :]))
            self.loops.extend(own_loops)
            return [_Step(u.src[0], idx + own_loops, guard, case)]
        if u.op is not Ops.CONST:
            self.found[step] = None
        return []

    def is_own_reduction(self, u: UOp) -> bool:
        """The root's reduction is part of its step; with `keepdim` it is an unnamed node under the root."""
        return u.op is Ops.REDUCE and self.reduced is None and (u is self.root or self.names(u) is None)

    def is_kept_reduction(self, u: UOp) -> bool:
        """Whether a value is a reduction with `keepdim`: it has a name, the reduction under its reshape has none."""
        under = u.src[0] if u.op is Ops.RESHAPE else u
        return under is not u and under.op is Ops.REDUCE and self.names(u) is not None and self.names(under) is None

    def chosen(self, u: UOp) -> Index:
        """The leading indices of an INDEX; one that is no number becomes a counter of its own."""
        entries = []
        for k, i in enumerate(u.src[1:]):
            if i.op is Ops.CONST:
                entries.append(i)
                continue
            size = u.src[0].shape[k]
            counter = range_(size, _FIRST_CHOICE + len(self.choices))
            self.choices[counter] = i
            low, high = bounds(i)
            if low < 0 or high >= size:
                self.clamped.add(counter)
            entries.append(counter)
        return tuple(entries)

    def cases(self, step: _Step) -> list[_Step]:
        u, (which, *rest), guard, case = step
        if which.op is Ops.CONST:
            return [_Step(u.src[which.arg], tuple(rest), guard, case)]
        low, high = bounds(which)
        steps = []
        for k in range(max(low, 0), min(high, len(u.src) - 1, low + MAX_READS) + 1):
            own = _equals(released(which), k)
            steps.append(_Step(u.src[k], tuple(rest), guard, own if case is None else case.alu(Ops.AND, own)))
        return steps


def _equals(i: UOp, k: int) -> UOp:
    """i = k as two comparisons, both of them also where bounds would make one of them needless: it is to be read."""
    return (UOp.const(k - 1, i.dtype) < i).alu(Ops.AND, i < k + 1)


def _is_too_much(u: UOp) -> bool:
    """Whether a walk through elementwise values is known to end at MAX_VISITED: nodes are counted sooner than indices.

    Counts what every such walk looks at, and perhaps not all of it.
    """
    seen: set[UOp] = set()
    stack, branches = [u], False
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        if len(seen) >= MAX_VISITED:
            return branches
        seen.add(node)
        if node.op in ALU:
            branches = True
            stack.extend(reversed(node.src))
        elif node.op is Ops.INDEX or (node.op in MOVEMENT and node.src[0].op is not Ops.REDUCE):
            stack.append(node.src[0])
    return False


def compose(u: UOp, names: Names = no_names) -> Composition:
    """What the elements of `u` are read from. Bounded work, however large the program above and below `u` is."""
    walk = _Walk(u, names, stop_at_elementwise=_is_too_much(u))
    walk.run()
    if not walk.complete and walk.branches and not walk.stop_at_elementwise:
        walk = _Walk(u, names, stop_at_elementwise=True)
        walk.run()
    places = list(walk.found)[:MAX_READS]
    reads = tuple(_read(walk, *place) for place in places)
    return Composition(reads, tuple(walk.loops), walk.choices, walk.complete and len(places) == len(walk.found))


def _read(walk: _Walk, value: UOp, idx: Index, guard: UOp | None, case: UOp | None) -> Read:
    position = released(simplify(ravel(idx, value.shape)))
    when = conjunction(guard, case)
    used = {r for part in (position, when) if part is not None for r in part.ranges}
    loops = [*walk.loops, *walk.choices]
    count = count_positions(position, when, loops, elements(value.shape), bool(used & walk.choices.keys()))
    return Read(value, tuple(map(released, idx)), position, guard, case, count, bool(used & walk.clamped))
