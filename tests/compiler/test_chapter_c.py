"""The textbook's C of the example programs: which loops there are, what is in them, and how memory is indexed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from c_shape import Body, Loop, body_of, index_words, outline, spelled, statements
from programs import Array

from uopc.composite import anti_eye, conv1d, conv2d, flip_axis, flip_stack, matmul, max_pool, pad, pad_axis
from uopc.dtype import dtypes
from uopc.evaluate import evaluate
from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.render import render_c
from uopc.runtime import run_shaped
from uopc.uir import dump, parse
from uopc.uop import UOp, buf, sink


def c_of(root: UOp) -> list[Any]:
    return body_of(compile_program(root, "f", plain=True).source, "f")


def loop(name: str, size: int, *body: object) -> tuple[object, ...]:
    return ("for", name, size, list(body))


def load(slot: int, index: str) -> tuple[str, str, str]:
    return ("load", f"data{slot}", spelled(index))


def store(slot: int, index: str) -> tuple[str, str, str]:
    return ("store", f"data{slot}", spelled(index))


def fresh(k: int, value: str) -> list[tuple[str, ...]]:
    """Accumulator k, new in this body, starting at a value."""
    return [("declare", f"acc{k}"), ("start", f"acc{k}", value)]


def matrix(rows: int, columns: int, slot: int = 0) -> UOp:
    return buf(slot, rows * columns).reshape((rows, columns))


def divisions(body: Body) -> int:
    """How many / and % there are in what is computed."""
    return sum(len(re.findall(r"[/%]", s.text + s.value)) for s in statements(body))


# -- the examples ----------------------------------------------------------------------------------------------------
def view_chain() -> UOp:
    return matrix(3, 4).permute((1, 0)).shrink(((1, 3), (0, 3))) * buf(1, 3).reshape((1, 3)).expand((2, 3))


def row_sum() -> UOp:
    return matrix(3, 4).reduce(Ops.ADD, 1)


def sub_max(n: int = 3, m: int = 4) -> UOp:
    x = matrix(n, m)
    return x - x.reduce(Ops.MAX, 1).reshape((n, 1)).expand((n, m))


def neighbors() -> UOp:
    s = matrix(4, 5).reduce(Ops.ADD, 1)
    return s.shrink(((0, 3),)) + s.shrink(((1, 4),))


def gemm(n: int = 4) -> UOp:
    a = matrix(n, n).reshape((n, 1, n)).expand((n, n, n))
    b = matrix(n, n, 1).permute((1, 0)).reshape((1, n, n)).expand((n, n, n))
    return (a * b).reduce(Ops.ADD, 1)


def syllabus(n: int = 4) -> UOp:
    a = buf(0, n * n).reshape((n, n, 1)).expand((n, n, n))
    b = buf(1, n * n).reshape((n, 1, n)).expand((n, n, n))
    return (a * b).reduce(Ops.ADD, 1)


def max_beside(n: int, m: int) -> list[object]:
    """A row's maximum in a loop of its own, beside the loop over columns that subtracts it."""
    return [
        loop(
            "i0",
            n,
            *fresh(0, "-INFINITY"),
            loop("i2", m, load(0, f"{m}*i0 + i2"), ("update", "acc0")),
            loop("i1", m, load(0, f"{m}*i0 + i1"), store(1, f"{m}*i0 + i1")),
        )
    ]


OUTLINES: dict[str, tuple[Callable[[], UOp], list[object]]] = {
    "view chain": (
        view_chain,
        [loop("i0", 2, loop("i1", 3, load(0, "i0 + 4*i1 + 1"), load(1, "i1"), store(2, "3*i0 + i1")))],
    ),
    "row sum": (
        row_sum,
        [
            loop(
                "i0",
                3,
                *fresh(0, "0.0f"),
                loop("i1", 4, load(0, "4*i0 + i1"), ("update", "acc0")),
                store(1, "i0"),
            )
        ],
    ),
    "row minus its maximum": (sub_max, max_beside(3, 4)),
    "the same through a flat view": (
        lambda: sub_max(4, 4).reshape((16,)).reshape((4, 4)),
        max_beside(4, 4),
    ),
    "neighbours": (
        neighbors,
        [
            loop(
                "i0",
                3,
                *fresh(0, "0.0f"),
                *fresh(1, "0.0f"),
                loop("i1", 5, load(0, "5*i0 + i1"), ("update", "acc0"), load(0, "5*i0 + i1 + 5"), ("update", "acc1")),
                store(1, "i0"),
            )
        ],
    ),
    "matrix product": (
        gemm,
        [
            loop(
                "i0",
                4,
                loop(
                    "i1",
                    4,
                    *fresh(0, "0.0f"),
                    loop("i2", 4, load(0, "4*i0 + i2"), load(1, "4*i2 + i1"), ("update", "acc0")),
                    store(2, "4*i0 + i1"),
                ),
            )
        ],
    ),
    "the product that is none": (
        syllabus,
        [
            loop(
                "i0",
                4,
                loop(
                    "i1",
                    4,
                    *fresh(0, "0.0f"),
                    load(0, "4*i0 + i1"),
                    loop("i2", 4, load(1, "4*i0 + i2"), ("update", "acc0")),
                    store(2, "4*i0 + i1"),
                ),
            )
        ],
    ),
    "convolution": (
        lambda: conv1d(buf(0, 8), buf(1, 3)),
        [
            loop(
                "i0",
                6,
                *fresh(0, "0.0f"),
                load(0, "i0"),
                load(0, "i0 + 1"),
                load(0, "i0 + 2"),
                loop("i1", 3, load(1, "i1"), ("update", "acc0")),
                store(2, "i0"),
            )
        ],
    ),
    "transposed and flat": (
        lambda: matrix(3, 4).permute((1, 0)).reshape((12,)),
        [loop("i0", 12, load(0, "i0%3*4 + i0/3"), store(1, "i0"))],
    ),
    "a sum that no axis of the output needs": (
        lambda: matrix(3, 4).reshape((1, 3, 4)).expand((2, 3, 4)).reduce(Ops.ADD, 2),
        [
            loop(
                "i0",
                2,
                *fresh(0, "0.0f"),
                loop("i1", 3, loop("i2", 4, load(0, "4*i1 + i2"), ("update", "acc0"))),
                store(1, "i0"),
            )
        ],
    ),
}


