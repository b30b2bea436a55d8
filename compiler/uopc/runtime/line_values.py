"""The elements of every value of a small program, each as a short text: what the end of its line can show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from uopc.evaluate import EvaluationError, EvaluationTooLarge, evaluate
from uopc.nptypes import Array
from uopc.ops import Ops
from uopc.runtime.compare import number_text
from uopc.runtime.inputs import buffers_of, make_inputs
from uopc.uop import UOp, sink

if TYPE_CHECKING:
    from uopc.uir import Analysis

MOST_ELEMENTS = 1 << 18  # of one value: what is larger is not evaluated for a preview
_BUDGET = 1 << 22
_MOST_VALUES = 2_000
_WIDTH = 28  # characters of a preview: beside the line and its type in half a window
_WHOLE = 100  # elements that are all shown on asking; of more, the corners
_DIGITS = 4


class Preview(NamedTuple):
    """A value in one line, and as NumPy prints it (of more than a hundred elements, the corners)."""

    name: str
    text: str
    whole: str


def previews(analysis: Analysis, folder: Path) -> list[Preview]:
    """The preview of each value of a shaped program that the reference evaluator has at once, in order.

    Files of the inputs are relative to `folder`. Raises RunError when the inputs cannot be made, EvaluationError.
    """
    if analysis.root is None or analysis.has_errors or analysis.kind != "shaped":
        return []
    cheap = {name: value.uop for name, value in analysis.values.items() if _is_cheap(value.uop)}
    values = dict.fromkeys(uop for uop in list(cheap.values())[-_MOST_VALUES:] if uop is not None)
    if not values:
        return []
    root = sink(*values)
    inputs = make_inputs(buffers_of(root), analysis.directives.inputs, folder)
    texts = {uop: (short_text(array), whole_text(array)) for uop, array in zip(values, _evaluated(root, inputs))}
    return [Preview(name, *texts[uop]) for name, uop in cheap.items() if uop in texts]


def _is_cheap(uop: UOp | None) -> bool:
    """Whether a value has few elements; buffers are inputs, and constants say their value themselves."""
    return uop is not None and bool(uop.dtype.bits) and uop.op is not Ops.CONST and prod(uop.shape) <= MOST_ELEMENTS


def _evaluated(root: UOp, inputs: dict[int, Array]) -> tuple[Array, ...]:
    try:
        found = evaluate(root, inputs, budget=_BUDGET)
    except EvaluationTooLarge as error:
        raise EvaluationError("the values would take too long to evaluate", root) from error
    return found if isinstance(found, tuple) else (found,)


def whole_text(array: Array) -> str:
    """The elements as NumPy prints them, in rows."""
    return np.array2string(array, threshold=_WHOLE, edgeitems=4, max_line_width=100, separator=", ")


def short_text(array: Array) -> str:
    """The first elements, brackets as NumPy has them, cut off at a width: `[[1, 2, 3], [4, …`."""
    text = ""
    for piece in _pieces(array):
        if len(text) + len(piece) > _WIDTH:
            return text.rstrip() + " …" if text.endswith(" ") else text + "…"
        text += piece
    return text


def _pieces(array: Array) -> Iterator[str]:
    """The whole text, an element at a time."""
    if not array.size:
        yield "[" * array.ndim + "]" * array.ndim
        return
    for k in range(array.size):
        index = np.unravel_index(k, array.shape) if array.ndim else ()
        opened = _at_the_end(i == 0 for i in reversed(index))
        closed = _at_the_end(i == size - 1 for i, size in zip(reversed(index), reversed(array.shape)))
        more = ", " if k + 1 < array.size else ""
        yield "[" * opened + _number(array[index]) + "]" * closed + more


def _at_the_end(flags: Iterable[bool]) -> int:
    """How many are true before the first that is not."""
    return sum(1 for _ in takewhile(bool, flags))


def _number(value: np.generic) -> str:
    if isinstance(value, np.floating):
        return f"{float(value):.{_DIGITS}g}"
    return number_text(value)
