"""What values vary along, and which reductions a value needs at which index: facts kept on the nodes.

`varies(u)`: the digits of u's index that its elements can differ along. Never too small.
`needed_reductions(u)`: the reductions below u with nothing but elementwise and movement operations between, each with
the digits of u's index that its own index depends on, axis by axis. This is what decides which loops it is computed in.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from uopc.analysis.bottom_up import fact
from uopc.analysis.digits import NOTHING, Parts, stacked, through, whole_axes
from uopc.uop import ALU, MOVEMENT, Ops, UOp

MAX_NEEDED = 8  # reductions remembered on a node; of a value that needs more, some are not followed

_LEAVES = frozenset({Ops.BUFFER, Ops.ALLOC, Ops.PARAM})


def varies(u: UOp) -> Parts:
    """The digits of the index of `u` along which its elements can differ."""
    return fact(u, "varies", _varies)


def _varies(u: UOp) -> Parts:
    if u.op in _LEAVES or u.op is Ops.CALL:
        return whole_axes(u.shape)
    if not u.src or not u.shape:
        return NOTHING
    below = varies(u.src[0])
    if u.op is Ops.PAD:
        padded = frozenset((k, 1, n) for k, n in enumerate(u.shape) if u.arg[k] != (0, 0) and n > 1)
        return through(u, below) | padded
    if u.op in MOVEMENT or u.op is Ops.INDEX:
        return through(u, below)
    if u.op is Ops.REDUCE:
        return frozenset(p for p in below if p[0] < len(u.shape))
    union = NOTHING.union(*(varies(s) for s in u.src))
    if u.op is Ops.STACK:
        own = {(0, 1, len(u.src))} if len(set(u.src)) > 1 else set()
        return stacked(union) | own
    return union


class Needed(NamedTuple):
    """A reduction, and for each of its axes the digits of the user's index that select the entry."""

    node: UOp
    axes: tuple[Parts, ...]


class Needs(NamedTuple):
    """The reductions a value needs; complete: these are all."""

    found: tuple[Needed, ...]
    complete: bool


_NONE = Needs((), True)
_THROUGH = ALU | MOVEMENT | {Ops.STACK, Ops.INDEX}


def needed_reductions(u: UOp) -> Needs:
    """The reductions that elements of `u` are made of directly: the nearest ones on every path, at most MAX_NEEDED."""
    if u.op is Ops.REDUCE:
        axes = tuple(whole_axes(u.shape) & {(k, 1, n)} for k, n in enumerate(u.shape))
        return Needs((Needed(u, axes),), True)
    return fact(u, "needed", _needed, _followed)


def _followed(u: UOp) -> tuple[UOp, ...]:
    """The operands whose reductions are those of `u`."""
    return tuple(s for s in u.src if s.op is not Ops.REDUCE) if u.op in _THROUGH else ()


def _needed(u: UOp) -> Needs:
    if u.op not in _THROUGH:
        return _NONE
    if u.op in ALU:
        return _union([needed_reductions(s) for s in u.src])
    if u.op is Ops.STACK:
        below = _union([needed_reductions(s) for s in u.src])
        return Needs(tuple(Needed(n.node, tuple(map(stacked, n.axes))) for n in below.found), below.complete)
    below = needed_reductions(u.src[0])
    if u.op is Ops.EXPAND or (not below.found and len(u.src) == 1):
        return below
    moved = Needs(tuple(Needed(n.node, tuple(through(u, p) for p in n.axes)) for n in below.found), below.complete)
    return _union([moved, *(needed_reductions(i) for i in u.src[1:])])


def _union(parts: list[Needs]) -> Needs:
    """All of them once; when they are too many, some of every operand."""
    first = next((p for p in parts if p.found), parts[0])
    if all(p is first or (not p.found and p.complete) for p in parts):
        return first
    rows = zip_longest(*(p.found for p in parts))
    found = tuple(dict.fromkeys(n for row in rows for n in row if n is not None))
    return Needs(found[:MAX_NEEDED], len(found) <= MAX_NEEDED and all(p.complete for p in parts))
