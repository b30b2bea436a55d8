"""Library functions out of the primitives: concatenation, padding, flips, products, convolutions, pooling, softmax.

`pad` and `flip` are primitives of the language as well; here they are built from RESHAPE, EXPAND, PERMUTE, SHRINK and
STACK alone, which shows that the smaller set suffices. Every function raises UOpError with a code and a sentence when
shapes do not fit.
"""

from __future__ import annotations

import math

from uopc.broadcast import broadcast_shape, broadcast_to
from uopc.dtype import DType, dtypes
from uopc.errors import UOpError
from uopc.ops import Ops
from uopc.uop import Shape, UOp, stack

LOG2_E = math.log2(math.e)


# -- axes ----------------------------------------------------------------------------------------------------------
def move_axis(x: UOp, src: int, dst: int) -> UOp:
    """`x` with axis `src` moved to position `dst`; the others keep their order."""
    src, dst = _axis(x, src), _axis(x, dst)
    order = [k for k in range(len(x.shape)) if k != src]
    order.insert(dst, src)
    return x if src == dst else x.permute(order)


def zeros_like(x: UOp) -> UOp:
    """Zeros (false for bool) of the dtype and shape of `x`."""
    return _full(0, x.dtype, x.shape)


def concat2(a: UOp, b: UOp, axis: int) -> UOp:
    """Two values of one shape (..., n, ...) one after the other along `axis`: (..., 2n, ...)."""
    if a.shape != b.shape:
        raise UOpError("concat-shape", f"concat2 of {a.shape} and {b.shape}: both must have one shape", ("src", 1))
    axis = _axis(a, axis)
    halves = move_axis(stack(a, b), 0, axis)
    return halves.reshape(_with_size(a.shape, axis, 2 * a.shape[axis]))


def _full(value: int, dtype: DType, shape: Shape) -> UOp:
    return UOp.const(value, dtype).reshape((1,) * len(shape)).expand(shape) if shape else UOp.const(value, dtype)


def _axis(x: UOp, axis: int) -> int:
    rank = len(x.shape)
    if not -rank <= axis < rank:
        raise UOpError("no-such-axis", f"there is no axis {axis} in {x.shape}", ("arg",))
    return axis % rank


def _with_size(shape: Shape, axis: int, n: int) -> Shape:
    return (*shape[:axis], n, *shape[axis + 1 :])


def _window(x: UOp, axis: int, begin: int, end: int) -> UOp:
    if (begin, end) == (0, x.shape[axis]):
        return x
    return x.shrink((begin, end) if k == axis else (0, n) for k, n in enumerate(x.shape))


# -- padding and reversing without PAD and FLIP ------------------------------------------------------------------------
def pad_axis(x: UOp, axis: int, before: int, after: int) -> UOp:
    """`x` with `before` and `after` zeros around one axis: (..., before + n + after, ...).

    Each round doubles the axis with zeros and cuts off what is too much, so wide pads take few rounds.
    """
    axis = _axis(x, axis)
    if before < 0 or after < 0:
        raise UOpError("negative-pad", f"pad of {(before, after)}: a pad must not be negative", ("arg",))
    if x.shape[axis] == 0:  # nothing to double
        return _full(0, x.dtype, _with_size(x.shape, axis, before + after))
    while after > 0:
        n = x.shape[axis]
        more = min(after, n)
        x = _window(concat2(x, zeros_like(x), axis), axis, 0, n + more)
        after -= more
    while before > 0:
        n = x.shape[axis]
        more = min(before, n)
        x = _window(concat2(zeros_like(x), x, axis), axis, n - more, 2 * n)
        before -= more
    return x


def pad(x: UOp, arg: tuple[tuple[int, int], ...]) -> UOp:
    """`x` with (before, after) zeros around every axis."""
    if len(arg) != len(x.shape):
        raise UOpError("pad-rank", f"pad {arg} of {x.shape}: one pair for each axis", ("arg",))
    for axis, (before, after) in enumerate(arg):
        x = pad_axis(x, axis, before, after)
    return x


def anti_eye(n: int, dtype: DType) -> UOp:
    """The (n, n) matrix with 1 where i + j == n - 1, else 0.

    A row of 2n - 1 elements with one 1 in its middle is repeated and read back as rows of 2n: each row then starts one
    element later in the pattern than the row before, which is a diagonal.
    """
    if n < 2:
        return _full(1, dtype, (n, n))
    one_hot = pad_axis(UOp.const(1, dtype).reshape((1,)), 0, n - 1, n - 1)
    repeated = one_hot.reshape((1, 2 * n - 1)).expand((n + 1, 2 * n - 1)).reshape(((n + 1) * (2 * n - 1),))
    return repeated.shrink(((0, 2 * n * n),)).reshape((n, 2 * n)).shrink(((0, n), (0, n)))


def flip_axis(x: UOp, axis: int) -> UOp:
    """`x` with one axis reversed, in O(n^2): for each i, the largest of x[j] where i + j == n - 1.

    A choice by a mask instead of a product with it, so that NaN, infinities and the sign of zero survive.
    """
    axis = _axis(x, axis)
    n = x.shape[axis]
    if n < 2:
        return x
    last = move_axis(x, axis, -1)
    lead = last.shape[:-1]
    rows = last.reshape((*lead, 1, n)).expand((*lead, n, n))
    mask = broadcast_to(anti_eye(n, dtypes.bool), rows.shape)
    chosen = mask.where(rows, rows.const_like(dtypes.min(x.dtype)))
    return move_axis(chosen.reduce(Ops.MAX, 1), -1, axis)


