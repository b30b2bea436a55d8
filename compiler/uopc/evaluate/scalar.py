"""The meaning of every elementwise operation on one element, in Python's own numbers.

Integers are exact and wrapped at the end. f32 and f16 are computed in f64 and rounded: for sum, product, quotient and
square root that is the correctly rounded result, since f64 has more than twice the digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from uopc.dtype import DType, Scalar, dtypes, wrap_int
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.uop import UOp

Function = Callable[..., Any]


def scalar_function(u: UOp) -> Function:
    """The Python function that the ALU node `u` applies to the values of its operands."""
    if u.op is Ops.CAST:
        return _cast(u.src[0].dtype, u.dtype)
    if u.op is Ops.BITCAST:
        return _bitcast(u.src[0].dtype, u.dtype)
    if u.op in _PLAIN:
        return _PLAIN[u.op]
    d = u.dtype
    if d.is_bool:
        return _BOOL[u.op]
    if d.is_int:
        return _wrapped(d, _INT[u.op](d))
    return _rounded(d, _FLOAT[u.op])


def _wrapped(d: DType, f: Function) -> Function:
    return lambda *args: wrap_int(d, f(*args))


def _rounded(d: DType, f: Function) -> Function:
    if d is dtypes.f64:
        return f
    if d is dtypes.f32:
        return lambda *args: float(np.float32(f(*args)))
    return lambda *args: float(np.float16(np.float32(f(*args))))


# -- integers ------------------------------------------------------------------------------------------------------
def _shl(d: DType) -> Function:
    return lambda a, b: a << b if 0 <= b < d.bits else 0


def _shr(d: DType) -> Function:
    return lambda a, b: a >> (b if 0 <= b < d.bits else d.bits)


_INT: dict[Ops, Callable[[DType], Function]] = {
    Ops.ADD: lambda d: lambda a, b: a + b,
    Ops.MUL: lambda d: lambda a, b: a * b,
    Ops.MAX: lambda d: max,
    Ops.NEG: lambda d: lambda a: -a,
    Ops.FLOORDIV: lambda d: lambda a, b: a // b if b else 0,
    Ops.FLOORMOD: lambda d: lambda a, b: a % b if b else 0,
    Ops.AND: lambda d: lambda a, b: a & b,
    Ops.OR: lambda d: lambda a, b: a | b,
    Ops.XOR: lambda d: lambda a, b: a ^ b,
    Ops.SHL: _shl,
    Ops.SHR: _shr,
}

_BOOL: dict[Ops, Function] = {
    Ops.MUL: lambda a, b: a and b,
    Ops.MAX: lambda a, b: a or b,
    Ops.AND: lambda a, b: a and b,
    Ops.OR: lambda a, b: a or b,
    Ops.XOR: lambda a, b: a is not b,
    Ops.NOT: lambda a: not a,
}

# Independent of the dtype: False < True and False != True hold for Python's truth values as for the language's.
_PLAIN: dict[Ops, Function] = {
    Ops.CMPLT: lambda a, b: a < b,
    Ops.CMPNE: lambda a, b: a != b,
    Ops.WHERE: lambda c, a, b: a if c else b,
}


# -- floats --------------------------------------------------------------------------------------------------------
def _max(a: float, b: float) -> float:
    if a != a or b != b:
        return math.nan
    return a if a > b else b


def _recip(a: float) -> float:
    return math.copysign(math.inf, a) if a == 0 else 1.0 / a


def _exp2(a: float) -> float:
    try:
        return math.pow(2.0, a)
    except OverflowError:
        return math.inf


def _log2(a: float) -> float:
    if a == 0:
        return -math.inf
    return math.log2(a) if not a < 0 else math.nan


def _sqrt(a: float) -> float:
    return math.sqrt(a) if not a < 0 else math.nan


def _sin(a: float) -> float:
    return math.sin(a) if math.isfinite(a) else math.nan


def _trunc(a: float) -> float:
    return math.copysign(float(math.trunc(a)), a) if math.isfinite(a) else a


_FLOAT: dict[Ops, Function] = {
    Ops.ADD: lambda a, b: a + b,
    Ops.MUL: lambda a, b: a * b,
    Ops.MAX: _max,
    Ops.NEG: lambda a: -a,
    Ops.RECIP: _recip,
    Ops.EXP2: _exp2,
    Ops.LOG2: _log2,
    Ops.SQRT: _sqrt,
    Ops.SIN: _sin,
    Ops.TRUNC: _trunc,
}


# -- conversions ---------------------------------------------------------------------------------------------------
def _cast(source: DType, target: DType) -> Function:
    if target.is_bool:
        return lambda a: a != 0
    if target.is_int:
        return _saturated(target) if source.is_float else lambda a: wrap_int(target, int(a))
    from_dtype, to_dtype = np_dtype(source), np_dtype(target)
    return lambda a: float(np.array(a, from_dtype).astype(to_dtype))  # one rounding, whatever the two dtypes


def _saturated(target: DType) -> Function:
    lo, hi = int(dtypes.min(target)), int(dtypes.max(target))

    def cast(a: float) -> int:
        if a != a:
            return 0
        return min(max(math.trunc(a), lo), hi) if math.isfinite(a) else hi if a > 0 else lo

    return cast


def _bitcast(source: DType, target: DType) -> Function:
    from_dtype, to_dtype = np_dtype(source), np_dtype(target)

    def cast(a: Scalar) -> Any:
        return np.array(a, from_dtype).view(to_dtype).item()

    return cast
