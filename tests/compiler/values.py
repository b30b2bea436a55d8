"""Short words for tests of values: arrays of a dtype, exact equality, two's complement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from programs import Array

from uopc.dtype import DType, dtypes
from uopc.evaluate import evaluate
from uopc.nptypes import np_dtype
from uopc.uop import UOp

INTS = [d for d in dtypes.all if d.is_int]
FLOATS = [d for d in dtypes.all if d.is_float]
NAN, INF = math.nan, math.inf


def values(d: DType, *numbers: float) -> Array:
    """An array of these numbers."""
    return np.array(numbers, np_dtype(d))


def run(root: UOp, *inputs: Any, **options: Any) -> Any:
    """The value of a program; inputs by slot."""
    return evaluate(root, list(inputs), **options)


def same(got: Array, want: Any) -> None:
    """Equal to the last bit (the zeros and all NaN are equal), in one shape and dtype."""
    np.testing.assert_array_equal(got, want)
    assert (got.shape, got.dtype) == (np.shape(want), np.asarray(want).dtype)


def wrapped(d: DType, value: int) -> int:
    """An exact integer in two's complement."""
    value %= 1 << d.bits
    return value - (1 << d.bits) if not d.is_unsigned and value >= 1 << (d.bits - 1) else value
