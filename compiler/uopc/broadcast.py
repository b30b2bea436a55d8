"""NumPy's broadcasting rule, written with RESHAPE (new axes of size 1) and EXPAND (growing them)."""

from __future__ import annotations

from uopc.errors import UOpError
from uopc.typerules import Shape
from uopc.uop import UOp


def broadcast_shape(*shapes: Shape) -> Shape:
    """The common shape: aligned on the right, sizes equal or 1, the other size wins (so 0 wins over 1).

    Raises UOpError ("broadcast") naming the shapes as they were given.
    """
    result: Shape = ()
    for k, shape in enumerate(shapes):
        result = _two(result, shape, shapes, k)
    return result


def _two(a: Shape, b: Shape, shapes: tuple[Shape, ...], k: int) -> Shape:
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for axis, (x, y) in enumerate(zip(left, right)):
        if x != y and 1 not in (x, y):
            named = " with ".join(str(s) for s in shapes)
            raise UOpError("broadcast", f"can't broadcast {named}: axis {axis} is {x} here but {y} there", ("src", k))
    return tuple(y if x == 1 else x for x, y in zip(left, right))


def broadcast_to(u: UOp, shape: Shape) -> UOp:
    """`u` broadcast to `shape`, which it must fit."""
    if len(u.shape) < len(shape):
        u = u.reshape((1,) * (len(shape) - len(u.shape)) + u.shape)
    return u if u.shape == shape else u.expand(shape)
