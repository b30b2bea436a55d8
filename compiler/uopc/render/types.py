"""How C spells element types and constants."""

from __future__ import annotations

import math
import struct

from uopc.dtype import DType, Scalar, dtypes

C_TYPES: dict[DType, str] = {
    dtypes.bool: "bool",
    dtypes.i8: "int8_t",
    dtypes.i16: "int16_t",
    dtypes.i32: "int",
    dtypes.i64: "int64_t",
    dtypes.u8: "uint8_t",
    dtypes.u16: "uint16_t",
    dtypes.u32: "unsigned",
    dtypes.u64: "uint64_t",
    dtypes.f16: "_Float16",
    dtypes.f32: "float",
    dtypes.f64: "double",
}
UNSIGNED: dict[int, str] = {8: "uint8_t", 16: "uint16_t", 32: "unsigned", 64: "uint64_t"}


def constant(value: Scalar, d: DType) -> str:
    """A constant of dtype d as a C expression of exactly that value."""
    if d.is_bool:
        return "true" if value else "false"
    return _float(float(value), d) if d.is_float else _integer(int(value), d)


def _integer(value: int, d: DType) -> str:
    if d is dtypes.i64:
        return "INT64_MIN" if value == -(1 << 63) else f"{value}LL"
    if d.is_unsigned:
        return f"{value}{'ULL' if d.bits == 64 else 'U'}"
    return "INT_MIN" if value == -(1 << 31) else str(value)


def _float(value: float, d: DType) -> str:
    suffix = "" if d is dtypes.f64 else "f"
    prefix = "(_Float16)" if d is dtypes.f16 else ""
    if math.isnan(value):
        return f"{prefix}NAN"
    if math.isinf(value):
        return f"{prefix}{'-' if value < 0 else ''}INFINITY"
    return f"{prefix}{_shortest(value, d)}{suffix}"


def _shortest(value: float, d: DType) -> str:
    """The shortest decimal that reads back as the same number."""
    text = repr(value)
    if d is not dtypes.f64:
        for digits in range(1, 10):
            text = repr(float(f"{value:.{digits}g}"))
            if struct.unpack("<f", struct.pack("<f", float(text)))[0] == value:
                break
    return text if any(c in text for c in ".en") else text + ".0"
