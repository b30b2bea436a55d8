"""Sums that no rule finds: an index that is affine in its loop counters by a coincidence of sizes.

Decided by evaluation, so only where the loops are short enough for that; a few points reject almost every other index.
"""

from __future__ import annotations

from itertools import product
from math import prod

from uopc.dtype import Scalar
from uopc.ops import Ops
from uopc.symbolic import watch
from uopc.symbolic.divmod import build
from uopc.symbolic.fold import fold
from uopc.symbolic.linear import Linear
from uopc.uop import UOp

# Iterations up to which every one of them is tried.
_MOST_POINTS = 1 << 13
_SAMPLES = 7


def affine(u: UOp, most_points: int = _MOST_POINTS) -> UOp:
    """A simplified index as a sum of multiples of its loop counters, where it is one at every iteration; else `u`."""
    order = u.toposort()
    if watch.raw or not any(n.op in (Ops.FLOORDIV, Ops.FLOORMOD) for n in order):
        return u
    found: UOp = watch.timed(_tried, u, order, most_points)
    return found


def _tried(u: UOp, order: list[UOp], most_points: int) -> UOp:
    counters = sorted(u.ranges, key=lambda r: (r.arg.idx, r.digest))
    sizes = [r.arg.size for r in counters]
    if not 0 < prod(sizes) <= most_points or any(not n.src and n.op not in (Ops.RANGE, Ops.CONST) for n in order):
        return u
    form = _through_the_origin(order, counters, sizes)
    points = product(*map(range, sizes))
    if form is None or not all(_value(order, counters, p) == _sum(form, counters, p) for p in points):
        return u
    found = build(form, u.dtype)
    if watch.recorder is not None:
        watch.recorder.fired("affine", "an index that is a sum at every iteration: all of them were tried", u, found)
    return found


def _through_the_origin(order: list[UOp], counters: list[UOp], sizes: list[int]) -> Linear | None:
    """The only sum that it can be, from its first iterations; None when the last ones and some between differ."""
    start = _value(order, counters, (0,) * len(sizes))
    terms = {}
    for k, (r, size) in enumerate(zip(counters, sizes)):
        step = _value(order, counters, tuple(int(j == k) for j in range(len(sizes)))) - start if size > 1 else 0
        if step:
            terms[r] = step
    form = Linear(terms, start)
    samples = [tuple((size - 1) * s // _SAMPLES for size in sizes) for s in range(2, _SAMPLES + 1)]
    return form if all(_value(order, counters, p) == _sum(form, counters, p) for p in samples) else None


def _sum(form: Linear, counters: list[UOp], point: tuple[int, ...]) -> int:
    return form.const + sum(form.terms.get(r, 0) * i for r, i in zip(counters, point))


def _value(order: list[UOp], counters: list[UOp], point: tuple[int, ...]) -> int:
    """The value of the last node of `order` at one iteration."""
    values: dict[UOp, Scalar] = dict(zip(counters, point))
    for n in order:
        if n.op is Ops.CONST:
            values[n] = n.arg
        elif n.op is not Ops.RANGE:
            found = fold(n.op, n.dtype, n.src[-1].dtype, tuple(values[s] for s in n.src))
            assert found is not None  # every integer operation can be folded
            values[n] = found
    return int(values[order[-1]])
