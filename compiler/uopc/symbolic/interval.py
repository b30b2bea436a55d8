"""Bounds of integer values: exact intervals over Python ints, never empty.

An operation that may leave its dtype wraps, so then nothing is known but the dtype's own range.
"""

from __future__ import annotations

from collections.abc import Callable

from uopc.dtype import DType, int_range
from uopc.ops import Ops
from uopc.uop import UOp

Interval = tuple[int, int]


def bounds(u: UOp) -> Interval:
    """(smallest, largest) value that `u`, an integer or bool (of any shape), can have; inclusive.

    For a float the answer is meaningless and raises TypeError.
    """
    known = _known(u)
    if known is not None:
        return known
    if u.dtype.is_float:
        raise TypeError(f"bounds of a {u.dtype} value")
    todo = [u]
    while todo:
        node = todo[-1]
        waiting = [s for s in node.src if _known(s) is None and not s.dtype.is_float]
        if waiting:
            todo += waiting
        else:
            todo.pop()
            node.remember("bounds", _compute(node))
    found: Interval = u.cached("bounds", _compute)
    return found


def _known(u: UOp) -> Interval | None:
    if u._cache is not None:
        return u._cache.get("bounds")
    # A constant is its own bounds: remembered, because it is asked for at every use.
    return u.remember("bounds", (int(u.arg), int(u.arg))) if u.op is Ops.CONST and not u.dtype.is_float else None


def _compute(u: UOp) -> Interval:
    if u.dtype.bits == 0 or u.dtype.is_float:
        return 0, 0
    whole = int_range(u.dtype)
    rule = _RULES.get(u.op)
    if rule is None:
        return whole
    lo, hi = rule(u, *(_operand(s) for s in u.src))
    return (lo, hi) if whole[0] <= lo and hi <= whole[1] else whole


def _operand(s: UOp) -> Interval:
    return (0, 0) if s.dtype.is_float else _known(s) or (0, 0)


def quotient_bounds(a: Interval, b: Interval) -> Interval:
    """Bounds of floor(a / b), with a quotient by zero being 0."""
    found = []
    for lo, hi in ((max(b[0], 1), b[1]), (b[0], min(b[1], -1))):
        if lo <= hi:
            found += [x // d for x in a for d in (lo, hi)]
    if b[0] <= 0 <= b[1]:
        found.append(0)
    return min(found), max(found)


def remainder_bounds(a: Interval, b: Interval) -> Interval:
    """Bounds of a - b * floor(a / b), with a remainder by zero being 0."""
    if b[0] == b[1] and b[0]:
        d = b[0]
        if a[0] // d == a[1] // d:
            return min(a[0] % d, a[1] % d), max(a[0] % d, a[1] % d)
    lo, hi = min(b[0] + 1, 0), max(b[1] - 1, 0)
    if a[0] >= 0 and b[0] >= 0:
        hi = min(hi, a[1])
    return lo, hi


def _product(u: UOp, a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _less(u: UOp, a: Interval, b: Interval) -> Interval:
    if u.src[0].dtype.is_float:
        return 0, 1
    return int(a[1] < b[0]), int(a[0] < b[1])


def _differs(u: UOp, a: Interval, b: Interval) -> Interval:
    if u.src[0].dtype.is_float:
        return 0, 1
    return int(a[1] < b[0] or b[1] < a[0]), int(not a[0] == a[1] == b[0] == b[1])


def _power(*spans: Interval) -> int:
    """The power of two such that all values are from minus it to just below it."""
    return 1 << max((x if x >= 0 else ~x).bit_length() for span in spans for x in span)


def _and(u: UOp, a: Interval, b: Interval) -> Interval:
    if a[0] >= 0 and b[0] >= 0:
        return (a[0] & b[0] if u.dtype.is_bool else 0), min(a[1], b[1])
    # A number without a sign bit masks the other one down to itself.
    masks = [x for x in (a, b) if x[0] >= 0]
    return (0, masks[0][1]) if masks else (-_power(a, b), max(a[1], b[1]))


def _or(u: UOp, a: Interval, b: Interval) -> Interval:
    if a[0] < 0 or b[0] < 0:
        return -_power(a, b), _power(a, b) - 1
    return (max(a[0], b[0]) if u.op is Ops.OR else 0), _power(a, b) - 1


def _shift(u: UOp, a: Interval, b: Interval) -> Interval:
    if not 0 <= b[0] <= b[1] < u.dtype.bits:
        return int_range(u.dtype)
    if u.op is Ops.SHL:
        return _product(u, a, (1 << b[0], 1 << b[1]))
    corners = [x >> y for x in a for y in b]
    return min(corners), max(corners)


def _cast(u: UOp, a: Interval) -> Interval:
    source: DType = u.src[0].dtype
    if u.op is Ops.BITCAST or source.is_float:
        return int_range(u.dtype)
    if u.dtype.is_bool:
        return int(not a[0] <= 0 <= a[1]), int(a != (0, 0))
    return a


def _union(*spans: Interval) -> Interval:
    return min(lo for lo, _ in spans), max(hi for _, hi in spans)


def _max(u: UOp, a: Interval, b: Interval) -> Interval:
    return max(a[0], b[0]), max(a[1], b[1])


def _reduce(u: UOp, a: Interval) -> Interval:
    # A maximum over at least one element is one of them; sums and products are not followed.
    removed = u.src[0].shape[len(u.shape) :]
    return a if u.arg[0] is Ops.MAX and 0 not in removed else int_range(u.dtype)


_RULES: dict[Ops, Callable[..., Interval]] = {
    Ops.CONST: lambda u: (int(u.arg), int(u.arg)),
    Ops.RANGE: lambda u: (0, max(u.arg.size - 1, 0)),
    Ops.ADD: lambda u, a, b: (a[0] + b[0], a[1] + b[1]),
    Ops.MUL: _product,
    Ops.MAX: _max,
    Ops.NEG: lambda u, a: (-a[1], -a[0]),
    Ops.FLOORDIV: lambda u, a, b: quotient_bounds(a, b),
    Ops.FLOORMOD: lambda u, a, b: remainder_bounds(a, b),
    Ops.CMPLT: _less,
    Ops.CMPNE: _differs,
    Ops.AND: _and,
    Ops.OR: _or,
    Ops.XOR: _or,
    Ops.NOT: lambda u, a: (1 - a[1], 1 - a[0]),
    Ops.SHL: _shift,
    Ops.SHR: _shift,
    Ops.WHERE: lambda u, c, a, b: b if c == (0, 0) else a if c == (1, 1) else _union(a, b),
    Ops.CAST: _cast,
    Ops.BITCAST: _cast,
    Ops.ASSUME: lambda u, a: (
        (max(a[0], u.arg[0]), min(a[1], u.arg[1])) if a[0] <= u.arg[1] and u.arg[0] <= a[1] else u.arg
    ),
    Ops.REDUCE: _reduce,
    Ops.STACK: lambda u, *spans: _union(*spans),
    Ops.PAD: lambda u, a: _union(a, (0, 0)),
    Ops.INDEX: lambda u, a, *idx: a,
    **dict.fromkeys((Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE, Ops.SHRINK, Ops.FLIP, Ops.STAGE), lambda u, a: a),
}