@pytest.mark.parametrize("name", OUTLINES)
def test_what_the_loops_do(name: str) -> None:
    make, want = OUTLINES[name]
    assert outline(c_of(make())) == want


def test_an_update_combines_the_accumulator_with_the_value() -> None:
    def updates(root: UOp) -> list[str]:
        return [re.sub(r"\d+", "", s.value) for s in statements(c_of(root)) if s.kind == "update"]

    assert updates(row_sum()) == ["val+val"]
    assert updates(gemm()) == ["val+(val*val)"]
    assert updates(sub_max()) == ["max_f(val, val)"]
    assert updates(matrix(3, 4).reduce(Ops.MUL, 1)) == ["val*val"]


def test_where_accumulators_start() -> None:
    starts = {
        (Ops.ADD, dtypes.f32): "0.0f",
        (Ops.MUL, dtypes.f64): "1.0",
        (Ops.MAX, dtypes.f32): "-INFINITY",
        (Ops.MAX, dtypes.i32): "INT_MIN",
        (Ops.MAX, dtypes.u8): "0U",
        (Ops.ADD, dtypes.i64): "0LL",
        (Ops.MUL, dtypes.i8): "1",
    }
    for (op, d), value in starts.items():
        found = [s.text for s in statements(c_of(buf(0, 5, d).reduce(op, 1))) if s.kind == "start"]
        assert found == [value], f"{op.value} of {d}"


def test_a_row_offset_is_computed_once_a_row() -> None:
    """What an index owes to the outer loop stands before the inner ones, unless it is written in the index itself."""
    for root in (sub_max(), gemm()):
        (outer,) = c_of(root)
        assert isinstance(outer, Loop)
        inner_lets = [s for s in statements(outer.body) if s.kind == "let" and "ridx0*4" in s.text]
        direct = [s for s in outer.body if not isinstance(s, Loop) and s.kind == "let" and s.text == "ridx0*4"]
        assert inner_lets == direct
        assert len(direct) == 1


def test_padding_and_flipping_by_composites_stay_in_one_loop_with_safe_loads() -> None:
    (padded,) = c_of(pad_axis(buf(0, 3), 0, 1, 2))
    assert [s.kind for s in padded.body if s.kind in ("load", "store")] == ["load", "store"]
    assert padded.size == 6
    assert divisions([padded]) <= 4  # as many as the textbook's
    (flipped,) = c_of(flip_axis(buf(0, 3), 0))
    assert [kind for kind, *_ in outline(flipped.body)] == ["declare", "start", "for", "store"]
    assert divisions([flipped]) <= 4
    for body, n in ((padded, 3), (flipped, 3)):
        for s in statements([body]):
            if s.kind == "load":
                assert all(0 <= i < n for i in index_values(s.text, [body]))


def index_values(text: str, body: Body) -> list[int]:
    """An index at every point of its loops."""
    words = index_words(text, body)
    sizes = {f"i{k}": 12 for k in range(3)}
    for s in body:
        while isinstance(s, Loop):
            sizes[s.var.replace("ridx", "i")] = s.size
            s = next((x for x in s.body if isinstance(x, Loop)), None)  # type: ignore[assignment]
    code = compile(words, "index", "eval")
    used = [k for k in sizes if k in code.co_names]
    grid = np.indices([sizes[k] for k in used]).reshape(len(used), -1)
    return [int(eval(code, {}, dict(zip(used, map(int, point))))) for point in grid.T]


