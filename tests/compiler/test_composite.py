"""Composite operations against NumPy; no input value survives by luck: NaN and infinities are among them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from values import FLOATS, run, same, values

from uopc.composite import (
    anti_eye,
    concat2,
    conv1d,
    conv2d,
    flip_axis,
    flip_stack,
    matmul,
    max_pool,
    move_axis,
    pad,
    pad_axis,
    softmax,
    zeros_like,
)
from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.uop import UOp, UOpError, buf

VALUE_DTYPES = [d for d in dtypes.all if d is not dtypes.void]
RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4, 5)).astype(np.float32)
U = buf(0, 60).reshape((3, 4, 5))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concat2(axis: int) -> None:
    got = run(concat2(U, U.flip((1,)), axis), X)
    same(got, np.concatenate([X, X[:, ::-1]], axis))


@pytest.mark.parametrize(("src", "dst"), [(0, 2), (2, 0), (1, 1), (-1, 0), (0, -1)])
def test_move_axis(src: int, dst: int) -> None:
    same(run(move_axis(U, src, dst), X), np.moveaxis(X, src, dst))


@pytest.mark.parametrize("d", VALUE_DTYPES, ids=str)
def test_zeros_like(d: DType) -> None:
    for shape in ((), (2, 3), (0,)):
        same(run(zeros_like(UOp.const(1, d).reshape((1,) * len(shape)).expand(shape))), np.zeros(shape, np_dtype(d)))


@pytest.mark.parametrize("pads", [((1, 2), (0, 0), (3, 1)), ((0, 0), (9, 0), (0, 17)), ((0, 0),) * 3])
def test_pad_may_be_wider_than_the_axis(pads: tuple[tuple[int, int], ...]) -> None:
    same(run(pad(U, pads), X), np.pad(X, pads))
    for axis, (before, after) in enumerate(pads):
        widths = [(before, after) if k == axis else (0, 0) for k in range(3)]
        same(run(pad_axis(U, axis - 3, before, after), X), np.pad(X, widths))


def test_pad_of_an_empty_axis_and_of_other_dtypes() -> None:
    same(run(pad_axis(buf(0, 0).reshape((2, 0)), 1, 1, 2), values(dtypes.f32)), np.zeros((2, 3), np.float32))
    same(run(pad(buf(0, 2, dtypes.bool), ((1, 1),)), values(dtypes.bool, 1, 1)), values(dtypes.bool, 0, 1, 1, 0))
    same(run(pad_axis(buf(0, 1, dtypes.i64), 0, 0, 1), values(dtypes.i64, -(2**63))), values(dtypes.i64, -(2**63), 0))


@pytest.mark.parametrize("n", range(6))
def test_anti_eye(n: int) -> None:
    for d in (dtypes.f32, dtypes.i8, dtypes.bool):
        same(run(anti_eye(n, d)), np.eye(n, dtype=np_dtype(d))[::-1])


@pytest.mark.parametrize("flip", [flip_axis, flip_stack])
@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_flips(flip: object, axis: int) -> None:
    assert callable(flip)
    same(run(flip(U, axis), X), np.flip(X, axis))
    special = np.where(RNG.random(X.shape) < 0.3, RNG.choice([np.nan, np.inf, -np.inf], X.shape), X).astype(np.float32)
    same(run(flip(U, axis), special), np.flip(special, axis))
    for n in (0, 1):
        same(run(flip(buf(0, 3 * n).reshape((3, n)), 1), X.ravel()[: 3 * n]), X.ravel()[: 3 * n].reshape(3, n))


@pytest.mark.parametrize("flip", [flip_axis, flip_stack])
@pytest.mark.parametrize("d", VALUE_DTYPES, ids=str)
def test_flips_of_every_dtype(flip: object, d: DType) -> None:
    assert callable(flip)
    lowest = dtypes.min(d) if not d.is_float else -np.inf
    x = values(d, 0, lowest, 1, lowest, 0, 1)
    same(run(flip(buf(0, 6, d), 0), x), x[::-1])


def test_flip_axis_keeps_the_sign_of_zero() -> None:
    got = run(flip_axis(buf(0, 2), 0), values(dtypes.f32, -0.0, 1))
    assert np.signbit(got).tolist() == [False, True]


def test_the_two_flips_cost_what_they_say() -> None:
    n = 64
    assert not any(u.op is Ops.REDUCE for u in flip_stack(buf(0, n), 0).toposort())
    assert max(math.prod(u.shape) for u in flip_stack(buf(0, n), 0).toposort()) == n
    assert max(math.prod(u.shape) for u in flip_axis(buf(0, n), 0).toposort()) >= n * n


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (3, 4)), ((1, 1), (1, 1)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((2, 1, 4, 3), (6, 3, 2))],
)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = (RNG.integers(-8, 9, shape).astype(np.float32) for shape in (a, b))
    u, v = buf(0, x.size).reshape(a), buf(1, y.size).reshape(b)
    same(run(matmul(u, v), x, y), x @ y)


def test_matmul_of_nothing_and_of_integers() -> None:
    u, v = buf(0, 0).reshape((2, 0)), buf(1, 0).reshape((0, 3))
    same(run(matmul(u, v), values(dtypes.f32), values(dtypes.f32)), np.zeros((2, 3), np.float32))
    x = RNG.integers(-128, 128, (3, 3)).astype(np.int8)
    got = run(matmul(buf(0, 9, dtypes.i8).reshape((3, 3)), buf(0, 9, dtypes.i8).reshape((3, 3))), x)
    same(got, (x.astype(int) @ x.astype(int)).astype(np.int8))


def test_conv1d_is_a_valid_cross_correlation() -> None:
    x, w = np.arange(8, dtype=np.float32), values(dtypes.f32, 1, 10, 100)
    got = run(conv1d(buf(0, 8), buf(1, 3)), x, w)
    same(got, values(dtypes.f32, 210, 321, 432, 543, 654, 765))
    same(got, np.convolve(x, w[::-1], "valid"))
    same(run(conv1d(buf(0, 8), buf(0, 8)), x), values(dtypes.f32, 140))


def correlated(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(C, H, W) with (O, C, KH, KW), one output at a time."""
    (_, h, v), (o, _, kh, kw) = x.shape, w.shape
    out = np.zeros((o, h - kh + 1, v - kw + 1), x.dtype)
    for k, i, j in np.ndindex(*out.shape):
        out[k, i, j] = (x[:, i : i + kh, j : j + kw] * w[k]).sum()
    return out


