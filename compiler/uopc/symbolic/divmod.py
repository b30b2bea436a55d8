"""Quotients and remainders by a constant: one rule a row, with its condition; the divisor is positive in all of them.

Division is floor division. A rule that reads the dividend as a sum needs the sum to be exact (no wrap-around); one that
reads only its bounds does not. Every row is enumerated over its box and proved with an SMT solver in the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

from uopc.dtype import DType, int_range
from uopc.ops import Ops
from uopc.symbolic import watch
from uopc.symbolic.interval import Interval, bounds
from uopc.symbolic.linear import Linear, add, chain, form_bounds, is_exact, linear, mark, scale, value_form
from uopc.symbolic.parts import exact_sum, factored, multiple_part, split, whole_quotient
from uopc.uop import UOp


class Division(NamedTuple):
    """A dividend with its sum (None when it may wrap) and a constant divisor > 0."""

    x: UOp
    c: int
    form: Linear | None

    @property
    def span(self) -> Interval:
        return bounds(self.x)


class Box(NamedTuple):
    """Small divisions to try a rule on, both signs: (k0*x0 + k1*x1 + ... + n) divided by each of `divisors`.

    sizes: of the counters x0, x1, ...; factors: what each k may be; offsets: what n may be; inner: the first term is
    k0 * (x // m) or k0 * (x % m) for these operations and m, with x from below zero to above.
    """

    sizes: tuple[int, ...]
    factors: tuple[int, ...]
    offsets: tuple[int, ...]
    divisors: tuple[int, ...]
    inner: tuple[tuple[Ops, int], ...] = ()


class Rule(NamedTuple):
    """One rewrite: its name, its law with the condition, the function that applies it or answers None, and its box."""

    name: str
    law: str
    apply: Callable[[Division], UOp | None]
    box: Box


def floordiv(x: UOp, c: int) -> UOp:
    """floor(x / c) of a simplified integer scalar, simplified; 0 when c is 0."""
    return _divide(x, c, Ops.FLOORDIV, QUOTIENT_RULES)


def floormod(x: UOp, c: int) -> UOp:
    """x - c * floor(x / c) of a simplified integer scalar, simplified; 0 when c is 0."""
    return _divide(x, c, Ops.FLOORMOD, REMAINDER_RULES)


# Rules look into the dividend of a dividend. Beyond this many levels only the first rows apply, which ask for bounds:
# a long chain of views then costs the same for each of them, and needs no deep recursion.
_DEEP = 16
_BY_BOUNDS = 2

# (operation, dividend, divisor) -> the answer, within one walk of the simplifier: digits ask for the same ones again.
# Not kept on the nodes, to which the answers refer back.
_answers: dict[tuple[Ops, UOp, int], UOp] = {}


def forget_answers() -> None:
    """Lets go of what has been remembered for one walk."""
    _answers.clear()


def _divide(x: UOp, c: int, op: Ops, rules: tuple[Rule, ...]) -> UOp:
    key = (op, x, c)
    found = _answers.get(key)
    if found is None:
        found = _answers[key] = _divided(x, c, op, rules)
    return found


def _divided(x: UOp, c: int, op: Ops, rules: tuple[Rule, ...]) -> UOp:
    if c == 0:
        return UOp.const(0, x.dtype)
    if c < 0:
        return _by_negative(x, c, op)
    form, level = linear(x), _level(x)
    task = Division(x, c, form if is_exact(form, x.dtype) else None)
    for rule in rules if level < _DEEP else rules[:_BY_BOUNDS]:
        found = rule.apply(task)
        if found is not None:
            if watch.recorder is not None:
                before = UOp(op, (x, UOp.const(c, x.dtype)))
                watch.recorder.fired(rule.name, rule.law, before, found)
            return found
    node = mark(UOp(op, (x, UOp.const(c, x.dtype))))
    node.cached("level", lambda _: level + 1)
    return node


def _level(x: UOp) -> int:
    """How many quotients and remainders are inside each other in x."""
    return max((t._cache.get("level", 0) for t in linear(x).terms if t._cache), default=0)


def _by_negative(x: UOp, c: int, op: Ops) -> UOp:
    """x // -c is -x // c, and x % -c is -(-x % c), when -x does not wrap."""
    form = linear(x)
    minus = scale(form, -1, x.dtype)
    if x.dtype.is_unsigned or not is_exact(form, x.dtype) or not is_exact(minus, x.dtype) or -c > int_range(x.dtype)[1]:
        return mark(UOp(op, (x, UOp.const(c, x.dtype))))
    negated = build(minus, x.dtype)
    if op is Ops.FLOORDIV:
        return floordiv(negated, -c)
    return build(scale(linear(floormod(negated, -c)), -1, x.dtype), x.dtype)


# -- quotients -----------------------------------------------------------------------------------------------------
def _q_one(t: Division) -> UOp | None:
    return t.x if t.c == 1 else None


def _q_constant(t: Division) -> UOp | None:
    lo, hi = t.span
    return UOp.const(lo // t.c, t.x.dtype) if lo // t.c == hi // t.c else None


def _q_nested(t: Division) -> UOp | None:
    if t.x.op is Ops.FLOORDIV and t.x.src[1].op is Ops.CONST and t.x.src[1].arg > 0:
        whole = t.c * int(t.x.src[1].arg)
        return floordiv(t.x.src[0], whole) if whole <= int_range(t.x.dtype)[1] else None
    return None


def _q_multiples(t: Division) -> UOp | None:
    if t.form is None:
        return None
    out, rest = split(t.form, t.c)
    if (not out.terms and out.const == 0) or not is_exact(rest, t.x.dtype):
        return None
    quotient = linear(floordiv(build(rest, t.x.dtype), t.c))
    return build(add(out, quotient, t.x.dtype), t.x.dtype)


def _q_reduced(t: Division) -> UOp | None:
    quotient = whole_quotient(t.form, t.c) if t.form is not None else None
    return None if quotient is None else build(quotient, t.x.dtype)


def _q_aligned(t: Division) -> UOp | None:
    parts = multiple_part(t.form, t.c) if t.form is not None else None
    if parts is None or not parts[1].terms or not is_exact(parts[0], t.x.dtype):
        return None
    carry = whole_quotient(parts[1], t.c)
    if carry is None:
        return None
    return build(add(linear(floordiv(build(parts[0], t.x.dtype), t.c)), carry, t.x.dtype), t.x.dtype)


def _q_common_factor(t: Division) -> UOp | None:
    if t.form is None or not t.form.terms:
        return None
    g = gcd(t.c, *t.form.terms.values())
    if g == 1:
        return None
    return floordiv(build(Linear({x: k // g for x, k in t.form.terms.items()}, t.form.const // g), t.x.dtype), t.c // g)


def _q_small_part(t: Division) -> UOp | None:
    parts = factored(t.form, t.c) if t.form is not None else None
    return floordiv(build(parts[1], t.x.dtype), t.c // parts[0]) if parts else None


def _q_inner_quotient(t: Division) -> UOp | None:
    if t.form is None or (len(t.form.terms) == 1 and t.form.const == 0):
        return None
    for atom, k in t.form.terms.items():
        if k == 1 and atom.op is Ops.FLOORDIV and atom.src[1].op is Ops.CONST and atom.src[1].arg > 0:
            b, d = int(atom.src[1].arg), t.x.dtype
            others = Linear({x: q * b for x, q in t.form.terms.items() if x is not atom}, t.form.const * b)
            inner = linear(atom.src[0])
            whole = Linear({**others.terms}, others.const)
            joined = exact_sum(whole, inner)
            usable = atom.dtype is d and is_exact(inner, d) and is_exact(joined, d) and b * t.c <= int_range(d)[1]
            return floordiv(build(joined, d), b * t.c) if usable else None
    return None


QUOTIENT_RULES: tuple[Rule, ...] = (
    Rule("quotient-by-one", "x // 1 = x", _q_one, Box((4, 3), (-2, 1), (-3, 0, 2), (1,))),
    Rule(
        "quotient-constant",
        "x // c = m when m*c <= x < (m+1)*c",
        _q_constant,
        Box((3, 2), (-2, 1), tuple(range(-9, 10)), (4, 5, 8)),
    ),
    Rule(
        "quotient-nested",
        "(x // b) // c = x // (b*c) for b > 0",
        _q_nested,
        Box((23,), (1,), (0,), (2, 3, 4), tuple((Ops.FLOORDIV, b) for b in (-3, -2, 2, 3, 5))),
    ),
    Rule(
        "quotient-multiples",
        "(c*a + r) // c = a + r // c, r exact",
        _q_multiples,
        Box((4, 5), (-8, -3, 1, 4), (-7, -1, 0, 5), (3, 4)),
    ),
    Rule(
        "quotient-reduced",
        "(c*a + r) // c = a + m when m*c <= r < (m+1)*c",
        _q_reduced,
        Box((3, 3), (-7, -4, 5, 9), (-6, 0, 1, 4), (4, 8)),
    ),
    Rule(
        "quotient-aligned",
        "(a + r) // c = a // c + m when c divides a by its alignment, m*c <= r < (m+1)*c",
        _q_aligned,
        Box((5, 3), (-2, 1, 3), (-6, -1, 0, 4), (2, 4, 6), ((Ops.AND, -4), (Ops.AND, -8))),
    ),
    Rule(
        "quotient-common-factor",
        "(g*a + k) // (g*c) = (a + k//g) // c",
        _q_common_factor,
        Box((5, 4), (-6, -4, 4, 6), (-5, -1, 0, 3), (6, 8, 9)),
    ),
    Rule(
        "quotient-small-part",
        "(g*a + b) // (g*c) = (a + b//g) // c, b // g a sum",
        _q_small_part,
        Box((5, 3), (-6, -1, 1, 4), (-9, -2, 0, 1, 7), (8, 12)),
    ),
    Rule(
        "quotient-inner-quotient",
        "(a + x // b) // c = (a*b + x) // (b*c) for b > 0, exact",
        _q_inner_quotient,
        Box((17, 3), (-2, 1, 3), (-4, 0, 1), (2, 3, 6), tuple((Ops.FLOORDIV, b) for b in (-2, 2, 3))),
    ),
)


# -- remainders ----------------------------------------------------------------------------------------------------
def _r_one(t: Division) -> UOp | None:
    return UOp.const(0, t.x.dtype) if t.c == 1 else None


def _r_one_period(t: Division) -> UOp | None:
    lo, hi = t.span
    if lo // t.c != hi // t.c:
        return None
    return build(add(linear(t.x), Linear({}, -(lo // t.c) * t.c), t.x.dtype), t.x.dtype)


def _r_nested(t: Division) -> UOp | None:
    x = t.x
    if x.op is Ops.FLOORMOD and x.src[1].op is Ops.CONST and x.src[1].arg > 0 and x.src[1].arg % t.c == 0:
        return floormod(x.src[0], t.c)
    return None


def _r_multiples(t: Division) -> UOp | None:
    if t.form is None:
        return None
    out, rest = split(t.form, t.c)
    if (not out.terms and out.const == 0) or not is_exact(rest, t.x.dtype):
        return None
    return floormod(build(rest, t.x.dtype), t.c)


def _r_reduced(t: Division) -> UOp | None:
    quotient = whole_quotient(t.form, t.c) if t.form is not None else None
    if t.form is None or quotient is None:
        return None
    d = t.x.dtype
    return build(add(t.form, scale(quotient, -t.c, d), d), d)


def _r_aligned(t: Division) -> UOp | None:
    parts = multiple_part(t.form, t.c) if t.form is not None else None
    return floormod(build(parts[1], t.x.dtype), t.c) if parts and is_exact(parts[1], t.x.dtype) else None


def _r_common_factor(t: Division) -> UOp | None:
    if t.form is None or not t.form.terms:
        return None
    g = gcd(t.c, *t.form.terms.values())
    if g == 1:
        return None
    inner = build(Linear({x: k // g for x, k in t.form.terms.items()}, t.form.const // g), t.x.dtype)
    rest = scale(linear(floormod(inner, t.c // g)), g, t.x.dtype)
    return build(add(rest, Linear({}, t.form.const % g), t.x.dtype), t.x.dtype)


def _r_small_part(t: Division) -> UOp | None:
    parts = factored(t.form, t.c) if t.form is not None else None
    if parts is None:
        return None
    g, high, low = parts
    rest = scale(linear(floormod(build(high, t.x.dtype), t.c // g)), g, t.x.dtype)
    return build(add(rest, low, t.x.dtype), t.x.dtype)


def _r_inner_remainder(t: Division) -> UOp | None:
    if t.form is None:
        return None
    for atom, k in t.form.terms.items():
        if atom.op is Ops.FLOORMOD and atom.src[1].op is Ops.CONST and atom.src[1].arg > 0 and atom.dtype is t.x.dtype:
            inner = linear(atom.src[0])
            others = Linear({x: q for x, q in t.form.terms.items() if x is not atom}, t.form.const)
            joined = exact_sum(others, Linear({x: q * k for x, q in inner.terms.items()}, inner.const * k))
            if k * int(atom.src[1].arg) % t.c == 0 and is_exact(inner, t.x.dtype) and is_exact(joined, t.x.dtype):
                return floormod(build(joined, t.x.dtype), t.c)
    return None


REMAINDER_RULES: tuple[Rule, ...] = (
    Rule("remainder-by-one", "x % 1 = 0", _r_one, Box((4, 3), (-2, 1), (-3, 0, 2), (1,))),
    Rule(
        "remainder-one-period",
        "x % c = x - m*c when m*c <= x < (m+1)*c",
        _r_one_period,
        Box((3, 2), (-2, 1), tuple(range(-9, 10)), (4, 5, 8)),
    ),
    Rule(
        "remainder-nested",
        "(x % b) % c = x % c when c divides b > 0",
        _r_nested,
        Box((31,), (1,), (0,), (2, 3, 4), tuple((Ops.FLOORMOD, b) for b in (-6, -4, 4, 6, 8, 12))),
    ),
    Rule(
        "remainder-multiples",
        "(c*a + r) % c = r % c, r exact",
        _r_multiples,
        Box((4, 5), (-8, -3, 1, 4), (-7, -1, 0, 5), (3, 4)),
    ),
    Rule(
        "remainder-reduced",
        "(c*a + r) % c = r - m*c when m*c <= r < (m+1)*c",
        _r_reduced,
        Box((3, 3), (-7, -4, 5, 9), (-6, 0, 1, 4), (4, 8)),
    ),
    Rule(
        "remainder-inner-remainder",
        "(k*(x % b) + r) % c = (k*x + r) % c when c divides k*b, exact",
        _r_inner_remainder,
        Box((17, 3), (-2, 1, 3), (-4, 0, 1), (2, 4, 6), tuple((Ops.FLOORMOD, b) for b in (-4, 2, 4, 6))),
    ),
    Rule(
        "remainder-aligned",
        "(a + r) % c = r % c when c divides a by its alignment, r exact",
        _r_aligned,
        Box((5, 3), (-2, 1, 3), (-6, -1, 0, 4), (2, 4, 6), ((Ops.AND, -4), (Ops.AND, -8), (Ops.OR, 3))),
    ),
    Rule(
        "remainder-common-factor",
        "(g*a + k) % (g*c) = g*((a + k//g) % c) + k%g",
        _r_common_factor,
        Box((5, 4), (-6, -4, 4, 6), (-5, -1, 0, 3), (6, 8, 9)),
    ),
    Rule(
        "remainder-small-part",
        "(g*a + b) % (g*c) = g*((a + b//g) % c) + b%g, b // g a sum",
        _r_small_part,
        Box((5, 3), (-6, -1, 1, 4), (-9, -2, 0, 1, 7), (8, 12)),
    ),
)


# -- a number put together again from its digits -------------------------------------------------------------------
def build(form: Linear, d: DType) -> UOp:
    """The form as a simplified node of dtype d, with digits put back on their number.

    m * (x % a) + m * a * (x // a) becomes m * x, and m * (x % a) + m * a * ((x // a) % b) becomes m * (x % (a * b)).
    """
    while (joined := _recombined(form, d)) is not None:
        if watch.recorder is not None:
            watch.recorder.fired("digits", "a number from its digits: x % a + a * (x // a) = x", form, joined)
        form = joined
    return chain(form, d)


def _recombined(form: Linear, d: DType) -> Linear | None:
    """The form with one digit less."""
    for t, m in form.terms.items():
        if _by_constant(t, Ops.FLOORMOD) and _level(t.src[0]) < _DEEP:
            a = int(t.src[1].arg)
            if any(c % (m * a) == 0 for other, c in form.terms.items() if other is not t):
                joined = _join_whole(form, t, m, a, d) or _join_digit(form, t, m, a, d)
                if joined is not None:
                    return joined
    return _one_step(form, d)


def _by_constant(t: UOp, op: Ops) -> bool:
    return t.op is op and t.src[1].op is Ops.CONST and t.src[1].arg > 0


def _join_whole(form: Linear, rem: UOp, m: int, a: int, d: DType) -> Linear | None:
    """m * (x % a) + m * a * q, where q is x // a up to a constant."""
    x = rem.src[0]
    quotient = value_form(floordiv(x, a), d)
    rest, shift = add(form, Linear({rem: -m}, 0), d), quotient.const
    for t, c in quotient.terms.items():
        found = _like(t, form)
        if found is None or form.terms[found] != c * m * a:
            return None
        rest = add(rest, Linear({found: -c * m * a}, 0), d)
        shift += c * _apart(t, found)
    if not quotient.terms:
        return None
    return add(add(rest, Linear({}, -m * a * shift), d), scale(value_form(x, d), m, d), d)


def _join_digit(form: Linear, rem: UOp, m: int, a: int, d: DType) -> Linear | None:
    """m * (x % a) + m * a * t, where t is the next digits of x."""
    for t, c in form.terms.items():
        if c == m * a and (_by_constant(t, Ops.FLOORDIV) or _by_constant(t, Ops.FLOORMOD)):
            whole = _above(rem, a, t)
            if whole is not None:
                rest = add(form, Linear({rem: -m, t: -c}, 0), d)
                return add(rest, scale(value_form(whole, d), m, d), d)
    return None


def _above(rem: UOp, a: int, t: UOp) -> UOp | None:
    """The number whose last digit (base a) is `rem` and whose other digits are `t`."""
    x, b = rem.src[0], int(t.src[1].arg)
    if t.dtype is not x.dtype:
        return None
    if t.op is Ops.FLOORDIV:
        # `rem` may have been written as the remainder of another number than `t` is the quotient of.
        return t.src[0] if b == a and floormod(t.src[0], a) is rem else None
    if a * b > int_range(x.dtype)[1]:
        return None
    upper, digits = linear(floordiv(x, a)), linear(t.src[0])
    if upper.terms != digits.terms:
        return None
    moved = Linear(linear(x).terms, linear(x).const + a * (digits.const - upper.const))
    if upper.const != digits.const and not (is_exact(moved, x.dtype) and is_exact(digits, x.dtype)):
        return None
    return floormod(build(moved, x.dtype), a * b)


# -- quotients with two values: where they step is all there is to know about them ---------------------------------
class _Step(NamedTuple):
    """A quotient that is `top` where sum(terms) >= edge, and top - 1 elsewhere."""

    terms: frozenset[tuple[UOp, int]]
    edge: int
    top: int


def _step(t: UOp) -> _Step | None:
    if not _by_constant(t, Ops.FLOORDIV):
        return None
    found: _Step | None = t.cached("step", _find_step)
    return found


def _find_step(t: UOp) -> _Step | None:
    form, c = linear(t.src[0]), int(t.src[1].arg)
    lo, hi = form_bounds(form)
    if hi // c - lo // c != 1 or not is_exact(form, t.dtype):
        return None
    return _Step(frozenset(form.terms.items()), hi // c * c - form.const, hi // c)


def _like(t: UOp, form: Linear) -> UOp | None:
    """A term of the form that differs from `t` by a constant only."""
    if t in form.terms:
        return t
    step = _step(t)
    others = ((u, _step(u)) for u in form.terms) if step is not None else ()
    return next((u for u, s in others if s is not None and step is not None and s[:2] == step[:2]), None)


def _apart(t: UOp, u: UOp) -> int:
    """t - u, of terms that are alike."""
    first, second = _step(t), _step(u)
    return 0 if t is u or first is None or second is None else first.top - second.top


def _one_step(form: Linear, d: DType) -> Linear | None:
    """Quotients that step at the same place as one."""
    seen: dict[tuple[object, int], UOp] = {}
    for t, c in form.terms.items():
        step = _step(t)
        if step is not None:
            u = seen.setdefault(step[:2], t)
            if u is not t:
                return add(form, Linear({t: -c, u: c}, c * _apart(t, u)), d)
    return None
