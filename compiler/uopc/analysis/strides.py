"""When is a chain of movement operations over one buffer a strided view, as NumPy has them?

The answer is (shape, strides, offset), strides and offset in elements: element idx is at offset + sum of
strides[k] * idx[k]. Axes with one entry (and views without elements) have stride 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod

from uopc.analysis.bottom_up import fact
from uopc.analysis.digits import row_major
from uopc.analysis.names import Names, called, no_names
from uopc.dtype import dtypes
from uopc.indexmap import source_index
from uopc.symbolic import simplify
from uopc.symbolic.affine import affine
from uopc.symbolic.linear import linear
from uopc.typerules import Shape
from uopc.uop import MOVEMENT, Ops, UOp, range_

Strided = tuple[Shape, tuple[int, ...], int]

MAX_ENUMERATED = 1 << 14  # positions of a view that are tried one by one when its expression stays unclear


@dataclass(frozen=True)
class View:
    """A strided view while it is followed up a chain."""

    shape: Shape
    strides: tuple[int, ...]
    offset: int

    def moved(self, u: UOp) -> View | None:
        """This view after a movement operation or a constant INDEX; None when it is no strided view any more."""
        if u.op is Ops.RESHAPE:
            strides = _reshaped(self, u.shape)
            return None if strides is None else View(u.shape, strides, self.offset)
        if u.op is Ops.EXPAND:
            strides = tuple(0 if n == 1 else s for s, n in zip(self.strides, self.shape))
            return View(u.shape, strides, self.offset)
        if u.op is Ops.PERMUTE:
            return View(u.shape, tuple(self.strides[k] for k in u.arg), self.offset)
        if u.op is Ops.SHRINK:
            return View(u.shape, self.strides, self.offset + sum(s * b for s, (b, _) in zip(self.strides, u.arg)))
        if u.op is Ops.FLIP:
            return self._flipped(u)
        if u.op is Ops.INDEX:
            skipped = sum(s * i.arg for s, i in zip(self.strides, u.src[1:]))
            return View(u.shape, self.strides[len(u.src) - 1 :], self.offset + skipped)
        return self if u.op is Ops.PAD and u.shape == self.shape else None

    def _flipped(self, u: UOp) -> View:
        last = sum(self.strides[k] * (self.shape[k] - 1) for k in u.arg)
        strides = tuple(-s if k in u.arg else s for k, s in enumerate(self.strides))
        return View(u.shape, strides, self.offset + last)

    def normal(self) -> Strided:
        """The view as `as_strided` gives it."""
        if 0 in self.shape:
            return self.shape, (0,) * len(self.shape), 0
        return self.shape, tuple(s if n > 1 else 0 for s, n in zip(self.strides, self.shape)), self.offset


def _reshaped(view: View, shape: Shape) -> tuple[int, ...] | None:
    """The strides of a reshape of a view, or None when axes that become one do not lie in one line."""
    if 0 in shape:
        return (0,) * len(shape)
    joined = _joined_axes(view)
    strides = [0] * len(shape)
    k = len(joined) - 1
    size, step = joined[k] if joined else (1, 0)
    for axis in range(len(shape) - 1, -1, -1):
        n = shape[axis]
        if n == 1:
            continue
        if size == 1:
            k -= 1
            size, step = joined[k]
        if size % n:
            return None
        strides[axis], size, step = step, size // n, step * n
    return tuple(strides)


def _joined_axes(view: View) -> list[tuple[int, int]]:
    """(size, stride) of the axes with more than one entry, neighbours that lie in one line made one."""
    joined: list[tuple[int, int]] = []
    for n, s in zip(view.shape, view.strides):
        if n == 1:
            continue
        if joined and joined[-1][1] == s * n:
            joined[-1] = (joined[-1][0] * n, s)
        else:
            joined.append((n, s))
    return joined


def view_of(u: UOp) -> View | None:
    """The strided view a node is, found from the buffer up; None for everything else. Remembered on the node."""
    return fact(u, "view", _view, _moved_operand)


def _moved_operand(u: UOp) -> tuple[UOp, ...]:
    constant_index = u.op is Ops.INDEX and all(i.op is Ops.CONST for i in u.src[1:])
    return u.src[:1] if u.op in MOVEMENT or constant_index else ()


def _view(u: UOp) -> View | None:
    if u.op is Ops.BUFFER:
        return View(u.shape, row_major(u.shape), 0)
    below = view_of(u.src[0]) if _moved_operand(u) else None
    return None if below is None else below.moved(u)


def _chain(root: UOp) -> list[UOp]:
    """The nodes from `root` down to the first that is a strided view, or to one that is not moved from another."""
    nodes = [root]
    while view_of(nodes[-1]) is None and _moved_operand(nodes[-1]):
        nodes.append(nodes[-1].src[0])
    return nodes


def as_strided(root: UOp, max_steps: int | None = None) -> Strided | None:
    """(shape, strides, offset) in elements when `root` is one strided view of a buffer, else None.

    None for computed values and for pads (their zeros are in no buffer), and where no strides give the positions. A
    chain that stops being a view and may become one again is followed symbolically, for at most `max_steps` steps.
    """
    view = view_of(root)
    if view is not None:
        return view.normal()
    nodes = _chain(root)
    base = view_of(nodes[-1])
    if base is None or any(u.op is Ops.PAD and u.shape != u.src[0].shape for u in nodes):
        return None
    if 0 in root.shape:
        return View(root.shape, (), 0).normal()
    if max_steps is not None and len(nodes) > max_steps:
        return None
    return _affine(root.shape, *_position(nodes, base))


def _position(nodes: list[UOp], base: View) -> tuple[UOp, list[UOp]]:
    """The position in the buffer of the element at the loop counters, and these counters, one for each axis."""
    loops = [range_(n, k) for k, n in enumerate(nodes[0].shape)]
    idx: tuple[UOp, ...] = tuple(r if r.arg.size > 1 else UOp.const(0) for r in loops)
    for u in nodes[:-1]:
        idx = u.src[1:] + idx if u.op is Ops.INDEX else source_index(u, idx)
    position = UOp.const(base.offset, dtypes.i64)
    for i, stride in zip(idx, base.strides):
        position = position + i.cast(dtypes.i64) * stride
    return simplify(position), loops


def _affine(shape: Shape, position: UOp, loops: list[UOp]) -> Strided | None:
    """Strides that give `position` everywhere. Read off its sum; else tried at every position, if these are few."""
    form = linear(affine(position, MAX_ENUMERATED))
    if not all(t.op is Ops.RANGE for t in form.terms):
        return None
    return View(shape, tuple(form.terms.get(r, 0) for r in loops), form.const).normal()


def is_contiguous(strided: Strided) -> bool:
    """Whether a view's elements lie one after the other in row-major order."""
    shape, strides, _ = strided
    return 0 in shape or all(n == 1 or s == c for n, s, c in zip(shape, strides, row_major(shape)))


