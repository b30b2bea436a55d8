"""Operations on constants against NumPy, for every operation and dtype at the corners."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scalars import one

from uopc.dtype import DType, Scalar, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import BINARY, BITWISE, SHIFT, UNARY, Ops
from uopc.symbolic import simplify
from uopc.symbolic.fold import fold
from uopc.uop import UOp, UOpError

INTS = [d for d in dtypes.all if d.is_int]
FLOATS = [d for d in dtypes.all if d.is_float]
VALUES = [*INTS, *FLOATS, dtypes.bool]
TO_C = {Ops.EXP2, Ops.LOG2, Ops.SIN}  # left to the C library


def corners(d: DType) -> list[Scalar]:
    if d.is_bool:
        return [False, True]
    if d.is_int:
        lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
        some = {lo, lo + 1, lo // 3, hi // 3, hi - 1, hi, 0, 1, 2, 3, 7, d.bits - 1, d.bits, -1, -2, -7}
        return sorted(v for v in some if lo <= v <= hi)
    info = np.finfo(np_dtype(d))
    top, tiny, least = float(info.max), float(info.tiny), float(info.smallest_subnormal)
    some_floats = [0.0, 1.0, 1.5, 2.5, 3.0, 0.1, 1e3, 7e4, top, top / 2, tiny, least, math.inf]
    return [dtypes.round(d, s * v) for v in some_floats for s in (1, -1)] + [math.nan]


def same(got: Scalar | None, want: Any, what: str) -> None:
    """Equal in kind and to the last bit; NaN equals NaN."""
    want = want.item() if isinstance(want, np.generic) else want
    assert type(got) is type(want), f"{what}: {got!r} instead of {want!r}"
    if isinstance(want, float) and isinstance(got, float):
        assert (got != got and want != want) or (got == want and math.copysign(1, got) == math.copysign(1, want)), (
            f"{what}: {got!r} instead of {want!r}"
        )
    else:
        assert got == want, f"{what}: {got!r} instead of {want!r}"


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# -- integers and bool: exact ------------------------------------------------------------------------------------------
def exists(op: Ops, d: DType) -> bool:
    """Whether the language has the operation on the dtype."""
    c = UOp.const(0, d)
    try:
        UOp(op, (c,) if op in UNARY else (c, c))
    except UOpError:
        return False
    return True


@pytest.mark.parametrize("d", [*INTS, dtypes.bool], ids=str)
def test_integers_and_bool(d: DType) -> None:
    for op in [*BINARY, Ops.NEG, Ops.NOT]:
        if not exists(op, d):
            continue
        for args in itertools.product(corners(d), repeat=1 if op in UNARY else 2):
            u = UOp(op, tuple(UOp.const(a, d) for a in args))
            want = one(u, [int(a) for a in args])
            got = fold(op, u.dtype, d, args)
            same(got, bool(want) if u.dtype.is_bool else want, f"{op.value} of {args} as {d}")
            assert simplify(u) is UOp.const(want, u.dtype)


@pytest.mark.parametrize("d", INTS, ids=str)
def test_integers_agree_with_numpy(d: DType) -> None:
    """Where NumPy has the operation, that is: it has no division by zero and no odd shifts."""
    table: dict[Ops, Callable[[Any, Any], Any]] = {
        Ops.ADD: np.add,
        Ops.MUL: np.multiply,
        Ops.MAX: np.maximum,
        Ops.FLOORDIV: np.floor_divide,
        Ops.FLOORMOD: np.remainder,
        Ops.AND: np.bitwise_and,
        Ops.OR: np.bitwise_or,
        Ops.XOR: np.bitwise_xor,
        Ops.CMPLT: np.less,
        Ops.CMPNE: np.not_equal,
        Ops.SHL: np.left_shift,
        Ops.SHR: np.right_shift,
    }
    for op, a, b in itertools.product(table, corners(d), corners(d)):
        if (op in (Ops.FLOORDIV, Ops.FLOORMOD) and b == 0) or (op in SHIFT and not 0 <= b < d.bits):
            continue
        if op in (Ops.FLOORDIV, Ops.FLOORMOD) and b == -1 and a == dtypes.min(d):
            continue  # undefined in C, and NumPy's answer depends on its version
        numbers = np.array([a], np_dtype(d)), np.array([b], np_dtype(d))
        bool_result = op in (Ops.CMPLT, Ops.CMPNE)
        got = fold(op, dtypes.bool if bool_result else d, d, (a, b))
        same(got, table[op](*numbers)[0], f"{op.value} of {a} and {b} as {d}")


# -- floats: IEEE ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("d", FLOATS, ids=str)
def test_floats(d: DType) -> None:
    t = np_dtype(d).type
    compute = np.float32 if d is dtypes.f16 else t  # half precision computes in single and rounds
    binary: dict[Ops, Callable[[Any, Any], Any]] = {Ops.ADD: np.add, Ops.MUL: np.multiply}
    for op, a, b in itertools.product(binary, corners(d), corners(d)):
        want = t(binary[op](compute(a), compute(b)))
        same(fold(op, d, d, (a, b)), want, f"{op.value} of {a} and {b} as {d}")
    for a, b in itertools.product(corners(d), repeat=2):
        got = fold(Ops.MAX, d, d, (a, b))
        assert got is not None
        same(abs(got) if got == 0 else got, abs(w) if (w := np.maximum(t(a), t(b))) == 0 else w, f"max of {a}, {b}")
        same(fold(Ops.CMPLT, dtypes.bool, d, (a, b)), np.less(t(a), t(b)), f"{a} < {b}")
        same(fold(Ops.CMPNE, dtypes.bool, d, (a, b)), np.not_equal(t(a), t(b)), f"{a} != {b}")
    unary: dict[Ops, Callable[[Any], Any]] = {
        Ops.NEG: np.negative,
        Ops.SQRT: np.sqrt,
        Ops.TRUNC: np.trunc,
        Ops.RECIP: lambda x: compute(1) / x,
    }
    for op, a in itertools.product(unary, corners(d)):
        same(fold(op, d, d, (a,)), t(unary[op](compute(a))), f"{op.value} of {a} as {d}")


def test_every_operation_on_constants_is_folded_or_left_to_c() -> None:
    for op in (BINARY | UNARY) - TO_C:
        for d in VALUES:
            if exists(op, d):
                args = (UOp.const(1, d),) * (1 if op in UNARY else 2)
                assert simplify(UOp(op, args)).op is Ops.CONST, f"{op.value} of {d}"
    for op in TO_C:
        u = UOp.const(1.0, dtypes.f32).alu(op)
        assert simplify(u) is u
    assert BITWISE <= BINARY  # or the loop above left some out


# -- conversions -----------------------------------------------------------------------------------------------------
def converted(value: Scalar, source: DType, d: DType) -> Any:
    """The cast by NumPy, and by exact arithmetic where NumPy leaves it undefined."""
    if d.is_bool:
        return bool(value != 0)
    if d.is_int:
        lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
        if not source.is_float:
            return (int(value) - lo) % (1 << d.bits) + lo
        return 0 if value != value else lo if value <= lo else hi if value >= hi else int(value)
    return np.array([value], np_dtype(source)).astype(np_dtype(d))[0]


@pytest.mark.parametrize("source", VALUES, ids=str)
@pytest.mark.parametrize("d", VALUES, ids=str)
def test_casts(source: DType, d: DType) -> None:
    extra: list[Scalar] = [-2.5, 127.5, 128.0, 255.9, 2.0**31, 2.0**63, 1e300] if source is dtypes.f64 else []
    for value in [*corners(source), *extra]:
        same(fold(Ops.CAST, d, source, (value,)), converted(value, source, d), f"{value} from {source} to {d}")


def test_large_integers_are_rounded_to_a_float_once() -> None:
    """Rounded to double first, these would come out as the neighbour in single precision."""
    for n in (2**60 + 2**36 + 1, -(2**60) - 2**36 - 1, 2**62 + 2**38 - 1, 2**63 - 2**39 + 1):
        want = np.array([n], np.int64).astype(np.float32)[0]
        same(fold(Ops.CAST, dtypes.f32, dtypes.i64, (n,)), want, f"{n}")
        same(UOp.const(n, dtypes.f32).arg, want, f"constant {n}")
    top = 2**64 - 2**39 + 1
    same(fold(Ops.CAST, dtypes.f32, dtypes.u64, (top,)), np.array([top], np.uint64).astype(np.float32)[0], f"{top}")


@pytest.mark.parametrize("source", VALUES, ids=str)
@pytest.mark.parametrize("d", VALUES, ids=str)
def test_bitcasts(source: DType, d: DType) -> None:
    if source.bits != d.bits:
        return
    for value in corners(source):
        got = fold(Ops.BITCAST, d, source, (value,))
        want = np.array([value], np_dtype(source)).view(np_dtype(d))[0]
        if got is None:  # a NaN has more bits than a constant keeps; bool is read as it is stored
            assert value != value or want != want or dtypes.bool in (source, d)
        else:
            same(got, want, f"{value} from {source} to {d}")
