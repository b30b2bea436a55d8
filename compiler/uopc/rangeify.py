"""From shapes to loops: what is the value of a node at one index?

Every output axis gets a loop counter, and the question is passed down the graph: movement operations answer with their
index map, elementwise ones ask their operands at the same index, memory answers with a load. A reduction opens loops of
its own around an accumulator. What comes out is a loop program: scalars inside loops, ordered by AFTER and END.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import cast

from uopc.dtype import DType, Scalar, dtypes, int_range
from uopc.indexmap import Index, assumptions, ravel, released, source_index, unravel, valid
from uopc.ops import ALU, MOVEMENT, AxisType, Ops
from uopc.symbolic import bounds, simplify, watch
from uopc.symbolic.affine import affine
from uopc.symbolic.divmod import build
from uopc.symbolic.linear import Linear, linear
from uopc.uop import UOp, alloc, range_, sink

__all__ = [
    "Ctx",
    "Opts",
    "identity",
    "lower",
    "lower_outputs",
    "merge_ends",
    "rangeify",
    "ranges_in",
    "ravel",
    "unravel",
]

_ZERO = UOp.const(0)
# A rule yields (node, index) to ask for a value and is sent the answer; it returns the value of its own node.
_Answer = Generator[tuple[UOp, Index], UOp, UOp]
# An axis as (counter or constant 0, unroll factor f): its index is counter * f + c for c in 0..f-1.
_Axis = tuple[UOp, int]


def identity(op: Ops, d: DType) -> Scalar:
    """What a reduction of nothing is: 0 for ADD, 1 for MUL, the smallest value for MAX."""
    if op is Ops.MAX:
        return dtypes.min(d)
    one = 1 if op is Ops.MUL else 0
    return float(one) if d.is_float else one


@dataclass
class Opts:
    """How one kernel is mapped onto the machine.

    upcast: output axis -> how many neighbours are computed side by side; unroll: the same for the last reduced axis;
    tile: output axis -> block size; thread: output axis whose iterations run in parallel. A factor that does not
    divide its axis is ignored.
    """

    upcast: dict[int, int] = field(default_factory=dict)
    thread: int | None = None
    unroll: int = 1
    tile: dict[int, int] = field(default_factory=dict)


@dataclass
class Ctx:
    """State of one lowering: the next loop and accumulator numbers, answers already given, shared reduce loops.

    origin: lowered node -> the graph nodes whose value it is (a load is also that of every view over the buffer).
    moved: what nodes of `memo` became when ENDs were merged, filled by lower_outputs.
    """

    next_range: int = 0
    next_alloc: int = 0
    memo: dict[tuple[UOp, Index], UOp] = field(default_factory=dict)
    reduce_ranges: dict[tuple[UOp, Index], list[_Axis]] = field(default_factory=dict)
    opts: Opts = field(default_factory=Opts)
    origin: dict[UOp, list[UOp]] = field(default_factory=dict)
    moved: dict[UOp, UOp] = field(default_factory=dict)

    def rng(self, size: int, kind: AxisType = AxisType.LOOP) -> UOp:
        """A fresh loop counter."""
        self.next_range += 1
        return range_(size, self.next_range - 1, kind)

    def came_from(self, lowered: UOp, node: UOp) -> None:
        """Note that `lowered` was made for the graph node `node`."""
        self.origin.setdefault(lowered, []).append(node)

    def alloc(self, d: DType, n: int = 1) -> UOp:
        """A fresh accumulator (or local array of n elements)."""
        self.next_alloc += 1
        return alloc(self.next_alloc - 1, n, d)


def ranges_in(*us: UOp) -> list[UOp]:
    """The open loops that values depend on, outermost first."""
    found: set[UOp] = set()
    for u in us:
        found |= u.ranges
    return sorted(found, key=lambda r: (r.arg.idx, r.arg.size))


def rangeify(u: UOp, idx: Index, ctx: Ctx) -> UOp:
    """The scalar value of `u` at `idx` (one integer scalar per axis). Asks each question once; does not recurse."""
    question = (u, idx)
    answer = ctx.memo.get(question)
    stack: list[tuple[tuple[UOp, Index], _Answer]] = []
    while answer is None or stack:
        if answer is None:
            stack.append((question, _rule(*question, ctx)))
        try:
            question = stack[-1][1].send(cast(UOp, answer))  # sending None starts a rule
            answer = ctx.memo.get(question)
        except StopIteration as done:
            asked, _ = stack.pop()
            answer = ctx.memo[asked] = done.value
            ctx.came_from(done.value, asked[0])
    return answer


def _rule(u: UOp, idx: Index, ctx: Ctx) -> _Answer:
    if len(idx) != len(u.shape):
        raise AssertionError(f"{u.op.value}: {len(idx)} indices for shape {u.shape}")
    if u.op in MOVEMENT:
        return _movement(u, idx)
    return _elementwise(u, idx) if u.op in ALU else _RULES[u.op](u, idx, ctx)


def _constant(u: UOp, idx: Index, ctx: Ctx) -> _Answer:
    yield from ()  # a generator like every rule, though it asks nothing
    return u


def _memory(u: UOp, idx: Index, ctx: Ctx) -> _Answer:
    if u.shape == (0,):
        yield from ()
        return UOp.const(0, u.dtype)  # in a loop that runs no times; there is no address to write down
    i, guard = affine(simplify(released(idx[0]))), assumptions(idx[0])
    # Whatever a pad's mask says later, the address itself must be inside.
    yield from ()
    return u.index(i if guard is None else simplify(guard.where(i, UOp.const(0, i.dtype)))).load()


def _same(u: UOp, idx: Index, ctx: Ctx) -> _Answer:
    return (yield u.src[0], idx)


def _elementwise(u: UOp, idx: Index) -> _Answer:
    values = []
    for s in u.src:
        values.append((yield s, idx))
    return UOp(u.op, tuple(values), u.arg)


def _movement(u: UOp, idx: Index) -> _Answer:
    if u.op is not Ops.PAD:
        return (yield u.src[0], source_index(u, idx))
    zero = UOp.const(0, u.dtype)
    guard = valid(u, idx)
    if 0 in u.src[0].shape or (guard is not None and bounds(guard) == (0, 0)):
        return zero
    value = yield u.src[0], source_index(u, idx)
    return value if guard is None else guard.where(value, zero)


def _index(u: UOp, idx: Index, ctx: Ctx) -> _Answer:
    inner: list[UOp] = []
    for i, size in zip(u.src[1:], u.src[0].shape):
        value = yield i, ()
        inner.append(clamp(simplify(value), size))
    return (yield u.src[0], (*inner, *idx))


def clamp(i: UOp, size: int) -> UOp:
    """`i` as an index of an axis: unchanged when it is provably inside, else the nearest entry."""
    lo, hi = bounds(i)
    wide = i if i.dtype.bits >= 32 else i.cast(dtypes.i32)
    if wide.dtype in (dtypes.u32, dtypes.u64) and (hi > int_range(dtypes.i32)[1] or size > int_range(dtypes.i32)[1]):
        top = UOp.const(min(size, int_range(wide.dtype)[1] + 1) - 1, wide.dtype)
        wide = (wide < top).where(wide, top).cast(dtypes.i64)
        lo, hi = 0, min(hi, size - 1)
    elif size - 1 > int_range(wide.dtype)[1]:
        wide = wide.cast(dtypes.i64)
    if lo < 0:
        wide = wide.alu(Ops.MAX, 0)
    if hi > size - 1:
        wide = (wide < max(size - 1, 0)).where(wide, max(size - 1, 0))
    if wide.dtype.is_unsigned:  # index arithmetic is signed: what comes later subtracts from it
        wide = wide.cast(dtypes.i32 if size - 1 <= int_range(dtypes.i32)[1] else dtypes.i64)
    return simplify(wide)


def _stack(u: UOp, idx: Index, ctx: Ctx) -> _Answer:
    i, rest = idx[0], idx[1:]
    lo, hi = bounds(i)
    last = min(hi, len(u.src) - 1)
    result = yield u.src[last], rest
    for k in range(last - 1, max(lo, 0) - 1, -1):
        value = yield u.src[k], rest
        if value is not result:
            result = simplify(released(i) < k + 1).where(value, result)
    return result


# -- reductions ----------------------------------------------------------------------------------------------------
def _reduce(u: UOp, idx: Index, ctx: Ctx) -> _Answer:
    op, n = u.arg
    x = u.src[0]
    removed = x.shape[len(x.shape) - n :]
    if 0 in removed:
        return UOp.const(identity(op, u.dtype), u.dtype)
    scope = tuple(released(i) for i in idx)  # where the accumulator lives depends on what the index really mentions
    axes = _reduce_axes(u, scope, removed, ctx)
    wide = dtypes.f32 if u.dtype is dtypes.f16 else u.dtype  # half precision accumulates in single and rounds once
    values: list[UOp] = []
    for c in _combinations(axes):
        values.append((yield x, idx + c).cast(wide))
    total = _balanced(op, values)
    loops = [r for r, _ in axes if r.op is Ops.RANGE]
    return (_accumulate(u, total, loops, scope, ctx) if loops else total).cast(u.dtype)


def _reduce_axes(u: UOp, idx: Index, removed: tuple[int, ...], ctx: Ctx) -> list[_Axis]:
    """The loops of a reduction, shared by unrolled copies: those whose indices differ only by constants.

    Such copies depend on the same values, so neither can need the other's result, and one loop can serve both.
    """
    key = (u, tuple(_without_constant(i) for i in idx))
    if key not in ctx.reduce_ranges:
        factors = [1] * (len(removed) - 1) + [ctx.opts.unroll]
        ctx.reduce_ranges[key] = [_axis(ctx, n, f, AxisType.REDUCE) for n, f in zip(removed, factors)]
    return ctx.reduce_ranges[key]


def _without_constant(i: UOp) -> UOp:
    if watch.raw:  # not the sum that its form could be read of
        return i
    return build(Linear(linear(i).terms, 0), i.dtype)


def _balanced(op: Ops, values: list[UOp]) -> UOp:
    while len(values) > 1:
        values = [
            UOp(op, tuple(values[k : k + 2])) if k + 1 < len(values) else values[k] for k in range(0, len(values), 2)
        ]
    return values[0]


def _accumulate(u: UOp, value: UOp, loops: list[UOp], idx: Index, ctx: Ctx) -> UOp:
    """An accumulator in the loops that the output index mentions, updated in `loops`, read after them."""
    op = u.arg[0]
    fresh = ctx.alloc(value.dtype).after(*ranges_in(*idx))
    start = fresh.index(0).store(identity(op, value.dtype))
    inside = fresh.after(start, *loops).index(0)
    update = inside.store(UOp(op, (inside.load(), value)))
    for node in (fresh, start, update, *loops):
        ctx.came_from(node, u)
    return fresh.after(update.end(*loops)).index(0).load()


_RULES: dict[Ops, Callable[[UOp, Index, Ctx], _Answer]] = {
    Ops.CONST: _constant,
    Ops.BUFFER: _memory,
    Ops.STAGE: _same,
    Ops.AFTER: _same,
    Ops.LOAD: _same,
    Ops.INDEX: _index,
    Ops.STACK: _stack,
    Ops.REDUCE: _reduce,
}


# -- whole programs ------------------------------------------------------------------------------------------------
def _axis(ctx: Ctx, size: int, factor: int, kind: AxisType) -> _Axis:
    if factor > 1 and size % factor == 0:
        return (ctx.rng(size // factor, kind) if size > factor else _ZERO), factor
    return (ctx.rng(size, kind) if size != 1 else _ZERO), 1


def _combinations(axes: list[_Axis]) -> Iterable[Index]:
    choices = [[_unrolled(base, f, c) for c in range(f)] for base, f in axes]
    return product(*choices)


def _unrolled(base: UOp, factor: int, c: int) -> UOp:
    if base is _ZERO:
        return UOp.const(c)
    return simplify(base * factor + c) if factor > 1 else base


def _output_axes(shape: tuple[int, ...], ctx: Ctx) -> list[_Axis]:
    """One axis description per output axis; the threaded axis gets the smallest loop number, so it is outermost."""
    o = ctx.opts
    order = sorted(range(len(shape)), key=lambda k: (k != o.thread, k))
    tiles = {k: t for k, t in o.tile.items() if k < len(shape) and _tiles(shape[k], t, o.upcast.get(k, 1))}
    # All block loops are outside all loops within a block: a block then reuses what it has loaded.
    outer = {k: ctx.rng(shape[k] // tiles[k], _kind(k, o)) for k in order if k in tiles}
    axes: dict[int, _Axis] = {}
    for k in order:
        factor = o.upcast.get(k, 1)
        if k in tiles:
            inner = tiles[k] // factor
            axes[k] = (simplify(outer[k] * inner + ctx.rng(inner)) if inner > 1 else outer[k], factor)
        else:
            axes[k] = _axis(ctx, shape[k], factor, _kind(k, o))
    return [axes[k] for k in range(len(shape))]


def _tiles(size: int, tile: int, factor: int) -> bool:
    return 1 < tile < size and size % tile == 0 and tile % factor == 0


def _kind(k: int, opts: Opts) -> AxisType:
    return AxisType.THREAD if k == opts.thread else AxisType.LOOP


def _stores(root: UOp, out: UOp, ctx: Ctx) -> UOp:
    axes = _output_axes(root.shape, ctx)
    stores = []
    for idx in _combinations(axes):
        value = rangeify(root, idx, ctx)
        stores.append(out.index(simplify(ravel(idx, root.shape))).store(value))
    loops = ranges_in(*(base for base, _ in axes))
    for node in (*stores, *loops):
        ctx.came_from(node, root)
    body = stores[0] if len(stores) == 1 else UOp(Ops.GROUP, tuple(stores))
    return body.end(*loops)


def lower(root: UOp, out: UOp, ctx: Ctx | None = None) -> UOp:
    """A shaped value as a loop program that stores it, row-major, into BUFFER `out` (prod(root.shape) elements)."""
    return lower_outputs([(root, out)], ctx)


def lower_outputs(outputs: list[tuple[UOp, UOp]], ctx: Ctx | None = None) -> UOp:
    """Several (value, buffer) as one loop program: a SINK of simplified stores in loops.

    `ctx.origin` then speaks of the nodes of the program that is returned.
    """
    ctx = ctx or Ctx()
    program = sink(*(_stores(root, out, ctx) for root, out in outputs))
    moved = ctx.moved = _merge(program)
    origin: dict[UOp, list[UOp]] = {}
    for node, sources in ctx.origin.items():
        origin.setdefault(simplify(moved.get(node, node)), []).extend(sources)
    ctx.origin = origin
    return simplify(moved.get(program, program))


def merge_ends(root: UOp) -> UOp:
    """One END per loop: the ENDs that unrolled copies put around the same loops become one around all their bodies."""
    return _merge(root).get(root, root)


def _merge(root: UOp) -> dict[UOp, UOp]:
    """What every node of the graph becomes; empty when nothing is to be merged."""
    groups: dict[Index, list[UOp]] = {}
    for u in root.toposort():
        if u.op is Ops.END:
            groups.setdefault(u.src[1:], []).append(u)
    twice = {e: group for group in groups.values() if len(group) > 1 for e in group}
    return _merged(root, twice) if twice else {}


def _merged(root: UOp, twice: dict[UOp, list[UOp]]) -> dict[UOp, UOp]:
    """Rebuild bottom-up; an END that is to be merged first needs the bodies of all its partners."""
    new: dict[UOp, UOp] = {}
    todo = [root]
    while todo:
        node = todo[-1]
        if node in new:
            todo.pop()
            continue
        partners = twice.get(node, [node])
        waiting = [s for p in partners for s in p.src if s not in new]
        if waiting:
            todo.extend(reversed(waiting))
            continue
        todo.pop()
        if node in twice:
            bodies = tuple(dict.fromkeys(new[p.src[0]] for p in partners))
            joined = (bodies[0] if len(bodies) == 1 else UOp(Ops.GROUP, bodies)).end(*node.src[1:])
            new.update(dict.fromkeys(partners, joined))
        else:
            src = tuple(new[s] for s in node.src)
            new[node] = node if src == node.src else node.replace(src=src)
    return new
