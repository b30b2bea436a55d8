"""The element types of `.uir`: what a value of each can hold, and how a constant is stored in it."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import TypeAlias

Scalar: TypeAlias = bool | int | float
_Bool: TypeAlias = bool  # inside `dtypes`, `bool` is the element type

_FLOAT_CODES = {16: "<e", 32: "<f", 64: "<d"}


@dataclass(frozen=True, eq=False)
class DType:
    """One element type. There is exactly one object per type, so `is` and `==` mean the same."""

    name: str
    kind: str  # "bool", "int", "uint", "float" or "void"
    bits: int
    is_float: _Bool = field(init=False)
    is_int: _Bool = field(init=False)  # signed or unsigned; bool is not one
    is_unsigned: _Bool = field(init=False)
    is_bool: _Bool = field(init=False)

    def __post_init__(self) -> None:
        # Facts, not properties: they are asked for several times for every node that is made.
        for name, kinds in (("float", "float"), ("int", "int uint"), ("unsigned", "uint"), ("bool", "bool")):
            object.__setattr__(self, f"is_{name}", self.kind in kinds.split())

    @property
    def itemsize(self) -> int:
        """Size of one element in memory, in bytes."""
        return (self.bits + 7) // 8

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"dtypes.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        return (dtypes.from_name, (self.name,))


class dtypes:
    """The namespace of all element types, and facts about them."""

    bool = DType("bool", "bool", 1)
    i8 = DType("i8", "int", 8)
    i16 = DType("i16", "int", 16)
    i32 = DType("i32", "int", 32)
    i64 = DType("i64", "int", 64)
    u8 = DType("u8", "uint", 8)
    u16 = DType("u16", "uint", 16)
    u32 = DType("u32", "uint", 32)
    u64 = DType("u64", "uint", 64)
    f16 = DType("f16", "float", 16)
    f32 = DType("f32", "float", 32)
    f64 = DType("f64", "float", 64)
    void = DType("void", "void", 0)
    all: tuple[DType, ...] = (bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, void)

    @staticmethod
    def from_name(name: str) -> DType | None:
        """The type of that name, or None."""
        return _BY_NAME.get(name)

    @staticmethod
    def min(d: DType) -> Scalar:
        """The smallest value of `d` (minus infinity for floats, false for bool)."""
        if d.is_float:
            return -math.inf
        return False if d.is_bool else int_range(d)[0]

    @staticmethod
    def max(d: DType) -> Scalar:
        """The largest value of `d` (infinity for floats, true for bool)."""
        if d.is_float:
            return math.inf
        return True if d.is_bool else int_range(d)[1]

    @staticmethod
    def holds(d: DType, value: Scalar) -> _Bool:
        """Whether a constant can be written in `d`: floats hold every number, integers whole ones in range."""
        if d is dtypes.void:
            return False
        if d.is_float:
            return True
        if isinstance(value, float) and not value.is_integer():
            return False
        lo, hi = int_range(d)
        return lo <= value <= hi

    @staticmethod
    def round(d: DType, value: Scalar) -> Scalar:
        """`value` as `d` stores it: floats rounded to nearest (overflow gives infinity), integers unchanged.

        Raises ValueError when an integer type cannot hold the value.
        """
        if d.is_float:
            return _round_float(d, value)
        if not dtypes.holds(d, value):
            raise ValueError(f"{value} does not fit {d}")
        return value != 0 if d.is_bool else int(value)


_BY_NAME = {d.name: d for d in dtypes.all}


def _round_float(d: DType, value: Scalar) -> float:
    try:
        code = _FLOAT_CODES[d.bits]
        exact = _to_odd(value) if isinstance(value, int) and d.bits < 64 else value
        rounded: float = struct.unpack(code, struct.pack(code, float(exact)))[0]
        return rounded
    except OverflowError:
        return math.copysign(math.inf, value)


def _to_odd(value: int) -> int:
    """A number that a double holds and that rounds to every narrower float as `value` does: to nearest only once."""
    extra = max(abs(value).bit_length() - 50, 0)
    kept = value >> extra
    return (kept | (kept << extra != value)) << extra


def int_range(d: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer type or bool, as Python ints."""
    return _INT_RANGES[d]


_INT_RANGES = {
    d: (-(1 << (d.bits - 1)), (1 << (d.bits - 1)) - 1) if d.kind == "int" else (0, (1 << d.bits) - 1)
    for d in dtypes.all
}


def wrap_int(d: DType, value: int) -> int:
    """`value` reduced to the integer type `d` in two's complement."""
    value &= (1 << d.bits) - 1
    return value - (1 << d.bits) if d.kind == "int" and value >> (d.bits - 1) else value


def const_key(d: DType, value: Scalar) -> object:
    """Identity of a constant: its bits. 0.0 and -0.0 differ, and nan equals itself."""
    if d.is_float:
        return b"nan" if value != value else struct.pack("<d", value)
    return int(value)
