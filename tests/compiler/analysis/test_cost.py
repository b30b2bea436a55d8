"""Costs against counts by hand, and evaluations of reductions against the loop program that lowering makes."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from uopc.analysis.cost import estimate, reduction_costs
from uopc.broadcast import broadcast_shape, broadcast_to
from uopc.dtype import dtypes
from uopc.linearize import linearize
from uopc.ops import Ops
from uopc.rangeify import lower
from uopc.uir import parse
from uopc.uop import UOp, UOpError, buf, sink


def product(a: UOp, b: UOp) -> UOp:
    shape = broadcast_shape(a.shape, b.shape)
    return broadcast_to(a, shape) * broadcast_to(b, shape)


def matmul(a: UOp, b: UOp) -> UOp:
    (m, k), (_, n) = a.shape, b.shape
    return product(a.reshape((m, 1, k)), b.permute((1, 0)).reshape((1, n, k))).reduce(Ops.ADD, 1)


A, B = buf(0, 6 * 5).reshape((6, 5)), buf(1, 5 * 7).reshape((5, 7))


def test_a_contraction_costs_a_product_and_a_sum_a_term() -> None:
    cost = estimate(matmul(A, B))
    assert cost.operations == 2 * 6 * 7 * 5
    assert cost.memory_bytes == 4 * (6 * 5 + 5 * 7 + 6 * 7)
    (c,) = cost.reductions
    assert (c.elements, c.evaluations, c.length, c.exact) == (42, 42, 5, True)


OPERATIONS = [
    (buf(0, 10), 0),
    (buf(0, 10) + 1.0, 10),
    (buf(0, 10).reshape((2, 5)).permute((1, 0)), 0),
    ((buf(0, 10) + 1.0).shrink(((2, 5),)), 3),
    ((buf(0, 1) + 1.0).expand((1000,)), 1),
    ((buf(0, 1).expand((10**12,)) + 1.0).shrink(((7, 9),)), 2),
    ((buf(0, 10) + 1.0).pad(((5, 5),)), 10),
    ((buf(0, 10) + 1.0).stage().shrink(((0, 1),)), 10),
    ((buf(0, 10) * 2.0) + (buf(0, 10) * 2.0), 20),
    (buf(0, 12).reshape((3, 4)).reduce(Ops.MAX, 1), 12),
    (buf(0, 12).reshape((3, 4)).reduce(Ops.MAX, 2), 12),
    (buf(0, 0).reduce(Ops.ADD, 1), 0),
    (UOp(Ops.STACK, (buf(0, 4) + 1.0, buf(0, 4) + 2.0)), 8),
    (sink(buf(0, 4) + 1.0, buf(0, 4) * 3.0), 8),
    (buf(0, 1 << 40).reshape((1 << 20, 1 << 20)).reduce(Ops.ADD, 1), 1 << 40),
]


@pytest.mark.parametrize(("root", "want"), OPERATIONS, ids=[str(k) for k in range(len(OPERATIONS))])
def test_operations_by_hand(root: UOp, want: int) -> None:
    assert estimate(root).operations == want


def test_memory_counts_each_buffer_once_and_what_is_staged() -> None:
    x = buf(0, 10, dtypes.f64)
    assert estimate((x + x).stage() * x).memory_bytes == 8 * (10 + 10 + 10)
    assert estimate(sink(x + 1.0, x.cast(dtypes.i8))).memory_bytes == 80 + 80 + 10


def test_a_loop_program_costs_what_its_loops_run() -> None:
    text = """%0 = buffer 12 : dtype=f32 slot=0