def why_not(root: UOp, names: Names = no_names) -> str:
    """Why `root` is no strided view, in words. For a value that is one, the empty text."""
    return reason(root, names) if as_strided(root) is None else ""


def reason(root: UOp, names: Names) -> str:
    """Why a value that `as_strided` refuses is no strided view."""
    nodes = _chain(root)
    base = view_of(nodes[-1])
    if base is None:
        return _not_a_chain(nodes[-1], root, names)
    for u in reversed(nodes):
        if u.op is Ops.PAD and u.shape != u.src[0].shape:
            return f"the zeros that {_where(u, root, names)} adds are in no buffer"
    u = nodes[-2]
    return f"{_where(u, root, names)} {u.src[0].shape} -> {u.shape} {_unjoined(base, u.shape)}"


def _where(u: UOp, root: UOp, names: Names) -> str:
    name = names(u)
    return f"{u.op.value} {name}" if name is not None and u is not root else f"this {u.op.value}"


def _not_a_chain(u: UOp, root: UOp, names: Names) -> str:
    """`u`: the value that the movement operations are over."""
    what = "a constant" if u.op is Ops.CONST else "stored as a copy" if u.op is Ops.STAGE else "computed"
    subject = called(u, names) if u is not root and u.op is not Ops.CONST else "it"
    return f"{subject} is {what}, not read from one buffer"


def _unjoined(view: View, shape: Shape) -> str:
    """The axes of a view that a reshape reads as one although they do not lie in one line."""
    rows = [(k, n, s) for k, (n, s) in enumerate(zip(view.shape, view.strides)) if n > 1]
    boundaries = {prod(shape[k:]) for k in range(len(shape) + 1)}
    for (outer, _, outer_step), (inner, n, step) in pairwise(rows):
        if prod(view.shape[inner:]) not in boundaries and outer_step != step * n:
            return (
                f"reads axes {outer} and {inner} as one, but their strides do not fit: a step along axis {outer} is"
                f" {outer_step}, a whole axis {inner} is {n}*{step} = {n * step}"
            )
    return "mixes axes whose strides do not fit"
