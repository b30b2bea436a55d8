"""Quick fixes of type errors, by the code of the error. Each leaves a text without that error.

A fix is offered only where the new text is certain to be legal: every candidate is checked against the same type rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod

from uopc.broadcast import broadcast_shape
from uopc.dtype import DType, Scalar, dtypes
from uopc.errors import UOpError
from uopc.typerules import Shape, is_destination
from uopc.uir import movement_fixes
from uopc.uir.drafts import FixContext, FixMaker, insert_above, replace
from uopc.uir.fix_case import Case, reshaped, tuple_text
from uopc.uir.model import Edit, Fix, Number, Ref, Span

MAX_FIXES = 6


def makers_for(case: Case) -> tuple[FixMaker, ...]:
    """The quick fixes of a failed statement."""
    find = _FIXERS.get(case.error.code)
    return tuple(find(case))[:MAX_FIXES] if find else ()


# -- dtypes ---------------------------------------------------------------------------------------------------------
def cast_values(case: Case, positions: Iterable[int], dtype: DType) -> FixMaker:
    """Casts of some operands to `dtype`, each on a line above; a value used twice is cast once."""
    refs = [v for k, v in enumerate(case.bound.values) if k in set(positions) and isinstance(v, Ref)]

    def make(context: FixContext, line: int) -> Fix | None:
        names: dict[str, str] = {}
        for ref in refs:
            names.setdefault(ref.name, context.fresh(f"{ref.name}_{dtype}"))
        above = "".join(f"%{new} = cast %{old} : dtype={dtype}{context.eol}" for old, new in names.items())
        uses = (Edit(line, ref.span, f"%{names[ref.name]}") for ref in refs)
        shown = " and ".join(f"%{name}" for name in names)
        return Fix(f"cast {shown} to {dtype}", (Edit(line, Span(0, 0), above), *uses)) if names else None

    return make


def _dtype_mismatch(case: Case) -> Iterator[FixMaker]:
    kinds = {u.dtype for u in case.known if u is not None} - {dtypes.void}
    positions = range(1, 3) if case.op == "where" else range(len(case.known))
    target = case.known[0].dtype if case.op == "store" and case.known[0] is not None else None
    for dtype in sorted(kinds, key=dtypes.all.index, reverse=True):
        wrong = [k for k in positions if (u := case.known[k]) is not None and u.dtype is not dtype]
        if wrong and target in (None, dtype) and _numbers_fit(case, dtype):
            yield cast_values(case, wrong, dtype)


def _numbers_fit(case: Case, dtype: DType) -> bool:
    return all(dtypes.holds(dtype, v.value) for v in case.bound.values if isinstance(v, Number))


def _cast_all(dtype: DType) -> Callable[[Case], Iterator[FixMaker]]:
    def find(case: Case) -> Iterator[FixMaker]:
        if any(u is not None for u in case.known) and _numbers_fit(case, dtype):
            yield cast_values(case, range(len(case.known)), dtype)

    return find


def _needs_float(case: Case) -> Iterator[FixMaker]:
    value = case.bound.values[0]
    if isinstance(value, Number):
        text = repr(float(value.value))
        yield replace(f"change to {text}", value.span, text)
    else:
        yield cast_values(case, (0,), dtypes.f32)


def _needs_bool(case: Case) -> Iterator[FixMaker]:
    yield cast_values(case, (0,), dtypes.bool)


def _bitcast_size(case: Case) -> Iterator[FixMaker]:
    if case.x is not None:
        for dtype in dtypes.all:
            if dtype.bits == case.x.dtype.bits and dtype is not case.x.dtype:
                yield replace(f"change to {dtype}", case.span, str(dtype))


def _number_range(case: Case) -> Iterator[FixMaker]:
    """A fraction among integers: cast the integers. A const: a dtype that holds the value."""
    if case.op == "const":
        value, place = case.bound.args["value"], case.bound.places["dtype"]
        for dtype in _dtypes_for(value):
            yield replace(f"change the dtype to {dtype}", place.span, str(dtype))
        return
    k = case.entry
    value = case.bound.values[k].value if isinstance(case.bound.values[k], Number) else None  # type: ignore[union-attr]
    others = [k for k, u in enumerate(case.known) if u is not None and u.dtype.is_int]
    if isinstance(value, float) and others and case.op in ("add", "sub", "mul", "max", "cmplt", "cmpne"):
        yield cast_values(case, others, dtypes.f32)


def _dtypes_for(value: Scalar) -> list[DType]:
    if isinstance(value, float):
        return [dtypes.f32, dtypes.f64]
    return [d for d in dtypes.all if d.is_int and dtypes.holds(d, value)][:2]


# -- shapes ---------------------------------------------------------------------------------------------------------
def _reshape_count(case: Case) -> Iterator[FixMaker]:
    shape, items = case.bound.args["shape"], case.items("shape")
    if case.x is None or len(items) != len(shape):
        return
    total = prod(case.x.shape)
    for k in reversed(range(len(shape))):
        size = _free_size(total, shape, k)
        if size is not None:
            new = tuple_text((*shape[:k], size, *shape[k + 1 :]))
            yield replace(f"change to {new}: {size:,} is the size of axis {k} that fits", items[k].span, str(size))
    if not shape:
        yield replace(f"change to ({total},)", case.bound.places["shape"].span, f"({total},)")


def _free_size(total: int, shape: Shape, k: int) -> int | None:
    rest = (*shape[:k], *shape[k + 1 :])
    others = prod(rest)
    if any(n < 0 for n in rest) or others == 0 or total % others or total // others == shape[k]:
        return None
    return total // others


def _negative_size(case: Case) -> Iterator[FixMaker]:
    if case.op == "reshape":
        yield from _reshape_count(case)
    elif case.op == "expand" and case.x is not None:
        size = case.x.shape[case.entry]
        yield replace(f"change to {size}: the axis stays as it is", case.span, str(size))


def _broadcast(case: Case) -> Iterator[FixMaker]:
    for k, (value, u) in enumerate(zip(case.bound.values, case.known)):
        if u is None or not isinstance(value, Ref):
            continue
        others = [o.shape for j, o in enumerate(case.known) if j != k and o is not None]
        target = _common(others)
        if target is None:
            continue
        shape = _placed(u.shape, target)
        if shape is not None:
            yield reshaped(value, shape)
        if len(u.shape) >= 2 and _common([(*u.shape[:-2], u.shape[-1], u.shape[-2]), target]) is not None:
            yield _transposed(value, len(u.shape))


def _common(shapes: list[Shape]) -> Shape | None:
    try:
        return broadcast_shape(*shapes)
    except UOpError:
        return None


def _placed(shape: Shape, target: Shape) -> Shape | None:
    """`shape` with axes of size 1 put in so that it broadcasts with `target`: each size as far left as it fits."""
    if len(shape) >= len(target):
        return None
    placed: list[int] = []
    rest = list(shape)
    for size in target:
        fits = bool(rest) and (rest[0] == size or 1 in (rest[0], size))
        placed.append(rest.pop(0) if fits else 1)
    return None if rest else tuple(placed)


def _transposed(value: Ref, rank: int) -> FixMaker:
    order = tuple_text((*range(rank - 2), rank - 1, rank - 2))

    def statement(name: str) -> str:
        return f"%{name} = permute %{value.name}, {order}"

    return insert_above(f"transpose %{value.name} by {order}", statement, f"{value.name}_t", value.span)


def _store_shape(case: Case) -> Iterator[FixMaker]:
    to, value, place = case.known[0], case.known[1], case.bound.values[0]
    if to is None or value is None or not isinstance(place, Ref):
        return
    if is_destination(to) and prod(to.shape) == prod(value.shape):
        yield reshaped(place, value.shape)


# -- memory ----------------------------------------------------------------------------------------------------------
def _slot_conflict(case: Case) -> Iterator[FixMaker]:
    place = case.bound.places.get("slot")

    def make(context: FixContext, line: int) -> Fix | None:
        assert place is not None
        free = str(context.free_slot())
        return Fix(f"change to slot={free}, which is free", (Edit(line, place.span, free),))

    if place is not None and case.op == "buffer":
        yield make


_FIXERS: dict[str, Callable[[Case], Iterator[FixMaker]]] = {
    "dtype-mismatch": _dtype_mismatch,
    "bool-arithmetic": _cast_all(dtypes.i32),
    "needs-integer": _cast_all(dtypes.i32),
    "needs-float": _needs_float,
    "needs-bool": _needs_bool,
    "bitcast-size": _bitcast_size,
    "number-range": _number_range,
    "reshape-count": _reshape_count,
    "negative-size": _negative_size,
    "expand-rank": movement_fixes.expand_rank,
    "expand-size": movement_fixes.expand_size,
    "broadcast": _broadcast,
    "store-shape": _store_shape,
    "permute-order": movement_fixes.permute,
    "permute-rank": movement_fixes.permute,
    "flip-axes": movement_fixes.axes,
    "reduce-axes": movement_fixes.reduce_axes,
    "shrink-window": movement_fixes.window,
    "shrink-rank": movement_fixes.pairs_left_out("bounds"),
    "pad-rank": movement_fixes.pairs_left_out("pads"),
    "negative-pad": movement_fixes.negative_pad,
    "index-range": movement_fixes.index_range,
    "slot-conflict": _slot_conflict,
}
