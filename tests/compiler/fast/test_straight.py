"""Products with a few columns: what lies a row apart is copied before the loops, once."""

from __future__ import annotations

import numpy as np
import pytest
from batch import build_together

from uopc.composite import matmul
from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.pipeline import compile_program
from uopc.uop import UOp, buf

SHAPES = ((70, 2, 130), (33, 3, 101), (16, 2, 9), (200, 1, 64), (65, 3, 1031))


def product(m: int, n: int, k: int, d: DType, batch: int = 1) -> UOp:
    a = buf(0, batch * m * k, d).reshape((batch, m, k))
    b = buf(1, batch * k * (n + 1), d).reshape((batch, k, n + 1)).shrink(((0, batch), (0, k), (1, n + 1)))
    return matmul(a, b)


@pytest.mark.parametrize("d", [dtypes.f32, dtypes.f64, dtypes.f16, dtypes.i32], ids=str)
@pytest.mark.parametrize("batch", [1, 3])
def test_few_columns(d: DType, batch: int) -> None:
    made = [
        compile_program(product(*s, d, batch), f"p{k}_{t}", threads=t) for t in (1, 2) for k, s in enumerate(SHAPES)
    ]
    assert d is not dtypes.f32 or "copied first" in "\n".join(made[0].plan.lines())
    for (m, n, k), run in zip(SHAPES * 2, build_together(made)):
        rng = np.random.default_rng(m)
        a, b = (rng.integers(-2, 3, s).astype(np_dtype(d)) for s in ((batch, m, k), (batch, k, n + 1)))
        want = a.astype(np.float64) @ b[:, :, 1:].astype(np.float64)  # whole numbers: exact
        got = np.asarray(run({0: a.reshape(-1), 1: b.reshape(-1)})[0]).reshape(want.shape)
        np.testing.assert_array_equal(got, want.astype(np_dtype(d)), str((m, n, k)))


def test_without_packing_it_is_gathered() -> None:
    plan = "\n".join(compile_program(product(70, 2, 130, dtypes.f32), "p", off=("pack",)).plan.lines())
    assert "copied first" not in plan and "switched off here: pack" in plan
