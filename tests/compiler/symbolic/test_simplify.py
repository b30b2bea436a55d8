"""The simplifier as a whole on random expressions, against exact arithmetic; and what it costs."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from scalars import Expressions, columns, load, points, unknowns

from uopc.dtype import dtypes
from uopc.ops import Ops
from uopc.symbolic import bounds, simplify
from uopc.uop import UOp, buf, range_

BATCH = 400


def forget(u: UOp) -> None:
    """Everything that was remembered about a graph."""
    for n in u.toposort():
        n._cache = None


def scalars_in(u: UOp) -> list[UOp]:
    return [n for n in u.toposort() if n.op not in (Ops.BUFFER, Ops.INDEX)]


# -- right values --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("first", range(0, 2400, BATCH))
def test_random_expressions_keep_their_values_and_their_bounds_hold(first: int) -> None:
    for seed in range(first, first + BATCH):
        u = Expressions(seed).expression()
        nodes = scalars_in(u)
        found = columns([u, *map(simplify, nodes)], points(unknowns(u), most=200, seed=seed))
        for n in nodes:
            want, got = list(found[n]), simplify(n)
            assert list(found[got]) == want, f"seed {seed}: {n!r}"
            for x in (n, got):
                lo, hi = bounds(x)
                assert lo <= min(want) and max(want) <= hi, f"seed {seed}: bounds of {x!r}"


@pytest.mark.parametrize("first", range(50_000, 51_600, BATCH))
def test_what_is_simplified_is_as_simple_as_it_gets(first: int) -> None:
    for seed in range(first, first + BATCH):
        once = simplify(Expressions(seed).expression())
        assert simplify(once) is once
        forget(once)  # nothing says any more that it has been simplified
        assert simplify(once) is once, f"seed {seed}"


def test_a_simplified_expression_has_no_more_divisions_than_before() -> None:
    divisions = (Ops.FLOORDIV, Ops.FLOORMOD)
    for seed in range(1200):
        u = Expressions(seed).expression()
        before = sum(n.op in divisions for n in u.toposort())
        after = sum(n.op in divisions for n in simplify(u).toposort())
        assert after <= before, f"seed {seed}"


def test_the_index_of_memory_keeps_its_value() -> None:
    """A cast that changes the number is part of the address; one that does not is dropped."""
    x = load(0, dtypes.u8)
    memory = buf(1, 256)
    assert simplify(memory.index(x.cast(dtypes.i8))).src[1].dtype is dtypes.i8  # 200 becomes -56
    for i in (x.cast(dtypes.i32), (x % 100).cast(dtypes.i8), (x % 100).cast(dtypes.i64).cast(dtypes.i8)):
        assert simplify(memory.index(i)).src[1].dtype is dtypes.u8


# -- what must come out --------------------------------------------------------------------------------------------
def test_expressions_with_one_simplest_form() -> None:
    i, j, k = range_(5, 0), range_(7, 1), range_(3, 2)
    anything = load(0, dtypes.i32)
    rows: list[tuple[UOp, UOp]] = [
        ((i * 7 + j) // 7, i),
        ((i * 7 + j) % 7, j),
        ((i * 21 + j * 3 + k) // 3 % 7, j),
        (((i * 7 + j) * 3 + k) // 21 % 5, i),
        ((i * 7 + j) // 7 * 7 + (i * 7 + j) % 7, i * 7 + j),
        (anything // 6 * 6 + anything % 6, anything),
        (anything % 6 % 3, anything % 3),
        ((i * 4 + 2) // 4, i),
        ((i * 4 + -1) // 4, i + -1),
        ((i * 4 + 6) % 4, UOp.const(2)),
        (j // 9, UOp.const(0)),
        (j * 0, UOp.const(0)),
        (anything + -1 * anything, UOp.const(0)),
        ((i < 5).where(anything, j), anything),
    ]
    for u, want in rows:
        assert simplify(u) is simplify(want), f"{u!r}"


def test_floats_keep_their_bits() -> None:
    x = load(0, dtypes.f32)
    zero = UOp.const(0.0, dtypes.f32)
    for u in (x * 0.0, x + 0.0, x + -1.0 * x, x * x.alu(Ops.RECIP), (x < x).where(x, zero), zero.alu(Ops.MAX, x)):
        assert simplify(u) is u
    assert simplify(x + -0.0) is x
    assert simplify(x * 1.0) is x
    assert simplify(x.alu(Ops.CMPNE, x)).op is Ops.CMPNE


# -- cost ----------------------------------------------------------------------------------------------------------
def best(work: Callable[[], UOp], repeats: int = 5) -> float:
    """Seconds of the fastest of several runs, each on a graph of which nothing is known."""
    times = []
    for _ in range(repeats):
        u = work()
        forget(u)
        start = time.perf_counter()
        simplify(u)
        times.append(time.perf_counter() - start)
    return min(times)


def tied(n: int, op: Ops = Ops.FLOORMOD) -> UOp:
    """(4*v0 + ... + 4*vn + 1) % 8: two choices for every term, if one is made."""
    total = UOp.const(1)
    for k in range(n):
        total = total + range_(6, k) * 4
    return total.alu(op, 8)


def maxima(n: int) -> UOp:
    x = load(0, dtypes.i32)
    y = x
    for k in range(n):
        y = (y + x).alu(Ops.MAX, -(k + 1) * 1000)
    return y


def doublings(n: int) -> UOp:
    x = load(0, dtypes.f32)
    for _ in range(n):
        x = x + x
    return x


def digits(n: int) -> UOp:
    """A number split into digits and put together again, n times."""
    i = range_(4096, 0)
    for k in range(n):
        i = (i // 8 + i % 8 * 512 + k) % 4096
    return i


def long_sum(n: int) -> UOp:
    total = UOp.const(0)
    for k in range(n):
        total = total + range_(3, k % 50) * (k + 1) % (k % 5 + 3)
    return total


def choices(n: int) -> UOp:
    i = range_(1 << 20, 0)
    u = i
    for k in range(n):
        u = (i // 3 < k).where(u + k, u)
    return u


def test_no_search_over_tied_terms() -> None:
    for op in (Ops.FLOORMOD, Ops.FLOORDIV):
        assert best(lambda op=op: tied(16, op)) < 0.05
        u = tied(6, op)
        found = columns([u, simplify(u)], points(unknowns(u)))
        assert list(found[u]) == list(found[simplify(u)])


def test_shared_nodes_stay_shared() -> None:
    assert sum(n.op is Ops.ADD for n in simplify(doublings(60)).toposort()) == 60


@pytest.mark.parametrize(
    ("work", "n"),
    [(maxima, 400), (doublings, 1500), (long_sum, 150), (choices, 150), (tied, 64)],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_twice_the_graph_takes_twice_the_time(work: Callable[[int], UOp], n: int) -> None:
    ratios = []
    for _ in range(4):  # the machine may be busy: one quiet measurement suffices
        ratios.append(best(lambda: work(2 * n), 3) / best(lambda: work(n), 3))
        if ratios[-1] < 2.6:
            return
    pytest.fail(f"{min(ratios):.2f} times the time for twice the graph")


def test_digits_are_taken_apart_in_reasonable_time() -> None:
    assert best(lambda: digits(40), 3) < 1.0
