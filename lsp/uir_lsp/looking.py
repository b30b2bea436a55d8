"""Which part of an output is sent with the answer to a run: what is looked at of it, or would be looked at first."""

from __future__ import annotations

from math import prod
from typing import Any

from uir_lsp.kept import Slice

SMALL = 1 << 12  # elements of an output that is sent whole
CORNER = 64  # rows and columns of a larger one


class BadSlice(ValueError):
    """It does not fit the shape. The text says why."""


def read_slices(given: Any, shape: tuple[int, ...]) -> list[Slice]:
    """One entry an axis: an index, or begin, end and step inside the axis. What is absent is the whole axis.

    Raises BadSlice.
    """
    entries = [] if given is None else given
    if not isinstance(entries, list) or len(entries) > len(shape):
        raise BadSlice(f"slice is a list of at most {len(shape)} entries, one an axis")
    found: list[Slice] = [_slice(entry, size) for entry, size in zip(entries, shape)]
    return found + [(0, size, 1) for size in shape[len(found) :]]


def _slice(entry: Any, size: int) -> Slice:
    if type(entry) is int and 0 <= entry < size:
        return entry
    if isinstance(entry, list) and len(entry) in (2, 3) and all(type(number) is int for number in entry):
        begin, end, step = (*entry, 1)[:3]
        if 0 <= begin <= end <= size and step > 0:
            return begin, end, step
    raise BadSlice(
        f"an axis of {size:,} is sliced by an index inside it, or [begin, end] or [begin, end, step] inside it"
    )


def shape_of(slices: list[Slice]) -> list[int]:
    """The shape of a part."""
    return [len(range(*one)) for one in slices if not isinstance(one, int)]


def looked_at(given: Any, shape: tuple[int, ...]) -> list[Slice]:
    """The slice of an output of that shape; without one, or when it was of another shape, what a table shows first."""
    if given is not None:
        try:
            return read_slices(given, shape)
        except BadSlice:
            pass
    if prod(shape) <= SMALL:
        return [(0, size, 1) for size in shape]
    if len(shape) == 1:
        return [(0, SMALL, 1)]
    rows, columns = ((0, min(size, CORNER), 1) for size in shape[-2:])
    return [*(0 for _ in shape[:-2]), rows, columns]