def flip_stack(x: UOp, axis: int) -> UOp:
    """`x` with one axis reversed, in O(n): its n slices stacked from the last to the first."""
    axis = _axis(x, axis)
    n = x.shape[axis]
    if n < 2:
        return x
    rest = x.shape[:axis] + x.shape[axis + 1 :]
    slices = [_window(x, axis, k, k + 1).reshape(rest) for k in reversed(range(n))]
    return move_axis(stack(*slices), 0, axis)


# -- products ------------------------------------------------------------------------------------------------------
def matmul(a: UOp, b: UOp) -> UOp:
    """(..., M, K) @ (..., K, N) -> (..., M, N); leading axes broadcast."""
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise UOpError("matmul-rank", f"matmul of {a.shape} and {b.shape}: both need two axes or more")
    (m, k), (k2, n) = a.shape[-2:], b.shape[-2:]
    if k != k2:
        raise UOpError(
            "matmul-inner", f"matmul of {a.shape} and {b.shape}: the inner axes are {k} and {k2}", ("src", 1)
        )
    lead = broadcast_shape(a.shape[:-2], b.shape[:-2])
    rows = broadcast_to(a.reshape((*a.shape[:-2], m, 1, k)), (*lead, m, n, k))
    columns = move_axis(b, -1, -2).reshape((*b.shape[:-2], 1, n, k))
    return (rows * broadcast_to(columns, rows.shape)).reduce(Ops.ADD, 1)


def conv1d(x: UOp, w: UOp) -> UOp:
    """Valid cross-correlation of (L,) with (K,): out[i] = sum_k x[i + k] * w[k], shape (L - K + 1,)."""
    (length,), (k,) = _ranks("conv1d", x, w, 1)
    out = _valid("conv1d", x, w, length, k)
    windows = stack(*(x.shrink(((j, j + out),)) for j in range(k))).permute((1, 0))
    return (windows * broadcast_to(w, windows.shape)).reduce(Ops.ADD, 1)


def conv2d(x: UOp, w: UOp) -> UOp:
    """Valid cross-correlation of (H, W) with (KH, KW), or of (C, H, W) with (O, C, KH, KW) summed over channels C.

    The result has shape (H - KH + 1, W - KW + 1), with a leading axis O in the second case.
    """
    if len(x.shape) == 2 and len(w.shape) == 2:
        out = conv2d(x.reshape((1, *x.shape)), w.reshape((1, 1, *w.shape)))
        return out.reshape(out.shape[1:])
    if len(x.shape) != 3 or len(w.shape) != 4 or x.shape[0] != w.shape[1]:
        words = "(H, W) with (KH, KW), or (C, H, W) with (O, C, KH, KW)"
        raise UOpError("conv-shape", f"conv2d of {x.shape} with {w.shape}: it takes {words}")
    (c, height, width), (o, _, kh, kw) = x.shape, w.shape
    h, v = _valid("conv2d", x, w, height, kh), _valid("conv2d", x, w, width, kw)
    taps = [x.shrink(((0, c), (i, i + h), (j, j + v))) for i in range(kh) for j in range(kw)]
    windows = stack(*taps).permute((2, 3, 1, 0)).reshape((1, h, v, c * kh * kw))
    kernels = broadcast_to(w.reshape((o, 1, 1, c * kh * kw)), (o, h, v, c * kh * kw))
    return (broadcast_to(windows, kernels.shape) * kernels).reduce(Ops.ADD, 1)


def _ranks(name: str, x: UOp, w: UOp, rank: int) -> tuple[Shape, Shape]:
    if len(x.shape) != rank or len(w.shape) != rank:
        raise UOpError("conv-shape", f"{name} of {x.shape} with {w.shape}: both need rank {rank}")
    return x.shape, w.shape


def _valid(name: str, x: UOp, w: UOp, n: int, k: int) -> int:
    if not 1 <= k <= n:
        raise UOpError(
            "conv-shape", f"{name} of {x.shape} with {w.shape}: a kernel of {k} does not fit {n}", ("src", 1)
        )
    return n - k + 1


# -- pooling and normalization -------------------------------------------------------------------------------------
def max_pool(x: UOp) -> UOp:
    """The largest of every 2x2 block: (..., H, W) -> (..., H/2, W/2), H and W even."""
    if len(x.shape) < 2 or x.shape[-1] % 2 or x.shape[-2] % 2:
        raise UOpError("pool-shape", f"max_pool of {x.shape}: the last two sizes must be even")
    lead, (h, w) = x.shape[:-2], x.shape[-2:]
    n = len(lead)
    blocks = x.reshape((*lead, h // 2, 2, w // 2, 2))
    return blocks.permute((*range(n), n, n + 2, n + 1, n + 3)).reduce(Ops.MAX, 2)


def softmax(x: UOp, axis: int = -1) -> UOp:
    """exp(x - max) / sum(exp(x - max)) along one axis; same shape, floats only."""
    if not x.dtype.is_float:
        raise UOpError("needs-float", f"softmax takes a float, not {x.dtype}", ("src", 0))
    axis = _axis(x, axis)
    last = move_axis(x, axis, -1)
    column = (*last.shape[:-1], 1)
    largest = last.reduce(Ops.MAX, 1).reshape(column).expand(last.shape)
    powers = ((last - largest) * LOG2_E).alu(Ops.EXP2)
    total = powers.reduce(Ops.ADD, 1).reshape(column).alu(Ops.RECIP).expand(last.shape)
    return move_axis(powers * total, -1, axis)