@pytest.mark.parametrize("kernel", [(2, 3), (1, 1), (6, 5), (6, 1)])
def test_conv2d(kernel: tuple[int, int]) -> None:
    x = RNG.integers(-8, 9, (3, 6, 5)).astype(np.float32)
    w = RNG.integers(-8, 9, (4, 3, *kernel)).astype(np.float32)
    u, v = buf(0, x.size).reshape(x.shape), buf(1, w.size).reshape(w.shape)
    same(run(conv2d(u, v), x, w), correlated(x, w))
    plane, one = run(conv2d(buf(0, 30).reshape((6, 5)), buf(1, w[0, 0].size).reshape(kernel)), x[0], w[0, 0]), w[:1, :1]
    same(plane, correlated(x[:1], one)[0])


def test_max_pool_is_one_reshape_one_permute_one_reduce() -> None:
    x = np.where(RNG.random((2, 4, 6)) < 0.2, np.nan, -RNG.random((2, 4, 6))).astype(np.float32)
    u = buf(0, 48).reshape((2, 4, 6))
    want = np.maximum.reduce([x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)])
    same(run(max_pool(u), x), want)
    assert [n.op for n in max_pool(u).toposort()[2:]] == [Ops.RESHAPE, Ops.PERMUTE, Ops.REDUCE]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("d", FLOATS, ids=str)
def test_softmax(d: DType, axis: int) -> None:
    x = (RNG.standard_normal((3, 4, 5)) * 20).astype(np_dtype(d))
    got = run(softmax(buf(0, 60, d).reshape((3, 4, 5)), axis), x)
    e = np.exp(x.astype(np.float64) - x.astype(np.float64).max(axis, keepdims=True))
    tolerance = 2e-2 if d is dtypes.f16 else 1e-5 if d is dtypes.f32 else 1e-12
    np.testing.assert_allclose(got, e / e.sum(axis, keepdims=True), rtol=tolerance, atol=tolerance / 10)
    assert got.dtype == x.dtype


WRONG = {
    "concat-shape": lambda: concat2(U, U.reshape((4, 3, 5)), 0),
    "no-such-axis": lambda: move_axis(U, 3, 0),
    "negative-pad": lambda: pad_axis(U, 0, -1, 0),
    "pad-rank": lambda: pad(U, ((0, 0),)),
    "matmul-inner": lambda: matmul(U, U),
    "matmul-rank": lambda: matmul(buf(0, 3), buf(0, 3)),
    "broadcast": lambda: matmul(buf(0, 60).reshape((3, 4, 5)), buf(0, 60).reshape((2, 5, 6))),
    "conv-shape": lambda: conv1d(buf(0, 3), buf(0, 4)),
    "pool-shape": lambda: max_pool(U),
    "needs-float": lambda: softmax(buf(0, 3, dtypes.i32)),
}


@pytest.mark.parametrize("code", WRONG)
def test_shapes_that_do_not_fit_are_errors_with_a_code(code: str) -> None:
    with pytest.raises(UOpError) as failure:
        WRONG[code]()
    assert failure.value.code == code
    assert failure.value.message
