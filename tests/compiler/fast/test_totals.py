"""Reductions of everything to one element: right, and the same to the last bit on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from batch import build_together

from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.uop import UOp, buf


def reduced(op: Ops, size: int, d: DType) -> UOp:
    return buf(0, size, d).reduce(op, 1)


@pytest.mark.parametrize("d", [dtypes.f32, dtypes.f64, dtypes.i32, dtypes.i8, dtypes.f16], ids=str)
@pytest.mark.parametrize("size", [65536, 65537, 98304 + 17, 200_003, 262_143])
def test_sum_and_maximum(d: DType, size: int) -> None:
    ops = (Ops.ADD, Ops.MAX)
    made = [compile_program(reduced(op, size, d), f"r{op.name}{t}", threads=t) for op in ops for t in (1, 2, 3)]
    assert "#pragma omp" in made[1].source
    x = np.random.default_rng(size).integers(-7, 8, size).astype(np_dtype(d))
    x[-1] = 9
    wide = x.astype(np.int64 if d.is_int else np.float64)
    wants = [wide.sum().astype(np_dtype(d)), x.max()]
    runs = iter(build_together(made))
    for want in wants:
        for _ in range(3):
            assert next(runs)({0: x})[0] == want


def test_threads_do_not_change_a_bit() -> None:
    x = np.random.default_rng(1).standard_normal(1_000_003).astype(np.float32)
    made = [compile_program(reduced(Ops.ADD, x.size, dtypes.f32), f"b{t}", threads=t) for t in (1, 2, 3)]
    found = [run({0: x})[0].tobytes() for run in build_together(made)]
    assert len(set(found)) == 1
    assert abs(float(np.frombuffer(found[0], np.float32)[0]) - x.astype(np.float64).sum()) < 1e-2


@pytest.mark.parametrize("shape", [(300, 700), (3, 70_001), (70_001, 3), (40, 50, 60)], ids=str)
def test_several_axes_of_a_part(shape: tuple[int, ...]) -> None:
    """A part of a larger array: its axes do not join into one loop."""
    whole = tuple(n + 2 for n in shape)
    x = np.random.default_rng(2).integers(-7, 8, whole).astype(np.float32)
    view = buf(0, x.size).reshape(whole).shrink(tuple((1, n + 1) for n in shape))
    made = [compile_program(view.reduce(Ops.ADD, len(shape)), f"v{t}", threads=t) for t in (1, 2)]
    for run in build_together(made):
        assert run({0: x.reshape(-1)})[0] == x[tuple(slice(1, n + 1) for n in shape)].sum()


def test_nan_is_kept() -> None:
    x = np.zeros(100_000, np.float32)
    x[99_999] = np.nan
    for op in (Ops.ADD, Ops.MAX):
        (run,) = build_together([compile_program(reduced(op, x.size, dtypes.f32), f"n{op.name}", threads=2)])
        assert np.isnan(run({0: x})[0])
