"""Alignment facts: true at every point of random expressions, as sharp as by hand, and used by divisions."""

from __future__ import annotations

import itertools

import pytest
from scalars import Expressions, columns, load, points, unknowns

from uopc.dtype import DType, dtypes
from uopc.ops import Ops
from uopc.symbolic import bounds, simplify
from uopc.symbolic.alignment import Alignment, alignment
from uopc.uop import UOp, range_

i, j = range_(10, 0), range_(3, 1)
x, small = load(0, dtypes.i32), load(1, dtypes.i8).cast(dtypes.i32)
even = i < j  # a condition of which nothing is known


def holds(a: Alignment, value: int) -> bool:
    return value == a.remainder if a.modulus == 0 else value % a.modulus == a.remainder


@pytest.mark.parametrize("seed", range(300))
def test_every_value_of_a_random_expression_is_aligned_as_said(seed: int) -> None:
    u = Expressions(seed).expression()
    found = columns([u], points(unknowns(u), most=300, seed=seed))
    for node, values in found.items():
        if node.dtype.is_int:
            a, (lo, hi) = alignment(node), bounds(node)
            assert all(holds(a, v) and lo <= v <= hi for v in values), f"{node!r}: {a}"


@pytest.mark.parametrize(
    ("u", "modulus", "remainder"),
    [
        (i * 12 + 5, 12, 5),
        (i * 12 + j * 8 + 5, 4, 1),
        (even.where(i * 12, j * 8 + 4), 4, 0),
        (even.where(UOp.const(8), UOp.const(20)), 12, 8),
        ((i * 6 + 1).alu(Ops.MAX, 13), 6, 1),
        ((i * 6) * (j * 4 + 2), 12, 0),
        ((i * 12 + 8) // 4, 3, 2),
        ((i * 12 + 8) % 9, 3, 2),
        (i.alu(Ops.SHL, 3) + 1, 8, 1),
        ((i * 16 + 8).alu(Ops.SHR, 2), 4, 2),
        (x.alu(Ops.AND, -8), 8, 0),
        (x.alu(Ops.OR, 7), 1, 0),
        ((i * 8 + 3).alu(Ops.XOR, i * 4 + 1), 4, 2),
        (x * 3, 1, 0),  # it may have wrapped
        (x * 12, 4, 0),  # 2**32 is a multiple of 4 and not of 12
        ((i * 40 + 8).cast(dtypes.i8), 8, 0),  # up to 368 in eight bits
        (-(i * 5 + 2), 5, 3),
    ],
)
def test_the_facts_are_sharp(u: UOp, modulus: int, remainder: int) -> None:
    assert alignment(u) == (modulus, remainder)


def test_of_tensors() -> None:
    a = range_(4, 3) * 6
    assert alignment(UOp(Ops.STACK, (a, a + 4))) == (2, 0)
    stacked = UOp(Ops.STACK, (a + 1, a + 4))
    assert alignment(stacked) == (3, 1)
    assert alignment(stacked.pad(((0, 2),))) == (1, 0)
    assert alignment(UOp(Ops.STACK, (a, a + 3)).pad(((0, 2),))) == (3, 0)
    assert alignment(stacked.reduce(Ops.ADD, 1)) == (1, 0)  # 2**32 wraps, and 3 does not divide it
    assert alignment(UOp(Ops.STACK, (a + 1, a + 3)).reduce(Ops.ADD, 1)) == (2, 0)
    assert alignment(stacked.reduce(Ops.MAX, 1)) == (3, 1)


def divisions(u: UOp) -> int:
    return sum(n.op in (Ops.FLOORDIV, Ops.FLOORMOD) for n in simplify(u).toposort())


@pytest.mark.parametrize(
    ("u", "left"),
    [
        (even.where(i * 4, j * 8 + 12) % 4, 0),
        ((even.where(i * 4, j * 8 + 12) + j) % 4, 0),
        ((even.where(i * 4, j * 8 + 12) + j) // 4, 1),  # the choice itself is divided
        ((i * 4).alu(Ops.MAX, j * 8) % 2, 0),
        ((small.alu(Ops.AND, -16) + i) % 16, 0),
        ((x.alu(Ops.AND, -16) + i) % 16, 1),  # the sum may wrap,
        (x.alu(Ops.AND, -16) % 8, 0),
    ],
)
def test_divisions_see_them(u: UOp, left: int) -> None:
    assert divisions(u) <= left
    found = columns([u, simplify(u)], points(unknowns(u), most=500))
    assert list(found[u]) == list(found[simplify(u)])


def test_values_that_never_meet() -> None:
    u = (even.where(i * 4, j * 8 + 12) + 2).alu(Ops.CMPNE, j * 4)
    assert simplify(u) is UOp.const(True, dtypes.bool)


@pytest.mark.parametrize("d", [dtypes.i8, dtypes.u8])
@pytest.mark.parametrize("op", [Ops.AND, Ops.OR, Ops.XOR])
def test_bounds_of_bits_on_small_boxes(op: Ops, d: DType) -> None:
    """Every interval from a few ends: the bounds hold all that brute force finds."""
    ends = [v for v in (-128, -5, -4, -1, 0, 3, 4, 7, 100, 127) if dtypes.holds(d, v)]
    spans = [(lo, hi) for lo, hi in itertools.product(ends, ends) if 0 <= hi - lo <= 12]
    for (a, b), (p, q) in itertools.product(spans, spans):
        u, v = range_(b - a + 1, 0).cast(d) + a, range_(q - p + 1, 1).cast(d) + p
        lo, hi = bounds(u.alu(op, v))
        calculate = {Ops.AND: int.__and__, Ops.OR: int.__or__, Ops.XOR: int.__xor__}[op]
        values = [calculate(m, n) for m in range(a, b + 1) for n in range(p, q + 1)]
        assert lo <= min(values) and max(values) <= hi, (a, b, p, q)


def test_a_long_chain_is_no_recursion() -> None:
    u = i * 4
    for k in range(50_000):
        u = (u + 8).alu(Ops.MAX, (k % 7) * 4)
    assert alignment(u).modulus == 4
