"""The reference evaluator against NumPy and values worked out by hand: movement, reductions, outputs, large values."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from programs import Array, difference, random_program
from values import INF, INTS, NAN, run, same, values, wrapped

from uopc.dtype import DType, dtypes
from uopc.evaluate import EvaluationError, EvaluationTooLarge, evaluate, shaped
from uopc.evaluate.contraction import contraction
from uopc.evaluate.points import Points
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.uop import UOp, buf, param, range_, sink, stack

# -- movement ------------------------------------------------------------------------------------------------------
X = np.arange(24, dtype=np.float32)
U, REF = buf(0, 24).reshape((2, 3, 4)), X.reshape(2, 3, 4)
MOVES: dict[str, tuple[UOp, Array]] = {
    "reshape": (U.reshape((4, 6)), REF.reshape(4, 6)),
    "rotation": (U.permute((1, 2, 0)), REF.transpose(1, 2, 0)),
    "shrink": (U.shrink(((0, 2), (1, 3), (2, 2))), REF[:, 1:3, 2:2]),
    "expand": (
        U.reshape((2, 1, 3, 4)).expand((2, 5, 3, 4)),
        np.broadcast_to(REF[:, None], (2, 5, 3, 4)),
    ),
    "expand to nothing": (U.reshape((1, 24)).expand((0, 24)), np.zeros((0, 24), np.float32)),
    "pad": (U.pad(((1, 0), (0, 0), (2, 3))), np.pad(REF, ((1, 0), (0, 0), (2, 3)))),
    "flip": (U.flip((0, 2)), REF[::-1, :, ::-1]),
    "flip nothing": (U.flip(()), REF),
    "stack": (stack(U, U.flip((1,)), U), np.stack([REF, REF[:, ::-1], REF])),
    "index": (U.index(1, 2), REF[1, 2]),
    "index by none": (U.index(), REF),
    "stage": (U.stage(), REF),
    "view that strides cannot express": (U.permute((2, 0, 1)).reshape((3, 8)), REF.transpose(2, 0, 1).reshape(3, 8)),
    "pad of nothing": (
        U.shrink(((0, 0), (0, 3), (0, 4))).pad(((1, 1), (0, 0), (0, 0))),
        np.zeros((2, 3, 4), np.float32),
    ),
}


@pytest.mark.parametrize("limit", [1 << 24, 0, 5], ids=["whole", "points", "mixed"])
@pytest.mark.parametrize("name", MOVES)
def test_movement(name: str, limit: int) -> None:
    root, want = MOVES[name]
    same(run(root, X, limit=limit), want)


def test_a_result_is_never_a_view_of_an_input() -> None:
    x = X.copy()
    for root in (buf(0, 24), U.permute((2, 1, 0)), U.stage(), U.reduce(Ops.ADD, 0), U.index(1), U.expand(U.shape)):
        assert not np.shares_memory(run(root, x), x)
    first, second = run(sink(U, U), x)
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize("d", INTS, ids=str)
@pytest.mark.parametrize("limit", [1 << 24, 0], ids=["whole", "points"])
def test_an_index_value_outside_is_clamped(d: DType, limit: int) -> None:
    u = buf(0, 24).reshape((2, 3, 4))
    lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
    for value, at in ((lo, 0), (hi, 2), (1, 1), (3, 2)):
        got = run(u.index(1, buf(1, 1, d).index(0)), X, values(d, value), limit=limit)
        same(got, REF[1, at])


@pytest.mark.parametrize("limit", [1 << 24, 0], ids=["whole", "points"])
def test_an_index_value_into_no_entries_gives_zeros(limit: int) -> None:
    u = buf(0, 0).reshape((0, 3)).index(buf(1, 1, dtypes.i32).index(0))
    same(run(u, values(dtypes.f32), values(dtypes.i32, 0), limit=limit), values(dtypes.f32, 0, 0, 0))


# -- reductions ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("d", [d for d in dtypes.all if d is not dtypes.void], ids=str)
def test_reduce_of_every_dtype(d: DType, n: int) -> None:
    rng = np.random.default_rng(n)
    x = (rng.integers(-9, 10, 24) / (4 if d.is_float else 1)).astype(np_dtype(d)).reshape(2, 3, 4)
    axes = tuple(range(3 - n, 3))
    exact = x.astype(object)
    for op, f in {Ops.ADD: np.add, Ops.MUL: np.multiply, Ops.MAX: np.maximum}.items():
        if d.is_bool and op is Ops.ADD:
            continue
        got = run(buf(0, 24, d).reshape((2, 3, 4)).reduce(op, n), x.ravel())
        if d.is_float:
            np.testing.assert_allclose(
                got, f.reduce(x.astype(np.float64), axis=axes), rtol=2e-3 if d.bits == 16 else 1e-6
            )
            assert got.dtype == x.dtype
            continue
        want = f.reduce(exact, axis=axes) if n else exact
        wrap = np.vectorize(lambda v: bool(v) if d.is_bool else wrapped(d, int(v)), otypes=[np_dtype(d)])
        same(got, wrap(want))


@pytest.mark.parametrize("d", [d for d in dtypes.all if d is not dtypes.void], ids=str)
def test_reduce_of_nothing_is_the_identity(d: DType) -> None:
    x = buf(0, 0, d).reshape((2, 0))
    empty = np.zeros(0, np_dtype(d))
    same(run(x.reduce(Ops.MUL, 1), empty), values(d, 1, 1))
    lowest = -INF if d.is_float else int(dtypes.min(d))
    same(run(x.reduce(Ops.MAX, 1), empty), values(d, lowest, lowest))
    if not d.is_bool:
        same(run(x.reduce(Ops.ADD, 1), empty), values(d, 0, 0))


def test_float_sums_are_accumulated_in_more_digits() -> None:
    x = np.full(100_000, 0.1, np.float32)
    got = run(buf(0, x.size).reduce(Ops.ADD, 1), x)
    assert abs(float(got) - math.fsum(x.tolist())) <= 0.0005
    half = np.full(4096, 1.0, np.float16)  # a running sum in f16 would stop at 2048
    assert float(run(buf(0, 4096, dtypes.f16).reduce(Ops.ADD, 1), half)) == 4096


def test_integer_sums_wrap_in_their_own_dtype() -> None:
    x = values(dtypes.i8, 100, 100, 100)
    assert int(run(buf(0, 3, dtypes.i8).reduce(Ops.ADD, 1), x)) == 300 - 256
    assert int(run(buf(0, 3, dtypes.i8).reduce(Ops.MUL, 1), x)) == wrapped(dtypes.i8, 10**6)


def test_max_propagates_nan_and_infinities() -> None:
    x = buf(0, 6).reshape((2, 3)).reduce(Ops.MAX, 1)
    same(run(x, values(dtypes.f32, 1, NAN, 2, -INF, -5, -INF)), values(dtypes.f32, NAN, -5))


# -- functions, memory, several outputs ------------------------------------------------------------------------------
def call(body: UOp, *args: UOp) -> UOp:
    return UOp(Ops.CALL, (body, *args))


def test_call_substitutes_its_arguments() -> None:
    body = param(0, (3,)) * param(1, (3,)) + 1.0
    got = run(call(body, buf(0, 3), buf(1, 3) + buf(0, 3)), values(dtypes.f32, 1, 2, 3), values(dtypes.f32, 1, 1, 1))
    same(got, values(dtypes.f32, 3, 7, 13))


def test_a_chain_of_calls_does_not_recurse() -> None:
    body, x = param(0, (2,), dtypes.i32) + 1, buf(0, 2, dtypes.i32)
    for _ in range(20_000):
        x = call(body, x)
    same(run(x, values(dtypes.i32, 0, 5)), values(dtypes.i32, 20_000, 20_005))


def test_a_param_without_a_call_has_no_value() -> None:
    with pytest.raises(EvaluationError, match="param"):
        run(param(0, (2,)) + 1.0)


def test_a_sink_gives_its_outputs_in_order() -> None:
    a, b = run(sink(U.reduce(Ops.ADD, 3), U.permute((2, 1, 0))), X)
    assert float(a) == 276.0
    same(b, REF.transpose(2, 1, 0))


def test_whole_buffer_stores_are_outputs() -> None:
    x = buf(0, 4).reshape((2, 2))
    first = buf(7, 4).reshape((2, 2)).store(x.permute((1, 0)))
    second = buf(3, 4).store(buf(0, 4) + 1.0)
    a, b = run(sink(first, second), values(dtypes.f32, 1, 2, 3, 4))
    same(a, np.array([[1, 3], [2, 4]], np.float32))
    same(b, values(dtypes.f32, 2, 3, 4, 5))
    same(run(second, values(dtypes.f32, 1, 2, 3, 4)), b)


def test_memory_after_a_store_is_what_was_stored() -> None:
    memory = buf(1, 4)
    stored = memory.store(buf(0, 4) * 2.0)
    got = run(memory.after(stored).reshape((2, 2)).permute((1, 0)), values(dtypes.f32, 1, 2, 3, 4))
    same(got, np.array([[2, 6], [4, 8]], np.float32))


def test_load_of_an_address_is_a_value() -> None:
    same(run(buf(0, 4).index(2).load() + 1.0, values(dtypes.f32, 1, 2, 3, 4)), np.array(4, np.float32))


def test_inputs_that_do_not_fit_are_named() -> None:
    root = buf(2, 3, dtypes.i32)
    with pytest.raises(EvaluationError, match="buffer 2 has no input"):
        evaluate(root, {})
    with pytest.raises(EvaluationError, match="2 elements, the buffer 3"):
        evaluate(root, {2: values(dtypes.i32, 1, 2)})
    with pytest.raises(EvaluationError, match="float32, the buffer is int32"):
        evaluate(root, {2: values(dtypes.f32, 1, 2, 3)})
    from_list = evaluate(root, {2: [1, 2, 3]})
    assert isinstance(from_list, np.ndarray)
    same(from_list, values(dtypes.i32, 1, 2, 3))


# -- large, deep and many-pathed -------------------------------------------------------------------------------------
def test_the_end_of_two_to_33_broadcast_elements() -> None:
    whole = buf(0, 2).reshape((2, 1, 1)).expand((2, 65536, 65536)).reshape((2**33,))
    ends = values(dtypes.f32, 3, 4)
    same(run(whole.shrink(((2**33 - 3, 2**33),)), ends), values(dtypes.f32, 4, 4, 4))
    same(run(whole.shrink(((2**32 - 1, 2**32 + 1),)), ends), ends)
    same(run(whole.flip((0,)).pad(((2, 0),)).shrink(((1, 4),)), ends), values(dtypes.f32, 0, 4, 4))


def product_of_matrices(d: DType, n: int, k: int) -> UOp:
    rows = buf(0, n * k, d).reshape((n, 1, k)).expand((n, n, k))
    columns = buf(1, k * n, d).reshape((k, n)).permute((1, 0)).reshape((1, n, k)).expand((n, n, k))
    return (rows * columns).reduce(Ops.ADD, 1)


@pytest.mark.parametrize("d", [dtypes.f32, dtypes.f64, dtypes.i32, dtypes.u8], ids=str)
def test_large_products_of_matrices(d: DType) -> None:
    n, k = 288, 300  # 24.9 million products: more than are held at once
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 200, (2, n * k)) / (8 if d.is_float else 1)).astype(np_dtype(d))
    want = a.reshape(n, k).astype(np.float64) @ b.reshape(k, n).astype(np.float64)  # whole numbers of 1/64: exact
    got = run(product_of_matrices(d, n, k), a, b)
    same(got, want.astype(np.int64).astype(np_dtype(d)) if d.is_int else want.astype(np_dtype(d)))


def test_contractions_over_any_axes_agree_with_the_plain_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []

    def watched(u: UOp, points: Points) -> Array | None:
        value = contraction(u, points)
        found.append(value is not None)
        return value

    monkeypatch.setattr(shaped, "contraction", watched)
    rng = np.random.default_rng(5)
    for _ in range(300):
        rank = int(rng.integers(1, 5))
        full = tuple(int(n) for n in rng.integers(1, 5, rank))
        order = tuple(int(k) for k in rng.permutation(rank))
        factors, inputs = [], []
        for slot in range(2):
            own = tuple(n if rng.random() < 0.5 else 1 for n in full)
            inputs.append((rng.integers(-32, 33, math.prod(own)) / 8).astype(np.float32))
            factors.append(buf(slot, math.prod(own)).reshape(own).expand(full))
        root = (factors[0] * factors[1]).permute(order).reduce(Ops.ADD, int(rng.integers(1, rank + 1)))
        held = max(x.size for x in inputs)  # the factors are held whole, their product mostly not
        same(run(root, *inputs, limit=held), run(root, *inputs))  # multiples of 1/64: sums are exact in any order
    assert all(found)
    assert len(found) > 100


@pytest.mark.parametrize("extreme", [3e38, INF, NAN])
def test_values_that_could_overflow_are_not_contracted(extreme: float) -> None:
    a, b = values(dtypes.f32, extreme, -extreme), values(dtypes.f32, 2, 0)
    rows, columns = buf(0, 2).reshape((1, 2)).expand((2, 2)), buf(1, 2).reshape((2, 1)).expand((2, 2))
    with np.errstate(all="ignore"):
        want = (a[None, :] * b[:, None]).sum(1)  # infinity less infinity, and zero times infinity, are NaN
    same(run((rows * columns).reduce(Ops.ADD, 1), a, b, limit=2), want)


def test_a_large_matrix_product_takes_little_memory_and_time() -> None:
    n = 1024
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, n * n)).astype(np.float32)
    got = run(product_of_matrices(dtypes.f32, n, n), a, b)
    want = a.reshape(n, n).astype(np.float64) @ b.reshape(n, n).astype(np.float64)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_a_large_sum_that_is_no_contraction() -> None:
    n = 4200  # n * n elements are never formed
    column = buf(0, n).reshape((n, 1)).expand((n, n))
    row = buf(0, n).reshape((1, n)).expand((n, n))
    smaller = -((-column).alu(Ops.MAX, -row))
    x = (np.arange(n) % 7).astype(np.float32)
    want = np.minimum(x[:, None], x[None, :]).astype(np.float64).sum(1)
    np.testing.assert_array_equal(run(smaller.reduce(Ops.ADD, 1), x), want.astype(np.float32))


def test_a_large_output_is_made_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shaped, "_CHUNKS", (1, 1000))
    x = np.arange(300, dtype=np.int32)
    root = (
        buf(0, 300, dtypes.i32)
        .reshape((1, 300))
        .expand((200, 300))
        .reshape((60000,))
        .reshape((300, 200))
        .permute((1, 0))
    )
    want = np.broadcast_to(x, (200, 300)).reshape(300, 200).T
    same(run(root, x, limit=100), want)


def test_a_chain_of_100_000_operations() -> None:
    u, x = buf(0, 3, dtypes.i32), values(dtypes.i32, 1, -2, 3)
    want = x.astype(np.int64)
    for _ in range(25_000):
        u = ((u + 7) * 3).alu(Ops.MAX, -1000) % 1009
        want = np.maximum((want + 7) * 3, -1000) % 1009
    same(run(u, x), want.astype(np.int32))


@pytest.mark.parametrize("limit", [1 << 24, 0], ids=["whole", "points"])
def test_shared_values_are_computed_once(limit: int) -> None:
    u = buf(0, 2)
    for k in range(60):  # 2**60 paths to the buffer
        u = stack(u + u, u).index(k % 2) * (0.5 if k % 2 == 0 else 1.0)
    same(run(u, values(dtypes.f32, 1, -3), limit=limit), values(dtypes.f32, 1, -3))


def test_shifted_views_that_meet_again_are_computed_once() -> None:
    n = 40
    u = buf(0, n, dtypes.i64)
    for k in range(n - 1):  # paths double at each step, but only n different windows exist
        size = n - k
        u = u.shrink(((0, size - 1),)) + u.shrink(((1, size),))
    x = np.arange(n, dtype=np.int64)
    want = sum(math.comb(n - 1, k) * k for k in range(n))
    assert int(run(u, x, limit=0)[0]) == want


def test_a_budget_is_kept() -> None:
    wide = buf(0, 2).reshape((2, 1)).expand((2, 2**40))
    with pytest.raises(EvaluationTooLarge):
        run((wide + wide).reduce(Ops.MAX, 1), values(dtypes.f32, 1, 2))
    with pytest.raises(EvaluationTooLarge):
        run(wide, values(dtypes.f32, 1, 2))


# -- two ways of evaluating, and two of computing one element ----------------------------------------------------------
@pytest.mark.parametrize("seeds", [range(k, k + 150) for k in range(0, 600, 150)], ids=str)
def test_random_programs_have_one_value_however_they_are_evaluated(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds:
        program = random_program(seed)
        want = evaluate(program.root, program.inputs)
        monkeypatch.setattr(shaped, "_MAX_FORMED", 0)
        monkeypatch.setattr(shaped, "_CHUNKS", (1, 16))
        got = evaluate(program.root, program.inputs, limit=0)
        monkeypatch.undo()
        pairs = [(want, got)] if isinstance(want, np.ndarray) else list(zip(want, got))
        for (w, g), error in zip(pairs, program.errors):
            assert difference(w, g, error) is None, f"seed {seed}"


def test_a_range_outside_its_loop_has_no_value() -> None:
    with pytest.raises(EvaluationError, match="range"):
        run(range_(3, 0) + 1)


def test_the_judge_shares_no_code_with_what_it_judges() -> None:
    code = "import sys, uopc.evaluate; print(*(m for m in sys.modules if m.startswith('uopc.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "uopc.evaluate.points" in loaded
    judged = ("indexmap", "rangeify", "symbolic", "render", "schedule", "pipeline", "runtime", "fast")
    assert not [m for m in loaded if m.split(".")[1] in judged]
