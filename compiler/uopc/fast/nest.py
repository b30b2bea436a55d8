"""A stage as one nest of loops: output loops, reduce loops, and the scalar expression in the middle.

The loops are not always the axes of the value. An axis whose counter is only ever taken apart by // and % is cut into
two loops, after which every index is a plain sum; neighbouring axes that all memory crosses in one stride become one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

from uopc.dtype import DType, dtypes
from uopc.fast.windows import one_load
from uopc.indexmap import Index, ravel, source_index
from uopc.ops import MOVEMENT, AxisType, Ops
from uopc.rangeify import Ctx, rangeify
from uopc.symbolic import simplify
from uopc.symbolic.linear import Linear, linear
from uopc.uop import UOp, range_

_ZERO = UOp.const(0)
_VIEWS = MOVEMENT - {Ops.PAD}
_ROUNDS = 8  # of cutting and joining loops


@dataclass(frozen=True)
class Nest:
    """dims: output loops, outermost first; red: reduce loops; op: how they combine (None: no reduction); body: the
    value in the middle; store: where in `out`; wide: what a reduction accumulates in; origin: lowered node -> stage
    nodes."""

    value: UOp
    out: UOp
    dims: tuple[UOp, ...]
    red: tuple[UOp, ...]
    op: Ops | None
    body: UOp
    store: UOp
    wide: DType
    origin: Mapping[UOp, list[UOp]]

    def loads(self) -> list[UOp]:
        """Every load of the body."""
        return [n for n in self.body.toposort() if n.op is Ops.LOAD]

    def size(self) -> int:
        """Elements of the result."""
        return prod(r.arg.size for r in self.dims)

    def length(self) -> int:
        """Elements that are combined into one."""
        return prod(r.arg.size for r in self.red)


class _Axes(NamedTuple):
    """The index of the value and of the reduced axes, over fresh loops."""

    out: Index
    red: Index
    dims: tuple[UOp, ...]
    reds: tuple[UOp, ...]


def nest_of(value: UOp, out: UOp, outer: int = 0) -> Nest | None:
    """The loops of a stage; None when they are not one plain nest. The first `outer` output loops stay as they are."""
    root, _ = _reduction(value, tuple(_ZERO for _ in value.shape))
    removed = root.src[0].shape[len(root.shape) :] if root is not None else ()
    axes = _natural(value.shape, removed)
    nest = _lower(value, out, axes)
    for _ in range(_ROUNDS):
        if nest is None:
            return None
        better = _cut_digits(nest, outer) or _join(nest, outer)
        if better is None:
            break
        nest = _joined_windows(better)
    return nest


def _reduction(value: UOp, idx: Index) -> tuple[UOp | None, Index]:
    """The reduction that a stage is a view of, and the index at which the stage's element `idx` reads it."""
    u = value
    while True:
        if u.op is Ops.REDUCE and prod(u.src[0].shape[len(u.shape) :]) > 1:
            return u, idx
        if u.op in _VIEWS:
            idx = source_index(u, idx)
        elif u.op is Ops.INDEX and all(i.op is Ops.CONST for i in u.src[1:]):
            idx = (*u.src[1:], *idx)
        elif u.op is not Ops.STAGE:
            return None, idx
        u = u.src[0]


def _natural(shape: tuple[int, ...], removed: tuple[int, ...]) -> _Axes:
    loops: list[UOp] = []
    count = 0
    for k, n in enumerate((*shape, *removed)):
        kind = AxisType.LOOP if k < len(shape) else AxisType.REDUCE
        loops.append(range_(n, count, kind) if n != 1 else _ZERO)
        count += n != 1
    out, red = tuple(loops[: len(shape)]), tuple(loops[len(shape) :])
    return _Axes(out, red, _ranges(out), _ranges(red))


def _ranges(idx: Iterable[UOp]) -> tuple[UOp, ...]:
    return tuple(r for r in idx if r.op is Ops.RANGE)


def _lower(value: UOp, out: UOp, axes: _Axes) -> Nest | None:
    ctx = Ctx(next_range=1 << 20)
    root, idx = _reduction(value, axes.out)
    if root is None:
        body, op, wide = rangeify(value, axes.out, ctx), None, value.dtype
    else:
        op = root.arg[0]
        wide = dtypes.f32 if value.dtype is dtypes.f16 else value.dtype
        body = rangeify(root.src[0], (*idx, *axes.red), ctx).cast(wide)
        ctx.came_from(body, root)
    body = simplify(body)
    plain = one_load(body)
    if plain is not body:
        ctx.came_from(plain, value)
        body = plain
    if body.ranges - set(axes.dims) - set(axes.reds) or any(n.op is Ops.ALLOC for n in body.toposort()):
        return None
    origin: dict[UOp, list[UOp]] = {}
    for node, sources in ctx.origin.items():
        origin.setdefault(simplify(node), []).extend(sources)
    store = simplify(ravel(axes.out, value.shape))
    return _with_loops(Nest(value, out, axes.dims, axes.reds, op, body, store, wide, origin))


