"""Every row of the division tables: enumerated over its box against exact arithmetic, and its law proved by z3."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import z3
from scalars import columns, load, points, unknowns

from uopc.dtype import DType, dtypes
from uopc.ops import Ops
from uopc.symbolic import simplify
from uopc.symbolic.divmod import QUOTIENT_RULES, REMAINDER_RULES, Division, Rule, floordiv, floormod
from uopc.symbolic.linear import is_exact, linear
from uopc.uop import UOp, range_

ROWS = [(Ops.FLOORDIV, r) for r in QUOTIENT_RULES] + [(Ops.FLOORMOD, r) for r in REMAINDER_RULES]
each_row = pytest.mark.parametrize(("op", "rule"), ROWS, ids=[r.name for _, r in ROWS])


def dividends(rule: Rule, d: DType) -> Iterator[UOp]:
    """The dividends of a rule's box."""
    box = rule.box
    counters = [range_(n, k).cast(d) for k, n in enumerate(box.sizes)]
    anywhere = (counters[0] + -(box.sizes[0] // 2), load(0, d))
    firsts = [x.alu(op, m) for op, m in box.inner for x in anywhere] or [counters[0]]
    for first in firsts:
        for factors in itertools.product(box.factors, repeat=len(counters)):
            total = first * factors[0]
            for c, k in zip(counters[1:], factors[1:]):
                total = total + c * k
            for n in box.offsets:
                yield simplify(total + n)


@each_row
def test_each_rule_is_right_on_its_box_and_fires_there(op: Ops, rule: Rule) -> None:
    fired = signs = 0
    for x in dividends(rule, dtypes.i32):
        form = linear(x)
        for c in rule.box.divisors:
            got = rule.apply(Division(x, c, form if is_exact(form, x.dtype) else None))
            if got is None:
                continue
            fired += 1
            want = x.alu(op, c)
            found = columns([want, got], points(unknowns(x), most=2000))
            assert list(found[got]) == list(found[want]), f"{x!r} {op.value} {c}"
            numbers = [v for u in x.toposort() if u in found and u.op is not Ops.CONST for v in found[u]]
            signs |= (min(numbers) < 0) | (max(numbers) > 0) << 1
    assert fired, "the box does not reach the rule"
    assert signs == 3, "the rule was not tried on both signs"


@each_row
def test_the_first_rule_that_applies_decides(op: Ops, rule: Rule) -> None:
    """Through the front door as well: floordiv and floormod on every dividend of the box, also by -c and 0."""
    divide = floordiv if op is Ops.FLOORDIV else floormod
    for x in dividends(rule, dtypes.i64):
        for c in (*rule.box.divisors, *(-c for c in rule.box.divisors), 0):
            got, want = divide(x, c), x.alu(op, c)
            found = columns([want, got], points(unknowns(x)))
            assert list(found[got]) == list(found[want]), f"{x!r} {op.value} {c}"


def test_rules_have_names_of_their_own() -> None:
    names = [r.name for _, r in ROWS]
    assert len(set(names)) == len(names)
    assert len({(op, r.law) for op, r in ROWS}) == len(names)


def test_a_sum_that_may_wrap_is_no_exact_number() -> None:
    x = simplify(range_(20, 0).cast(dtypes.i8) * 8 + 3)  # up to 155, in eight bits
    assert not is_exact(linear(x), dtypes.i8)
    for c in (2, 4, 8):
        for op, divide in ((Ops.FLOORDIV, floordiv), (Ops.FLOORMOD, floormod)):
            got, want = divide(x, c), x.alu(op, c)
            found = columns([want, got], points(unknowns(x)))
            assert list(found[got]) == list(found[want])


# -- the laws, stated on their own ---------------------------------------------------------------------------------
Law = tuple[list[z3.BoolRef], list[z3.BoolRef]]


def is_floor(x: z3.ArithRef, c: z3.ArithRef | int, q: z3.ArithRef) -> z3.BoolRef:
    """q = floor(x / c) for c > 0, as integers have it: c*q <= x <= c*q + c - 1."""
    return z3.And(c * q <= x, x <= c * q + c - 1)


def laws() -> dict[str, Law]:
    """name -> (what is given, what follows). A remainder x % c is x - c * q with q = floor(x / c).

    The unknowns are reals, of which z3 decides every polynomial inequality; that they are integers is used in
    `is_floor` alone. The quotients on the right of a law are given (p, q, j), the one on the left follows.
    """
    a, b, c, g, j, k, m, p, q, r, x = z3.Reals("a b c g j k m p q r x")
    positive = [c >= 1, b >= 1, g >= 1]
    inner = k * (x - b * p) + r
    return {
        "quotient-by-one": ([], [is_floor(x, 1, x)]),
        "quotient-constant": ([m * c <= x, x <= (m + 1) * c - 1], [is_floor(x, c, m)]),
        "quotient-nested": ([*positive, is_floor(x, b, p), is_floor(p, c, q)], [is_floor(x, b * c, q)]),
        "quotient-multiples": ([is_floor(r, c, q)], [is_floor(c * a + r, c, a + q)]),
        "quotient-reduced": ([m * c <= r, r <= (m + 1) * c - 1], [is_floor(c * a + r, c, a + m)]),
        "quotient-aligned": (
            [*positive, is_floor(x, c, q), x == c * q, m * c <= r, r <= (m + 1) * c - 1],
            [is_floor(x + r, c, q + m)],
        ),
        "quotient-common-factor": (
            [*positive, is_floor(k, g, j), is_floor(a + j, c, q)],
            [is_floor(g * a + k, g * c, q)],
        ),
        "quotient-small-part": (
            [*positive, is_floor(k, g, j), is_floor(a + j, c, q)],
            [is_floor(g * a + k, g * c, q)],
        ),
        "quotient-inner-quotient": (
            [*positive, is_floor(x, b, p), is_floor(a + p, c, q)],
            [is_floor(a * b + x, b * c, q)],
        ),
        "remainder-by-one": ([], [is_floor(x, 1, x), x - 1 * x == 0]),
        "remainder-one-period": ([m * c <= x, x <= (m + 1) * c - 1], [is_floor(x, c, m)]),
        "remainder-nested": (
            [*positive, b == k * c, is_floor(x, b, p), is_floor(x - b * p, c, q)],
            [is_floor(x, c, q + k * p), x - b * p - c * q == x - c * (q + k * p)],
        ),
        "remainder-multiples": (
            [is_floor(r, c, q)],
            [is_floor(c * a + r, c, a + q), c * a + r - c * (a + q) == r - c * q],
        ),
        "remainder-reduced": (
            [m * c <= r, r <= (m + 1) * c - 1],
            [is_floor(c * a + r, c, a + m), c * a + r - c * (a + m) == r - m * c],
        ),
        "remainder-inner-remainder": (
            [*positive, k * b == m * c, is_floor(k * x + r, c, q)],
            [is_floor(inner, c, q - m * p), inner - c * (q - m * p) == k * x + r - c * q],
        ),
        "remainder-aligned": (
            [*positive, x == c * p, is_floor(r, c, q)],
            [is_floor(x + r, c, p + q), x + r - c * (p + q) == r - c * q],
        ),
        "remainder-common-factor": (
            [*positive, is_floor(k, g, j), is_floor(a + j, c, q)],
            [is_floor(g * a + k, g * c, q), g * a + k - g * c * q == g * (a + j - c * q) + (k - g * j)],
        ),
        "remainder-small-part": (
            [*positive, is_floor(k, g, j), is_floor(a + j, c, q)],
            [is_floor(g * a + k, g * c, q), g * a + k - g * c * q == g * (a + j - c * q) + (k - g * j)],
        ),
    }


def refuted(given: list[z3.BoolRef], follows: list[z3.BoolRef]) -> z3.CheckSatResult:
    """Whether there is a case in which everything is given and yet something does not follow (unsat: proved)."""
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.add(*given, z3.Not(z3.And(*follows)))
    return solver.check()


def test_every_rule_has_its_law_here() -> None:
    assert set(laws()) == {r.name for _, r in ROWS}


@pytest.mark.parametrize("name", laws())
def test_each_law_is_proved(name: str) -> None:
    assert refuted(*laws()[name]) == z3.unsat


def test_a_quotient_is_the_only_number_that_is_a_floor() -> None:
    x, c, p, q = z3.Ints("x c p q")
    assert refuted([c >= 1, is_floor(x, c, p), is_floor(x, c, q), p > q], [z3.BoolVal(False)]) == z3.unsat


def test_the_conditions_are_needed() -> None:
    """Without what the law's words demand it is refuted: the proofs above do not prove everything."""
    b, c, g, j, k, p, q, x = z3.Reals("b c g j k p q x")
    a = z3.Real("a")
    weaker: dict[str, list[z3.BoolRef]] = {
        "quotient-small-part": [g >= 1, c >= 1, is_floor(a, c, q)],
        "remainder-small-part": [g >= 1, c >= 1, is_floor(k, g, j), is_floor(a, c, q)],
        "quotient-reduced": [c >= 1],
        "quotient-constant": [c >= 1],
        "remainder-nested": [b >= 1, c >= 1, is_floor(x, b, p), is_floor(x - b * p, c, q)],
        "remainder-inner-remainder": [b >= 1, c >= 1, is_floor(x, b, p)],
    }
    for name, given in weaker.items():
        assert refuted(given, laws()[name][1]) == z3.sat, name


def test_division_by_a_negative_number_and_by_zero() -> None:
    """x // -c is -x // c, x % -c is -(-x % c): proved through the definition for negative divisors."""
    x, c, q = z3.Reals("x c q")
    below = z3.And(-c * q >= x, x >= -c * q - c + 1)  # q = floor(x / -c): the remainder is in -c+1..0
    assert refuted([c >= 1, is_floor(-x, c, q)], [below]) == z3.unsat
    for op, divide in ((Ops.FLOORDIV, floordiv), (Ops.FLOORMOD, floormod)):
        for d in (dtypes.i8, dtypes.u8, dtypes.i32):
            for c0 in (v for v in (-128, -5, -1, 0) if dtypes.holds(d, v)):
                for x0 in (load(0, d), simplify(range_(40, 0).cast(d) * 3 + 7)):
                    got, want = divide(x0, c0), x0.alu(op, c0)
                    found = columns([want, got], points(unknowns(x0)))
                    assert list(found[got]) == list(found[want])


# -- digits put back on their number ---------------------------------------------------------------------------------
def test_laws_of_digits_are_proved() -> None:
    a, b, k, p, q, x = z3.Reals("a b k p q x")
    digit = x - a * p  # x % a with p = x // a
    upper = p + k - b * q  # (x // a + k) % b with q the quotient
    whole = x + k * a - a * b * q  # (x + k*a) % (a*b), whose quotient is q as well
    assert refuted([], [digit + a * p == x]) == z3.unsat
    given = [a >= 1, b >= 1, is_floor(x, a, p), is_floor(p + k, b, q)]
    assert refuted(given, [is_floor(x + k * a, a * b, q), digit + a * upper == whole]) == z3.unsat


def test_law_of_steps_is_proved() -> None:
    """A quotient with two values is the higher one from its edge on: two with one edge differ by a constant."""
    c, e, q, x = z3.Ints("c e q x")
    two_values = [c >= 1, c * e - c <= x, x <= c * e + c - 1, is_floor(x, c, q)]
    assert refuted(two_values, [q == z3.If(x >= c * e, e, e - 1)]) == z3.unsat


def test_numbers_are_put_together_again() -> None:
    """Every way to write a number by digits, windows and all: it comes out as the number, by value if not by form."""
    whole = again = 0
    for size, start, a, b in itertools.product((5, 31), (-7, 0, 10), (2, 3, 4), (2, 5)):
        x = simplify(range_(size, 0) + start)
        for shift in (0, a, 2 * a * b, -a):
            upper = (x + shift) // a
            for want in (
                x % a + upper * a,
                x % a + upper % b * a,
                (x % (a * b)) // a * a + x % a + x // (a * b) * (a * b),
            ):
                got = simplify(want)
                found = columns([want, got], points(unknowns(x)))
                assert list(found[got]) == list(found[want])
                again += 1
                whole += not any(n.op in (Ops.FLOORDIV, Ops.FLOORMOD) for n in got.toposort())
    assert whole >= again * 2 / 3
