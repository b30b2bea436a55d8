"""Movement operations as index maps: which element of the source an element of the result is.

One truth, two readers: rangeify follows these maps to make loops, hover and trace follow them to explain. Index
arithmetic is 32 bits wide, and 64 exactly where its bounds do not fit 32.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from uopc.dtype import DType, dtypes, int_range
from uopc.errors import UOpError
from uopc.ops import Ops
from uopc.symbolic import bounds, simplify
from uopc.typerules import Shape
from uopc.uop import UOp, rewrite

Index = tuple[UOp, ...]
_ZERO = UOp.const(0)


# -- arithmetic on indices -----------------------------------------------------------------------------------------
def _width(size: int) -> DType:
    """The dtype of positions in 0..size-1. Raises UOpError when 64 bits do not hold them."""
    if size - 1 > int_range(dtypes.i64)[1]:
        raise UOpError("index-width", f"{size:,} elements cannot be numbered in 64 bits")
    return dtypes.i32 if size - 1 <= int_range(dtypes.i32)[1] else dtypes.i64


def _plus(i: UOp, n: int) -> UOp:
    """i + n, widened if that may not fit."""
    lo, hi = bounds(i)
    least, most = int_range(i.dtype)
    fits = least <= lo + n and hi + n <= most and least <= n <= most
    return i + n if fits else i.cast(dtypes.i64) + n


def ravel(idx: Index, shape: Shape) -> UOp:
    """Row-major position of index `idx` in `shape` (Horner's rule)."""
    d = _width(prod(shape))
    if any(i.dtype.bits > 32 for i in idx):
        d = dtypes.i64
    flat = UOp.const(0, d)
    for i, size in zip(idx, shape):
        flat = flat * size + i.cast(d) if size <= int_range(d)[1] else i.cast(d)
    return flat


def unravel(flat: UOp, shape: Shape) -> Index:
    """The index in `shape` of row-major position `flat`: on axis k it is (flat // stride_k) % size_k."""
    out: list[UOp] = []
    stride = 1
    for size in reversed(shape):
        out.append(_ZERO if size == 1 else _digit(flat, stride, size))
        stride *= size
    return tuple(reversed(out))


def _digit(flat: UOp, stride: int, size: int) -> UOp:
    most = int_range(flat.dtype)[1]
    if stride > most:
        return _ZERO
    quotient = flat // stride
    return quotient % size if size <= most else quotient


# -- the maps ------------------------------------------------------------------------------------------------------
def source_index(u: UOp, idx: Index) -> Index:
    """The index in u.src[0] of the element that a movement operation `u` has at `idx`; simplified where it matters.

    Below a `pad` the index of a padded axis is wrapped in ASSUME: inside the pad's guard it is in range, outside it
    means nothing. `released` removes the wrapping, `assumptions` says what was assumed.
    """
    return _MAPS[u.op](u, idx)


def _reshape(u: UOp, idx: Index) -> Index:
    source = u.src[0].shape
    if 0 in source:
        return (_ZERO,) * len(source)
    result: list[UOp] = []
    for (a, b), (c, d) in groups(u.shape, source):
        part = unravel(ravel(idx[a:b], u.shape[a:b]), source[c:d])
        result.extend(simplify(i) for i in part)
    return tuple(result)


def groups(new: Shape, old: Shape) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The finest pairs of runs of axes ((a, b), (c, d)) with new[a:b] and old[c:d] of equal element count, in order.

    Only axes in one run take part in its division and remainder. Both shapes have the same, non-zero element count.
    """
    pairs = []
    a = c = 0
    while a < len(new) or c < len(old):
        b, d = min(a + 1, len(new)), min(c + 1, len(old))
        left, right = prod(new[a:b]), prod(old[c:d])
        while left != right:
            if left < right:
                left, b = left * new[b], b + 1
            else:
                right, d = right * old[d], d + 1
        pairs.append(((a, b), (c, d)))
        a, c = b, d
    return pairs


def _expand(u: UOp, idx: Index) -> Index:
    return tuple(_ZERO if old == 1 and new != 1 else i for i, old, new in zip(idx, u.src[0].shape, u.shape))


def _permute(u: UOp, idx: Index) -> Index:
    source = list(idx)
    for k, axis in enumerate(u.arg):
        source[axis] = idx[k]
    return tuple(source)


def _shrink(u: UOp, idx: Index) -> Index:
    return tuple(simplify(_plus(i, begin)) if begin else i for i, (begin, _) in zip(idx, u.arg))


def _pad(u: UOp, idx: Index) -> Index:
    out = []
    for i, (before, after), size in zip(idx, u.arg, u.src[0].shape):
        if size <= 1:  # the one element wherever it is asked: no need to depend on the padded axis
            out.append(_ZERO)
            continue
        moved = simplify(_plus(i, -before)) if before else i
        out.append(assume(moved, 0, size - 1) if before or after else moved)
    return tuple(out)


def _flip(u: UOp, idx: Index) -> Index:
    # An empty axis is never asked for; without the maximum its last entry would be -1.
    return tuple(
        simplify(UOp.const(max(n - 1, 0), i.dtype) - i) if k in u.arg else i
        for k, (i, n) in enumerate(zip(idx, u.shape))
    )


_MAPS: dict[Ops, Callable[[UOp, Index], Index]] = {
    Ops.RESHAPE: _reshape,
    Ops.EXPAND: _expand,
    Ops.PERMUTE: _permute,
    Ops.SHRINK: _shrink,
    Ops.PAD: _pad,
    Ops.FLIP: _flip,
}


# -- guards --------------------------------------------------------------------------------------------------------
def valid(u: UOp, idx: Index) -> UOp | None:
    """Where a `pad` shows its source: a bool over the loops of `idx`; None when always, and for other operations."""
    if u.op is not Ops.PAD:
        return None
    guard: UOp | None = None
    for i, (before, after), size in zip(idx, u.arg, u.src[0].shape):
        if before or after:
            guard = conjunction(guard, inside(released(i), before, before + size - 1))
    return guard


def inside(i: UOp, lo: int, hi: int) -> UOp | None:
    """lo <= i <= hi as a simplified bool; None when it always holds."""
    first, last = bounds(i)
    least, most = int_range(i.dtype)
    if last < lo or hi < first:
        return UOp.const(False, dtypes.bool)
    guard = UOp.const(lo - 1, i.dtype) < i if first < lo and least < lo else None
    above = i < UOp.const(hi + 1, i.dtype) if last > hi and hi < most else None
    both = conjunction(guard, above)
    return None if both is None else simplify(both)


def conjunction(a: UOp | None, b: UOp | None) -> UOp | None:
    """a and b, where None is true."""
    return b if a is None else a if b is None else simplify(UOp(Ops.AND, (a, b)))


def assume(i: UOp, lo: int, hi: int) -> UOp:
    """`i`, taken to be in lo..hi because a guard around its use makes sure of it."""
    first, last = bounds(i)
    return i if lo <= first and last <= hi else UOp(Ops.ASSUME, (i,), (lo, hi))


def _assumes(u: UOp) -> bool:
    found: bool = u.cached("assumes", lambda n: any(s.op is Ops.ASSUME for s in n.toposort()))
    return found


def released(u: UOp) -> UOp:
    """An index without its assumptions, simplified by what is really known."""
    if not _assumes(u):
        return u
    return simplify(rewrite((u,), lambda n: n.src[0] if n.op is Ops.ASSUME else None)[0])


def assumptions(*idx: UOp) -> UOp | None:
    """The guard under which every assumption made in these indices holds; None when there is none."""
    guard: UOp | None = None
    for a in sorted(
        {n for i in idx if _assumes(i) for n in i.toposort() if n.op is Ops.ASSUME}, key=lambda n: n.digest
    ):
        guard = conjunction(guard, inside(released(a.src[0]), *a.arg))
    return guard
