"""Sizes around every vector width, every dtype, every kind of kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from batch import build_together
from programs import Array, difference, random_array
from transformer import product, softmax

from uopc.dtype import DType, dtypes
from uopc.evaluate import evaluate
from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.uop import UOp, buf

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 61, 64, 67)
DTYPES = tuple(d for d in dtypes.all if d is not dtypes.void)
NUMBERS = tuple(d for d in DTYPES if not d.is_bool)


def _sum_rows(n: int, d: DType) -> UOp:
    return buf(0, 5 * n, d).reshape((5, n)).reduce(Ops.ADD, 1)


def _top_rows(n: int, d: DType) -> UOp:
    return buf(0, 5 * n, d).reshape((5, n)).reduce(Ops.MAX, 1)


def _sum_columns(n: int, d: DType) -> UOp:
    return buf(0, 9 * n, d).reshape((9, n)).permute((1, 0)).reduce(Ops.ADD, 1)


def _product(n: int, d: DType) -> UOp:
    return product(buf(0, 7 * 6, d).reshape((7, 6)), buf(1, 6 * n, d).reshape((n, 6)))


def _turned(n: int, d: DType) -> UOp:
    return buf(0, 19 * n, d).reshape((19, n)).permute((1, 0))


def _padded(n: int, d: DType) -> UOp:
    return buf(0, 3 * n, d).reshape((3, n)).pad(((1, 0), (2, 3)))


def _flipped(n: int, d: DType) -> UOp:
    return buf(0, 3 * n, d).reshape((3, n)).flip((1,))


def _mixed(n: int, d: DType) -> UOp:
    x, y = buf(0, n, d), buf(1, n, d)
    return UOp(Ops.CMPLT, (x, y)).where(UOp(Ops.MAX, (x, y)), x * y)


KINDS = (_sum_rows, _top_rows, _sum_columns, _product, _turned, _padded, _flipped, _mixed)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.strip("_"))
@pytest.mark.parametrize("d", DTYPES, ids=str)
def test_every_size(kind: Callable[[int, DType], UOp], d: DType) -> None:
    if d.is_bool and kind in (_sum_rows, _sum_columns, _product):
        pytest.skip("sums of bool are an error of the language")
    rng = np.random.default_rng(7)
    roots = {n: kind(n, d) for n in SIZES}
    compiled = [compile_program(root, f"{kind.__name__.strip('_')}_{d}_{n}") for n, root in roots.items()]
    for (n, root), run in zip(roots.items(), build_together(compiled)):
        inputs = _inputs(root, rng)
        found = difference(np.asarray(evaluate(root, inputs)), run(inputs)[0], _allowed(d, kind))
        assert found is None, f"{kind.__name__} of {n} {d}: {found}"


def _inputs(root: UOp, rng: np.random.Generator) -> dict[int, Array]:
    found = {u.arg.slot: u for u in root.toposort() if u.op is Ops.BUFFER}
    return {slot: random_array(rng, u.dtype, u.arg.shape[0]) for slot, u in found.items()}


def _allowed(d: DType, kind: Callable[[int, DType], UOp]) -> float:
    """Sums of up to 67 multiples of 1/16 (products: 1/256) are exact in f32 and f64; f16 rounds each product."""
    return 0.25 if d is dtypes.f16 and kind in (_sum_rows, _sum_columns, _product) else 0.0


@pytest.mark.parametrize("n", SIZES)
def test_softmax_keeps_nan_and_infinities(n: int) -> None:
    rows = np.random.default_rng(n).standard_normal((6, n)).astype(np.float32) * 5
    rows[1, n // 2] = np.nan
    rows[2, -1] = np.inf
    rows[3, :] = -np.inf
    rows[4, 0] = -np.inf
    (run,) = build_together([compile_program(softmax(buf(0, 6 * n).reshape((6, n))), f"softmax{n}")])
    with np.errstate(all="ignore"):
        e = np.exp2((rows - rows.max(1, keepdims=True)).astype(np.float64) * np.float32(1.4426950408889634))
        want = e / e.sum(1, keepdims=True)
    got = run({0: rows.reshape(-1)})[0]
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-12)


@pytest.mark.parametrize("n", (1, 7, 8, 33))
def test_a_maximum_keeps_nan_wherever_it_is(n: int) -> None:
    rows = np.tile(np.arange(n, dtype=np.float32), (n, 1))
    np.fill_diagonal(rows, np.nan)
    (run,) = build_together([compile_program(buf(0, n * n).reshape((n, n)).reduce(Ops.MAX, 1), f"top{n}")])
    assert np.isnan(run({0: rows.reshape(-1)})[0]).all()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("d", (dtypes.f16, dtypes.f32), ids=str)
def test_a_maximum_in_f64_between_two_casts(n: int, d: DType) -> None:
    """gcc 12 stops over it in vectors (see `runtime.library`)."""
    x = random_array(np.random.default_rng(n), d, n)
    three = UOp.const(3.0, dtypes.f64).reshape((1,)).expand((n,))
    wide = three.alu(Ops.MAX, buf(0, n, d).cast(dtypes.f64)).cast(dtypes.f32)
    (run,) = build_together([compile_program(wide, f"wide{n}")])
    want = np.maximum(3.0, x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(run({0: x})[0], want)
