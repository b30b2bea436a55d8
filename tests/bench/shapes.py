"""What a run executes beside NumPy, on shapes and programs that are in no list of targets.

The rows are measured as `kernels.py` measures its own. NumPy is written as one would: `einsum(optimize=True)` for sums
of products with letters, its own functions for the rest.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

import kernels
import numpy as np
from kernels import Case

from uopc.broadcast import broadcast_to
from uopc.composite import matmul, max_pool
from uopc.dtype import DType, dtypes
from uopc.nptypes import Array, np_dtype
from uopc.ops import Ops
from uopc.uop import UOp, buf, stack

_rng = np.random.default_rng(1)


def array(dtype: DType, *shape: int) -> Array:
    """An input: standard normal, or small whole numbers."""
    drawn = _rng.standard_normal(shape) if dtype.is_float else _rng.integers(-8, 9, shape)
    return np.asarray(drawn.astype(np_dtype(dtype)))


def case(root: Callable[..., UOp], plain: Callable[..., Any], *inputs: Array, work: int = 0) -> Case:
    """A program of the inputs as values, beside a NumPy function of the inputs."""
    kinds = {np_dtype(d): d for d in (dtypes.f32, dtypes.f64, dtypes.i32)}
    values = [buf(k, a.size, kinds[a.dtype]).reshape(a.shape) for k, a in enumerate(inputs)]

    def run() -> Any:
        return plain(*inputs)

    return Case(root(*values), list(inputs), np.asarray(run()), run, run, work)


def contract(letters: str, *values: UOp) -> UOp:
    """What `numpy.einsum` computes for letters such as "ij,jk->ik"."""
    left, result = letters.split("->")
    names = left.split(",")
    size = {c: n for name, v in zip(names, values) for c, n in zip(name, v.shape)}
    order = result + "".join(sorted(set(left) - {","} - set(result)))
    shape = tuple(size[c] for c in order)
    factors = []
    for name, v in zip(names, values):
        there = "".join(c for c in order if c in name)
        moved = v.permute(tuple(name.index(c) for c in there))
        factors.append(moved.reshape(tuple(size[c] if c in name else 1 for c in order)).expand(shape))
    body = factors[0]
    for f in factors[1:]:
        body = body * f
    return body.reduce(Ops.ADD, len(order) - len(result)) if len(order) > len(result) else body


def einsum(letters: str, *shapes: tuple[int, ...]) -> Case:
    """A sum of products."""
    names = letters.split("->")[0].split(",")
    size = {c: n for name, shape in zip(names, shapes) for c, n in zip(name, shape)}
    inputs = [array(dtypes.f32, *shape) for shape in shapes]
    return case(
        lambda *v: contract(letters, *v),
        lambda *a: np.einsum(letters, *a, optimize=True),
        *inputs,
        work=len(inputs) * math.prod(size.values()),
    )


def product(m: int, n: int, k: int, dtype: DType = dtypes.f32, turned: str = "") -> Case:
    """A matrix product; the operands named in `turned` lie in memory transposed."""
    a = array(dtype, k, m) if "A" in turned else array(dtype, m, k)
    b = array(dtype, n, k) if "B" in turned else array(dtype, k, n)

    def program(x: UOp, y: UOp) -> UOp:
        return matmul(x.permute((1, 0)) if "A" in turned else x, y.permute((1, 0)) if "B" in turned else y)

    def plain(x: Array, y: Array) -> Any:
        return (x.T if "A" in turned else x) @ (y.T if "B" in turned else y)

    return case(program, plain, a, b, work=2 * m * n * k)


def batched(count: int, n: int) -> Case:
    """Products of as many pairs of small matrices."""
    a, b = array(dtypes.f32, count, n, n), array(dtypes.f32, count, n, n)
    return case(matmul, np.matmul, a, b, work=2 * count * n**3)


# -- reductions ----------------------------------------------------------------------------------------------------
def reduced(x: UOp, op: Ops, axes: tuple[int, ...]) -> UOp:
    """A reduction over some axes."""
    rest = [k for k in range(len(x.shape)) if k not in axes]
    return x.permute((*rest, *axes)).reduce(op, len(axes))


def reduction(what: str, axes: tuple[int, ...], shape: tuple[int, ...] = (64, 256, 512)) -> Case:
    """max, min, sum or mean over axes."""

    def program(x: UOp) -> UOp:
        if what == "min":
            return -reduced(-x, Ops.MAX, axes)
        if what == "max":
            return reduced(x, Ops.MAX, axes)
        total = reduced(x, Ops.ADD, axes)
        return total * (1 / math.prod(shape[k] for k in axes)) if what == "mean" else total

    return case(program, lambda x: getattr(np, what)(x, axes), array(dtypes.f32, *shape), work=math.prod(shape))


def argmax(n: int, m: int) -> Case:
    """Where the largest of every row is: the first place that holds it."""

    def program(x: UOp, places: UOp) -> UOp:
        largest = x.reduce(Ops.MAX, 1).reshape((n, 1)).expand((n, m))
        here = places.reshape((1, m)).expand((n, m))
        return -x.alu(Ops.CMPNE, largest).where(-m, -here).reduce(Ops.MAX, 1)

    places = np.arange(m, dtype=np.int32)
    return case(program, lambda x, p: x.argmax(1), array(dtypes.f32, n, m), places, work=n * m)


def running_sum(n: int, m: int) -> Case:
    """Sums of all elements up to each, along rows: a product with a triangle."""

    def program(x: UOp, places: UOp) -> UOp:
        shape = (n, m, m)
        upto = places.reshape((1, m, 1)).expand(shape) < places.reshape((1, 1, m)).expand(shape)
        return upto.where(0.0, x.reshape((n, 1, m)).expand(shape)).reduce(Ops.ADD, 1)

    places = np.arange(m, dtype=np.int32)
    return case(program, lambda x, p: np.cumsum(x, 1), array(dtypes.f32, n, m), places, work=n * m * m // 2)


# -- windows -------------------------------------------------------------------------------------------------------
def taps(x: UOp, sizes: tuple[int, ...], step: int) -> list[UOp]:
    """The windows of the last axes of x shifted by every tap: each is what one tap sees."""
    lead, inner = x.shape[: -len(sizes)], x.shape[-len(sizes) :]
    found = []
    for at in np.ndindex(*sizes):
        count = [(n - s) // step + 1 for n, s in zip(inner, sizes)]
        cut = x
        for axis, (k, c) in enumerate(zip(at, count), len(lead)):
            room = k + c * step - cut.shape[axis]
            around = [(0, 0)] * len(cut.shape)
            around[axis] = (0, max(0, room))
            bounds = [(0, s) for s in cut.shape]
            bounds[axis] = (k, k + c * step)
            cut = (cut.pad(tuple(around)) if room > 0 else cut).shrink(tuple(bounds))
            if step > 1:
                split = (*cut.shape[:axis], c, step, *cut.shape[axis + 1 :])
                bounds = [(0, s) for s in split]
                bounds[axis + 1] = (0, 1)
                cut = cut.reshape(split).shrink(tuple(bounds)).reshape((*cut.shape[:axis], c, *cut.shape[axis + 1 :]))
        found.append(cut)
    return found


def convolution(channels: int, out: int, size: int, side: int, step: int = 1) -> Case:
    """A square filter over an image, without padding; NumPy multiplies with the matrix of windows."""
    x, w = array(dtypes.f32, channels, size, size), array(dtypes.f32, out, channels, side, side)
    h = (size - side) // step + 1

    def program(x: UOp, w: UOp) -> UOp:
        inner = channels * side * side
        windows = stack(*taps(x, (side, side), step)).permute((2, 3, 1, 0)).reshape((1, h, h, inner))
        shape = (out, h, h, inner)
        return (windows.expand(shape) * w.reshape((out, 1, 1, inner)).expand(shape)).reduce(Ops.ADD, 1)

    def plain(x: Array, w: Array) -> Any:
        view = np.lib.stride_tricks.sliding_window_view(x, (side, side), axis=(1, 2))[:, ::step, ::step]  # type: ignore[call-overload]
        matrix = view.transpose(0, 3, 4, 1, 2).reshape(channels * side * side, h * h)
        return (w.reshape(out, -1) @ matrix).reshape(out, h, h)

    return case(program, plain, x, w, work=2 * out * h * h * channels * side * side)


def depthwise(channels: int, size: int, side: int) -> Case:
    """Every channel with a filter of its own."""
    x, w = array(dtypes.f32, channels, size, size), array(dtypes.f32, channels, side, side)
    h = size - side + 1

    def program(x: UOp, w: UOp) -> UOp:
        windows = stack(*taps(x, (side, side), 1)).permute((1, 2, 3, 0))
        shape = (channels, h, h, side * side)
        return (windows * w.reshape((channels, 1, 1, side * side)).expand(shape)).reduce(Ops.ADD, 1)

    def plain(x: Array, w: Array) -> Any:
        out = np.zeros((channels, h, h), np.float32)
        for i, j in np.ndindex(side, side):
            out += x[:, i : i + h, j : j + h] * w[:, i, j, None, None]
        return out

    return case(program, plain, x, w, work=2 * channels * h * h * side * side)


def convolution_1d(channels: int, out: int, length: int, side: int) -> Case:
    """A filter along one axis."""
    x, w = array(dtypes.f32, channels, length), array(dtypes.f32, out, channels, side)
    n = length - side + 1

    def program(x: UOp, w: UOp) -> UOp:
        windows = stack(*taps(x, (side,), 1)).permute((2, 1, 0)).reshape((1, n, channels * side))
        shape = (out, n, channels * side)
        return (windows.expand(shape) * w.reshape((out, 1, channels * side)).expand(shape)).reduce(Ops.ADD, 1)

    def plain(x: Array, w: Array) -> Any:
        view = np.lib.stride_tricks.sliding_window_view(x, side, axis=1)  # type: ignore[call-overload]
        return w.reshape(out, -1) @ view.transpose(0, 2, 1).reshape(channels * side, n)

    return case(program, plain, x, w, work=2 * out * n * channels * side)


def signal(length: int, side: int) -> Case:
    """One row and one filter."""
    x, w = array(dtypes.f32, length), array(dtypes.f32, side)

    def program(x: UOp, w: UOp) -> UOp:
        windows = stack(*taps(x, (side,), 1)).permute((1, 0))
        return (windows * broadcast_to(w, windows.shape)).reduce(Ops.ADD, 1)

    return case(program, lambda x, w: np.correlate(x, w, "valid"), x, w, work=2 * length * side)


def padded(channels: int, size: int, by: int) -> Case:
    """Zeros around every image."""
    around = ((0, 0), (by, by), (by, by))
    return case(lambda x: x.pad(around), lambda x: np.pad(x, around), array(dtypes.f32, channels, size, size))


def pooled(channels: int, size: int) -> Case:
    """The largest of every 2 x 2."""

    def plain(x: Array) -> Any:
        return x.reshape(channels, size // 2, 2, size // 2, 2).max((2, 4))

    return case(max_pool, plain, array(dtypes.f32, channels, size, size), work=channels * size * size)


def smoothed(n: int) -> Case:
    """The mean of an element and its four neighbours."""

    def program(x: UOp) -> UOp:
        parts = [((1, n - 1), (1, n - 1))] + [((1 + i, n - 1 + i), (1 + j, n - 1 + j)) for i, j in _CROSS]
        total = x.shrink(parts[0])
        for p in parts[1:]:
            total = total + x.shrink(p)
        return total * 0.2

    def plain(x: Array) -> Any:
        return (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * np.float32(0.2)

    return case(program, plain, array(dtypes.f32, n, n), work=n * n)


_CROSS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def moved(order: tuple[int, ...], shape: tuple[int, ...]) -> Case:
    """Axes in another order, as a copy."""
    return case(
        lambda x: x.permute(order),
        lambda x: x.transpose(order).copy(),
        array(dtypes.f32, *shape),
        work=math.prod(shape),
    )


CASES: dict[str, Callable[[], Case]] = {
    "gemm 8x1024x1024": lambda: product(8, 1024, 1024),
    "gemm 1000x17x1000": lambda: product(1000, 17, 1000),
    "gemm 2000x2000x3": lambda: product(2000, 2000, 3),
    "gemm 1x4096x4096": lambda: product(1, 4096, 4096),
    "gemm 4096x2x4096": lambda: product(4096, 2, 4096),
    "gemm 2x4096x4096": lambda: product(2, 4096, 4096),
    "gemm 3x1000x1000": lambda: product(3, 1000, 1000),
    "gemm 100x100x10000": lambda: product(100, 100, 10000),
    "gemm 10000x64x64": lambda: product(10000, 64, 64),
    "gemm 16x16x16": lambda: product(16, 16, 16),
    "gemm 33x65x129": lambda: product(33, 65, 129),
    "gemm 512 AB turned": lambda: product(512, 512, 512, turned="AB"),
    "gemm 1000 AB turned": lambda: product(1000, 1000, 1000, turned="AB"),
    "gemm 8x1024x1024 B": lambda: product(8, 1024, 1024, turned="B"),
    "gemm 1024x8x1024 A": lambda: product(1024, 8, 1024, turned="A"),
    "gemm 512 f64": lambda: product(512, 512, 512, dtypes.f64),
    "gemm 1000 f64": lambda: product(1000, 1000, 1000, dtypes.f64),
    "gemm 256 i32": lambda: product(256, 256, 256, dtypes.i32),
    "batched 64x64x64": lambda: batched(64, 64),
    "batched 1000x8x8": lambda: batched(1000, 8),
    "batched 16x200x200": lambda: batched(16, 200),
    "bij,bjk->bik": lambda: einsum("bij,bjk->bik", (16, 128, 64), (16, 64, 128)),
    "bij,jk->bik": lambda: einsum("bij,jk->bik", (16, 128, 256), (256, 256)),
    "bhqd,bhkd->bhqk": lambda: einsum("bhqd,bhkd->bhqk", (2, 8, 128, 64), (2, 8, 128, 64)),
    "bqhd,bkhd->bhqk": lambda: einsum("bqhd,bkhd->bhqk", (2, 128, 8, 64), (2, 128, 8, 64)),
    "bhqk,bkhd->bqhd": lambda: einsum("bhqk,bkhd->bqhd", (2, 8, 128, 128), (2, 128, 8, 64)),
    "ij,ij->i": lambda: einsum("ij,ij->i", (1024, 1024), (1024, 1024)),
    "ij,ij->j": lambda: einsum("ij,ij->j", (1024, 1024), (1024, 1024)),
    "ij,ij->": lambda: einsum("ij,ij->", (1024, 1024), (1024, 1024)),
    "ij,i->j": lambda: einsum("ij,i->j", (2048, 2048), (2048,)),
    "i,j->ij": lambda: einsum("i,j->ij", (2048,), (2048,)),
    "ijk,ikl->ijl": lambda: einsum("ijk,ikl->ijl", (32, 100, 50), (32, 50, 70)),
    "ijk,jl->ikl": lambda: einsum("ijk,jl->ikl", (32, 128, 64), (128, 96)),
    "ijk,lj->ilk": lambda: einsum("ijk,lj->ilk", (32, 128, 64), (96, 128)),
    "ijkl,jm->imkl": lambda: einsum("ijkl,jm->imkl", (4, 64, 28, 28), (64, 128)),
    "ijk,ijl->kl": lambda: einsum("ijk,ijl->kl", (32, 128, 64), (32, 128, 96)),
    "ijk,jk->i": lambda: einsum("ijk,jk->i", (256, 64, 64), (64, 64)),
    "ij,jk->ik": lambda: einsum("ij,jk->ik", (300, 200), (200, 100)),
    "ijk->j": lambda: einsum("ijk->j", (64, 256, 512)),
    **{
        f"{what} over {','.join(map(str, axes))}": (lambda what=what, axes=axes: reduction(what, axes))  # type: ignore[misc]
        for what in ("max", "min", "mean")
        for axes in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    },
    "sum down rows of 16": lambda: reduction("sum", (0,), (1 << 19, 16)),
    "sum down rows of 100": lambda: reduction("sum", (0,), (83886, 100)),
    "sum down rows of 1024": lambda: reduction("sum", (0,), (1 << 13, 1024)),
    "sum down rows of 2048": lambda: reduction("sum", (0,), (1 << 12, 2048)),
    "sum of 1000x1000x3": lambda: reduction("sum", (0, 1), (1000, 1000, 3)),
    "sum over 3 of": lambda: reduction("sum", (2,), (1000, 1000, 3)),
    "sum over 1000": lambda: reduction("sum", (0, 1, 2)),
    "argmax 1024x1024": lambda: argmax(1024, 1024),
    "argmax 20000x10": lambda: argmax(20000, 10),
    "running sum 64x256": lambda: running_sum(64, 256),
    "convolution 5x5 / 2": lambda: convolution(32, 64, 59, 5, 2),
    "convolution 3x3 / 2": lambda: convolution(64, 128, 57, 3, 2),
    "convolution 7x7 / 2": lambda: convolution(3, 64, 229, 7, 2),
    "convolution 1x1": lambda: convolution(128, 128, 28, 1),
    "convolution 3 -> 16": lambda: convolution(3, 16, 130, 3),
    "depthwise 3x3": lambda: depthwise(128, 58, 3),
    "depthwise 5x5": lambda: depthwise(64, 60, 5),
    "convolution 1-D": lambda: convolution_1d(64, 64, 1026, 3),
    "signal 100000, 31": lambda: signal(100000, 31),
    "signal 10000, 5": lambda: signal(10000, 5),
    "pad by 1": lambda: padded(64, 56, 1),
    "pool 2x2": lambda: pooled(64, 112),
    "neighbours 1024": lambda: smoothed(1024),
    "axes 0,2,1": lambda: moved((0, 2, 1), (64, 256, 256)),
    "axes 1,0,2": lambda: moved((1, 0, 2), (256, 128, 64)),
    "axes 2,1,0": lambda: moved((2, 1, 0), (128, 128, 128)),
    "axes 2,0,1": lambda: moved((2, 0, 1), (128, 128, 128)),
    "axes 0,2,1 of 3": lambda: moved((0, 2, 1), (1000, 1000, 3)),
}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="rows whose name begins so (default: all)")
    parser.add_argument("--threads", type=int, default=1, help="threads of both")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of slices a row")
    args = parser.parse_args()
    kernels.CASES.update(CASES)
    print(f"{'':22s} {'ms':>9s} {'G/s':>7s} {'ratio':>8s}")
    for name in CASES:
        if not args.names or any(name.startswith(n) for n in args.names):
            print(kernels.measure(name, args.threads, args.pairs), flush=True)


if __name__ == "__main__":
    main()
