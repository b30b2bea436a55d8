"""What `run` executes, beside NumPy in one process: `python tests/bench/kernels.py [--threads N] [NAME...]`.

Without --threads there is a table for one thread and one for two, each from a process of its own.

Both work on the same arrays in turns, in slices of about 20 ms. A ratio is NumPy's time over ours in neighbouring
slices, and the table has their medians: against NumPy writing into memory that is there (out=), and against the plain
expression, which also pays for its temporaries. Where a row has a target, its ratios are held against it. On one thread
time is the processor's, so that other work on the machine counts for little, and pairs in which the process was pushed
aside give way to others. On several it is the clock on the wall, and between two slices both libraries' threads, which
wait for more work for a while, come to rest. With tinygrad installed (DEV=CPU) its time over ours
stands beside them for the reductions: of the captured kernels (TinyJit), by the clock, the best of a few slices.
Results are checked before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any, NamedTuple


def _threads() -> int:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--threads", type=int, default=1)
    return int(parser.parse_known_args()[0].threads)


# Both libraries read these when they are loaded.
os.environ.update(OPENBLAS_NUM_THREADS=str(_threads()), OMP_NUM_THREADS=str(_threads()), OMP_PROC_BIND="true")
os.environ.update(DEV="CPU", NUM_CPU_THREADS=str(_threads()))  # tinygrad's
sys.path.insert(0, str(Path(__file__).parents[1] / "compiler"))

import numpy as np  # noqa: E402
from transformer import product, softmax, spread  # noqa: E402

from uopc.composite import conv2d  # noqa: E402
from uopc.nptypes import Array  # noqa: E402
from uopc.ops import Ops  # noqa: E402
from uopc.runtime import build  # noqa: E402
from uopc.uop import UOp, buf  # noqa: E402

SLICE = 0.02  # seconds
REST = 0.12  # seconds: OpenBLAS lets a thread wait busily for 2**28 ticks of the clock
PUSHED_ASIDE = 0.9  # share of a slice that the process must have had


class Case(NamedTuple):
    """root: our program; into: NumPy writing into `out`; plain: NumPy as one would write it; work: operations."""

    root: UOp
    inputs: list[Array]
    out: Array
    into: Callable[[], Any]
    plain: Callable[[], Any]
    work: int = 0


_rng = np.random.default_rng(0)


def arrays(*shapes: tuple[int, ...]) -> list[Array]:
    """Standard normal inputs."""
    return [_rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def value(slot: int, *shape: int) -> UOp:
    """Input number `slot` as a value of that shape."""
    return buf(slot, prod(shape)).reshape(shape)


def matmul(m: int, n: int, k: int, a_turned: bool = False, b_turned: bool = False) -> Case:
    """A product; an operand that is `turned` lies in memory transposed."""
    a, b = arrays((k, m) if a_turned else (m, k), (n, k) if b_turned else (k, n))
    left = value(0, k, m).permute((1, 0)) if a_turned else value(0, m, k)
    right = value(1, n, k) if b_turned else value(1, k, n).permute((1, 0))
    x, y, out = (a.T if a_turned else a), (b.T if b_turned else b), np.empty((m, n), np.float32)
    return Case(product(left, right), [a, b], out, lambda: np.matmul(x, y, out=out), lambda: x @ y, 2 * m * n * k)


def softmax_rows(n: int, m: int) -> Case:
    """Softmax along rows."""
    (x,), out = arrays((n, m)), np.empty((n, m), np.float32)

    def into() -> None:
        np.subtract(x, x.max(1, keepdims=True), out=out)
        np.exp(out, out=out)
        np.divide(out, out.sum(1, keepdims=True), out=out)

    def plain() -> Array:
        e = np.exp(x - x.max(1, keepdims=True))
        return np.asarray(e / e.sum(1, keepdims=True))

    return Case(softmax(value(0, n, m)), [x], out, into, plain)


def layer_norm(n: int, m: int) -> Case:
    """Rows shifted and scaled, then a learned scale and shift."""
    x, w, b = arrays((n, m), (m,), (m,))
    out, v = np.empty((n, m), np.float32), value(0, n, m)
    d = v - spread(v.reduce(Ops.ADD, 1) * (1 / m), v.shape)
    scale = UOp(Ops.RECIP, (UOp(Ops.SQRT, ((d * d).reduce(Ops.ADD, 1) * (1 / m) + 1e-5,)),))
    row, shift = (buf(slot, m).reshape((1, m)).expand((n, m)) for slot in (1, 2))

    def into() -> None:
        np.subtract(x, x.mean(1, keepdims=True), out=out)
        variance = np.einsum("ij,ij->i", out, out)[:, None] / np.float32(m)
        np.multiply(out, 1 / np.sqrt(variance + np.float32(1e-5)), out=out)
        np.multiply(out, w, out=out)
        np.add(out, b, out=out)

    def plain() -> Array:
        mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
        return np.asarray((x - mean) / np.sqrt(variance + np.float32(1e-5)) * w + b)

    return Case(d * spread(scale, v.shape) * row + shift, [x, w, b], out, into, plain)


def attention(n: int, d: int) -> Case:
    """softmax(q k^T / sqrt(d)) v, one head."""
    q, k, v = arrays((n, d), (n, d), (n, d))
    out, scores, factor = np.empty((n, d), np.float32), np.empty((n, n), np.float32), np.float32(d**-0.5)
    p = softmax(product(value(0, n, d), value(1, n, d)) * float(factor))

    def into() -> None:
        np.matmul(q, k.T, out=scores)
        np.multiply(scores, factor, out=scores)
        np.subtract(scores, scores.max(1, keepdims=True), out=scores)
        np.exp(scores, out=scores)
        np.divide(scores, scores.sum(1, keepdims=True), out=scores)
        np.matmul(scores, v, out=out)

    def plain() -> Array:
        s = q @ k.T * factor
        e = np.exp(s - s.max(1, keepdims=True))
        return np.asarray((e / e.sum(1, keepdims=True)) @ v)

    return Case(product(p, value(2, n, d).permute((1, 0))), [q, k, v], out, into, plain, 4 * n * n * d)


def sums(n: int, axis: int) -> Case:
    """Sums of the rows (axis 1) or columns (axis 0) of a square."""
    (x,), out, v = arrays((n, n)), np.empty(n, np.float32), value(0, n, n)
    root = (v if axis else v.permute((1, 0))).reduce(Ops.ADD, 1)
    return Case(root, [x], out, lambda: np.sum(x, axis, out=out), lambda: x.sum(axis), n * n)


def transpose(n: int) -> Case:
    """A transposed copy."""
    (x,), out = arrays((n, n)), np.empty((n, n), np.float32)
    return Case(value(0, n, n).permute((1, 0)), [x], out, lambda: np.copyto(out, x.T), lambda: x.T.copy(), n * n)


def elementwise(n: int) -> Case:
    """(a * b + c) * d."""
    a, b, c, d = arrays(*[(n,)] * 4)
    out = np.empty(n, np.float32)

    def into() -> None:
        np.multiply(a, b, out=out)
        np.add(out, c, out=out)
        np.multiply(out, d, out=out)

    root = (buf(0, n) * buf(1, n) + buf(2, n)) * buf(3, n)
    return Case(root, [a, b, c, d], out, into, lambda: (a * b + c) * d, n)


def convolution(channels: int, size: int) -> Case:
    """A 3 x 3 filter without padding; NumPy's plain one builds the matrix of windows, the other has it already."""
    x, w = arrays((channels, size + 2, size + 2), (channels, channels, 3, 3))
    out = np.empty((channels, size * size), np.float32)
    flat = w.reshape(channels, -1)

    def windows() -> Array:
        view = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))  # type: ignore[call-overload]
        return np.asarray(view.transpose(0, 3, 4, 1, 2).reshape(channels * 9, size * size))

    ready = np.ascontiguousarray(windows())
    root = conv2d(value(0, channels, size + 2, size + 2), value(1, channels, channels, 3, 3))
    work = 2 * channels * channels * 9 * size * size
    return Case(root, [x, w], out, lambda: np.matmul(flat, ready, out=out), lambda: flat @ windows(), work)


