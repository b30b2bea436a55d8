"""How mathematics is written: plain ASCII for terminals and files, mathematical signs for hover."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from uopc.typerules import Shape
from uopc.uop import UOp


@dataclass(frozen=True)
class Style:
    """The signs of one way of writing."""

    times: str
    less_equal: str
    not_equal: str
    sum: str
    more: str


ASCII = Style(times="*", less_equal="<=", not_equal="!=", sum="sum", more="...")
MATH = Style(times="·", less_equal="≤", not_equal="≠", sum="Σ", more="…")

_READABLE = 10**18
_UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB", "EB")
_AXIS_LETTERS = "ijklmn"


def axis_name(k: int) -> str:
    """The letter of axis k: i, j, k, l, m, n, then i6, i7, ..."""
    return _AXIS_LETTERS[k] if k < len(_AXIS_LETTERS) else f"i{k}"


def type_text(u: UOp) -> str:
    """A value's type as the language writes it: `f32[2, 3]`, a scalar `i32[]`, an effect `void`."""
    return f"{u.dtype}{list(u.shape)}" if u.dtype.bits else str(u.dtype)


def grouped(n: int) -> str:
    """An integer with its digits grouped: 65,536. One that nobody can read is given by its size: about 10^30."""
    if n < _READABLE:
        return f"{n:,}"
    digits = (n.bit_length() - 1) * 30103 // 100000
    return f"about 10^{digits:,}"


def counted(n: int, noun: str) -> str:
    """`1 element`, `12 elements`, `2 axes`."""
    if n == 1:
        return f"1 {noun}"
    plural = f"{noun[:-2]}es" if noun.endswith("xis") else f"{noun[:-1]}ies" if noun.endswith("try") else f"{noun}s"
    return f"{grouped(n)} {plural}"


def amount(size: int) -> str:
    """A number of bytes for a person: `96 bytes`, `4.0 GB`."""
    if size < 1024:
        return counted(size, "byte")
    k = min((size.bit_length() - 1) // 10, len(_UNITS) - 1)
    whole, rest = divmod(size * 10 // 1024**k, 10)
    return f"{grouped(whole)}.{rest} {_UNITS[k]}" if whole < _READABLE else f"{grouped(whole)} {_UNITS[k]}"


def elements(shape: Shape) -> int:
    """How many elements a shape has."""
    return prod(shape)