%1 = buffer 3 : dtype=f32 slot=1
%2 = range 3 : idx=0 kind=loop
%3 = alloc 1 : dtype=f32 slot=0
%4 = after %3, %2
%5 = index %4, 0
%6 = store %5, 0.0
%7 = range 4 : idx=1 kind=reduce
%8 = after %4, %6, %7
%9 = index %8, 0
%10 = load %9
%11 = mul %2, 4
%12 = add %11, %7
%13 = index %0, %12
%14 = load %13
%15 = add %10, %14
%16 = store %9, %15
%17 = end %16, %7
%18 = after %4, %17
%19 = index %18, 0
%20 = load %19
%21 = index %1, %2
%22 = store %21, %20
%23 = end %22, %2
%24 = sink %23
"""
    cost = estimate(parse(text))
    assert cost.operations == 12  # one addition a term; the address arithmetic is not counted
    assert cost.memory_bytes == 4 * (12 + 3 + 1)


# -- evaluations ---------------------------------------------------------------------------------------------------
X = buf(0, 12).reshape((3, 4))


def over_rows(x: UOp, op: Ops) -> UOp:
    """A reduction of every row, broadcast back."""
    return x.reduce(op, 1).reshape((x.shape[0], 1)).expand(x.shape)


def evaluations(root: UOp) -> dict[Ops, int]:
    return {c.node.arg[0]: c.evaluations for c in reduction_costs(root)}


def test_a_row_maximum_is_evaluated_once_a_row() -> None:
    assert evaluations(X - over_rows(X, Ops.MAX)) == {Ops.MAX: 3}


def test_also_after_a_round_trip_through_a_flat_shape() -> None:
    y = (X - over_rows(X, Ops.MAX)).reshape((12,))
    assert evaluations(y) == {Ops.MAX: 12}
    assert evaluations(y.reshape((3, 4))) == {Ops.MAX: 3}
    assert evaluations(y.reshape((2, 6))) == {Ops.MAX: 12}


def test_softmax_evaluates_each_reduction_once_a_row() -> None:
    e = (X - over_rows(X, Ops.MAX)).alu(Ops.EXP2)
    assert evaluations(e * over_rows(e, Ops.ADD).alu(Ops.RECIP)) == {Ops.MAX: 3, Ops.ADD: 3}


def test_a_column_maximum_is_evaluated_in_both_loops() -> None:
    columns = X.permute((1, 0)).reduce(Ops.MAX, 1).reshape((1, 4)).expand((3, 4))
    assert evaluations(X - columns) == {Ops.MAX: 12}


def test_a_product_of_three_matrices_evaluates_the_inner_one_for_every_outer_element() -> None:
    c = matmul(matmul(A, B), buf(2, 7 * 8).reshape((7, 8)))
    outer, inner = reduction_costs(c)
    assert (outer.elements, outer.evaluations) == (48, 48)
    assert (inner.elements, inner.evaluations) == (42, 6 * 8 * 7)
    staged = matmul(matmul(A, B).stage(), buf(2, 7 * 8).reshape((7, 8)))
    assert sorted((r.elements, r.evaluations) for r in reduction_costs(staged)) == [(42, 42), (48, 48)]


def lowered_evaluations(root: UOp) -> int:
    """How often accumulators are started in the loop program: the loops around each start, multiplied."""
    nest: list[UOp] = []
    total = 0
    for u in linearize(lower(root, buf(99, max(1, prod(root.shape))))):
        if u.op is Ops.RANGE:
            nest.append(u)
        elif u.op is Ops.END:
            nest = [r for r in nest if r not in u.src[1:]]
        elif u.op is Ops.STORE and _starts_accumulator(u.src[0]):
            total += prod(r.arg.size for r in nest)
    return total


def _starts_accumulator(address: UOp) -> bool:
    base = address.src[0]
    if base.op is Ops.AFTER and all(d.op is Ops.RANGE for d in base.src[1:]):
        base = base.src[0]
    return base.op is Ops.ALLOC


def random_graph(seed: int) -> UOp:
    """Reductions under movements, products and broadcasts; no pads, whose all-zero parts lowering leaves out."""
    rng = np.random.default_rng(seed)
    values = [buf(0, 24).reshape((2, 3, 4)), buf(1, 12).reshape((3, 4))]
    for _ in range(rng.integers(3, 9)):
        u = values[rng.integers(len(values))]
        kind = rng.integers(5)
        if kind <= 1:
            for _ in range(rng.integers(1, 4)):
                u = _moved(u, rng)
        elif kind == 2 and u.shape:
            u = u.reduce(Ops.ADD, int(rng.integers(1, len(u.shape) + 1)))
        elif kind == 3:
            try:
                u = product(u, values[rng.integers(len(values))])
            except UOpError:
                continue
        elif u.shape:
            n = int(rng.integers(1, len(u.shape) + 1))
            r = u.reduce(Ops.MAX, n)
            u = u + r.reshape((*r.shape, *(1,) * n)).expand(u.shape)
        if prod(u.shape) < 400 and len(u.shape) < 5:
            values.append(u)
    return values[-1]


def _moved(u: UOp, rng: np.random.Generator) -> UOp:
    shape = u.shape
    kind = rng.integers(6)
    if kind == 0:
        return u.permute(tuple(map(int, rng.permutation(len(shape)))))
    if kind == 1:
        begins = [int(rng.integers(n)) for n in shape]
        return u.shrink([(b, int(rng.integers(b + 1, n + 1))) for b, n in zip(begins, shape)])
    if kind == 2 and len(shape) < 4:
        at = int(rng.integers(len(shape) + 1))
        return u.reshape((*shape[:at], 1, *shape[at:])).expand((*shape[:at], 3, *shape[at:]))
    if kind == 3:
        return u.reshape((prod(shape),))
    if kind == 4:
        return u.flip([k for k in range(len(shape)) if rng.integers(2)])
    for k, n in enumerate(shape):
        if n in (4, 6, 8, 12, 24) and len(shape) < 4:
            return u.reshape((*shape[:k], 2, n // 2, *shape[k + 1 :]))
    return u


@pytest.mark.parametrize("block", range(10))
def test_evaluations_are_those_of_the_lowered_program(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        root = random_graph(seed)
        told = sum(c.evaluations for c in reduction_costs(root) if c.length > 1)
        assert told == lowered_evaluations(root), seed


def test_deep_programs_are_followed_only_so_far() -> None:
    u = X
    for _ in range(3000):
        u = (u - over_rows(u, Ops.MAX)).permute((1, 0))
    costs = reduction_costs(u)
    assert costs
    assert not all(c.exact for c in costs)
