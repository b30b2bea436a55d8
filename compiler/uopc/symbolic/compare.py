"""Comparisons of integers: a < b as an inequality between a sum and a constant, simplified by one rule a row.

Operands are simplified, results too. An inequality is about exact numbers; its coefficients know no dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

from uopc.dtype import dtypes
from uopc.ops import Ops
from uopc.symbolic import watch
from uopc.symbolic.alignment import Alignment, alignment, scaled, total
from uopc.symbolic.divmod import build
from uopc.symbolic.linear import Linear, form_bounds, is_exact, linear
from uopc.uop import UOp


class Inequality(NamedTuple):
    """sum(coefficient * atom) < bound; no coefficient is 0."""

    terms: dict[UOp, int]
    bound: int


class LessRule(NamedTuple):
    """One rewrite of an inequality: its name, its law with the condition, and the function that applies it or not."""

    name: str
    law: str
    apply: Callable[[Inequality], Inequality | None]


def truth(value: bool) -> UOp:
    """A constant bool."""
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


# -- less ----------------------------------------------------------------------------------------------------------
def less(a: UOp, b: UOp) -> UOp:
    """a < b of integers."""
    difference = _difference(a, b)
    task = Inequality(difference.terms, -difference.const)
    while True:
        known = decided(task)
        if known is not None:
            return truth(known)
        found = _rewritten(task)
        if found is None:
            break
        task = found
    written = _written(task)
    return UOp(Ops.CMPLT, (a, b)) if written is None else written


def _rewritten(task: Inequality) -> Inequality | None:
    """What the first rule that applies makes of an inequality."""
    for rule in LESS_RULES:
        found = rule.apply(task)
        if found is not None:
            if watch.recorder is not None:
                watch.recorder.fired(rule.name, rule.law, task, found)
            return found
    return None


def decided(q: Inequality) -> bool | None:
    """Whether bounds prove the inequality or its opposite; None when neither."""
    lo, hi = form_bounds(Linear(q.terms, 0))
    return True if hi < q.bound else False if lo >= q.bound else None


def _common_factor(q: Inequality) -> Inequality | None:
    g = gcd(*q.terms.values())
    return Inequality({t: c // g for t, c in q.terms.items()}, -(-q.bound // g)) if g > 1 else None


def _small_part(q: Inequality) -> Inequality | None:
    order = sorted(q.terms.items(), key=lambda item: (-abs(item[1]), item[0].digest))
    g = 0
    for n, (_, c) in enumerate(order[:-1], 1):
        g = gcd(g, c)
        lo, hi = form_bounds(Linear(dict(order[n:]), 0))
        if g > 1 and q.bound % g == 0 and lo >= 0 and hi < g:
            return Inequality({t: k // g for t, k in order[:n]}, q.bound // g)
    return None


def _quotient(q: Inequality) -> Inequality | None:
    if len(q.terms) != 1:
        return None
    ((t, c),) = q.terms.items()
    if t.op is not Ops.FLOORDIV or t.src[1].op is not Ops.CONST or t.src[1].arg <= 0 or c not in (1, -1):
        return None
    form, n = _exact_form(t.src[0]), int(t.src[1].arg)
    bound = q.bound * n if c == 1 else 1 - (1 - q.bound) * n
    return Inequality({x: k * c for x, k in form.terms.items()}, bound - c * form.const)


LESS_RULES: tuple[LessRule, ...] = (
    LessRule("less-common-factor", "g*a < k is a < ceil(k/g) for g > 0", _common_factor),
    LessRule("less-small-part", "g*a + b < g*k is a < k when 0 <= b < g", _small_part),
    LessRule("less-quotient", "x // n < k is x < k*n, and -(x // n) < k is -x < 1 - (1-k)*n, for n > 0", _quotient),
)


def _written(q: Inequality) -> UOp | None:
    """The inequality as a node; None where a side would not fit the dtype. The constant stands alone where it can."""
    up = {t: c for t, c in q.terms.items() if c > 0}
    down = {t: -c for t, c in q.terms.items() if c < 0}
    left, right = (
        (Linear(up, 0), Linear(down, q.bound))
        if not down or (up and q.bound >= 0)
        else (Linear(up, -q.bound), Linear(down, 0))
    )
    d = next(iter(q.terms)).dtype
    if any(t.dtype is not d for t in q.terms) or not (is_exact(left, d) and is_exact(right, d)):
        return None
    return UOp(Ops.CMPLT, (build(left, d), build(right, d)))


# -- not equal -----------------------------------------------------------------------------------------------------
def differs(a: UOp, b: UOp) -> UOp | None:
    """a != b of integers; None when nothing is known. A constant stands on the right."""
    difference = _difference(a, b)
    lo, hi = form_bounds(difference)
    if lo > 0 or hi < 0 or _form_alignment(difference).excludes(0):
        return truth(True)
    if a is b or lo == hi == 0:
        return truth(False)
    return None if a.op is not Ops.CONST else UOp(Ops.CMPNE, (b, a))


def _form_alignment(form: Linear) -> Alignment:
    """The alignment of a sum, as an exact number."""
    found = Alignment(0, form.const)
    for t, c in form.terms.items():
        found = total(found, scaled(alignment(t), c))
    return found
