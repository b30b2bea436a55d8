"""Comparisons, bits, truth values and choices: each row fires, is right on every operand of a pool, and is proved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import z3
from scalars import columns, load, points, unknowns

from uopc.dtype import DType, dtypes
from uopc.ops import Ops
from uopc.symbolic import bounds, simplify
from uopc.symbolic.compare import LESS_RULES, Inequality, LessRule, decided
from uopc.symbolic.logic import AND_RULES, NOT_RULES, OR_RULES, WHERE_RULES, XOR_RULES, LogicRule
from uopc.uop import UOp, range_

T, F = UOp.const(True, dtypes.bool), UOp.const(False, dtypes.bool)


def equal(got: UOp, want: UOp) -> None:
    found = columns([want, got], points(unknowns(want) or [load(0, dtypes.i8)], most=1500))
    assert list(found[got]) == list(found[want]), f"{got!r} instead of {want!r}"


# -- logic ---------------------------------------------------------------------------------------------------------
def numbers(d: DType) -> list[UOp]:
    ones = -1 if d.kind == "int" else int(dtypes.max(d))
    return [load(0, d), load(1, d), *(UOp.const(v, d) for v in (0, ones, 1, int(dtypes.min(d))))]


def truths() -> list[UOp]:
    x, y = load(0, dtypes.i8), load(1, dtypes.u8)
    plain = [load(2, dtypes.bool), load(3, dtypes.bool), T, F]
    compared = [x < 5, x < -128, x < -127, UOp.const(127, dtypes.i8) < x, UOp.const(126, dtypes.i8) < x, y < 1, y < 255]
    return [simplify(c) for c in (*plain, *compared, *(c.alu(Ops.NOT) for c in (plain[0], compared[0])))]


def operands(op: Ops) -> Iterator[tuple[UOp, ...]]:
    """Operands of an operation, simplified: every combination of the pools, of a few dtypes."""
    if op is Ops.NOT:
        yield from ((c,) for c in truths())
    elif op is Ops.WHERE:
        for c in truths():
            for pool in (truths()[:6], numbers(dtypes.i8)[:4]):
                nested = [simplify(c.where(a, b)) for a, b in itertools.permutations(pool[:3], 2)]
                yield from ((c, a, b) for a, b in itertools.product([*pool, *nested], repeat=2))
    else:
        for pool in (truths(), *(numbers(d) for d in (dtypes.i8, dtypes.u8, dtypes.i64, dtypes.u32))):
            yield from itertools.product(pool, repeat=2)


LOGIC: list[tuple[Ops, LogicRule]] = [
    (op, rule)
    for op, rules in (
        (Ops.AND, AND_RULES),
        (Ops.OR, OR_RULES),
        (Ops.XOR, XOR_RULES),
        (Ops.NOT, NOT_RULES),
        (Ops.WHERE, WHERE_RULES),
    )
    for rule in rules
]


@pytest.mark.parametrize(("op", "rule"), LOGIC, ids=[r.name for _, r in LOGIC])
def test_each_logic_rule_fires_and_is_right(op: Ops, rule: LogicRule) -> None:
    fired = 0
    for src in operands(op):
        got = rule.apply(*src)
        if got is not None:
            fired += 1
            equal(got, UOp(op, src))
    assert fired


def logic_laws() -> dict[str, z3.BoolRef]:
    """name -> law, over eight bits and truth values."""
    a, b, e, k = z3.BitVecs("a b e k", 8)
    c, t = z3.Bools("c t")
    zero, ones = z3.BitVecVal(0, 8), z3.BitVecVal(-1, 8)
    lowest, highest = z3.BitVecVal(-128, 8), z3.BitVecVal(127, 8)
    signed = z3.And(
        z3.Implies(k > lowest, z3.Not(a < k) == (k - 1 < a)), z3.Implies(k < highest, z3.Not(k < a) == (a < k + 1))
    )
    unsigned = z3.And(
        z3.Implies(z3.UGT(k, zero), z3.Not(z3.ULT(a, k)) == z3.ULT(k - 1, a)),
        z3.Implies(z3.ULT(k, ones), z3.Not(z3.ULT(k, a)) == z3.ULT(a, k + 1)),
    )
    return {
        "and-same": a & a == a,
        "and-zero": a & zero == zero,
        "and-ones": a & ones == a,
        "or-same": a | a == a,
        "or-zero": a | zero == a,
        "or-ones": a | ones == ones,
        "xor-same": a ^ a == zero,
        "xor-zero": a ^ zero == a,
        "xor-true": z3.Xor(c, z3.BoolVal(True)) == z3.Not(c),
        "not-constant": z3.Not(z3.BoolVal(True)) == z3.BoolVal(False),
        "not-not": z3.Not(z3.Not(c)) == c,
        "not-less": z3.And(signed, unsigned),
        "where-constant": z3.And(z3.If(z3.BoolVal(True), a, b) == a, z3.If(z3.BoolVal(False), a, b) == b),
        "where-same": z3.If(c, a, a) == a,
        "where-not": z3.If(z3.Not(c), a, b) == z3.If(c, b, a),
        "where-again-then": z3.If(c, z3.If(c, a, e), b) == z3.If(c, a, b),
        "where-again-else": z3.If(c, a, z3.If(c, e, b)) == z3.If(c, a, b),
        "where-truth": z3.And(
            z3.If(c, z3.BoolVal(True), z3.BoolVal(False)) == c,
            z3.If(c, z3.BoolVal(False), z3.BoolVal(True)) == z3.Not(c),
        ),
        "where-and": z3.If(c, t, z3.BoolVal(False)) == z3.And(c, t),
    }


def proved(law: z3.BoolRef, *given: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.add(*given, z3.Not(law))
    return bool(solver.check() == z3.unsat)


def test_every_logic_rule_has_its_law_here() -> None:
    assert set(logic_laws()) == {r.name for _, r in LOGIC}


@pytest.mark.parametrize("name", logic_laws())
def test_each_logic_law_is_proved(name: str) -> None:
    assert proved(logic_laws()[name])


def test_not_less_is_for_integers_only() -> None:
    x = load(0, dtypes.f32)
    negated = simplify((x < 1.0).alu(Ops.NOT))
    assert negated.op is Ops.NOT  # NaN is neither less than 1 nor not less


# -- inequalities --------------------------------------------------------------------------------------------------
def inequalities() -> Iterator[Inequality]:
    x, y, z = range_(5, 0), range_(4, 1), load(0, dtypes.i32)
    quotients = [simplify(v // n) for v in (x * 7 + y + -9, z, x.cast(dtypes.i64) + -2) for n in (2, 3, -2)]
    pools = [[x], [x, y], [y, x, simplify(z % 3)], *([q] for q in quotients if q.op is not Ops.CONST)]
    for atoms in pools:
        for factors in itertools.product((-6, -4, -1, 1, 2, 8), repeat=len(atoms)):
            for bound in (-9, -4, -2, 0, 1, 2, 6, 8):
                yield Inequality(dict(zip(atoms, factors)), bound)


def holds(q: Inequality, found: dict[UOp, list[int]]) -> list[bool]:
    return [sum(q.terms[t] * v for t, v in zip(q.terms, row)) < q.bound for row in zip(*(found[t] for t in q.terms))]


@pytest.mark.parametrize("rule", LESS_RULES, ids=[r.name for r in LESS_RULES])
def test_each_inequality_rule_fires_and_is_right(rule: LessRule) -> None:
    fired = signs = 0
    for q in inequalities():
        got = rule.apply(q)
        if got is None:
            continue
        fired += 1
        signs |= 1 if q.bound < 0 else 2 if q.bound > 0 else 0
        leaves = list(dict.fromkeys(u for t in (*q.terms, *got.terms) for u in unknowns(t)))
        found = columns([*q.terms, *got.terms], points(leaves, most=500))
        assert holds(got, found) == holds(q, found), f"{q} -> {got}"
    assert fired
    assert signs == 3


def test_what_bounds_decide_is_so() -> None:
    seen = set()
    for q in inequalities():
        leaves = [u for t in q.terms for u in unknowns(t)]
        found = columns(q.terms, points(list(dict.fromkeys(leaves))))
        truth = set(holds(q, found))
        seen.add(decided(q))
        assert decided(q) is None or truth == {decided(q)}
    assert seen == {True, False, None}


def inequality_laws() -> dict[str, tuple[list[z3.BoolRef], z3.BoolRef]]:
    """name -> (what is given, law), over the integers; ceil(k/g) and x // n through their definitions."""
    a, b, g, k, n, p, q, x = z3.Ints("a b g k n p q x")
    ceiling = [g >= 1, g * p >= k, g * p <= k + g - 1]  # p = ceil(k / g)
    quotient = [n >= 1, n * q <= x, x <= n * q + n - 1]  # q = x // n
    return {
        "less-common-factor": (ceiling, (g * a < k) == (a < p)),
        "less-small-part": ([g >= 1, b >= 0, b < g], (g * a + b < g * k) == (a < k)),
        "less-quotient": (quotient, z3.And((q < k) == (x < k * n), (-q < k) == (-x < 1 - (1 - k) * n))),
    }


def test_every_inequality_rule_has_its_law_here() -> None:
    assert set(inequality_laws()) == {r.name for r in LESS_RULES}


@pytest.mark.parametrize("name", inequality_laws())
def test_each_inequality_law_is_proved(name: str) -> None:
    given, law = inequality_laws()[name]
    assert proved(law, *given)


@pytest.mark.parametrize("d", [dtypes.i8, dtypes.u8, dtypes.i32, dtypes.i64], ids=str)
def test_comparisons_of_sums_are_right_and_never_lose_what_they_knew(d: DType) -> None:
    x, y = range_(6, 0).cast(d), load(0, d)
    sums = [x, y, x * 3 + y, x + 100, y // 3, y % 4 + x, (x * 4 + y % 4) // 4, UOp.const(7, d)]
    for a, b in itertools.product(sums, repeat=2):
        for op in (Ops.CMPLT, Ops.CMPNE):
            want = a.alu(op, b)
            got = simplify(want)
            equal(got, want)
            lo, hi = bounds(want)
            assert lo <= bounds(got)[0] and bounds(got)[1] <= hi
