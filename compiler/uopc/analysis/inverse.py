"""Index maps the other way: which elements of a result an element of an operand goes to.

The answer is an index of the result in terms of the operand's axes and of free counters: an element that is spread over
an axis goes to every position of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from uopc.indexmap import Index, conjunction, inside, released, source_index
from uopc.symbolic import bounds, simplify
from uopc.uop import Ops, UOp, range_

_FIRST_FREE = 2_000  # loop numbers of the free counters


@dataclass
class Spread:
    """Where an element goes: `index`, for every position of the `free` counters for which `guard` holds."""

    index: Index
    guard: UOp | None = None
    free: list[UOp] = field(default_factory=list)

    def anywhere(self, size: int) -> UOp:
        """A free counter over an axis."""
        self.free.append(range_(size, _FIRST_FREE + len(self.free)))
        return self.free[-1]

    def require(self, condition: UOp | None) -> None:
        """The element goes on only where this holds (None: always)."""
        self.guard = conjunction(self.guard, condition)


def spread(operand: UOp, way: Sequence[tuple[UOp, int]]) -> Spread:
    """Where an element of `operand`, at its axes, is in the value at the begin of `way`.

    way: (node, which of its sources comes next), from the value down to the operand.
    """
    found = Spread(tuple(range_(n, k) for k, n in enumerate(operand.shape)))
    for u, k in reversed(way):
        _STEPS.get(u.op, _same)(u, k, found)
    return found


def _same(u: UOp, k: int, s: Spread) -> None:
    """Elementwise and staged values keep the index; one that is no element of it (a dependency) goes to all."""
    if len(s.index) != len(u.shape):
        s.index = tuple(s.anywhere(n) for n in u.shape)


def _moved_back(u: UOp, _: int, s: Spread) -> None:
    """Reshape and flip: the map of the move that takes it back."""
    back = u.reshape(u.src[0].shape) if u.op is Ops.RESHAPE else u.src[0].flip(u.arg)
    s.index = tuple(released(i) for i in source_index(back, s.index))


def _expand(u: UOp, _: int, s: Spread) -> None:
    pairs = zip(s.index, u.src[0].shape, u.shape)
    s.index = tuple(s.anywhere(new) if old == 1 and new != 1 else i for i, old, new in pairs)


def _permute(u: UOp, _: int, s: Spread) -> None:
    s.index = tuple(s.index[axis] for axis in u.arg)


def _shrink(u: UOp, _: int, s: Spread) -> None:
    for i, (begin, end) in zip(s.index, u.arg):
        s.require(inside(i, begin, end - 1))
    s.index = tuple(simplify(i + -begin) if begin else i for i, (begin, _) in zip(s.index, u.arg))


def _pad(u: UOp, _: int, s: Spread) -> None:
    s.index = tuple(simplify(i + before) if before else i for i, (before, _) in zip(s.index, u.arg))


def _reduce(u: UOp, _: int, s: Spread) -> None:
    s.index = s.index[: len(u.shape)]


def _stack(u: UOp, k: int, s: Spread) -> None:
    s.index = (UOp.const(k), *s.index)


def _index(u: UOp, k: int, s: Spread) -> None:
    if k > 0:  # an index decides about all elements
        s.index = tuple(s.anywhere(n) for n in u.shape)
        return
    chosen = u.src[1:]
    for i, which, size in zip(s.index, chosen, u.src[0].shape):
        s.require(inside(i, *possible(which, size)))
    s.index = s.index[len(chosen) :]


def possible(which: UOp, size: int) -> tuple[int, int]:
    """The entries of an axis that an index may be, first and last; it is clamped into the axis."""
    low, high = bounds(simplify(which))
    return min(max(low, 0), size - 1), max(min(high, size - 1), 0)


_STEPS: dict[Ops, Callable[[UOp, int, Spread], None]] = {
    Ops.RESHAPE: _moved_back,
    Ops.FLIP: _moved_back,
    Ops.EXPAND: _expand,
    Ops.PERMUTE: _permute,
    Ops.SHRINK: _shrink,
    Ops.PAD: _pad,
    Ops.REDUCE: _reduce,
    Ops.STACK: _stack,
    Ops.INDEX: _index,
}
