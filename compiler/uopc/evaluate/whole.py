"""Values of whole nodes: each operation as the NumPy expression that it means, on complete arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uopc.evaluate.elementwise import elementwise
from uopc.evaluate.reduction import finish, partial
from uopc.nptypes import Array, np_dtype
from uopc.ops import ALU, Ops
from uopc.uop import UOp


def whole_value(u: UOp, args: list[Array]) -> Array:
    """All elements of `u`, given all elements of its operands."""
    if u.op in ALU:
        return elementwise(u, args)
    return _RULES[u.op](u, *args)


def constant(u: UOp) -> Array:
    """The value of a CONST node."""
    return np.array(u.arg, np_dtype(u.dtype))


def clamped(u: UOp, k: int, value: Array) -> int:
    """The run-time value of index number k of the INDEX node `u`, kept inside its axis."""
    return min(max(int(value), 0), u.src[0].shape[k] - 1)


def selects_nothing(u: UOp) -> bool:
    """Whether the INDEX node `u` has an axis without entries to choose from; its elements, if any, are then 0."""
    return 0 in u.src[0].shape[: len(u.src) - 1]


def _reshape(u: UOp, x: Array) -> Array:
    return np.asarray(x.reshape(u.shape))


def _expand(u: UOp, x: Array) -> Array:
    return np.asarray(np.broadcast_to(x, u.shape))  # a view: repeated elements take no memory


def _permute(u: UOp, x: Array) -> Array:
    return np.asarray(x.transpose(u.arg))


def _shrink(u: UOp, x: Array) -> Array:
    return np.asarray(x[tuple(slice(b, e) for b, e in u.arg)])


def _pad(u: UOp, x: Array) -> Array:
    result = np.zeros(u.shape, x.dtype)
    result[tuple(slice(before, before + n) for (before, _), n in zip(u.arg, x.shape))] = x
    return result


def _flip(u: UOp, x: Array) -> Array:
    return np.flip(x, u.arg)


def _stack(u: UOp, *xs: Array) -> Array:
    return np.stack(xs)


def _index(u: UOp, x: Array, *indices: Array) -> Array:
    if selects_nothing(u):
        return np.zeros(u.shape, x.dtype)
    return np.asarray(x[tuple(clamped(u, k, i) for k, i in enumerate(indices))])


def _reduce(u: UOp, x: Array) -> Array:
    op, n = u.arg
    return finish(u.dtype, partial(op, u.dtype, x, tuple(range(x.ndim - n, x.ndim)))) if n else x


def _stage(u: UOp, x: Array) -> Array:
    return x


_RULES: dict[Ops, Callable[..., Array]] = {
    Ops.RESHAPE: _reshape,
    Ops.EXPAND: _expand,
    Ops.PERMUTE: _permute,
    Ops.SHRINK: _shrink,
    Ops.PAD: _pad,
    Ops.FLIP: _flip,
    Ops.STACK: _stack,
    Ops.INDEX: _index,
    Ops.REDUCE: _reduce,
    Ops.STAGE: _stage,
}
