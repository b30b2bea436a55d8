"""Sums of floats over axes read backwards, plain and fast, as compilers get them wrong when they vectorize the loads.

gcc 12 at -O2 reads the wrong elements where the loads of a sum that keeps its order come in pairs from high to low.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from batch import build_together

from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.uop import UOp, buf

SHAPES = [(10, 3, 2), (10, 2, 3), (7, 2, 2), (5, 3, 4), (4, 5, 2), (3, 8, 2)]


def backwards(shape: tuple[int, ...], d: DType, op: Ops, axes: tuple[int, ...]) -> UOp:
    n = int(np.prod(shape))
    return buf(0, n, d).reshape(shape).flip(axes).reduce(op, 2)


@pytest.mark.parametrize("d", [dtypes.f32, dtypes.f64], ids=str)
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "fast"])
def test_sums_of_reversed_axes(d: DType, plain: bool) -> None:
    cases = [
        (shape, axes, op)
        for shape in SHAPES
        for axes in itertools.chain.from_iterable(itertools.combinations(range(3), k) for k in range(4))
        for op in (Ops.ADD, Ops.MUL, Ops.MAX)
    ]
    roots = [backwards(shape, d, op, axes) for shape, axes, op in cases]
    compiled = [compile_program(root, f"r{k}", plain=plain) for k, root in enumerate(roots)]
    for (shape, axes, op), run in zip(cases, build_together(compiled)):
        x = (np.arange(np.prod(shape)) % 5 + 1).astype(np_dtype(d))  # small whole numbers: exact in any order
        combine = {Ops.ADD: np.sum, Ops.MUL: np.prod, Ops.MAX: np.max}[op]
        want = combine(np.flip(x.reshape(shape), axes), axis=(1, 2))
        np.testing.assert_array_equal(run({0: x})[0], want, err_msg=f"{shape} {axes} {op}")


def test_a_program_that_keeps_no_sum_may_be_vectorized() -> None:
    sums, plain = (compile_program(u, plain=True).flags for u in (buf(0, 8).reduce(Ops.ADD, 1), buf(0, 8) * 2.0))
    assert (sums, plain) == (("-fno-tree-loop-vectorize",), ())
