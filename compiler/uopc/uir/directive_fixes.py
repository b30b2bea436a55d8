"""Quick fixes of directives: one too many, and data of another length."""

from __future__ import annotations

import re

from uopc.typerules import Shape
from uopc.uir.directives import Directive, list_entries
from uopc.uir.drafts import FixContext, FixMaker, line_removed
from uopc.uir.model import Edit, Fix, Span

MAX_PADDED = 1000  # numbers that are added to a list; more of one number are better written as `full`
_SHAPE = re.compile(r"shape[ \t]*=[ \t]*[(\[][^)\]]*[)\]]")


def without_directive(d: Directive) -> FixMaker:
    """The fix that removes a directive: the line, or the comment behind a statement."""

    def make(context: FixContext, line: int) -> Fix:
        head = context.line_text(line)[: d.span.start].rstrip(" \t")
        removed = Edit(line, Span(len(head), context.line_length(line)), "")
        return Fix("remove it", (removed if head else line_removed(context, line),))

    return make


def resized_list(d: Directive, n: int) -> tuple[FixMaker, ...]:
    """The fix that makes a list `n` numbers long: cut, or filled up with its last number."""
    missing = n - len(d.numbers)
    if n < 0 or missing > MAX_PADDED or (missing > 0 and not d.numbers):
        return ()

    def make(context: FixContext, line: int) -> Fix:
        entries = [place() for _, place in list_entries(context.line_text(line), d.source_span)]
        if missing < 0:
            start = entries[n - 1].end if n else entries[0].start
            return Fix(f"cut the list to {n:,}", (Edit(line, Span(start, entries[-1].end), ""),))
        last = entries[-1]
        text = context.line_text(line)[last.start : last.end]
        return Fix(f"fill up with {text}", (Edit(line, Span(last.end, last.end), f", {text}" * missing),))

    return (make,)


def changed_shape(shape: Shape) -> FixMaker:
    """The fix that expects the shape there is."""

    def make(context: FixContext, line: int) -> Fix | None:
        found = list(_SHAPE.finditer(context.line_text(line), context.directive_start(line)))
        span = Span(*found[-1].span()) if found else None
        return Fix(f"change to shape={shape}", (Edit(line, span, f"shape={shape}"),)) if span is not None else None

    return make


def whole_numbers(d: Directive) -> FixMaker:
    """The fix that counts 0, 1, 2, ... where random fractions cannot be stored."""

    def make(context: FixContext, line: int) -> Fix:
        return Fix("change to arange", (Edit(line, Span(d.source_span.start, d.span.end), "arange"),))

    return make
