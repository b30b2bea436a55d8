"""Quick fixes of movements, reductions and indices: axes that are not there, windows and pads that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

from uopc.ops import Ops
from uopc.typerules import Shape
from uopc.uir.drafts import FixContext, FixMaker, insert_above, replace
from uopc.uir.fix_case import Case, reshaped, tuple_text
from uopc.uir.model import Edit, Fix, Group, Number, Ref, Span

Pairs = tuple[tuple[int, int], ...]


# -- expand ---------------------------------------------------------------------------------------------------------
def expand_rank(case: Case) -> Iterator[FixMaker]:
    """A reshape that puts the axes where they belong; nothing but a reshape where no axis is repeated."""
    shape, x, value = case.bound.args["shape"], case.x, case.bound.values[0]
    if x is None or not isinstance(value, Ref) or any(n < 0 for n in shape):
        return
    for new in _alignments(x.shape, shape):
        yield _as_reshape(case) if new == shape else reshaped(value, new)


def expand_size(case: Case) -> Iterator[FixMaker]:
    """Axes in other places, a reshape that was meant, or the elements repeated one copy after the other."""
    shape, x, value = case.bound.args["shape"], case.x, case.bound.values[0]
    if x is None or not isinstance(value, Ref):
        return
    if prod(shape) == prod(x.shape):
        yield _as_reshape(case)
    for new in _alignments(x.shape, shape):
        if new != shape:
            yield reshaped(value, new)
    if all(old in (1, new) or (old and new % old == 0) for old, new in zip(x.shape, shape)):
        yield _tiled(case, value, x.shape, shape)


def _alignments(old: Shape, new: Shape) -> list[Shape]:
    """The shapes of `old`'s elements that expand to `new`, with its axes as far right and as far left as they fit."""
    right = _aligned(old[::-1], new[::-1])
    found = [right[::-1] if right is not None else None, _aligned(old, new)]
    return [shape for shape in dict.fromkeys(found) if shape is not None and shape != old]


def _aligned(old: Shape, new: Shape) -> Shape | None:
    """`old`'s axes that are not 1, in order, each at the first axis of `new` of its size; 1 at the others."""
    rest = [n for n in reversed(old) if n != 1]
    placed = tuple(rest.pop() if rest and rest[-1] == size else 1 for size in new)
    return None if rest else placed


def _as_reshape(case: Case) -> FixMaker:
    return replace("make it a reshape: no element is repeated", case.st.op_span, "reshape")


