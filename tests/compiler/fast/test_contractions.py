"""Products of matrices large enough for every way of computing them, against NumPy: odd sizes, threads, switches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from batch import build_together
from programs import Array
from transformer import product

from uopc.dtype import DType, dtypes
from uopc.fast.nest import nest_of
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.opt import Opts, choose
from uopc.pipeline import Compiled, compile_program
from uopc.uop import UOp, buf

Shape = tuple[int, int, int]


def matmul(shape: Shape, a_turned: bool = False, b_turned: bool = False, d: DType = dtypes.f32) -> UOp:
    """(m, k) times (k, n); an operand that is turned lies in memory transposed."""
    m, n, k = shape
    a = buf(0, m * k, d).reshape((k, m) if a_turned else (m, k))
    b = buf(1, k * n, d).reshape((n, k) if b_turned else (k, n))
    return product(a.permute((1, 0)) if a_turned else a, b if b_turned else b.permute((1, 0)))


def operands(shape: Shape, a_turned: bool, b_turned: bool, d: DType = dtypes.f32) -> tuple[dict[int, Array], Array]:
    """Small whole numbers, whose products add up exactly in any order; and the product."""
    m, n, k = shape
    rng = np.random.default_rng(m * n + k)
    a, b = (rng.integers(-8, 9, s).astype(np_dtype(d)) for s in ((m, k), (k, n)))
    inputs = {0: (a.T if a_turned else a).reshape(-1), 1: (b.T if b_turned else b).reshape(-1)}
    return {slot: np.ascontiguousarray(x) for slot, x in inputs.items()}, a @ b


def mode(c: Compiled) -> str:
    """How the plan says the product is computed."""
    plan = "\n".join(c.plan.lines())
    if "the first tile packs" in plan:
        return "streamed"
    return "blocked" if "rows stay in the caches" in plan else "whole"


TURNS = list(itertools.product((False, True), repeat=2))
LONG = [(97, 41, 1031), (131, 33, 700), (200, 16, 2049), (102, 17, 1024), (96, 65, 600)]
FEW = [(12, 700, 801), (13, 530, 1030), (33, 1040, 513), (17, 4096, 130), (95, 641, 900)]


@pytest.mark.parametrize("shape", [*LONG, *FEW], ids=str)
def test_sizes_and_turns(shape: Shape) -> None:
    made = [
        compile_program(matmul(shape, a, b), f"m{a:d}{b:d}t{threads}", threads=threads)
        for a, b in TURNS
        for threads in (1, 2)
    ]
    assert mode(made[0]) == ("blocked" if shape in LONG else "streamed")
    runs = iter(build_together(made))
    for a, b in TURNS:
        inputs, want = operands(shape, a, b)
        for _ in (1, 2):
            np.testing.assert_array_equal(next(runs)(inputs)[0], want)


@pytest.mark.parametrize("d", [dtypes.f64, dtypes.i32, dtypes.f16, dtypes.i8], ids=str)
def test_dtypes(d: DType) -> None:
    shape = (101, 35, 1100) if d.itemsize > 1 else (101, 35, 16)
    made = [compile_program(matmul(shape, a, b, d), f"d{d}{a:d}{b:d}") for a, b in TURNS]
    for (a, b), run in zip(TURNS, build_together(made)):
        inputs, _ = operands(shape, a, b, d)
        m, n, k = shape
        x, y = (inputs[slot].astype(np.float64) for slot in (0, 1))
        left, right = x.reshape((k, m)).T if a else x.reshape((m, k)), y.reshape((n, k)).T if b else y.reshape((k, n))
        want = left @ right
        got = run(inputs)[0].astype(np.float64)
        if d.is_int:
            want = want.astype(np.int64).astype(np_dtype(d)).astype(np.float64)
        np.testing.assert_allclose(got, want, rtol=2e-3 if d is dtypes.f16 else 0, atol=16 if d is dtypes.f16 else 0)


@pytest.mark.parametrize(
    ("shape", "off"), [((97, 41, 1031), "block"), ((97, 41, 1031), "pack"), ((33, 1040, 513), "stream")], ids=str
)
def test_switched_off(shape: Shape, off: str) -> None:
    made = [compile_program(matmul(shape, a, b), f"o{a:d}{b:d}", off=(off,)) for a, b in TURNS]
    assert mode(made[0]) == "whole" != mode(compile_program(matmul(shape)))
    assert off not in ("block", "pack") or f"{off} is switched off" in "\n".join(made[0].plan.lines())
    for (a, b), run in zip(TURNS, build_together(made)):
        inputs, want = operands(shape, a, b)
        np.testing.assert_array_equal(run(inputs)[0], want)


@pytest.mark.parametrize("shape", [(97, 41, 1031), (33, 1040, 513), (40, 40, 40)], ids=str)
def test_threads_do_not_change_a_bit(shape: Shape) -> None:
    m, n, k = shape
    rng = np.random.default_rng(5)
    inputs = {0: rng.standard_normal(m * k).astype(np.float32), 1: rng.standard_normal(k * n).astype(np.float32)}
    one, two, three = build_together([compile_program(matmul(shape), f"t{t}", threads=t) for t in (1, 2, 3)])
    want = one(inputs)[0]
    np.testing.assert_array_equal(two(inputs)[0], want)
    np.testing.assert_array_equal(three(inputs)[0], want)


@pytest.mark.parametrize("shape", [(1024, 64, 1024), (1000, 24, 700), (97, 41, 1031), (777, 65, 600)], ids=str)
def test_every_thread_has_as_many_rows(shape: Shape) -> None:
    m, n, _ = shape
    for threads in (2, 3):
        nest = nest_of(matmul(shape), buf(2, m * n))
        tile = choose(nest, 0, Opts(threads=threads)).tile
        assert tile is not None and tile.mode == "blocked" and tile.blocks % threads == 0
        tiles = -(-m // tile.unit)
        ends = [g * tiles // tile.blocks * tile.unit for g in range(tile.blocks)] + [m]
        share = tile.blocks // threads
        rows = [ends[(t + 1) * share] - ends[t * share] for t in range(threads)]
        assert max(rows) - min(rows) <= 2 * tile.unit and max(np.diff(ends)) <= tile.height, rows


def test_nan_and_infinity_reach_only_their_rows_and_columns() -> None:
    for shape in ((97, 41, 1031), (33, 1040, 513)):
        inputs, want = operands(shape, False, False)
        m, n, k = shape
        inputs[0].reshape((m, k))[5, 1000 % k] = np.nan
        inputs[1].reshape((k, n))[700 % k, n - 1] = np.inf
        (run,) = build_together([compile_program(matmul(shape), "special")])
        got = run(inputs)[0]
        with np.errstate(all="ignore"):
            want = inputs[0].reshape((m, k)) @ inputs[1].reshape((k, n))
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
        np.testing.assert_array_equal(got[np.isfinite(want)], want[np.isfinite(want)])


@pytest.mark.parametrize("sizes", [(5, 33, 20, 70), (4, 64, 64, 64), (3, 20, 9, 129)], ids=str)
def test_batches_of_which_one_operand_must_be_packed(sizes: tuple[int, ...]) -> None:
    """The rows of each product lie transposed: they are packed where they are needed, batch by batch."""
    n, p, q, k = sizes
    a = buf(0, n * k * p).reshape((n, k, p)).permute((0, 2, 1)).reshape((n, p, 1, k)).expand((n, p, q, k))
    b = buf(1, n * k * q).reshape((n, k, q)).permute((0, 2, 1)).reshape((n, 1, q, k)).expand((n, p, q, k))
    rng = np.random.default_rng(3)
    x, y = (rng.integers(-8, 9, s).astype(np.float32) for s in ((n, k, p), (n, k, q)))
    made = [compile_program((a * b).reduce(Ops.ADD, 1), f"b{t}", threads=t) for t in (1, 2)]
    assert "stays in registers" in "\n".join(made[0].plan.lines())
    for run in build_together(made):
        np.testing.assert_array_equal(run({0: x.reshape(-1), 1: y.reshape(-1)})[0], x.transpose(0, 2, 1) @ y)
