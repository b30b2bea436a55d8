"""Random programs of the kinds that schedules are made for: products of matrices, sums, softmax, convolution.

Their sizes straddle every tile and vector width. Inputs are small multiples of 1/16, so that sums of products are exact
in any order, and some hold NaN and infinities, which no reordering may lose.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from programs import Array, Program

from uopc.broadcast import broadcast_to
from uopc.composite import conv2d, matmul, max_pool, softmax
from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.uop import Shape, UOp, buf, stack

_DTYPES = (dtypes.f32, dtypes.f32, dtypes.f32, dtypes.f64, dtypes.i32, dtypes.i8)
_SIZES = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 100, 129)


def random_kernel(seed: int) -> Program:
    """The kernel number `seed`; the same one on every machine."""
    maker = _Kernels(np.random.default_rng(seed))
    root = maker.made(seed)
    return Program(root, maker.inputs, [maker.error])


class _Kernels:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.inputs: dict[int, Array] = {}
        self.error = 0.0
        self.special = bool(rng.random() < 0.2)
        self.dtype: DType = _DTYPES[int(rng.integers(len(_DTYPES)))]

    def made(self, seed: int) -> UOp:
        kinds: tuple[Callable[[], UOp], ...] = (
            self.product,
            self.product,
            self.reduction,
            self.elementwise,
            self.softmax,
            self.convolution,
            self.attention,
            self.moved,
        )
        return kinds[seed % len(kinds)]()

    def size(self, most: int = 129) -> int:
        return int(self.rng.choice([n for n in _SIZES if n <= most]))

    def value(self, shape: Shape, mild: bool = False) -> UOp:
        """A new input of that shape."""
        d, n = self.dtype, math.prod(shape)
        array = (self.rng.integers(-64, 65, n) / (16 if d.is_float else 1)).astype(np_dtype(d))
        if d.is_float and self.special and not mild and n:
            some = self.rng.integers(0, n, 2)
            array[some] = self.rng.choice([np.nan, np.inf, -np.inf], 2)
        slot = len(self.inputs)
        self.inputs[slot] = array
        return buf(slot, n, d).reshape(shape)

    def matrix(self, rows: int, columns: int) -> UOp:
        """A matrix that lies in memory as it is, or transposed, or in the middle of a larger one."""
        how = self.rng.integers(3)
        if how == 0:
            return self.value((columns, rows)).permute((1, 0))
        if how == 1:
            return self.value((rows + 2, columns + 3)).shrink(((1, rows + 1), (2, columns + 2)))
        return self.value((rows, columns))

    def product(self) -> UOp:
        m, n, k = self.size(), self.size(), self.size()
        c = matmul(self.matrix(m, k), self.matrix(k, n))
        if self.rng.random() < 0.3:
            c = matmul(self.value((3, m, k)), self.matrix(k, n))
        if self.rng.random() < 0.5:
            c = c + broadcast_to(self.value((n,)), c.shape)
        return c.alu(Ops.MAX, 0) if self.rng.random() < 0.3 else c

    def reduction(self) -> UOp:
        shape = tuple(self.size(65) for _ in range(int(self.rng.integers(1, 4))))
        if math.prod(shape) > 200_000:
            shape = shape[:2]
        x = self.value(shape)
        if self.rng.random() < 0.5:
            x = x * x
        order = [int(k) for k in self.rng.permutation(len(shape))]
        op = Ops.MAX if self.rng.random() < 0.4 else Ops.ADD
        return x.permute(order).reduce(op, int(self.rng.integers(1, len(shape) + 1)))

    def elementwise(self) -> UOp:
        shape = (self.size(), self.size())
        a, b, row = self.value(shape), self.value(shape[::-1]).permute((1, 0)), self.value((1, shape[1]))
        x = a * b + row.expand(shape)
        return (a < b).where(x, x.alu(Ops.MAX, a)) if self.rng.random() < 0.5 else x * a

    def softmax(self) -> UOp:
        self.dtype, self.error = dtypes.f32, 2e-6
        return softmax(self.value((self.size(), self.size())), int(self.rng.integers(2)))

    def convolution(self) -> UOp:
        c, o, side = self.size(9), self.size(17), int(self.rng.integers(4, 20))
        kernel = (int(self.rng.integers(1, 4)), int(self.rng.integers(1, 4)))
        out = conv2d(self.value((c, side, side)), self.value((o, c, *kernel)))
        height, width = (n - n % 2 for n in out.shape[1:])
        return max_pool(out.shrink(((0, o), (0, height), (0, width)))) if self.rng.random() < 0.3 else out

    def attention(self) -> UOp:
        self.dtype, self.error = dtypes.f32, 1e-4
        n, d = self.size(65), self.size(33)
        q, k, v = (self.value((n, d), mild=True) for _ in range(3))
        scores = matmul(q, k.permute((1, 0))) * (1 / 16)
        return matmul(softmax(scores), v)

    def moved(self) -> UOp:
        m, n = self.size(), self.size()
        x = self.matrix(m, n).flip((int(self.rng.integers(2)),)).pad(((1, 2), (0, 3)))
        return stack(x, x * 2).permute((2, 0, 1))