def _tiled(case: Case, value: Ref, old: Shape, new: Shape) -> FixMaker:
    """Every axis that grows as (copies, size), expanded, and the two axes made one."""
    pairs = [((a,), (b,)) if a in (1, b) else ((1, a), (b // a, a)) for a, b in zip(old, new)]
    ones = tuple_text(n for sizes, _ in pairs for n in sizes)
    copies = tuple_text(n for _, sizes in pairs for n in sizes)

    def make(context: FixContext, line: int) -> Fix:
        first, second = context.fresh(f"{value.name}_r"), context.fresh(f"{value.name}_e")
        above = f"%{first} = reshape %{value.name}, {ones}{context.eol}"
        above += f"%{second} = expand %{first}, {copies}{context.eol}"
        edits = (
            Edit(line, Span(0, 0), above),
            Edit(line, case.st.op_span, "reshape"),
            Edit(line, value.span, f"%{second}"),
        )
        return Fix(f"repeat %{value.name}, one copy after the other", edits)

    return make


# -- axes -----------------------------------------------------------------------------------------------------------
def permute(case: Case) -> Iterator[FixMaker]:
    """Permutations that may have been meant."""
    order = case.bound.args["order"]
    if case.x is None:
        return
    span, rank = case.bound.places["order"].span, len(case.x.shape)
    for new in dict.fromkeys(_orders(order, rank)):
        if sorted(new) == list(range(rank)) and new != order:
            yield replace(f"change to {tuple_text(new)}", span, tuple_text(new))


def _orders(order: Shape, rank: int) -> Iterator[Shape]:
    """From the end, counted from 1, the axes left out in the place of the wrong ones or after them."""
    yield tuple(k + rank if k < 0 else k for k in order)
    yield tuple(k - 1 for k in order)
    missing = [k for k in range(rank) if k not in order]
    wrong = {i for i, k in enumerate(order) if not 0 <= k < rank or k in order[:i]}
    rest = iter(missing)
    if len(wrong) == len(missing):
        yield tuple(next(rest) if i in wrong else k for i, k in enumerate(order))
    else:
        yield (*(k for i, k in enumerate(order) if i not in wrong), *missing)


def axes(case: Case) -> Iterator[FixMaker]:
    """Axes from the end as NumPy has it, without the repeated ones, or the nearest that are there."""
    old, place = case.bound.args.get("axes"), case.bound.places.get("axes")
    if old is None or place is None or case.x is None:
        return
    rank = len(case.x.shape)
    wanted = (
        (k + rank if k < 0 else k for k in old),
        old,
        (max(0, min(k, rank - 1)) for k in old),
    )
    for new in dict.fromkeys(tuple(dict.fromkeys(ks)) for ks in wanted):
        if new and new != old and all(0 <= k < rank for k in new):
            yield replace(f"change to {tuple_text(new)}", place.span, tuple_text(new))


def reduce_axes(case: Case) -> Iterator[FixMaker]:
    """The axes of a reduce, or as many as there are."""
    yield from axes(case)
    if "pop" in case.bound.args and case.x is not None:
        rank = len(case.x.shape)
        yield replace(f"change to {rank}: all axes", case.span, str(rank))


# -- windows and pads -----------------------------------------------------------------------------------------------
def window(case: Case) -> Iterator[FixMaker]:
    """Every window clipped to its axis; one that ends before it starts, the other way round."""
    if case.x is None:
        return
    old: Pairs = case.bound.args["bounds"]
    new = tuple(_clipped(pair, size) for pair, size in zip(old, case.x.shape))
    yield _pairs_changed(case, "bounds", old, new, f"clip to {new}")


def _clipped(pair: tuple[int, int], size: int) -> tuple[int, int]:
    begin, end = sorted(max(0, min(k, size)) for k in pair)
    return begin, end


def _pair_edits(case: Case, name: str, old: Pairs, new: Pairs, line: int) -> list[Edit]:
    """An edit for every number of a list of pairs that becomes another."""
    places = [n for item in case.items(name) for n in (item.items if isinstance(item, Group) else (item,))]
    numbers = zip(places, (n for pair in old for n in pair), (n for pair in new for n in pair))
    return [Edit(line, place.span, str(b)) for place, a, b in numbers if a != b]


def _pairs_changed(case: Case, name: str, old: Pairs, new: Pairs, title: str) -> FixMaker:
    def make(context: FixContext, line: int) -> Fix:
        edits = _pair_edits(case, name, old, new, line)
        return Fix(f"change to {edits[0].text}" if len(edits) == 1 else title, tuple(edits))

    return make


def pairs_left_out(name: str) -> Callable[[Case], Iterator[FixMaker]]:
    """The fix that adds pairs for the further axes, which leave these as they are."""

    def find(case: Case) -> Iterator[FixMaker]:
        pairs = case.bound.args[name]
        if case.x is not None and len(pairs) < len(case.x.shape):
            rest = [(0, n if name == "bounds" else 0) for n in case.x.shape[len(pairs) :]]
            text = str((*pairs, *rest))
            yield replace(f"change to {text}", case.bound.places[name].span, text)

    return find


def negative_pad(case: Case) -> Iterator[FixMaker]:
    """No pad instead of a negative one; or the elements that a negative pad would remove, removed by a shrink."""
    old: Pairs = case.bound.args["pads"]
    new = tuple((max(0, before), max(0, after)) for before, after in old)
    yield _pairs_changed(case, "pads", old, new, f"change to {new}")
    value = case.bound.values[0]
    if case.x is None or not isinstance(value, Ref):
        return
    bounds = tuple((max(0, -b), n + min(0, a)) for (b, a), n in zip(old, case.x.shape))
    if all(begin <= end for begin, end in bounds):
        yield _shrunk(case, value, bounds, new)


def _shrunk(case: Case, value: Ref, bounds: Pairs, new: Pairs) -> FixMaker:
    old: Pairs = case.bound.args["pads"]
    if not any(n for pair in new for n in pair):
        span = Span(case.st.op_span.start, case.st.span.end)
        return replace("make it a shrink", span, f"shrink %{value.name}, {bounds}")

    def statement(name: str) -> str:
        return f"%{name} = shrink %{value.name}, {bounds}"

    above = insert_above(f"shrink %{value.name} first", statement, f"{value.name}_s", value.span)

    def make(context: FixContext, line: int) -> Fix | None:
        fix = above(context, line)
        return fix and fix._replace(edits=(*fix.edits, *_pair_edits(case, "pads", old, new, line)))

    return make


# -- indices --------------------------------------------------------------------------------------------------------
def index_range(case: Case) -> Iterator[FixMaker]:
    """The index counted from the end, else the nearest one inside."""
    k = case.entry
    value, node, size = case.bound.values[k], case.known[k], case.x.shape[k - 1] if case.x is not None else 0
    index = value.value if isinstance(value, Number) else node.arg if node is not None and node.op is Ops.CONST else 0
    if size and isinstance(index, int):
        inside = index + size if -size <= index < 0 else max(0, min(index, size - 1))
        yield replace(f"change to {inside}", value.span, str(inside))


__all__ = [
    "axes", "expand_rank", "expand_size", "index_range", "negative_pad", "pairs_left_out", "permute", "reduce_axes",
    "window",
]  # fmt: skip
