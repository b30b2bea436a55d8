"""The text of index expressions: a table by hand, and random expressions that Python reads back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from uopc.analysis import expressions
from uopc.analysis.expressions import expression, index_text
from uopc.analysis.style import ASCII, MATH
from uopc.dtype import dtypes
from uopc.ops import Ops
from uopc.uop import UOp, alloc, range_

i_, j_, k_ = (range_(n, k) for k, n in enumerate((3, 4, 5)))
SIZES = (3, 4, 5)


def maximum(a: UOp, b: int) -> UOp:
    return a.alu(Ops.MAX, b)


def both(a: UOp, b: UOp) -> UOp:
    return a.alu(Ops.AND, b)


def no(a: UOp) -> UOp:
    return a.alu(Ops.NOT)


TABLE = [
    (i_, "i", "i"),
    (UOp.const(7), "7", "7"),
    (j_ * 4 + i_ + 1, "4*j + i + 1", "4·j + i + 1"),
    (i_ + j_ * 4 + 1, "4*j + i + 1", "4·j + i + 1"),
    ((i_ * 4 + j_) * 4 + k_, "16*i + 4*j + k", "16·i + 4·j + k"),
    (i_ + 3 + j_ - i_ - 3, "j", "j"),
    (i_ * 0, "0", "0"),
    (3 + i_ * -1, "3 - i", "3 - i"),
    (j_ + 12 - i_ * 4, "12 - 4*i + j", "12 - 4·i + j"),
    (j_ - i_ * 4, "j - 4*i", "j - 4·i"),
    (-i_, "-i", "-i"),
    (-(i_ // 3), "-(i // 3)", "-(i // 3)"),
    ((j_ * 4 + i_) // 3 % 2, "(4*j + i) // 3 % 2", "(4·j + i) // 3 % 2"),
    (j_ * 4 // 3, "4*j // 3", "4·j // 3"),
    ((j_ // 3) * 4, "4*(j // 3)", "4·(j // 3)"),
    (i_ // (j_ + 1), "i // (j + 1)", "i // (j + 1)"),
    ((i_ + 1) * (j_ + 2), "(i + 1)*(j + 2)", "(i + 1)·(j + 2)"),
    (i_ % 2 + i_ // 2, "i % 2 + i // 2", "i % 2 + i // 2"),
    (maximum(i_ - 1, 0), "max(i - 1, 0)", "max(i - 1, 0)"),
    (-maximum(-i_, -2), "min(i, 2)", "min(i, 2)"),
    (-maximum(-maximum(i_ - 1, 0), -2), "min(max(i - 1, 0), 2)", "min(max(i - 1, 0), 2)"),
    ((i_ < 1).where(i_, j_ + 2), "where(i < 1, i, j + 2)", "where(i < 1, i, j + 2)"),
    (alloc(0, 4, dtypes.i32).index(i_).load() + 1, "<alloc>[i] + 1", "<alloc>[i] + 1"),
    (i_ < 4, "i < 4", "i < 4"),
    (UOp.const(0) < i_, "1 <= i", "1 ≤ i"),
    (both(UOp.const(0) < i_, i_ < 4), "1 <= i < 4", "1 ≤ i < 4"),
    (both(i_ < 4, no(i_ < 1)), "1 <= i < 4", "1 ≤ i < 4"),
    (both(i_ - 2 < 2, UOp.const(0) < i_ + 1), "0 <= i < 4", "0 ≤ i < 4"),
    (both(UOp.const(0) < i_, i_ < 2), "i = 1", "i = 1"),
    (both(both(UOp.const(0) < i_, j_ < 3), i_ < 4), "1 <= i < 4 and j < 3", "1 ≤ i < 4 and j < 3"),
    (i_ < j_, "i < j", "i < j"),
    (no(i_ < j_), "j <= i", "j ≤ i"),
    (i_.alu(Ops.CMPNE, j_), "i != j", "i ≠ j"),
    (no(i_.alu(Ops.CMPNE, j_)), "i = j", "i = j"),
    (UOp.const(True, dtypes.bool), "true", "true"),
]


@pytest.mark.parametrize(("u", "ascii_text", "math_text"), TABLE, ids=[row[1] for row in TABLE])
def test_table(u: UOp, ascii_text: str, math_text: str) -> None:
    assert expression(u) == ascii_text
    assert expression(u, style=MATH) == math_text


def test_index_tuple_and_letters() -> None:
    loops = [range_(9, k) for k in range(8)]
    assert index_text(loops) == "[i, j, k, l, m, n, i6, i7]"
    assert index_text([]) == "[]"


def test_names_stop_at_what_they_name() -> None:
    value = i_ * 3 + 1
    assert expression(value * 2 + j_, lambda u: "%5" if u is value else {i_: "i", j_: "j"}.get(u), ASCII) == "2*%5 + j"


def test_an_expression_too_large_to_read_is_cut() -> None:
    u = i_
    for k in range(1000):
        u = (u * 3 + k).alu(Ops.XOR, j_)
    assert expression(u) == "..."
    assert expression(u, style=MATH) == "…"
    shared = i_ + 1
    for _ in range(60):  # its text without sharing would have 2**60 parts
        shared = shared.alu(Ops.XOR, shared % 7)
    assert len(expression(shared)) < 500


BINARY: list[Callable[[UOp, UOp], UOp]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a.alu(Ops.MAX, b),
    lambda a, b: -((-a).alu(Ops.MAX, -b)),
    lambda a, b: a // 3 + b % 5,
    lambda a, b: (a % 4) // 2 - b,
    lambda a, b: (a < b).where(a, b * 2),
    lambda a, b: both(no(a < 1), a < 4).where(b, a),
]


def meaning(u: UOp, point: dict[UOp, int]) -> int:
    """A node's value, straight from what its operations mean."""
    values: dict[UOp, int] = dict(point)
    for x in u.toposort():
        s = [values[v] for v in x.src]
        match x.op:
            case Ops.CONST:
                values[x] = int(x.arg)
            case Ops.ADD:
                values[x] = s[0] + s[1]
            case Ops.MUL:
                values[x] = s[0] * s[1]
            case Ops.MAX:
                values[x] = max(s)
            case Ops.FLOORDIV:
                values[x] = s[0] // s[1]
            case Ops.FLOORMOD:
                values[x] = s[0] % s[1]
            case Ops.CMPLT:
                values[x] = int(s[0] < s[1])
            case Ops.AND:
                values[x] = s[0] & s[1]
            case Ops.NOT:
                values[x] = 1 - s[0]
            case Ops.WHERE:
                values[x] = s[1] if s[0] else s[2]
    return values[u]


@pytest.mark.parametrize("seed", range(60))
def test_the_text_means_the_expression(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "MAX_LENGTH", 1 << 20)
    rng = np.random.default_rng(seed)
    pool = [i_, j_, k_, UOp.const(int(rng.integers(-6, 7))), UOp.const(12)]
    for _ in range(5):
        make = BINARY[rng.integers(len(BINARY))]
        pool.append(make(pool[rng.integers(len(pool))], pool[rng.integers(len(pool))]))
    text = expression(pool[-1])
    code = compile(text, text, "eval")
    for i, j, k in product(*map(range, SIZES)):
        names = {"i": i, "j": j, "k": k, "max": max, "min": min, "where": lambda c, a, b: a if c else b}
        assert eval(code, {}, names) == meaning(pool[-1], {i_: i, j_: j, k_: k}), text
