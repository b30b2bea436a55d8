"""A sum taken apart by a divisor: what the rules of division are made of.

Everything here is about exact numbers; whether a part fits a dtype is asked by the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from uopc.ops import Ops
from uopc.symbolic.alignment import alignment
from uopc.symbolic.interval import bounds
from uopc.symbolic.linear import Linear, form_bounds
from uopc.uop import UOp


def exact_sum(a: Linear, b: Linear) -> Linear:
    """a + b as exact numbers."""
    terms = dict(a.terms)
    for x, k in b.terms.items():
        terms[x] = terms.get(x, 0) + k
    return Linear(_nonzero(terms), a.const + b.const)


def split(form: Linear, c: int) -> tuple[Linear, Linear]:
    """form = c * first + second: second has no coefficient that c divides, and its smallest value is in 0..c-1.

    A dividend that is never negative is what C's own / and % can take.
    """
    out, rest = {}, {}
    for t, k in form.terms.items():
        if k % c == 0:
            out[t] = k // c
        else:
            rest[t] = k
    low = _lifted(rest, form.const, c)
    return Linear(out, (form.const - low) // c), Linear(rest, low)


def multiple_part(form: Linear, c: int) -> tuple[Linear, Linear] | None:
    """form = first + second, where c divides the value of first by alignment alone; None where no atom is like that.

    The smallest value of second is in 0..c-1.
    """
    whole = {t: k for t, k in form.terms.items() if alignment(t).divides(k, c)}
    if not whole:
        return None
    rest = {t: k for t, k in form.terms.items() if t not in whole}
    taken = sum(k * alignment(t).remainder for t, k in whole.items())
    low = _lifted(rest, form.const + taken, c)
    return Linear(whole, form.const - low), Linear(rest, low)


def _lifted(terms: dict[UOp, int], const: int, c: int) -> int:
    """The constant, modulo c, with which the smallest value of the sum is in 0..c-1."""
    lowest, _ = form_bounds(Linear(terms, 0))
    return (lowest + const) % c - lowest


def _reduced(form: Linear, c: int) -> Iterator[tuple[Linear, Linear]]:
    """Ways to write form = c * first + second with small coefficients.

    Remainders from 0 up; nearest to zero; and the latter with one of them moved by c the other way. That makes the sum
    wider by c - 2*|k| times the range of the atom, so it can only help an atom with two values, and only one of them.
    (Not a quotient: as a digit of its number it is of more use, see `build`.)
    """
    yield _with_remainders(form, c, 0)
    first, second = _with_remainders(form, c, -(c // 2))
    yield first, second
    lo, hi = form_bounds(second)
    if hi - lo < c:
        for t, k in second.terms.items():
            least, most = bounds(t)
            if most - least == 1 and t.op is not Ops.FLOORDIV:
                step = 1 if k < 0 else -1
                up = {**first.terms, t: first.terms.get(t, 0) - step}
                yield Linear(_nonzero(up), first.const), Linear({**second.terms, t: k + step * c}, second.const)


def _nonzero(terms: dict[UOp, int]) -> dict[UOp, int]:
    return {t: k for t, k in terms.items() if k}


def _with_remainders(form: Linear, c: int, lowest: int) -> tuple[Linear, Linear]:
    first, second = {}, {}
    for t, k in form.terms.items():
        r = (k - lowest) % c + lowest
        first[t], second[t] = (k - r) // c, r
    return Linear(_nonzero(first), form.const // c), Linear(_nonzero(second), form.const % c)


def _one_period(form: Linear, c: int) -> int | None:
    """m when m*c <= form < (m+1)*c always."""
    lo, hi = form_bounds(form)
    return lo // c if lo // c == hi // c else None


def whole_quotient(form: Linear, c: int) -> Linear | None:
    """form // c as a sum, where it is one."""
    for first, second in _reduced(form, c):
        m = _one_period(second, c)
        if m is not None:
            return Linear(first.terms, first.const + m)
    return None


def factored(form: Linear, c: int) -> tuple[int, Linear, Linear] | None:
    """(g, A, B) with form = g * A + B, g > 1 a divisor of c, 0 <= B < g; the sum that B was before, if its quotient by
    g is a sum, has given that to A."""
    order = sorted(form.terms.items(), key=lambda item: (-abs(item[1]), item[0].digest))
    g = c
    for n, (_, k) in enumerate(order[:-1], 1):
        g = gcd(g, k)
        if g == 1:
            return None
        low = Linear(dict(order[n:]), form.const)
        carry = whole_quotient(low, g)
        if carry is not None:
            high = exact_sum(Linear({t: q // g for t, q in order[:n]}, 0), carry)
            return g, high, exact_sum(low, Linear({t: -g * q for t, q in carry.terms.items()}, -g * carry.const))
    return None