def _joined_windows(nest: Nest) -> Nest:
    """The nest with loads in place of choices between windows: a cut may have made the choice one of a whole loop."""
    body = one_load(nest.body)
    if body is nest.body:
        return nest
    return _with_loops(replace(nest, body=body, origin={body: [nest.value], **nest.origin}))


# -- cutting loops where an index takes them apart ----------------------------------------------------------------
def _cut_digits(nest: Nest, outer: int) -> Nest | None:
    cuts: dict[UOp, int] = {}
    free = set(nest.dims[outer:]) | set(nest.red)
    for n in nest.body.toposort():
        if n.op in (Ops.FLOORDIV, Ops.FLOORMOD) and n.src[0] in free and n.src[1].op is Ops.CONST:
            size, factor = n.src[0].arg.size, n.src[1].arg
            if 1 < factor < size and size % factor == 0:
                cuts.setdefault(n.src[0], factor)
    if not cuts:
        return None
    return _renewed(nest, [[(r,)] if r not in cuts else [cuts[r]] for r in (*nest.dims, *nest.red)])


# -- joining loops that memory crosses in one stride ---------------------------------------------------------------
def _join(nest: Nest, outer: int) -> Nest | None:
    blocked, forms = _uses(nest)
    for loops in (nest.dims[outer:], nest.red):
        for a, b in ((loops[k], loops[k + 1]) for k in range(len(loops) - 1)):
            if a in blocked or b in blocked:
                continue
            n = b.arg.size
            if all(f.terms.get(a, 0) == n * f.terms.get(b, 0) for f in forms):
                return _renewed(
                    nest, [[(a, b)] if r is a else [] if r is b else [(r,)] for r in (*nest.dims, *nest.red)]
                )
    return None


def _uses(nest: Nest) -> tuple[set[UOp], list[Linear]]:
    """Loops whose counter is used other than as a term of an address, and the addresses."""
    forms = [linear(nest.store)]
    blocked: set[UOp] = set()
    seen: set[UOp] = set()
    todo = [nest.body]
    while todo:
        u = todo.pop()
        if u in seen:
            continue
        seen.add(u)
        if u.op is Ops.RANGE:
            blocked.add(u)
        elif u.op is Ops.LOAD:
            form = linear(u.src[0].src[1])
            forms.append(form)
            for t in form.terms:
                if t.op is not Ops.RANGE:
                    blocked |= t.ranges
                    todo.append(t)
        else:
            todo.extend(u.src)
    return blocked, forms


def _renewed(nest: Nest, plan: list[list[tuple[UOp, ...] | int]]) -> Nest:
    """Fresh loops: per old loop nothing (it is in the one before), a tuple of loops to join, or a factor to cut by."""
    mapping: dict[UOp, UOp] = {}
    dims: list[UOp] = []
    reds: list[UOp] = []
    count = 0
    for r, step in zip((*nest.dims, *nest.red), plan):
        target, kind = (dims, AxisType.LOOP) if r in nest.dims else (reds, AxisType.REDUCE)
        for what in step:
            if isinstance(what, int):
                a, b = range_(r.arg.size // what, count, kind), range_(what, count + 1, kind)
                mapping[r] = a * what + b
                target += [a, b]
                count += 2
                continue
            whole = range_(prod(x.arg.size for x in what), count, kind)
            target.append(whole)
            count += 1
            rest = whole
            for x in reversed(what[1:]):
                mapping[x], rest = rest % x.arg.size, rest // x.arg.size
            mapping[what[0]] = rest
    return over(nest, {r: simplify(m) for r, m in mapping.items()}, tuple(dims), tuple(reds))


def over(nest: Nest, change: Mapping[UOp, UOp], dims: tuple[UOp, ...], red: tuple[UOp, ...]) -> Nest:
    """The nest over other loops: every counter replaced by what it is in terms of the new ones."""
    moved: dict[UOp, UOp] = {}
    origin: dict[UOp, list[UOp]] = {}
    for u in nest.body.toposort():
        src = tuple(moved[s] for s in u.src)
        new = change.get(u) or (u if src == u.src else u.replace(src=src))
        moved[u] = simplify(new)
        if u in nest.origin:
            origin.setdefault(moved[u], []).extend(nest.origin[u])
    store = simplify(nest.store.substitute(change))
    return _with_loops(replace(nest, dims=dims, red=red, body=moved[nest.body], store=store, origin=origin))


def _with_loops(nest: Nest) -> Nest:
    """The nest with its loops among the origins: they are there for the value."""
    loops = {r: [nest.value] for r in (*nest.dims, *nest.red)}
    return replace(nest, origin={**loops, **nest.origin})