CASES: dict[str, Callable[[], Case]] = {
    **{f"gemm {n}": (lambda n=n: matmul(n, n, n)) for n in (64, 128, 256, 512, 1000, 1024, 2048)},  # type: ignore[misc]
    "gemm 777x555x333": lambda: matmul(777, 555, 333),
    "gemm 500x300x700": lambda: matmul(500, 300, 700),
    "gemm 32x1024x1024": lambda: matmul(32, 1024, 1024),
    "gemm 512 B turned": lambda: matmul(512, 512, 512, b_turned=True),
    "gemm 1024 B turned": lambda: matmul(1024, 1024, 1024, b_turned=True),
    "gemm 2048 B turned": lambda: matmul(2048, 2048, 2048, b_turned=True),
    "gemm 512 A turned": lambda: matmul(512, 512, 512, a_turned=True),
    "gemm 1024 A turned": lambda: matmul(1024, 1024, 1024, a_turned=True),
    "gemm 2048 A turned": lambda: matmul(2048, 2048, 2048, a_turned=True),
    "matrix x vector": lambda: matmul(2048, 1, 2048),
    "vector x matrix": lambda: matmul(1, 2048, 2048),
    "convolution 3x3": lambda: convolution(64, 56),
    "attention 512": lambda: attention(512, 64),
    "attention 2048": lambda: attention(2048, 64),
    "softmax": lambda: softmax_rows(4096, 1024),
    "layer norm": lambda: layer_norm(4096, 1024),
    "row sum": lambda: sums(4096, 1),
    "column sum": lambda: sums(4096, 0),
    "transpose": lambda: transpose(4096),
    "elementwise 16M": lambda: elementwise(1 << 24),
}


