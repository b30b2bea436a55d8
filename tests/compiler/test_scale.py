"""Deep and wide programs: no recursion anywhere, and twice the program takes about twice the time in every pass.

Times are CPU times of this process, compared with each other and never with a clock: other people may be using the
machine. One quiet measurement out of a few suffices.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from test_cases import SCALE

from uopc.dtype import dtypes
from uopc.evaluate import evaluate
from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.rangeify import Ctx, lower
from uopc.render import render_c
from uopc.runtime import run_shaped
from uopc.symbolic import simplify
from uopc.uir import analyze, dump, parse
from uopc.uop import UOp, buf, stack

DEEP = 100_000
MOST = 2.6  # times the time for twice the program


@pytest.fixture(autouse=True)
def a_low_recursion_limit() -> Iterator[None]:
    """Recursion over a graph would be seen long before 100,000 nodes."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(600)
    yield
    sys.setrecursionlimit(before)


def chain(n: int) -> UOp:
    """x + 1 + x + 2 ...: adds that do not become one."""
    x = buf(0, 3)
    y: UOp = x
    for k in range(n // 2):
        y = y + float(k % 7) + x
    return y


def chain_text(n: int) -> str:
    lines = ["%x = buffer 3 : dtype=f32 slot=0", "%v0 = add %x, 1.0"]
    lines += [f"%v{k} = add %v{k - 1}, {'%x' if k % 2 else k % 7}" for k in range(1, n)]
    return "\n".join(lines) + "\n"


def wide(n: int) -> UOp:
    """n products of windows of one buffer, in a balanced sum."""
    x = buf(0, n + 4)
    parts = [x.shrink(((k, k + 4),)) * float(k % 5 + 1) for k in range(n)]
    while len(parts) > 1:
        parts = [parts[k] + parts[k + 1] if k + 1 < len(parts) else parts[k] for k in range(0, len(parts), 2)]
    return parts[0]


def stacked(n: int) -> UOp:
    x = buf(0, 4, dtypes.i32)
    return stack(*(x + k for k in range(n))).reduce(Ops.MAX, 1)


def views(n: int) -> UOp:
    """Movement operations on each other."""
    u = buf(0, 24).reshape((2, 3, 4))
    for k in range(n):
        u = u.permute((2, 0, 1)).flip((k % 3,)).reshape((24,)).reshape((2, 3, 4))
    return u


def reductions(n: int) -> UOp:
    """n reductions beside each other. (Each of the one before would be n**2 loop bodies, were none staged.)"""
    x = buf(0, 12).reshape((3, 4))
    total = x.reduce(Ops.ADD, 1)
    for k in range(n):
        total = total + (x * float(k)).reduce(Ops.MAX, 1)
    return total


@pytest.mark.slow
def test_a_chain_of_100_000_adds_from_text_to_c() -> None:
    analysis = analyze(chain_text(DEEP))
    assert not analysis.has_errors and analysis.root is not None
    assert len(analysis.root.toposort()) > DEEP
    program = lower(analysis.root, buf(1, 3))
    source = render_c(program, "deep")
    assert source.count("data1[") == 1
    compiled = compile_program(analysis.root, "deep", plain=True)
    assert len(compiled.line_origins) == compiled.source.count("\n")
    assert max(map(len, source.split("\n"))) < 1000  # in statements, not in one expression


def test_a_chain_that_is_built_and_run() -> None:
    x = np.array([1, -2, 0.5], np.float32)
    u = chain(10_000)
    np.testing.assert_array_equal(run_shaped(u, [x]), evaluate(u, [x]))


@pytest.mark.slow
def test_a_deep_chain_survives_its_own_text() -> None:
    u = chain(DEEP)
    assert parse(dump(u)) is u


def test_a_long_chain_of_views() -> None:
    """Every step adds a quotient and a remainder to the index, each inside the one before."""
    u = views(500)
    x = np.arange(24, dtype=np.float32)
    want = x.reshape(2, 3, 4)
    for k in range(500):
        want = np.flip(want.transpose(2, 0, 1), k % 3).reshape(2, 3, 4)
    np.testing.assert_array_equal(run_shaped(u, [x]), want)


@pytest.mark.slow
def test_a_deep_graph_is_forgotten_without_recursion() -> None:
    u = chain(DEEP)
    simplify(lower(u, buf(1, 3), Ctx()))
    del u
    gc.collect()


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def grows_linearly(work: Callable[[int], Callable[[], object]], n: int) -> None:
    """work(n) prepares and returns what is timed."""
    ratios = []
    for _ in range(4):
        small = min(seconds(work(n)) for _ in range(2))
        large = min(seconds(work(2 * n)) for _ in range(2))
        ratios.append(large / small)
        if ratios[-1] <= MOST:
            return
    pytest.fail(f"{min(ratios):.2f} times the time for twice the program")


PASSES: dict[str, Callable[[UOp], object]] = {
    "lower": lambda u: lower(u, buf(9, int(np.prod(u.shape)), u.dtype)),
    "plain C": lambda u: compile_program(u, "f", plain=True),
    "fast C": lambda u: compile_program(u, "f"),
}
GRAPHS: dict[str, tuple[Callable[[int], UOp], int]] = {
    "chain": (chain, 1500),
    "wide": (wide, 250),
    "stacked": (stacked, 150),
    "views": (views, 60),
    "reductions": (reductions, 40),
}


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("name", PASSES)
def test_twice_the_graph_takes_about_twice_the_time(name: str, graph: str) -> None:
    make, n = GRAPHS[graph]
    fresh = [0]

    def prepared(size: int) -> Callable[[], object]:
        fresh[0] += 1  # an operation more, so that no node of an earlier run is found again
        u = make(size + fresh[0])
        return lambda: PASSES[name](u)

    grows_linearly(prepared, n)


def test_text_is_analysed_in_linear_time() -> None:
    def prepared(n: int) -> Callable[[], object]:
        text = chain_text(n)
        return lambda: analyze(text)

    grows_linearly(prepared, 3000)


@pytest.mark.parametrize(
    "case", [c for c in SCALE if isinstance((c.__defaults__ or ("",))[0], int)], ids=lambda c: c.__name__
)
def test_the_cases_grow_linearly(case: Callable[..., tuple[str, list[np.ndarray], np.ndarray, str]]) -> None:
    """Each at half and a quarter of its size, from text to plain C."""
    (size,) = case.__defaults__ or (0,)
    n = min(size // 4, 2000)

    def prepared(k: int) -> Callable[[], object]:
        text = case(k)[0]
        return lambda: compile_program(parse(text), "f", plain=True)

    grows_linearly(prepared, n)
