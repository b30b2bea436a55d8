"""Reductions over axes that are not neighbours, and down short rows: memory is walked in its order."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from batch import build_together

from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.uop import UOp, buf

# (shape, reduced axes), large enough that memory counts
SHAPES = (
    ((33, 70, 257), (0, 2)),
    ((5, 9, 66, 200), (0, 1, 3)),
    ((5, 9, 66, 200), (1, 3)),
    ((40, 130, 100), (1,)),
    ((700, 9, 91), (0, 1)),
)


def reduced(shape: tuple[int, ...], axes: tuple[int, ...], op: Ops, d: DType) -> UOp:
    rest = [k for k in range(len(shape)) if k not in axes]
    return buf(0, prod(shape), d).reshape(shape).permute((*rest, *axes)).reduce(op, len(axes))


@pytest.mark.parametrize("d", [dtypes.f32, dtypes.f64, dtypes.i32, dtypes.f16], ids=str)
def test_reductions_over_any_axes(d: DType) -> None:
    wanted = [(s, axes, op) for s, axes in SHAPES for op in (Ops.ADD, Ops.MAX)]
    compiled = [
        compile_program(reduced(s, axes, op, d), f"r{k}_{threads}", threads=threads)
        for threads in (1, 2)
        for k, (s, axes, op) in enumerate(wanted)
    ]
    rng = np.random.default_rng(0)
    for (shape, axes, op), run in zip(wanted * 2, build_together(compiled)):
        x = np.random.default_rng(len(shape)).integers(-3, 4, prod(shape)).astype(np_dtype(d))  # sums are exact
        if d.is_float and op is Ops.MAX:
            x[rng.integers(0, x.size)] = np.nan
            x[: x.size // 3] = -np.inf
        y = x.reshape(shape)
        want = y.max(axes) if op is Ops.MAX else y.astype(np.float64 if d.is_float else x.dtype).sum(axes)
        got = np.asarray(run({0: x})[0]).reshape(want.shape)
        np.testing.assert_array_equal(got, want.astype(x.dtype), str((shape, axes, op)))


def test_the_choice_is_explained() -> None:
    source = compile_program(reduced((64, 70, 257), (0, 2), Ops.ADD, dtypes.f32), "r")
    assert "in its order" in repr(source.plan)
    other = compile_program(reduced((64, 70, 257), (0, 2), Ops.ADD, dtypes.f32), "r", off=("columns",))
    assert "switched off" in repr(other.plan) or "columns" in repr(other.plan)