# What the ratios should at least be on one thread: (in place, plain).
TARGETS: dict[str, tuple[float | None, float | None]] = {
    "gemm": (1.03, 1.03),
    "matrix x vector": (1.0, 1.0),
    "vector x matrix": (1.0, 1.0),
    "convolution 3x3": (None, 1.3),
    "attention 512": (1.45, 3.5),
    "attention 2048": (1.7, 2.5),
    "softmax": (3.5, 6.5),
    "layer norm": (None, 5.0),
    "row sum": (None, 1.5),
    "column sum": (None, 1.6),
    "transpose": (None, 10.0),
    "elementwise 16M": (None, 1.7),
}


def target(name: str) -> tuple[float | None, float | None]:
    """The target of a row."""
    if name.endswith("A turned"):
        return 1.0, 1.0
    return next((t for n, t in TARGETS.items() if name.startswith(n)), (None, None))


def verdict(name: str, ratios: tuple[float, float]) -> str:
    """The target in words, and whether the row meets it."""
    wanted = target(name)
    text = " ".join(f"{'-' if t is None else f'{t:.2f}':>6s}" for t in wanted)
    if wanted == (None, None):
        return text
    return f"{text}  {'met' if all(t is None or r >= t for r, t in zip(ratios, wanted)) else 'NOT MET'}"


def one_slice(run: Callable[[], object], threads: int) -> tuple[float, bool]:
    """Seconds of one run, as the mean of a slice; and whether the process had the processor nearly all the time."""
    if threads > 1:
        time.sleep(REST)
        run()  # and its own threads are awake
    count, began, processor = 0, time.perf_counter(), time.process_time()
    while not count or time.perf_counter() - began < SLICE:
        run()
        count += 1
    wall, used = time.perf_counter() - began, time.process_time() - processor
    return (wall if threads > 1 else used) / count, used > PUSHED_ASIDE * wall


