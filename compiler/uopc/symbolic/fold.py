"""Operations on constants, exactly as `language.md` section 3 has them at run time.

Floats are computed in double precision and rounded once more to the dtype: for + * / and square roots of f32 and f16
the double rounding is innocuous (a double has more than 2p + 2 bits). exp2, log2 and sin are left to the C library.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from uopc.dtype import DType, Scalar, dtypes, int_range, wrap_int
from uopc.ops import Ops


def fold(op: Ops, dtype: DType, source: DType, args: tuple[Scalar, ...]) -> Scalar | None:
    """The value of `op` (result `dtype`) on constants of dtype `source`; None when it is left to run time."""
    if op is Ops.WHERE:
        return args[1] if args[0] else args[2]
    if op is Ops.CAST:
        return cast(args[0], source, dtype)
    if op is Ops.BITCAST:
        return _bitcast(args[0], source, dtype)
    rules = _FLOAT if source.is_float else _INT
    rule = rules.get(op)
    if rule is None:
        return None
    value: Scalar = rule(*args) if source.is_float else rule(source, *(int(a) for a in args))
    return _store(dtype, value)


def _store(dtype: DType, value: Scalar) -> Scalar:
    if dtype.is_bool:
        return bool(value)
    return dtypes.round(dtype, value) if dtype.is_float else wrap_int(dtype, int(value))


def cast(value: Scalar, source: DType, dtype: DType) -> Scalar:
    """`value` of dtype `source` as `dtype`: to bool `!= 0`; float to integer truncates, saturates, and NaN gives 0."""
    if dtype.is_bool:
        return value != 0
    if dtype.is_float:
        return dtypes.round(dtype, value)
    if not source.is_float:
        return wrap_int(dtype, int(value))
    if value != value:
        return 0
    lo, hi = int_range(dtype)
    return lo if value <= lo else hi if value >= hi else int(value)


_CODES = {
    "int": {8: "b", 16: "h", 32: "i", 64: "q"},
    "uint": {8: "B", 16: "H", 32: "I", 64: "Q"},
    "float": {16: "e", 32: "f", 64: "d"},
}


def _bitcast(value: Scalar, source: DType, dtype: DType) -> Scalar | None:
    if source.is_bool or dtype.is_bool or value != value:
        return None
    raw = struct.pack("<" + _CODES[source.kind][source.bits], value)
    result: Scalar = struct.unpack("<" + _CODES[dtype.kind][dtype.bits], raw)[0]
    return None if result != result else result  # which NaN it is would be lost


def _fdiv(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _fmax(a: float, b: float) -> float:
    return a if a != a or a > b else b


_FLOAT: dict[Ops, Callable[..., Scalar]] = {
    Ops.ADD: lambda a, b: a + b,
    Ops.MUL: lambda a, b: a * b,
    Ops.MAX: _fmax,
    Ops.CMPLT: lambda a, b: a < b,
    Ops.CMPNE: lambda a, b: a != b,
    Ops.NEG: lambda a: -a,
    Ops.RECIP: lambda a: _fdiv(1.0, a),
    Ops.SQRT: lambda a: math.sqrt(a) if a >= 0 else (a if a == 0 else math.nan),
    Ops.TRUNC: lambda a: (
        float(math.trunc(a)) if math.isfinite(a) and abs(a) >= 1 else math.copysign(0.0, a) if abs(a) < 1 else a
    ),
}


def shift_left(d: DType, a: int, n: int) -> int:
    """a << n in d: 0 when n is negative or the width or more."""
    return wrap_int(d, a << n) if 0 <= n < d.bits else 0


def shift_right(d: DType, a: int, n: int) -> int:
    """a >> n in d, arithmetic: the sign's fill when n is negative or the width or more."""
    return a >> n if 0 <= n < d.bits else (-1 if a < 0 else 0)


_INT: dict[Ops, Callable[..., int]] = {
    Ops.ADD: lambda d, a, b: a + b,
    Ops.MUL: lambda d, a, b: a * b,
    Ops.MAX: lambda d, a, b: max(a, b),
    Ops.CMPLT: lambda d, a, b: a < b,
    Ops.CMPNE: lambda d, a, b: a != b,
    Ops.FLOORDIV: lambda d, a, b: a // b if b else 0,
    Ops.FLOORMOD: lambda d, a, b: a % b if b else 0,
    Ops.AND: lambda d, a, b: a & b,
    Ops.OR: lambda d, a, b: a | b,
    Ops.XOR: lambda d, a, b: a ^ b,
    Ops.SHL: shift_left,
    Ops.SHR: shift_right,
    Ops.NEG: lambda d, a: -a,
    Ops.NOT: lambda d, a: not a,
}
