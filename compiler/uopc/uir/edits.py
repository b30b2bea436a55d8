"""Applying the edits of a quick fix to a text."""

from __future__ import annotations

from collections.abc import Iterable

from uopc.uir.model import Edit
from uopc.uir.source import LineTable


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap; all of them are about the text before. Insertions at one place keep
    their order."""
    table = LineTable(text)
    spans = []
    for k, edit in enumerate(edits):
        start = table.offset(edit.line, edit.span.start)
        spans.append((start, table.offset(*edit.end), k, edit.text))
    spans.sort()
    parts, at = [], 0
    for start, end, _, new in spans:
        parts += [text[at:start], new]
        at = max(at, end)
    return "".join(parts) + text[at:]