def paired(ours: Callable[[], object], theirs: Callable[[], object], threads: int, count: int) -> tuple[float, float]:
    """(median ratio, our best time) over `count` pairs of neighbouring slices, undisturbed ones as far as there are."""
    found: list[tuple[bool, float, float]] = []
    for _ in range(2 * count):
        (a, quiet), (b, calm) = one_slice(ours, threads), one_slice(theirs, threads)
        found.append((not (quiet and calm), b / a, a))
        if sum(not disturbed for disturbed, _, _ in found) == count:
            break
    chosen = sorted(found)[:count]
    return sorted(r for _, r, _ in chosen)[len(chosen) // 2], min(t for _, _, t in chosen)


def measure(name: str, threads: int, count: int) -> str:
    """One row of the table."""
    case = CASES[name]()
    program = build(case.root, threads=threads)
    got, want = np.asarray(program(*case.inputs)).reshape(case.out.shape), np.asarray(case.plain())
    np.testing.assert_allclose(got, want.reshape(got.shape), rtol=2e-3, atol=2e-3 * float(np.abs(want).max()))
    ours = program.prepared(*case.inputs)
    ratio, best = paired(ours, case.into, threads, count)
    plain, _ = paired(ours, case.plain, threads, count)
    rate = f"{case.work / best / 1e9:7.1f}" if case.work else " " * 7
    row = f"{name:20s} {best * 1e3:9.3f} {rate} {ratio:8.2f} {plain:8.2f} {tinygrad(name, best, threads):>9s}"
    return f"{row}   {verdict(name, (ratio, plain))}" if threads == 1 else row


def tinygrad(name: str, ours: float, threads: int) -> str:
    """tinygrad's time over ours, when it is installed and has the row: the captured kernels alone (TinyJit), on as many
    threads."""
    try:
        from tinygrad import Device, Tensor, TinyJit  # type: ignore[import-not-found]
    except ImportError:
        return "-"
    if name not in THEIRS:
        return "-"
    shapes, formula = THEIRS[name]
    inputs = [Tensor.randn(*shape).realize() for shape in shapes]
    captured = TinyJit(lambda *given: formula(*given).realize())

    def run() -> None:
        captured(*inputs)
        Device[Device.DEFAULT].synchronize()

    for _ in range(3):  # the third call is the first that runs what was captured
        run()
    times = [one_slice(run, 2)[0] for _ in range(7)]  # its threads' time is not the process's own: by the clock
    return f"{min(times) / ours:.1f}"


_Shapes = list[tuple[int, ...]]


def _their_layer_norm(x: Any, w: Any, b: Any) -> Any:
    d = x - x.mean(1, keepdim=True)
    return d * ((d * d).mean(1, keepdim=True) + 1e-5).rsqrt() * w + b


# The reductions, as tinygrad's tensors: shapes of the inputs, and the formula.
THEIRS: dict[str, tuple[_Shapes, Callable[..., Any]]] = {
    **{f"gemm {n}": ([(n, n), (n, n)], lambda a, b: a @ b) for n in (64, 128, 256, 512, 1000, 1024)},
    "gemm 777x555x333": ([(777, 333), (333, 555)], lambda a, b: a @ b),
    "gemm 32x1024x1024": ([(32, 1024), (1024, 1024)], lambda a, b: a @ b),
    "matrix x vector": ([(2048, 2048), (2048, 1)], lambda a, b: a @ b),
    "vector x matrix": ([(1, 2048), (2048, 2048)], lambda a, b: a @ b),
    "convolution 3x3": ([(1, 64, 58, 58), (64, 64, 3, 3)], lambda x, w: x.conv2d(w)),
    "attention 512": ([(512, 64)] * 3, lambda q, k, v: ((q @ k.T) * 64**-0.5).softmax(1) @ v),
    "softmax": ([(4096, 1024)], lambda x: x.softmax(1)),
    "layer norm": ([(4096, 1024), (1024,), (1024,)], _their_layer_norm),
    "row sum": ([(4096, 4096)], lambda x: x.sum(1)),
    "column sum": ([(4096, 4096)], lambda x: x.sum(0)),
}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="rows whose name begins so (default: all)")
    parser.add_argument("--threads", type=int, help="threads of both (default: a table for 1 and one for 2)")
    parser.add_argument("--pairs", type=int, default=7, help="pairs of slices a row")
    args = parser.parse_args()
    if args.threads is None:
        for threads in ("1", "2"):
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--threads", threads], check=True)
        return
    print(f"{args.threads} thread{'s' * (args.threads > 1)} each; ratios: their time / ours")
    head = f"{'':20s} {'ms':>9s} {'G/s':>7s} {'in place':>8s} {'plain':>8s} {'tinygrad':>9s}"
    print(f"{head}   {'targets':>13s}" if args.threads == 1 else head)
    for name in CASES:
        if not args.names or any(name.startswith(n) for n in args.names):
            print(measure(name, args.threads, args.pairs), flush=True)


if __name__ == "__main__":
    main()
