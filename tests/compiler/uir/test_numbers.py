"""Every form of number the language names, and texts that are none."""

from __future__ import annotations

import math

import pytest

from uopc.dtype import dtypes
from uopc.uir import analyze, parse
from uopc.uir.scan import parse_number

GOOD = [
    ("3", 3), ("+3", 3), ("-1", -1), ("007", 7), ("0x1f", 31), ("-0X1F", -31), (".5", 0.5), ("0.5", 0.5), ("5.", 5.0),
    ("1e-3", 0.001), ("1e+30", 1e30), ("1E5", 1e5), ("0x1.8p+1", 3.0), ("0x.8p0", 0.5), ("0x1p-3", 0.125),
    ("inf", math.inf), ("-inf", -math.inf), ("+inf", math.inf), ("true", True), ("True", True), ("false", False),
    ("False", False), ("-.25", -0.25), ("1e400", math.inf), ("18446744073709551615", 2**64 - 1),
]  # fmt: skip
BAD = [
    "",
    "1_0",
    "0b11",
    "1e",
    "e5",
    "--1",
    "0x",
    "1.2.3",
    "infinity",
    "Inf",
    "NaN",
    "TRUE",
    "1f",
    "٣",
    "0x1.8p",
    "+-1",
    "1 2",
]


@pytest.mark.parametrize(("text", "value"), GOOD)
def test_number(text: str, value: float) -> None:
    got = parse_number(text)
    assert got == value
    assert type(got) is type(value)


def test_nan_and_the_zeros() -> None:
    got = parse_number("nan")
    assert isinstance(got, float) and math.isnan(got)
    assert str(parse_number("-0.0")) == "-0.0"
    assert type(parse_number("0.0")) is float


@pytest.mark.parametrize("text", BAD)
def test_no_number(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(("text", "dtype"), [("0.0", "f32"), ("-0.0", "f32"), ("0", "i32"), ("false", "bool")])
def test_zeros_keep_their_kind_as_operands(text: str, dtype: str) -> None:
    assert parse(f"%0 = max {text}, {text}").dtype is dtypes.from_name(dtype)


def test_minus_zero_stays() -> None:
    root = parse("%0 = buffer 1 : dtype=f32 slot=0\n%1 = mul %0, -0.0")
    constant = root.src[1]
    while constant.src:
        constant = constant.src[0]
    assert str(constant.arg) == "-0.0"


def test_number_with_ten_thousand_digits_is_an_error_not_a_crash() -> None:
    errors = analyze("%0 = add 1, " + "9" * 10_000).errors
    assert [e.code for e in errors] == ["bad-number"]
    assert analyze("# uir: input 0 = [" + "9" * 10_000 + "]\n%0 = buffer 1 : dtype=i64 slot=0").has_errors
