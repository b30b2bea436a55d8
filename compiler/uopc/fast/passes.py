"""Loops over lanes: values that are written element by element and reductions along the lanes, several in one loop.

A pass is one loop along one counter. Its members are computed together for the same elements: what one writes, the next
has in a register already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from uopc.dtype import DType, dtypes
from uopc.fast.emit import Counter, Emitter
from uopc.fast.nest import Nest
from uopc.ops import Ops
from uopc.rangeify import identity
from uopc.render.types import C_TYPES, constant
from uopc.symbolic.linear import linear
from uopc.uop import UOp

Sums = dict[UOp, list[str]]  # the accumulators of each reduction, by the buffer of its result


@dataclass(frozen=True)
class Member:
    """A nest in a pass: its loop along the lanes, and whether its result must reach memory."""

    nest: Nest
    lane: UOp
    stored: bool = True

    @property
    def reduces(self) -> bool:
        """Whether it combines the lanes into one element."""
        return self.lane in self.nest.red


@dataclass(frozen=True)
class Shape:
    """How a pass is cut into vectors: `width` lanes, `copies` vectors side by side in the main loop."""

    width: int
    copies: int


def emit_pass(e: Emitter, members: Sequence[Member], shape: Shape, start: Counter, length: int, sums: Sums) -> None:
    """Write the loop over `length` elements from `start`; reductions go into the accumulators `sums`."""
    for m in members:
        with_lane(e, m, start)
        e.prepare((m.nest.body,), m.lane)
    step = shape.width * shape.copies
    main = length // step * step
    if main:
        j = e.code.fresh("j")
        first, last = start.text(), Counter(start.name, start.plus + main).text()
        with e.loop(f"for (long {j} = {first}; {j} < {last}; {j} += {step})", *_nodes(members)):
            for c in range(shape.copies):
                _vector(e, members, shape.width, shape.width, Counter(j, c * shape.width), c, sums)
    whole = (length - main) // shape.width
    if whole:
        _single(e, members, shape, Counter(start.name, start.plus + main), whole, sums)
    rest = length - main - whole * shape.width
    if rest:
        at = Counter(start.name, start.plus + length - rest)
        with e.loop("", *_nodes(members)):
            _vector(e, members, shape.width, rest, at, 0, sums)


def _nodes(members: Sequence[Member]) -> tuple[UOp, ...]:
    return tuple(m.lane for m in members)


def with_lane(e: Emitter, m: Member, at: Counter) -> None:
    """Say where a member's lane counter stands."""
    e.env[m.lane] = at


def _single(e: Emitter, members: Sequence[Member], shape: Shape, start: Counter, whole: int, sums: Sums) -> None:
    """The whole vectors that the main loop leaves: fewer than `copies`."""
    if whole == 1:
        with e.loop("", *_nodes(members)):
            _vector(e, members, shape.width, shape.width, start, 0, sums)
        return
    j = e.code.fresh("j")
    last = Counter(start.name, start.plus + whole * shape.width).text()
    with e.loop(f"for (long {j} = {start.text()}; {j} < {last}; {j} += {shape.width})", *_nodes(members)):
        _vector(e, members, shape.width, shape.width, Counter(j), 0, sums)


def _vector(e: Emitter, members: Sequence[Member], w: int, active: int, at: Counter, copy: int, sums: Sums) -> None:
    """One vector of every member."""
    e.known.clear()
    held: list[tuple[Member, str]] = []
    for m in members:
        with_lane(e, m, at)
        with e.lanes(m.lane, w, active):
            for load in m.nest.loads():
                _know(e, load, m, held)
            if m.reduces:
                add_vector(e, m.nest, sums[m.nest.out][copy % len(sums[m.nest.out])], active)
            else:
                text = e.vector(m.nest.body)
                if not text.isidentifier():
                    text = _name(e, text, m.nest.body.dtype, m)
                held.append((m, text))
                if m.stored:
                    e.store(m.nest.out, m.nest.store, text, m.nest.out.dtype, m.nest.body, m.nest.value)
    e.known.clear()


def _name(e: Emitter, text: str, d: DType, m: Member) -> str:
    name = e.code.fresh("v")
    e.code.line(f"{e.vectors.of(d, e.width)} {name} = {text};", m.nest.body)
    return name


def _know(e: Emitter, load: UOp, reader: Member, held: list[tuple[Member, str]]) -> None:
    """A load of what an earlier member of this pass has just computed for the same element."""
    for writer, text in held:
        if load.src[0].src[0] is writer.nest.out and same_element(load, reader.lane, writer):
            e.known[load] = text


def same_element(load: UOp, lane: UOp, writer: Member) -> bool:
    """Whether a load at its reader's lane reads the element that the writer writes at the same lane."""
    there = linear(writer.nest.store)
    terms = {lane if t is writer.lane else t: c for t, c in there.terms.items()}
    here = linear(load.src[0].src[1])
    return here.terms == terms and here.const == there.const


# -- accumulators --------------------------------------------------------------------------------------------------
def accumulators(e: Emitter, n: Nest, shape: Shape) -> list[str]:
    """Declare the vectors that a reduction is collected in; their names."""
    assert n.op is not None
    kind = e.vectors.of(n.wide, shape.width)
    start = e.vectors.splat(constant(identity(n.op, n.wide), n.wide), n.wide, shape.width)
    names = [e.code.fresh("acc") for _ in range(shape.copies)]
    e.code.line(f"{kind} {', '.join(f'{name} = {start}' for name in names)};", n.value)
    return names


def add_vector(e: Emitter, n: Nest, acc: str, active: int) -> None:
    """One more vector of the body into an accumulator. Only here may a product and a sum be rounded as one."""
    d, w = n.wide, e.width
    assert n.op is not None
    if n.op is Ops.ADD and d.is_float and n.body.op is Ops.MUL and active == w:
        a, b = (e.vector(s) for s in n.body.src)
        e.code.line(f"{acc} = {e.vectors.fused(d, w)}({a}, {b}, {acc});", n.body, n.value)
        return
    text = e.vector(n.body)
    if active < w:
        mask = f"({e.vectors.raw(dtypes.i32, w)}){{{', '.join('-1' if k < active else '0' for k in range(w))}}}"
        rest = e.vectors.splat(constant(identity(n.op, d), d), d, w)
        text = f"{e.vectors.select(d, w)}({mask}, {text}, {rest})"
    e.code.line(f"{acc} = {e.vectors.combine(n.op, d, w, acc, text)};", n.body, n.value)


def total(e: Emitter, n: Nest, names: list[str], w: int) -> str:
    """The lanes of several accumulators combined into one C scalar; its name."""
    d = n.wide
    assert n.op is not None
    while len(names) > 1:
        for k in range(len(names) // 2):
            e.code.line(f"{names[k]} = {e.vectors.combine(n.op, d, w, names[k], names[-1 - k])};", n.value)
        names = names[: (len(names) + 1) // 2]
    last, kind, distance = names[0], e.vectors.of(d, w), w // 2
    while distance:  # every lane with the one that far away
        low, high = (f"{e.vectors.exchange(d, w, distance, high=h)}({last}, {last})" for h in (False, True))
        last = e.code.fresh("acc")
        e.code.line(f"{kind} {last} = {e.vectors.combine(n.op, d, w, low, high)};", n.value)
        distance //= 2
    name = e.code.fresh("s")
    e.code.line(f"{C_TYPES[d]} {name} = {e.vectors.lane(last, d, 0)};", n.value)
    return name
