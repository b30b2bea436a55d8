"""Elementwise operations of the reference evaluator against Python's exact integers, NumPy and values by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from programs import Array, difference
from values import FLOATS, INF, INTS, NAN, run, same, values, wrapped

from uopc.dtype import DType, dtypes
from uopc.evaluate.elementwise import elementwise
from uopc.evaluate.scalar import scalar_function
from uopc.nptypes import flat_array, from_np_dtype, np_dtype
from uopc.ops import Ops
from uopc.uop import UOp, UOpError, buf


def apply(op: Ops, d: DType, *columns: Array) -> Array:
    """op applied element by element to buffers holding the columns."""
    sources = tuple(buf(k, c.size, from_np_dtype(c.dtype) or d) for k, c in enumerate(columns))
    result: Array = run(UOp(op, sources), *columns)
    return result


# -- integers ------------------------------------------------------------------------------------------------------
def extremes(d: DType) -> list[int]:
    lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
    return sorted(
        {lo, lo + 1, lo // 2, hi // 2, hi - 1, hi, 0, 1, 2, 3, 7, d.bits, *([-1, -2, -7, -d.bits] if lo else [])}
    )


EXACT: dict[Ops, Callable[[int, int, int], int]] = {
    Ops.ADD: lambda a, b, bits: a + b,
    Ops.MUL: lambda a, b, bits: a * b,
    Ops.MAX: lambda a, b, bits: a if a > b else b,
    Ops.FLOORDIV: lambda a, b, bits: a // b if b else 0,
    Ops.FLOORMOD: lambda a, b, bits: a - b * (a // b) if b else 0,
    Ops.AND: lambda a, b, bits: a & b,
    Ops.OR: lambda a, b, bits: a | b,
    Ops.XOR: lambda a, b, bits: a ^ b,
    Ops.SHL: lambda a, b, bits: a * 2**b if 0 <= b < bits else 0,
    Ops.SHR: lambda a, b, bits: a // 2**b if 0 <= b < bits else (-1 if a < 0 else 0),
}


@pytest.mark.parametrize("d", INTS, ids=str)
@pytest.mark.parametrize("op", EXACT, ids=lambda op: op.value)
def test_integer_operations_on_extremes(op: Ops, d: DType) -> None:
    pairs = [(a, b) for a in extremes(d) for b in extremes(d)]
    a, b = (np.array(column, np_dtype(d)) for column in zip(*pairs))
    want = np.array([wrapped(d, EXACT[op](x, y, d.bits)) for x, y in pairs], np_dtype(d))
    same(apply(op, d, a, b), want)


@pytest.mark.parametrize("d", INTS, ids=str)
def test_integer_comparisons_and_negation(d: DType) -> None:
    pairs = [(a, b) for a in extremes(d) for b in extremes(d)]
    a, b = (np.array(column, np_dtype(d)) for column in zip(*pairs))
    same(apply(Ops.CMPLT, d, a, b), np.array([x < y for x, y in pairs]))
    same(apply(Ops.CMPNE, d, a, b), np.array([x != y for x, y in pairs]))
    same(apply(Ops.NEG, d, a), np.array([wrapped(d, -x) for x, _ in pairs], np_dtype(d)))


def test_the_traps_of_integer_division_by_hand() -> None:
    lowest = -(2**31)
    a, b = values(dtypes.i32, lowest, 7, -7, 7, -7, lowest, 5), values(dtypes.i32, -1, 2, 2, -2, -2, 1, 0)
    same(apply(Ops.FLOORDIV, dtypes.i32, a, b), values(dtypes.i32, lowest, 3, -4, -4, 3, lowest, 0))
    same(apply(Ops.FLOORMOD, dtypes.i32, a, b), values(dtypes.i32, 0, 1, 1, -1, -1, 0, 0))


def test_64_bit_integers_never_pass_through_a_float() -> None:
    n = 2**53 + 1
    x = values(dtypes.i64, n, -n, 2**63 - 1)
    same(apply(Ops.FLOORDIV, dtypes.i64, x, values(dtypes.i64, 1, 1, 2)), values(dtypes.i64, n, -n, 2**62 - 1))
    top = values(dtypes.u64, 2**64 - 1, 2**64 - 2)
    same(apply(Ops.FLOORMOD, dtypes.u64, top, values(dtypes.u64, 10, 2**63)), values(dtypes.u64, 5, 2**63 - 2))
    total = run(buf(0, 3, dtypes.i64).reduce(Ops.ADD, 1), values(dtypes.i64, n, 1, -n))
    assert int(total) == 1


# -- bool ----------------------------------------------------------------------------------------------------------
def test_bool_operations_are_logic() -> None:
    a, b = values(dtypes.bool, 0, 0, 1, 1), values(dtypes.bool, 0, 1, 0, 1)
    table = {
        Ops.MUL: [0, 0, 0, 1],
        Ops.AND: [0, 0, 0, 1],
        Ops.MAX: [0, 1, 1, 1],
        Ops.OR: [0, 1, 1, 1],
        Ops.XOR: [0, 1, 1, 0],
        Ops.CMPNE: [0, 1, 1, 0],
        Ops.CMPLT: [0, 1, 0, 0],
    }
    for op, want in table.items():
        same(apply(op, dtypes.bool, a, b), values(dtypes.bool, *want))
    same(apply(Ops.NOT, dtypes.bool, a), values(dtypes.bool, 1, 1, 0, 0))


# -- floats --------------------------------------------------------------------------------------------------------
SPECIAL = [0.0, -0.0, 1.0, -1.5, 0.1, 3.0, 65504.0, 1e-7, 5e-8, 1e30, -1e30, 1e-42, INF, -INF, NAN]


@pytest.mark.parametrize("d", FLOATS, ids=str)
def test_float_arithmetic_is_ieee(d: DType) -> None:
    with np.errstate(all="ignore"):
        column = np.array(SPECIAL).astype(np_dtype(d))
        a, b = (m.ravel() for m in np.meshgrid(column, column))
        for op, f in {Ops.ADD: np.add, Ops.MUL: np.multiply}.items():
            got, want = apply(op, d, a, b), f(a, b)
            same(got, want)
            assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()
        same(apply(Ops.RECIP, d, column), (1 / column.astype(np.float64)).astype(np_dtype(d)))
        same(apply(Ops.SQRT, d, column), np.sqrt(column.astype(np.float64)).astype(np_dtype(d)))
        same(apply(Ops.NEG, d, column), -column)


def test_float_comparisons_with_nan() -> None:
    a, b = values(dtypes.f32, NAN, 1, NAN, 0.0, 2), values(dtypes.f32, 1, NAN, NAN, -0.0, 3)
    same(apply(Ops.CMPLT, dtypes.f32, a, b), values(dtypes.bool, 0, 0, 0, 0, 1))
    same(apply(Ops.CMPNE, dtypes.f32, a, b), values(dtypes.bool, 1, 1, 1, 0, 1))
    same(apply(Ops.MAX, dtypes.f32, a, b), values(dtypes.f32, NAN, NAN, NAN, 0, 3))


def test_half_precision_overflows_and_rounds_after_each_operation() -> None:
    x = values(dtypes.f16, 65504, 2048, 0.1)
    same(apply(Ops.ADD, dtypes.f16, x, values(dtypes.f16, 65504, 1, 0.2)), values(dtypes.f16, INF, 2048, 0.2998))
    # 2048 + 1 + 1: each sum is rounded back to 2048, the next even multiple of 2
    u = buf(0, 1, dtypes.f16)
    assert float(run((u + 1.0) + 1.0, values(dtypes.f16, 2048))[0]) == 2048.0


@pytest.mark.parametrize("d", FLOATS, ids=str)
def test_transcendental_functions_are_near_the_true_value(d: DType) -> None:
    x = np.linspace(-9, 9, 97).astype(np_dtype(d))
    eps = float(np.finfo(np_dtype(d)).eps)
    for op, base in ((Ops.EXP2, 2.0), (Ops.SIN, 0.0)):
        want = np.array([base ** float(v) if base else math.sin(v) for v in x])
        assert np.all(np.abs(apply(op, d, x).astype(np.float64) - want) <= 1.5 * eps * np.abs(want) + 1e-300)
    positive = np.abs(x[x != 0])
    want = np.array([math.log2(float(v)) for v in positive])
    assert np.all(np.abs(apply(Ops.LOG2, d, positive).astype(np.float64) - want) <= 1.5 * eps * np.abs(want))


def test_functions_of_special_values() -> None:
    x = values(dtypes.f32, 0.0, -0.0, -1, INF, -INF, NAN)
    same(apply(Ops.RECIP, dtypes.f32, x), values(dtypes.f32, INF, -INF, -1, 0, 0, NAN))
    same(apply(Ops.EXP2, dtypes.f32, x), values(dtypes.f32, 1, 1, 0.5, INF, 0, NAN))
    same(apply(Ops.LOG2, dtypes.f32, x), values(dtypes.f32, -INF, -INF, NAN, INF, NAN, NAN))
    same(apply(Ops.SQRT, dtypes.f32, x), values(dtypes.f32, 0, 0, NAN, INF, NAN, NAN))
    same(apply(Ops.SIN, dtypes.f32, x)[3:], values(dtypes.f32, NAN, NAN, NAN))
    same(apply(Ops.TRUNC, dtypes.f32, values(dtypes.f32, -1.9, 1.9, -0.5, INF)), values(dtypes.f32, -1, 1, -0.0, INF))


# -- conversions ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("d", INTS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_float_to_integer_truncates_and_saturates(source: DType, d: DType) -> None:
    lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
    with np.errstate(over="ignore"):
        x = np.array([1.9, -1.9, -0.9, 0.0, NAN, INF, -INF, 1e30, -1e30, hi, lo, 100.5, 2.0**15]).astype(
            np_dtype(source)
        )
    want = [
        0 if math.isnan(v) else hi if v > hi else lo if v < lo else math.trunc(v) for v in (float(value) for value in x)
    ]
    same(run(buf(0, x.size, source).cast(d), x), np.array(want, np_dtype(d)))


@pytest.mark.parametrize("source", INTS, ids=str)
@pytest.mark.parametrize("d", INTS, ids=str)
def test_integer_to_integer_wraps(source: DType, d: DType) -> None:
    x = extremes(source)
    want = np.array([wrapped(d, v) for v in x], np_dtype(d))
    same(run(buf(0, len(x), source).cast(d), np.array(x, np_dtype(source))), want)


def test_casts_that_round() -> None:
    # 2**24 + 1 lies between two f32; 2**53 + 1 and 2**63 + 2**39 + 1 test that nothing is rounded twice
    x = values(dtypes.u64, 2**24 + 1, 2**24 + 3, 2**63 + 2**39 + 1)
    same(run(buf(0, 3, dtypes.u64).cast(dtypes.f32), x), values(dtypes.f32, 2**24, 2**24 + 4, 2**63 + 2**40))
    same(run(buf(0, 2, dtypes.i64).cast(dtypes.f16), values(dtypes.i64, 65519, 65520)), values(dtypes.f16, 65504, INF))
    same(run(buf(0, 2).cast(dtypes.f16), values(dtypes.f32, 65535, 2049)), values(dtypes.f16, INF, 2048))
    nearly = 1 + 2.0**-11 + 2.0**-30  # above the middle of two f16, but not after rounding to f32
    same(run(buf(0, 1, dtypes.f64).cast(dtypes.f16), values(dtypes.f64, nearly)), values(dtypes.f16, 1 + 2.0**-10))


@pytest.mark.parametrize("source", [d for d in dtypes.all if d is not dtypes.void], ids=str)
def test_cast_to_and_from_bool(source: DType) -> None:
    numbers = [0, 1] if source.is_bool else [0, 1, 2] + ([0.5, -0.0, NAN] if source.is_float else [])
    got = run(buf(0, len(numbers), source).cast(dtypes.bool), np.array(numbers).astype(np_dtype(source)))
    same(got, np.array([bool(v) for v in numbers]))
    back = run(buf(0, 2, dtypes.bool).cast(source), values(dtypes.bool, 0, 1))
    same(back, values(source, 0, 1))


def test_bitcast_reads_the_same_bits() -> None:
    x = values(dtypes.f32, 1.0, -0.0, 2.0)
    same(run(buf(0, 3).bitcast(dtypes.u32), x), values(dtypes.u32, 0x3F800000, 0x80000000, 0x40000000))
    same(run(buf(0, 2, dtypes.u8).bitcast(dtypes.i8), values(dtypes.u8, 255, 127)), values(dtypes.i8, -1, 127))
    same(run(buf(0, 3).flip((0,)).bitcast(dtypes.i32), x), values(dtypes.i32, 0x40000000, -(2**31), 0x3F800000))


def test_where_chooses_even_beside_nan() -> None:
    c = buf(0, 3, dtypes.bool)
    got = run(
        c.where(buf(1, 3), buf(2, 3)),
        values(dtypes.bool, 1, 0, 1),
        values(dtypes.f32, 1, NAN, NAN),
        np.zeros(3, np.float32),
    )
    same(got, values(dtypes.f32, 1, 0, NAN))


# -- one element and many ------------------------------------------------------------------------------------------
def test_scalars_and_arrays_agree_on_every_operation() -> None:
    rng = np.random.default_rng(0)
    checked = 0
    for d in (d for d in dtypes.all if d is not dtypes.void):
        numbers = [0, 1] if d.is_bool else SPECIAL if d.is_float else extremes(d)
        with np.errstate(all="ignore"):
            pool = np.array(numbers).astype(np_dtype(d))
        a, b = (rng.choice(pool, 60) for _ in range(2))
        for u in _every_operation(d):
            columns = [a, b][: len(u.src)] if u.op is not Ops.WHERE else [rng.integers(0, 2, 60) > 0, a, b]
            with np.errstate(all="ignore"):
                want = elementwise(u, columns)
                got = [scalar_function(u)(*(c[k].item() for c in columns)) for k in range(60)]
                assert difference(want, np.array(got, want.dtype), 0.0) is None, (u.op, d, u.dtype)
            checked += 1
    assert checked > 250


def _every_operation(d: DType) -> list[UOp]:
    x, y = buf(0, 60, d), buf(1, 60, d)
    nodes = [buf(2, 60, dtypes.bool).where(x, y)]
    for op in EXACT.keys() | {Ops.CMPLT, Ops.CMPNE, Ops.NEG, Ops.NOT, Ops.RECIP, Ops.SQRT, Ops.TRUNC}:
        unary = op in (Ops.NEG, Ops.NOT, Ops.RECIP, Ops.SQRT, Ops.TRUNC)
        try:
            nodes.append(UOp(op, (x,) if unary else (x, y)))
        except UOpError:  # the type rules say which operations a dtype has
            continue
    nodes += [x.cast(t) for t in dtypes.all if t is not dtypes.void and t is not d]
    nodes += [x.bitcast(t) for t in dtypes.all if t.bits == d.bits and t is not d and not t.is_float and not d.is_float]
    return nodes


# -- NumPy's dtypes ------------------------------------------------------------------------------------------------
def test_numpy_dtypes_and_back() -> None:
    for d in dtypes.all:
        if d is not dtypes.void:
            assert from_np_dtype(np_dtype(d)) is d
            assert np_dtype(d).itemsize == d.itemsize
    assert from_np_dtype(np.complex64) is None
    with pytest.raises(ValueError, match="void"):
        np_dtype(dtypes.void)


def test_flat_arrays_are_views_where_they_can_be() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.shares_memory(flat_array(x, dtypes.f32, 6), x)
    same(flat_array(x.T, dtypes.f32, 6), x.T.ravel())
