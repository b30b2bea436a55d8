"""Cutting a graph into stages: which values are computed once into memory, and which are computed where they are read.

A stage is one value that gets memory of its own. Cut are: `stage` itself; every reduction (its loops then belong to one
stage); values that are dear and wanted by several stages; values that a reduction would compute again for every copy
that an expand makes; values read at many places; chains too long for one loop. Everything else is computed in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from uopc.ops import ALU, MOVEMENT, Ops
from uopc.uop import Shape, UOp, buf, toposort

# Buffers of stages are numbered from here: no program has that many arguments.
FIRST_TEMPORARY = 1 << 40

_DEAR = frozenset({Ops.EXP2, Ops.LOG2, Ops.SIN})
_COSTLY = _DEAR | {Ops.RECIP, Ops.SQRT, Ops.FLOORDIV, Ops.FLOORMOD}
_COPIES = 4  # an expand that makes fewer copies is computed again
_SHARED_COST = 16  # operations from which a value is not computed in two stages
_SHARED_READS = 3  # values of its own size that are read for a value, from which it is not read together in two stages
_REPEATS = 64  # operations times places from which a value is not computed at every place
_MAX_DEPTH = 192  # operations in a row in one loop
_VIEWS = MOVEMENT - {Ops.PAD}
_NOTHING: frozenset[UOp] = frozenset()


@dataclass(frozen=True)
class Stage:
    """One value with memory of its own.

    value: its graph, in which other stages are BUFFERs; out: the BUFFER it is written to; node: what it is in the
    program's graph; origin: node of `value` -> node of the program; why: the reason for the cut, in words.
    """

    value: UOp
    out: UOp
    node: UOp
    origin: dict[UOp, UOp]
    why: str

    @property
    def temporary(self) -> bool:
        """Whether the memory is the program's own, not the caller's."""
        return bool(self.out.arg.slot >= FIRST_TEMPORARY)


def cut(outputs: Iterable[tuple[UOp, UOp]]) -> list[Stage]:
    """The stages of a shaped program in an order in which they can run; `outputs` are (value, buffer to write)."""
    wanted = list(outputs)
    nodes = toposort([value for value, _ in wanted])
    reasons = _boundaries(nodes, [value for value, _ in wanted])
    return _Cutter(nodes, reasons, wanted).stages


# -- where to cut --------------------------------------------------------------------------------------------------
class _Facts:
    """What decides about cuts, for every node: users, size, operations and depth since the last cut."""

    def __init__(self, nodes: list[UOp], roots: list[UOp]) -> None:
        self.nodes = nodes
        self.roots = set(roots)
        self.users: dict[UOp, list[UOp]] = {u: [] for u in nodes}
        for u in nodes:
            for s in dict.fromkeys(u.src):
                self.users[s].append(u)
        self.reasons: dict[UOp, str] = {}
        self.cost: dict[
            UOp, int
        ] = {}  # operations that one element takes, counting shared ones again, at most _REPEATS
        self.depth: dict[UOp, int] = {}
        self.costly: set[UOp] = set()  # values with a costly operation in them
        self.reads: dict[UOp, frozenset[UOp]] = {}  # of about its size; _SHARED_READS are enough


def _boundaries(nodes: list[UOp], roots: list[UOp]) -> dict[UOp, str]:
    facts = _Facts(nodes, roots)
    for u in nodes:
        if u.op is Ops.STAGE:
            facts.reasons.setdefault(_unviewed(u.src[0]), "the program says stage")
        if u.op is Ops.REDUCE and _length(u) > 1 and 0 not in u.shape:
            facts.reasons.setdefault(_least_view(u, facts), "a reduction has loops of its own")
    facts.reasons = {u: why for u, why in facts.reasons.items() if _is_computed(u)}
    for u in nodes:
        _measure(u, facts)
    _look_down(facts)
    return facts.reasons


def _length(u: UOp) -> int:
    """Elements that a reduction combines into one."""
    removed: Shape = u.src[0].shape[len(u.shape) :]
    return prod(removed)


def _unviewed(u: UOp) -> UOp:
    while u.op in (Ops.STAGE, Ops.AFTER):
        u = u.src[0]
    return u


def _is_computed(u: UOp) -> bool:
    """Whether there is anything to compute: a buffer, a constant and their views are read where they are wanted."""
    while u.op in _VIEWS or u.op in (Ops.STAGE, Ops.AFTER):
        u = u.src[0]
    return u.op not in (Ops.BUFFER, Ops.CONST)


def _least_view(u: UOp, facts: _Facts) -> UOp:
    """The reduction, or the part of it that is all that anybody reads."""
    best = u
    while u not in facts.roots and len(facts.users[u]) == 1:
        user = facts.users[u][0]
        constant = user.op is Ops.INDEX and user.src[0] is u and all(i.op is Ops.CONST for i in user.src[1:])
        if user.op not in _VIEWS - {Ops.EXPAND} and not constant:
            break
        u = user
        if prod(u.shape) < prod(best.shape):
            best = u
    return best


def _measure(u: UOp, facts: _Facts) -> None:
    below = [s for s in u.src if s not in facts.reasons]
    own = u.op in ALU
    facts.cost[u] = min(_REPEATS, sum(facts.cost[s] for s in below) + own)
    facts.depth[u] = max((facts.depth[s] for s in below), default=0) + (own or u.op in (Ops.PAD, Ops.STACK))
    if u.op in _COSTLY or any(s in facts.costly for s in below):
        facts.costly.add(u)
    facts.reads[u] = _large_reads(u, facts)
    if facts.depth[u] >= _MAX_DEPTH and u not in facts.roots:
        facts.reasons.setdefault(u, f"a chain of more than {_MAX_DEPTH} operations is cut")


def _large_reads(u: UOp, facts: _Facts) -> frozenset[UOp]:
    if u.op is Ops.BUFFER:
        return frozenset((u,))
    if u.op is Ops.EXPAND and prod(u.shape) >= _COPIES * max(1, prod(u.src[0].shape)):
        return _NOTHING
    found = _NOTHING
    for s in u.src:
        if len(found) < _SHARED_READS:
            found |= {s} if s in facts.reasons else facts.reads[s]
    return found


def _look_down(facts: _Facts) -> None:
    """From the outputs down: who computes each value, how often, and whether inside a reduction."""
    owners: dict[UOp, frozenset[UOp]] = {}
    places: dict[UOp, int] = {}
    reduced: set[UOp] = set()
    for u in reversed(facts.nodes):
        users = facts.users[u]
        found = frozenset({u} if u in facts.roots else ())
        for w in users:
            found |= {w} if w in facts.reasons else owners[w]
        owners[u] = found if len(found) <= 2 else frozenset(sorted(found, key=lambda n: n.digest)[:2])
        moved = sum(1 if w in facts.reasons else places[w] for w in users if w.op in MOVEMENT)
        places[u] = max(1, min(moved + max((places[w] for w in users if w.op not in MOVEMENT), default=0), _REPEATS))
        if any(w.op is Ops.REDUCE or (w in reduced and w not in facts.reasons) for w in users):
            reduced.add(u)
        if u not in facts.reasons and _is_value(u):
            why = _shared(u, facts, len(owners[u]), places[u])
            if why is not None:
                facts.reasons[u] = why
        if u.op is Ops.EXPAND:
            _copied(u, facts, u in reduced)


def _is_value(u: UOp) -> bool:
    return u.op in ALU or u.op is Ops.PAD or (u.op is Ops.STACK and _windows_of(u) is None)


def _windows_of(u: UOp) -> UOp | None:
    """The one value that a stack has windows of: then the stack is a view of it, as far as memory goes."""
    found: UOp | None = None
    for s in u.src:
        while s.op in _VIEWS:
            s = s.src[0]
        if found not in (None, s):
            return None
        found = s
    return found


def _shared(u: UOp, facts: _Facts, owners: int, places: int) -> str | None:
    if prod(u.shape) < 2 and u.op not in _DEAR:
        return None
    if owners > 1 and u.op in _DEAR:
        return f"{u.op.value} is dear, and several stages read it"
    if owners > 1 and facts.cost[u] >= _SHARED_COST:
        return "it takes many operations, and several stages read it"
    if owners > 1 and len(facts.reads[u]) >= _SHARED_READS:
        return "it is made of several values of its size, and several stages read it"
    if places >= 4 and facts.cost[u] * places >= _REPEATS:
        return "it would be computed at many places"
    return None


def _copied(u: UOp, facts: _Facts, in_reduction: bool) -> None:
    """An expand below a reduction, or of something costly: its source is computed once, not for every copy."""
    x = u.src[0]
    if prod(u.shape) < _COPIES * max(1, prod(x.shape)):
        return
    if not in_reduction and x not in facts.costly:
        return
    inner = x
    while inner.op in _VIEWS or inner.op in (Ops.STAGE, Ops.AFTER) or (inner.op is Ops.STACK and _windows_of(inner)):
        if inner in facts.reasons:
            return
        inner = inner.src[0]
    if not _is_value(inner) or inner in facts.reasons:
        return
    target = inner if prod(inner.shape) <= prod(x.shape) else x
    facts.reasons[target] = "an expand would have it computed again for every copy"


# -- cutting -------------------------------------------------------------------------------------------------------
class _Cutter:
    """Rebuilds the graph operands first, with a BUFFER in place of every stage."""

    def __init__(self, nodes: list[UOp], reasons: dict[UOp, str], wanted: list[tuple[UOp, UOp]]) -> None:
        self.stages: list[Stage] = []
        self.new: dict[UOp, UOp] = {}
        self.back: dict[UOp, UOp] = {}
        self.reasons = reasons
        self.written: set[UOp] = set()
        targets = self._direct(wanted)
        for u in nodes:
            self._node(u, targets)
        for value, out in wanted:
            if out not in self.written:
                self._stage(value, self.new[value], out, "an output of the program")

    def _direct(self, wanted: list[tuple[UOp, UOp]]) -> dict[UOp, UOp]:
        """Stages that are an output themselves (or a reshape of one): they are written where it is wanted."""
        found: dict[UOp, UOp] = {}
        for value, out in wanted:
            inner = value
            while inner not in self.reasons and inner.op in (Ops.RESHAPE, Ops.STAGE, Ops.AFTER):
                inner = inner.src[0]
            if inner in self.reasons and inner not in found:
                found[inner] = out
        return found

    def _node(self, u: UOp, targets: dict[UOp, UOp]) -> None:
        src = tuple(self.new[s] for s in u.src)
        if u.op in (Ops.STAGE, Ops.AFTER):
            self.new[u] = src[0]
            return
        new = u if src == u.src else u.replace(src=src)
        self.back.setdefault(new, u)
        if u in self.reasons:
            out = targets.get(u) or buf(FIRST_TEMPORARY + len(self.stages), prod(u.shape), u.dtype)
            self._stage(u, new, out, self.reasons[u])
            new = out.reshape(u.shape)
            self.back.setdefault(out, u)
            self.back.setdefault(new, u)
        self.new[u] = new

    def _stage(self, node: UOp, value: UOp, out: UOp, why: str) -> None:
        self.stages.append(Stage(value, out, node, self.back, why))
        self.written.add(out)
