"""The meaning of every elementwise operation, on NumPy arrays that broadcast against each other.

Integers wrap in two's complement and never pass through a float. f16 is computed in f32 and rounded; exp2, log2 and
sin of f16 and f32 are computed in f64 and rounded, which is nearer than the two units the language allows.
Callers silence NumPy's warnings: overflow, division by zero and NaN are ordinary values here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from uopc.dtype import DType, dtypes
from uopc.nptypes import Array, np_dtype
from uopc.ops import Ops
from uopc.uop import UOp


def elementwise(u: UOp, args: list[Array]) -> Array:
    """The value of the ALU node `u`, given those of its operands."""
    result = _RULES[u.op](u, *args)
    return np.asarray(result, np_dtype(u.dtype))


# -- arithmetic ----------------------------------------------------------------------------------------------------
def _in_f32(d: DType, compute: Callable[..., Any], *args: Array) -> Any:
    """compute(*args), with f16 widened to f32 around it."""
    if d is dtypes.f16:
        return compute(*(a.astype(np.float32) for a in args)).astype(np.float16)
    return compute(*args)


def _add(u: UOp, a: Array, b: Array) -> Any:
    return _in_f32(u.dtype, np.add, a, b)


def _mul(u: UOp, a: Array, b: Array) -> Any:
    return a & b if u.dtype.is_bool else _in_f32(u.dtype, np.multiply, a, b)


def _max(u: UOp, a: Array, b: Array) -> Any:
    return a | b if u.dtype.is_bool else np.maximum(a, b)


def _neg(u: UOp, a: Array) -> Any:
    return np.negative(a)  # of unsigned: modulo 2**bits; of INT_MIN: itself


def _cmplt(u: UOp, a: Array, b: Array) -> Any:
    return ~a & b if u.src[0].dtype.is_bool else np.less(a, b)


def _cmpne(u: UOp, a: Array, b: Array) -> Any:
    return np.not_equal(a, b)


def _floordiv(u: UOp, a: Array, b: Array) -> Any:
    quotient = np.floor_divide(a, _safe_divisor(u.dtype, b))
    if not u.dtype.is_unsigned:
        quotient = np.where(b == -1, np.negative(a), quotient)  # INT_MIN // -1 wraps to INT_MIN
    return np.where(b == 0, np.zeros_like(b), quotient)


def _floormod(u: UOp, a: Array, b: Array) -> Any:
    remainder = np.remainder(a, _safe_divisor(u.dtype, b))
    return np.where(b == 0, np.zeros_like(b), remainder)


def _safe_divisor(d: DType, b: Array) -> Array:
    """`b` with 1 for the divisors that NumPy must not see: 0, and -1 (any value is 0 modulo both 1 and -1)."""
    special = (b == 0) if d.is_unsigned else (b == 0) | (b == -1)
    return np.where(special, np.ones_like(b), b)


# -- bits ----------------------------------------------------------------------------------------------------------
def _and(u: UOp, a: Array, b: Array) -> Any:
    return a & b


def _or(u: UOp, a: Array, b: Array) -> Any:
    return a | b


def _xor(u: UOp, a: Array, b: Array) -> Any:
    return a ^ b


def _shl(u: UOp, a: Array, b: Array) -> Any:
    inside, amount = _shift_amount(u.dtype, b)
    return np.where(inside, np.left_shift(a, amount), np.zeros_like(a))


def _shr(u: UOp, a: Array, b: Array) -> Any:
    inside, amount = _shift_amount(u.dtype, b)
    fill = np.zeros_like(a) if u.dtype.is_unsigned else np.where(a < 0, -np.ones_like(a), np.zeros_like(a))
    return np.where(inside, np.right_shift(a, amount), fill)


def _shift_amount(d: DType, b: Array) -> tuple[Array, Array]:
    """Whether the amount is one of 0..bits-1, and the amount with 0 where it is not."""
    inside = np.asarray((b >= 0) & (b < d.bits))
    return inside, np.where(inside, b, np.zeros_like(b))


# -- functions of one float ----------------------------------------------------------------------------------------
def _recip(u: UOp, a: Array) -> Any:
    return _in_f32(u.dtype, lambda x: np.divide(np.ones_like(x), x), a)


def _sqrt(u: UOp, a: Array) -> Any:
    return _in_f32(u.dtype, np.sqrt, a)


def _trunc(u: UOp, a: Array) -> Any:
    return np.trunc(a)


def _transcendental(function: Callable[[UOp, Array], Any]) -> Callable[[UOp, Array], Any]:
    def rule(u: UOp, a: Array) -> Any:
        exact = np.asarray(function(u, a.astype(np.float64)))
        return exact.astype(np.float32).astype(np.float16) if u.dtype is dtypes.f16 else exact.astype(a.dtype)

    return rule


def _exp2(u: UOp, x: Array) -> Any:
    # e**(x ln 2) is three times as fast and, while |x| < 1100, good to 13 digits: far beyond the digits of f32.
    return np.exp2(x) if u.dtype is dtypes.f64 else np.exp(x * math.log(2.0))


# -- selection and conversion --------------------------------------------------------------------------------------
def _not(u: UOp, a: Array) -> Any:
    return ~a


def _where(u: UOp, c: Array, a: Array, b: Array) -> Any:
    return np.where(c, a, b)


def _cast(u: UOp, a: Array) -> Any:
    source, target = u.src[0].dtype, u.dtype
    if target.is_bool:
        return a != np.zeros((), a.dtype)
    if source.is_float and target.is_int:
        return _float_to_int(a, target)
    return a.astype(np_dtype(target))


def _float_to_int(a: Array, target: DType) -> Array:
    """Truncated, saturated, NaN as 0. Both limits below are exact floats: a power of two, or 0."""
    wide = np.trunc(a.astype(np.float64))
    lo, hi = int(dtypes.min(target)), int(dtypes.max(target))
    above, below = wide >= float(hi + 1), wide < float(lo)
    inside = np.where(above | below | np.isnan(wide), np.zeros_like(wide), wide)
    whole = inside.astype(np_dtype(target))
    limits = np.array([lo, hi], np_dtype(target))
    return np.where(above, limits[1], np.where(below, limits[0], whole))


def _bitcast(u: UOp, a: Array) -> Any:
    return np.ascontiguousarray(a).view(np_dtype(u.dtype)).reshape(a.shape)


_RULES: dict[Ops, Callable[..., Any]] = {
    Ops.ADD: _add,
    Ops.MUL: _mul,
    Ops.MAX: _max,
    Ops.NEG: _neg,
    Ops.CMPLT: _cmplt,
    Ops.CMPNE: _cmpne,
    Ops.FLOORDIV: _floordiv,
    Ops.FLOORMOD: _floormod,
    Ops.AND: _and,
    Ops.OR: _or,
    Ops.XOR: _xor,
    Ops.SHL: _shl,
    Ops.SHR: _shr,
    Ops.RECIP: _recip,
    Ops.SQRT: _sqrt,
    Ops.TRUNC: _trunc,
    Ops.EXP2: _transcendental(_exp2),
    Ops.LOG2: _transcendental(lambda u, x: np.log2(x)),
    Ops.SIN: _transcendental(lambda u, x: np.sin(x)),
    Ops.NOT: _not,
    Ops.WHERE: _where,
    Ops.CAST: _cast,
    Ops.BITCAST: _bitcast,
}