def test_a_primitive_pad_guards_its_read() -> None:
    body = c_of(buf(0, 3).pad(((1, 2),)))
    assert not [s for s in statements(body) if s.kind == "load"]  # nothing is read outside the guard
    (written,) = [s for s in statements(body) if s.kind == "store"]
    assert re.fullmatch(r"alu1\?data0\[ridx0-1\]:0\.0f", written.value)
    (guard,) = [s for s in statements(body) if s.kind == "let"]
    assert set(guard.text.split("&&")) == {"(0<ridx0)", "(ridx0<4)"}


def test_a_flip_by_slices_reads_each_slice_once_before_the_loop() -> None:
    assert outline(c_of(flip_stack(buf(0, 3), 0))) == [
        load(0, "2"),
        load(0, "1"),
        load(0, "0"),
        loop("i0", 3, store(1, "i0")),
    ]


def test_the_row_sum_survives_the_text_of_its_loops() -> None:
    first = compile_program(row_sum(), "f", plain=True)
    again = parse(dump(first.sink))
    assert again is first.sink
    second = compile_program(again, "f")
    assert second.source == first.source
    assert render_c(again, "f") in second.source
    assert not second.checks
    x = np.arange(12, dtype=np.float32)
    np.testing.assert_array_equal(evaluate(again, [x]), evaluate(row_sum(), [x]))


@pytest.mark.parametrize("name", OUTLINES)
def test_every_loop_program_is_its_own_text(name: str) -> None:
    program = compile_program(OUTLINES[name][0](), "f", plain=True).sink
    assert parse(dump(program)) is program


# -- exercises -------------------------------------------------------------------------------------------------------
RNG = np.random.default_rng(6)


def numbers(*shape: int) -> Array:
    return RNG.integers(-8, 9, shape).astype(np.float32)


def check(root: UOp, want: Array, *inputs: Array) -> None:
    np.testing.assert_array_equal(run_shaped(root, [i.reshape(-1) for i in inputs]), want)


def test_convolution_in_two_dimensions() -> None:
    x, w = numbers(6, 7), numbers(3, 2)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2))
    check(conv2d(matrix(6, 7), matrix(3, 2, 1)), (windows * w).sum((2, 3)), x, w)


def test_reversal_in_linear_and_quadratic_time() -> None:
    x = numbers(5)
    for flipped in (flip_stack(buf(0, 5), 0), flip_axis(buf(0, 5), 0), buf(0, 5).flip((0,))):
        check(flipped, x[::-1], x)


def test_max_pooling() -> None:
    x = numbers(4, 6)
    check(max_pool(matrix(4, 6)), x.reshape(2, 2, 3, 2).max((1, 3)), x)


def test_the_matrix_product_at_full_size() -> None:
    a, b = numbers(256, 256), numbers(256, 256)
    check(gemm(256), a @ b, a, b)  # small whole numbers: exact in any order
    a, b = numbers(16, 16), numbers(16, 16)
    check(matmul(matrix(16, 16), matrix(16, 16, 1)), a @ b, a, b)
    check(syllabus(16), a * b.sum(1, keepdims=True), a, b)


def test_padding_both_ways() -> None:
    x = numbers(3, 4)
    for pads in (((1, 5), (2, 0)), ((0, 0), (1, 1)), ((7, 7), (0, 9))):
        want = np.pad(x, pads)
        check(pad(matrix(3, 4), pads), want, x)
        check(matrix(3, 4).pad(pads), want, x)
    check(anti_eye(3, dtypes.f32), np.eye(3, dtype=np.float32)[::-1])


def test_a_permute_that_is_not_its_own_inverse() -> None:
    x = numbers(2, 3, 4)
    for order in ((1, 2, 0), (2, 0, 1), (0, 2, 1)):
        check(buf(0, 24).reshape((2, 3, 4)).permute(order), x.transpose(order), x)


def test_views_as_strides() -> None:
    from uopc.analysis.strides import as_strided

    x = matrix(3, 4)
    assert as_strided(x) == ((3, 4), (4, 1), 0)
    assert as_strided(x.permute((1, 0)).shrink(((1, 3), (0, 3)))) == ((2, 3), (1, 4), 1)
    assert as_strided(x.flip((1,))) == ((3, 4), (4, -1), 3)
    assert as_strided(x.permute((1, 0)).reshape((12,))) is None
    shape, strides, offset = as_strided(x.reshape((3, 1, 4)).expand((3, 5, 4))) or ((), (), 0)
    positions = np.lib.stride_tricks.as_strided(np.arange(12), shape, [8 * s for s in strides])
    np.testing.assert_array_equal(positions, np.broadcast_to(np.arange(12).reshape(3, 1, 4), (3, 5, 4)))
    assert offset == 0


def test_two_outputs_have_loops_of_their_own() -> None:
    x = matrix(3, 4)
    body = c_of(sink(x.reduce(Ops.ADD, 1), x * 2.0))
    assert [kind for kind, *_ in outline(body)] == ["for", "for"]
