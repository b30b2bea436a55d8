"""What values vary along, and which reductions a value needs at which index: facts kept on the nodes.

`varies(u)`: the digits of u's index that its elements can differ along. Never too small.
`needed_reductions(u)`: the reductions below u with nothing but elementwise and movement operations between, each with
the digits of u's index that its own index depends on, axis by axis. This is what decides which loops it is computed in.
"""

from __future__ import annotations

from typing import NamedTuple

from uopc.analysis.bottom_up import fact
from uopc.analysis.digits import NOTHING, Parts, axes_of, stacked, through, whole_axes
from uopc.uop import ALU, MOVEMENT, Ops, UOp

MAX_NEEDED = 8  # reductions remembered on a node; a value that needs more is not followed further

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

    def touched(self) -> frozenset[int]:
        """The user's axes that the reduction's index depends on."""
        return axes_of(NOTHING.union(*self.axes))


_NONE: frozenset[Needed] = frozenset()


def needed_reductions(u: UOp) -> frozenset[Needed]:
    """The reductions that elements of `u` are made of directly: the nearest ones on every path, at most MAX_NEEDED."""
    if u.op is Ops.REDUCE:
        return frozenset({Needed(u, tuple(whole_axes(u.shape) & {(k, 1, n)} for k, n in enumerate(u.shape)))})
    return fact(u, "needed", _needed, _followed)


def _followed(u: UOp) -> tuple[UOp, ...]:
    """The operands whose reductions are those of `u`."""
    if u.op in ALU or u.op in MOVEMENT or u.op in (Ops.STACK, Ops.INDEX):
        return tuple(s for s in u.src if s.op is not Ops.REDUCE)
    return ()


def _needed(u: UOp) -> frozenset[Needed]:
    if not (u.op in ALU or u.op in MOVEMENT or u.op in (Ops.STACK, Ops.INDEX)):
        return _NONE
    if u.op in ALU:
        found = _union(u)
    elif u.op is Ops.STACK:
        found = frozenset(Needed(n.node, tuple(map(stacked, n.axes))) for n in _union(u))
    else:
        below = needed_reductions(u.src[0])
        found = frozenset(Needed(n.node, tuple(through(u, p) for p in n.axes)) for n in below)
        for scalar in u.src[1:]:
            found |= needed_reductions(scalar)
    return found if len(found) <= MAX_NEEDED else _NONE


def _union(u: UOp) -> frozenset[Needed]:
    found = _NONE
    for s in u.src:
        below = needed_reductions(s)
        if below and below is not found:
            found = found | below if found else below
            if len(found) > MAX_NEEDED:
                return _NONE
    return found
