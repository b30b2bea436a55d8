"""The meaning of `reduce`: how elements are combined, in which accumulator, and what nothing gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from uopc.dtype import DType, dtypes
from uopc.nptypes import Array, np_dtype
from uopc.ops import Ops

_UFUNCS: dict[Ops, np.ufunc] = {Ops.ADD: np.add, Ops.MUL: np.multiply, Ops.MAX: np.maximum}


def accumulator_dtype(op: Ops, d: DType) -> np.dtype[Any]:
    """Sums and products of floats are kept in f64 and rounded once; everything else in its own dtype, wrapping."""
    return np.dtype(np.float64) if d.is_float and op is not Ops.MAX else np_dtype(d)


def identity(op: Ops, d: DType) -> Array:
    """What a reduction of no elements gives, in the accumulator's dtype."""
    value = {Ops.ADD: 0, Ops.MUL: 1, Ops.MAX: dtypes.min(d)}[op]
    return np.array(value, accumulator_dtype(op, d))


def partial(op: Ops, d: DType, x: Array, axes: tuple[int, ...]) -> Array:
    """The elements of `x` along `axes` combined, still in the accumulator's dtype."""
    kind = accumulator_dtype(op, d)
    if d.is_bool:
        return np.asarray(np.any(x, axis=axes) if op is Ops.MAX else np.all(x, axis=axes))
    return np.asarray(_UFUNCS[op].reduce(x, axis=axes, dtype=kind, initial=identity(op, d)[()]))


def combine(op: Ops, d: DType, a: Array, b: Array) -> Array:
    """Two partial results as one."""
    if d.is_bool:
        return a | b if op is Ops.MAX else a & b
    return np.asarray(_UFUNCS[op](a, b))


def finish(d: DType, accumulated: Array) -> Array:
    """The accumulator rounded to the result's dtype."""
    return accumulated.astype(np_dtype(d))
