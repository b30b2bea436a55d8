"""Comparisons of integers, and logic on their answers. Operands are simplified, results too."""

from __future__ import annotations

from math import gcd

from uopc.dtype import dtypes, int_range
from uopc.ops import Ops
from uopc.symbolic.divmod import build
from uopc.symbolic.interval import bounds
from uopc.symbolic.linear import Linear, form_bounds, is_exact, linear
from uopc.uop import UOp


def _truth(value: bool) -> UOp:
    return UOp.const(value, dtypes.bool)


def _exact_form(u: UOp) -> Linear:
    form = linear(u)
    return form if is_exact(form, u.dtype) else Linear({u: 1}, 0)


def _difference(a: UOp, b: UOp) -> Linear:
    """a - b as an exact number (no dtype bounds it)."""
    first, second = _exact_form(a), _exact_form(b)
    terms = dict(first.terms)
    for t, c in second.terms.items():
        terms[t] = terms.get(t, 0) - c
    return Linear({t: c for t, c in terms.items() if c}, first.const - second.const)


def less(a: UOp, b: UOp) -> UOp:
    """a < b of integers."""
    diff = _difference(a, b)
    lo, hi = form_bounds(diff)
    if hi < 0 or lo >= 0:
        return _truth(hi < 0)
    found = _less_than_constant(diff, a)
    return found if found is not None else UOp(Ops.CMPLT, (a, b))


def _less_than_constant(diff: Linear, a: UOp) -> UOp | None:
    """sum < bound, with the common factor and the part smaller than it taken out and quotients multiplied up."""
    terms, bound = diff.terms, -diff.const
    g = gcd(*terms.values())
    terms, bound = {t: c // g for t, c in terms.items()}, -(-bound // g)
    terms, bound = _without_small_part(terms, bound)
    if len(terms) == 1:
        ((t, c),) = terms.items()
        scaled = _unquotient(t, c, bound)
        if scaled is not None:
            return scaled
    up = {t: c for t, c in terms.items() if c > 0}
    down = {t: -c for t, c in terms.items() if c < 0}
    # The constant goes to the side where it is alone, else where it is positive.
    left, right = (
        (Linear(up, 0), Linear(down, bound))
        if not down or (up and bound >= 0)
        else (Linear(up, -bound), Linear(down, 0))
    )
    if any(t.dtype is not a.dtype for t in terms) or not (is_exact(left, a.dtype) and is_exact(right, a.dtype)):
        return None
    return UOp(Ops.CMPLT, (build(left, a.dtype), build(right, a.dtype)))


def _without_small_part(terms: dict[UOp, int], bound: int) -> tuple[dict[UOp, int], int]:
    """g*A + B < g*K is A < K when 0 <= B < g."""
    order = sorted(terms.items(), key=lambda item: (-abs(item[1]), item[0].digest))
    g = 0
    for n, (_, c) in enumerate(order[:-1], 1):
        g = gcd(g, c)
        lo, hi = form_bounds(Linear(dict(order[n:]), 0))
        if g > 1 and bound % g == 0 and lo >= 0 and hi < g:
            return {t: k // g for t, k in order[:n]}, bound // g
    return terms, bound


def _unquotient(t: UOp, c: int, bound: int) -> UOp | None:
    """x // n < k is x < k*n, and k < x // n is (k + 1)*n - 1 < x, for n > 0."""
    if t.op is not Ops.FLOORDIV or t.src[1].op is not Ops.CONST or t.src[1].arg <= 0 or c not in (1, -1):
        return None
    x, n = t.src[0], int(t.src[1].arg)
    limit = bound * n if c == 1 else (1 - bound) * n - 1
    lo, hi = int_range(x.dtype)
    if not lo <= limit <= hi:
        return None
    edge = UOp.const(limit, x.dtype)
    return less(x, edge) if c == 1 else less(edge, x)


def differs(a: UOp, b: UOp) -> UOp | None:
    """a != b of integers; None when nothing is known."""
    lo, hi = form_bounds(_difference(a, b))
    if lo > 0 or hi < 0:
        return _truth(True)
    if a is b or lo == hi == 0:
        return _truth(False)
    return None if a.op is not Ops.CONST else UOp(Ops.CMPNE, (b, a))


def not_(c: UOp) -> UOp:
    """The negation of a bool; of an integer comparison with a constant it is the opposite comparison."""
    if c.op is Ops.CONST:
        return _truth(not c.arg)
    if c.op is Ops.NOT:
        return c.src[0]
    if c.op is Ops.CMPLT and c.src[0].dtype.is_int:
        a, b = c.src
        if b.op is Ops.CONST and b.arg > int_range(b.dtype)[0]:
            return less(UOp.const(b.arg - 1, b.dtype), a)
        if a.op is Ops.CONST and a.arg < int_range(a.dtype)[1]:
            return less(b, UOp.const(a.arg + 1, a.dtype))
    return UOp(Ops.NOT, (c,))


def and_(a: UOp, b: UOp) -> UOp:
    """a and b of bools."""
    if a is b:
        return a
    for x, c in ((a, b), (b, a)):
        if c.op is Ops.CONST:
            return x if c.arg else c
    return UOp(Ops.AND, (a, b))


def is_true(c: UOp) -> bool:
    """Whether bounds prove a bool true."""
    return bounds(c) == (1, 1)
