"""When is a chain of movement operations over one buffer a strided view, as NumPy has them?

The answer is (shape, strides, offset), strides and offset in elements: element idx is at offset + sum of
strides[k] * idx[k]. Axes with one entry (and views without elements) have stride 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod

from uopc.analysis.digits import row_major
from uopc.analysis.names import Names, called, no_names
from uopc.analysis.numeric import box, tabulate
from uopc.indexmap import source_index
from uopc.symbolic import simplify
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


def chain(root: UOp) -> list[UOp] | None:
    """The buffer and the movement operations over it up to `root`, bottom first; None when `root` is anything else."""
    nodes = [root]
    while nodes[-1].op is not Ops.BUFFER:
        u = nodes[-1]
        constant_index = u.op is Ops.INDEX and all(i.op is Ops.CONST for i in u.src[1:])
        if u.op not in MOVEMENT and not constant_index:
            return None
        nodes.append(u.src[0])
    return nodes[::-1]


def _followed(nodes: list[UOp]) -> tuple[View, int]:
    """The last strided view up the chain, and how many nodes it covers."""
    view = View(nodes[0].shape, row_major(nodes[0].shape), 0)
    for k, u in enumerate(nodes[1:], 1):
        moved = view.moved(u)
        if moved is None:
            return view, k
        view = moved
    return view, len(nodes)


def as_strided(root: UOp) -> Strided | None:
    """(shape, strides, offset) in elements when `root` is one strided view of a buffer, else None.

    None for computed values and for pads (their zeros are in no buffer), and where no strides give the positions.
    """
    nodes = chain(root)
    if nodes is None or any(u.op is Ops.PAD and u.shape != u.src[0].shape for u in nodes):
        return None
    view, covered = _followed(nodes)
    if covered == len(nodes):
        return view.normal()
    if 0 in root.shape:
        return View(root.shape, (), 0).normal()
    return _affine(root.shape, *_position(nodes))


def _position(nodes: list[UOp]) -> tuple[UOp, list[UOp]]:
    """The position in the buffer of the element at the loop counters, and these counters, one for each axis."""
    shape = nodes[-1].shape
    loops = [range_(n, k) for k, n in enumerate(shape)]
    idx: tuple[UOp, ...] = tuple(r if n > 1 else UOp.const(0) for r, n in zip(loops, shape))
    for u in reversed(nodes[1:]):
        idx = u.src[1:] + idx if u.op is Ops.INDEX else source_index(u, idx)
    return simplify(idx[0]), loops


def _affine(shape: Shape, position: UOp, loops: list[UOp]) -> Strided | None:
    """Strides that give `position` everywhere. Read off its sum; else tried at every position, if these are few."""
    form = linear(position)
    if all(t.op is Ops.RANGE for t in form.terms):
        return View(shape, tuple(form.terms.get(r, 0) for r in loops), form.const).normal()
    steps = {r: [int(k == j) for j in range(len(loops) + 1)] for k, r in enumerate(loops)}
    steps = {r: [min(v, r.arg.size - 1) for v in column] for r, column in steps.items()}
    first = tabulate(position, steps, len(loops) + 1)
    if first is None or prod(shape) > MAX_ENUMERATED:
        return None
    origin = first[-1]
    strides = [value - origin for value in first[:-1]]
    columns = box(loops)
    found = tabulate(position, columns, prod(shape))
    expected = [origin + sum(map(int.__mul__, strides, row)) for row in zip(*(columns[r] for r in loops))]
    return View(shape, tuple(strides), origin).normal() if found == expected else None


def is_contiguous(strided: Strided) -> bool:
    """Whether a view's elements lie one after the other in row-major order."""
    shape, strides, _ = strided
    return 0 in shape or all(n == 1 or s == c for n, s, c in zip(shape, strides, row_major(shape)))


def why_not(root: UOp, names: Names = no_names) -> str:
    """Why `root` is no strided view, in words. For a value that is one, the empty text."""
    if as_strided(root) is not None:
        return ""
    nodes = chain(root)
    if nodes is None:
        return _not_a_chain(root, names)
    for u in nodes:
        if u.op is Ops.PAD and u.shape != u.src[0].shape:
            return f"the zeros that {_where(u, root, names)} adds are in no buffer"
    view, covered = _followed(nodes)
    u = nodes[covered]
    return f"{_where(u, root, names)} {u.src[0].shape} -> {u.shape} {_unjoined(view, u.shape)}"


def _where(u: UOp, root: UOp, names: Names) -> str:
    name = names(u)
    return f"{u.op.value} {name}" if name is not None and u is not root else f"this {u.op.value}"


def _not_a_chain(root: UOp, names: Names) -> str:
    u = root
    while u.op in MOVEMENT:
        u = u.src[0]
    what = "computed" if u.op is not Ops.CONST else "a constant"
    if u.op is Ops.STAGE:
        what = "stored as a copy"
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
