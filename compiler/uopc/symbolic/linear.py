"""Integer expressions as sums of multiples: the canonical form that every other rule reads.

A form is a sum of coefficient * atom plus a constant. Adding, scaling and narrowing are valid modulo 2**bits, so a form
may always be rebuilt; reading it as an exact number (to divide or compare it) needs `is_exact`.
"""

from __future__ import annotations

from typing import NamedTuple

from uopc.dtype import DType, dtypes, int_range, wrap_int
from uopc.ops import Ops
from uopc.symbolic.interval import Interval, bounds
from uopc.uop import UOp

# Longer sums are kept as two halves: a sum of n terms built one by one would otherwise cost n**2.
MAX_TERMS = 32


class Linear(NamedTuple):
    """sum(coefficient * atom) + const. No coefficient is 0; atoms are simplified integer scalars of any dtype."""

    terms: dict[UOp, int]
    const: int


def linear(u: UOp) -> Linear:
    """The form of a simplified integer scalar."""
    if u.op is Ops.CONST:
        return Linear({}, int(u.arg))
    if u.op not in _FORMS:
        lo, hi = bounds(u)
        return Linear({u: 1}, 0) if lo < hi else Linear({}, lo)
    stored = u._cache.get("linear") if u._cache else None
    if stored is None:
        stored = _FORMS[u.op](u)
        if stored is None or u in stored.terms:
            return Linear({u: 1}, 0)
        u.cached("linear", lambda _: stored)
    return stored


def _of_sum(u: UOp) -> Linear | None:
    a, b = linear(u.src[0]), linear(u.src[1])
    return add(a, b, u.dtype) if len(a.terms) + len(b.terms) <= MAX_TERMS else _halves(u)


def _halves(u: UOp) -> Linear:
    """The sum of two long sums (or of a long sum and a few terms) with the longer ones as atoms."""
    form = Linear({}, 0)
    for s in u.src:
        own = linear(s)
        form = add(form, own if len(own.terms) <= MAX_TERMS // 4 else Linear({s: 1}, 0), u.dtype)
    return form


def _of_product(u: UOp) -> Linear | None:
    x, c = u.src
    return scale(linear(x), int(c.arg), u.dtype) if c.op is Ops.CONST else None


def _of_cast(u: UOp) -> Linear | None:
    (x,) = u.src
    if not x.dtype.is_int:
        return None
    # Dropping high bits is a homomorphism; keeping the value in a wider dtype needs the sum not to have wrapped.
    return value_form(x, u.dtype)


def _of_shift(u: UOp) -> Linear | None:
    x, n = u.src
    return scale(linear(x), 1 << n.arg, u.dtype) if n.op is Ops.CONST and 0 <= n.arg < u.dtype.bits else None


_FORMS = {
    Ops.ADD: _of_sum,
    Ops.MUL: _of_product,
    Ops.NEG: lambda u: scale(linear(u.src[0]), -1, u.dtype),
    Ops.SHL: _of_shift,
    Ops.CAST: _of_cast,
}


def _signed(d: DType, c: int) -> int:
    """A coefficient modulo 2**bits, as the number nearest to zero."""
    half = 1 << (d.bits - 1)
    return ((c + half) & ((1 << d.bits) - 1)) - half


def add(a: Linear, b: Linear, d: DType) -> Linear:
    """a + b in the integers modulo 2**bits of d."""
    terms = dict(a.terms)
    for t, c in b.terms.items():
        total = _signed(d, terms.get(t, 0) + c)
        if total:
            terms[t] = total
        else:
            terms.pop(t, None)
    return Linear(terms, _signed(d, a.const + b.const))


def scale(a: Linear, k: int, d: DType) -> Linear:
    """a * k in the integers modulo 2**bits of d."""
    terms = {t: c for t, x in a.terms.items() if (c := _signed(d, x * k))}
    return Linear(terms, _signed(d, a.const * k))


def form_bounds(form: Linear) -> Interval:
    """Bounds of the form as an exact number."""
    lo = hi = form.const
    for t, c in form.terms.items():
        a, b = bounds(t)
        lo, hi = lo + min(a * c, b * c), hi + max(a * c, b * c)
    return lo, hi


def _fits(span: Interval, d: DType) -> bool:
    whole = int_range(d)
    return whole[0] <= span[0] and span[1] <= whole[1]


def is_exact(form: Linear, d: DType) -> bool:
    """Whether the form, as an exact number, always fits d: then no rounding of it to d ever wraps."""
    return _fits(form_bounds(form), d)


def value_form(u: UOp, d: DType) -> Linear:
    """The form of the value of `u` modulo 2**bits of d; for a wider d, of a sum that has not wrapped before."""
    form = linear(u)
    if d.bits > u.dtype.bits:
        return form if is_exact(form, u.dtype) else Linear({u: 1}, 0)
    narrow = Linear({}, form.const)
    for t, c in form.terms.items():
        # An atom that stands for a sum that may have wrapped is looked through once only its low bits count.
        inner = linear(t) if d.bits <= t.dtype.bits else Linear({t: 1}, 0)
        if len(narrow.terms) + len(inner.terms) > MAX_TERMS:
            inner = Linear({t: 1}, 0)
        narrow = add(narrow, scale(inner, c, d), d)
    return narrow


def term_order(u: UOp) -> tuple[int, int, int]:
    """Outer loops first, so that the part of a sum that is fixed in the inner loops stands together and is hoisted."""
    inner = max((r.arg.idx for r in u.ranges), default=-1)
    return inner, len(u.ranges), u.digest


def chain(form: Linear, d: DType) -> UOp:
    """The form as a node of dtype d: terms in canonical order, the constant last, in 32 bits if they suffice."""
    if d.bits > 32 and form.terms and _narrow(form):
        return mark(UOp(Ops.CAST, (_chain(form, dtypes.i32),), d))
    return _chain(form, d)


def _chain(form: Linear, d: DType) -> UOp:
    total: UOp | None = None
    for t in sorted(form.terms, key=term_order):
        term = _times(t if t.dtype is d else mark(UOp(Ops.CAST, (t,), d)), form.terms[t], d)
        total = term if total is None else mark(UOp(Ops.ADD, (total, term)))
    if total is None:
        return UOp.const(wrap_int(d, form.const), d)
    const = wrap_int(d, form.const)
    return mark(UOp(Ops.ADD, (total, UOp.const(const, d)))) if const else total


def _times(t: UOp, c: int, d: DType) -> UOp:
    return t if c == 1 else mark(UOp(Ops.MUL, (t, UOp.const(wrap_int(d, c), d))))


def _narrow(form: Linear) -> bool:
    """Whether every partial sum fits 32 bits although the dtype is wider."""
    if any(t.dtype.bits > 32 or t.dtype is dtypes.u32 for t in form.terms):
        return False
    up = max(form.const, 0)
    down = min(form.const, 0)
    for t, c in form.terms.items():
        lo, hi = bounds(t)
        up, down = up + max(lo * c, hi * c, 0), down + min(lo * c, hi * c, 0)
    return _fits((down, up), dtypes.i32) and all(_fits((c, c), dtypes.i32) for c in form.terms.values())


def mark(u: UOp) -> UOp:
    """Note that `u` is its own simplest form."""
    if u._cache is None or "simple" not in u._cache:
        u.remember("simple", None)
    return u
