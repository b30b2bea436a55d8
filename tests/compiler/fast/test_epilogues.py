"""What is made of each element of a product stays in the tile: bias, residual, maximum with 0, scale of a row."""

from __future__ import annotations

import numpy as np
import pytest
from batch import build_together
from programs import Array
from transformer import product

from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.uop import UOp, buf

SHAPES = [(40, 33, 60), (97, 41, 1031), (33, 1040, 513), (6, 16, 8), (7, 17, 9), (13, 100, 4)]


def dense(m: int, n: int, k: int) -> UOp:
    """max(x @ w + bias + residual, 0) * (scale of the row)."""
    y = product(buf(0, m * k).reshape((m, k)), buf(1, k * n).reshape((k, n)).permute((1, 0)))
    y = y + buf(2, n).reshape((1, n)).expand((m, n)) + buf(3, m * n).reshape((m, n))
    top = UOp(Ops.MAX, (y, y.const_like(0.0)))
    return top * buf(4, m).reshape((m, 1)).expand((m, n))


def inputs(m: int, n: int, k: int) -> tuple[dict[int, Array], Array]:
    """Small whole numbers, and the result."""
    rng = np.random.default_rng(m + n + k)
    x, w, bias, residual, scale = (
        rng.integers(-8, 9, s).astype(np.float32) for s in ((m, k), (k, n), (n,), (m, n), (m, 1))
    )
    want = np.maximum(x @ w + bias + residual, 0) * scale
    return {j: a.reshape(-1) for j, a in enumerate((x, w, bias, residual, scale))}, want


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_it_is_one_kernel_and_right(shape: tuple[int, int, int]) -> None:
    root = dense(*shape)
    made = [compile_program(root, f"e{t}", threads=t) for t in (1, 2)]
    made.append(compile_program(root, "off", off=("epilogue", "fuse")))
    assert [len(c.kernels) for c in made] == [1, 1, 2]
    assert "before it leaves the registers" in "\n".join(made[0].plan.lines())
    assert "before it leaves the registers" not in "\n".join(made[2].plan.lines())
    data, want = inputs(*shape)
    for run in build_together(made):
        np.testing.assert_array_equal(run(data)[0], want)


def test_large_products_keep_their_epilogue() -> None:
    """An operand larger than the cache keeps stages from sharing rows, not from sharing registers."""
    c = compile_program(dense(128, 2048, 2048))
    assert len(c.kernels) == 1
    assert c.scratch < 128 * 2048 * 4 + (4 << 20)


def test_a_product_that_is_read_twice_is_stored() -> None:
    y = product(buf(0, 40 * 60).reshape((40, 60)), buf(1, 33 * 60).reshape((33, 60)))
    c = compile_program(y * y.flip((1,)))
    assert "before it leaves" not in "\n".join(c.plan.lines())
    (run,) = build_together([c])
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (40, 60)).astype(np.float32), rng.integers(-4, 5, (33, 60)).astype(np.float32)
    want = (a @ b.T) * (a @ b.T)[:, ::-1]
    np.testing.assert_array_equal(run({0: a.reshape(-1), 1: b.reshape(-1)})[0], want)


def test_nan_goes_through() -> None:
    shape = (40, 33, 60)
    data, _ = inputs(*shape)
    data[0][61] = np.nan
    data[2][5] = np.inf
    (run,) = build_together([compile_program(dense(*shape), "special")])
    m, n, k = shape
    with np.errstate(all="ignore"):
        y = data[0].reshape(m, k) @ data[1].reshape(k, n) + data[2] + data[3].reshape(m, n)
        want = np.maximum(y, 0) * data[4].reshape(m, 1)
    np.testing.assert_array_equal(run(data)[0], want)


def test_layers_in_a_row() -> None:
    """Each layer's products and what is made of them: two kernels, or one over rows, and right."""
    x = buf(0, 24 * 32).reshape((24, 32))
    for layer in range(2):
        w = buf(1 + 2 * layer, 32 * 32).reshape((32, 32))
        y = product(x, w) + buf(2 + 2 * layer, 32).reshape((1, 32)).expand((24, 32))
        x = UOp(Ops.MAX, (y, y.const_like(0.0)))
    rng = np.random.default_rng(9)
    data = {0: rng.integers(-3, 4, 24 * 32).astype(np.float32)}
    want = data[0].reshape(24, 32)
    for layer in range(2):
        data[1 + 2 * layer] = rng.integers(-3, 4, 32 * 32).astype(np.float32)
        data[2 + 2 * layer] = rng.integers(-3, 4, 32).astype(np.float32)
        want = np.maximum(want @ data[1 + 2 * layer].reshape(32, 32).T + data[2 + 2 * layer], 0)
    for run in build_together([compile_program(x, f"l{t}", threads=t) for t in (1, 2)]):
        np.testing.assert_array_equal(run(data)[0], want)
