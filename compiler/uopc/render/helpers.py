"""Small C functions that a program may need: only those that it calls are written before it.

Each has exactly the meaning of the operation in the language, without undefined behaviour for any input.
"""

from __future__ import annotations

from uopc.dtype import DType, int_range
from uopc.render.types import C_TYPES, UNSIGNED, constant


def floordiv(d: DType) -> str:
    """Quotient rounded toward minus infinity; by zero 0; the smallest number over -1 wraps."""
    t = C_TYPES[d]
    if d.is_unsigned:
        return f"static inline {t} floordiv_{d}({t} a, {t} b) {{ return b ? a / b : 0; }}"
    u = UNSIGNED[max(d.bits, 32)]
    return (
        f"static inline {t} floordiv_{d}({t} a, {t} b) {{\n"
        f"  if (b == 0) return 0;\n"
        f"  if (b == -1) return ({t})(0U - ({u})a);\n"
        f"  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}}"
    )


def floormod(d: DType) -> str:
    """Remainder with the sign of b; by zero 0."""
    t = C_TYPES[d]
    if d.is_unsigned:
        return f"static inline {t} floormod_{d}({t} a, {t} b) {{ return b ? a % b : 0; }}"
    return (
        f"static inline {t} floormod_{d}({t} a, {t} b) {{\n"
        f"  if (b == 0 || b == -1) return 0;\n"
        f"  {t} r = a % b;\n"
        f"  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}}"
    )


def maximum(d: DType) -> str:
    """The larger one; of floats NaN if either is."""
    t = C_TYPES[d]
    nan = " || a != a" if d.is_float else ""
    return f"static inline {t} max_{d}({t} a, {t} b) {{ return a > b{nan} ? a : b; }}"


def shl(d: DType) -> str:
    """Shift left; 0 by a negative amount, or by the width or more."""
    t, u = C_TYPES[d], UNSIGNED[max(d.bits, 32)]
    return f"static inline {t} shl_{d}({t} a, {t} n) {{ return {_amount(d)} ? ({t})(({u})a << n) : 0; }}"


def shr(d: DType) -> str:
    """Shift right, arithmetic on signed; the sign's fill by a negative amount, or by the width or more."""
    t = C_TYPES[d]
    fill = "0" if d.is_unsigned else "(a < 0 ? -1 : 0)"
    return f"static inline {t} shr_{d}({t} a, {t} n) {{ return {_amount(d)} ? ({t})(a >> n) : {fill}; }}"


def _amount(d: DType) -> str:
    return f"n < {d.bits}" if d.is_unsigned else f"n >= 0 && n < {d.bits}"


def cast(source: DType, d: DType) -> str:
    """A float as an integer: truncated, saturated, NaN 0. The limits are powers of two, exact in every float."""
    s, t = C_TYPES[source], C_TYPES[d]
    lo, hi = int_range(d)
    suffix = "" if source.bits == 64 else "f"
    low, high = (f"{float(x):.1f}{suffix}" for x in (lo, hi + 1))
    wide = "double" if source.bits == 64 else "float"
    head = f"static inline {t} cast_{source}_{d}({s} x) {{\n  {wide} y = x;\n"
    limits = f"y != y ? 0 : y <= {low} ? {constant(lo, d)} : y >= {high} ? {constant(hi, d)} : ({t})y"
    return f"{head}  return {limits};\n}}"


def bitcast(source: DType, d: DType) -> str:
    """The same bits as another type."""
    s, t = C_TYPES[source], C_TYPES[d]
    return f"static inline {t} bitcast_{source}_{d}({s} x) {{\n  {t} y;\n  memcpy(&y, &x, sizeof y);\n  return y;\n}}"
