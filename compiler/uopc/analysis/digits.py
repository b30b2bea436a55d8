"""Which part of which axis something depends on, carried through movement operations.

A part (axis, low, high) stands for the mixed-radix digit (i // low) % (high // low) of that axis's index i: the whole
axis is (axis, 1, size). Digits survive what whole axes do not: after a reshape merges (3, 4) into (12,), a value that
varied along axis 0 only varies with the digit (0, 4, 12), and the reshape back gives (0, 1, 3) again.

Where a digit does not stay a digit (windows and pads that cut through it), the smallest whole range that holds it is
taken: the answer is never too small.
"""

from __future__ import annotations

from collections.abc import Iterable

from uopc.typerules import Shape
from uopc.uop import Ops, UOp

Part = tuple[int, int, int]
Parts = frozenset[Part]
NOTHING: Parts = frozenset()


def whole_axes(shape: Shape) -> Parts:
    """Dependence on every axis that has more than one entry."""
    return frozenset((k, 1, n) for k, n in enumerate(shape) if n > 1)


def axes_of(parts: Parts) -> frozenset[int]:
    """The axes named by the parts."""
    return frozenset(axis for axis, _, _ in parts)


def through(u: UOp, parts: Parts) -> Parts:
    """A dependence on the index of u.src[0], as a dependence on the index of `u` (a movement operation or INDEX)."""
    if u.op is Ops.RESHAPE:
        return _reshape(u.src[0].shape, u.shape, parts)
    if u.op is Ops.PERMUTE:
        place = {axis: k for k, axis in enumerate(u.arg)}
        return frozenset((place[a], lo, hi) for a, lo, hi in parts)
    if u.op is Ops.SHRINK:
        return _each(_window(p, u.arg[p[0]], u.src[0].shape[p[0]]) for p in parts)
    if u.op is Ops.PAD:
        return _each(_padded(p, u.arg[p[0]], u.src[0].shape[p[0]]) for p in parts)
    if u.op is Ops.FLIP:
        return frozenset(_flipped(p, u.shape[p[0]]) if p[0] in u.arg else p for p in parts)
    if u.op is Ops.INDEX:
        popped = len(u.src) - 1
        return frozenset((a - popped, lo, hi) for a, lo, hi in parts if a >= popped)
    return parts  # EXPAND: axes of size 1 are in no part


def stacked(parts: Parts) -> Parts:
    """A dependence on an operand's index as one on the index of the STACK, whose axis 0 is new."""
    return frozenset((a + 1, lo, hi) for a, lo, hi in parts)


def _each(parts: Iterable[Part | None]) -> Parts:
    return frozenset(p for p in parts if p is not None)


def _window(part: Part, bounds: tuple[int, int], size: int) -> Part | None:
    axis, low, high = part
    begin, end = bounds
    width = end - begin
    if width <= 1 or begin // low == (end - 1) // low:
        return None
    new_low = low if begin % low == 0 else 1
    keeps_high = high < size and begin % high == 0
    return axis, new_low, min(high, width) if keeps_high else width


def _padded(part: Part, pads: tuple[int, int], size: int) -> Part:
    axis, low, _ = part
    if pads == (0, 0):
        return part
    aligned = pads[0] % low == 0 and size % low == 0
    return axis, low if aligned else 1, pads[0] + size + pads[1]


def _flipped(part: Part, size: int) -> Part:
    axis, low, high = part
    return part if size % low == 0 and size % high == 0 else (axis, 1, size)


def row_major(shape: Shape) -> tuple[int, ...]:
    """The stride of every axis, in elements, when the last axis is contiguous."""
    strides = []
    step = 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def _reshape(old: Shape, new: Shape, parts: Parts) -> Parts:
    if 0 in new or not parts:
        return NOTHING
    old_strides, new_strides = row_major(old), row_major(new)
    found: list[Part] = []
    for axis, low, high in parts:
        low = low if high % low == 0 else 1
        flat = (old_strides[axis] * low, old_strides[axis] * high)
        for k, (stride, size) in enumerate(zip(new_strides, new)):
            digit = _shared_digit(flat, stride, size) if size > 1 else None
            if digit is not None:
                found.append((k, *digit))
    return _merged(found)


def _shared_digit(flat: tuple[int, int], stride: int, size: int) -> tuple[int, int] | None:
    """The digit of an axis (its stride and size) that the digit `flat` of the row-major position depends on."""
    low, high = flat
    top = stride * size
    if top <= low:
        return None if low % top == 0 else (1, size)
    if stride >= high:
        return None if stride % high == 0 else (1, size)
    begin, end = max(low, stride), min(high, top)
    if begin % stride or end % stride or begin % low or (end == top and high % top):
        return 1, size
    return begin // stride, end // stride


def _merged(parts: list[Part]) -> Parts:
    """The same dependence with touching digits of one axis joined."""
    joined: list[Part] = []
    for axis, low, high in sorted(parts):
        if joined and joined[-1][0] == axis and low <= joined[-1][2]:
            _, first, last = joined.pop()
            low, high = first, max(last, high)
        joined.append((axis, low, high))
    return frozenset(joined)
