"""Formatting: of the file, of a range, and of the line before when Enter is typed. Only lines that change are sent."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Any

from lsprotocol import types

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature
from uopc.uir import format as format_text
from uopc.uir.source import split_lines

_LINE_END = re.compile(r"\r\n|\n|\r")
Edits = list[dict[str, Any]]


def _document(snapshot: Snapshot, _: types.DocumentFormattingParams) -> Edits:
    return _edits(snapshot, 0, len(snapshot.lines))


def _range(snapshot: Snapshot, params: types.DocumentRangeFormattingParams) -> Edits:
    first, _ = snapshot.locate(params.range.start)
    last, column = snapshot.locate(params.range.end)
    if column == 0 and last > first:  # a selection of whole lines ends at the start of the next
        last -= 1
    return _edits(snapshot, first, last + 1)


def _on_type(snapshot: Snapshot, params: types.DocumentOnTypeFormattingParams) -> Edits:
    line, _ = snapshot.locate(params.position)
    return _edits(snapshot, line - 1, line) if line else []


def _edits(snapshot: Snapshot, first: int, last: int) -> Edits:
    """The edits that make lines first..last-1 what formatting the whole text makes them."""
    old, new = snapshot.lines, split_lines(format_text(snapshot.text))
    if old == new:
        return []
    if len(old) == len(new):
        blocks = [(k, k + 1, k, k + 1) for k in range(first, min(last, len(old))) if old[k] != new[k]]
    else:
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        blocks = [(a, b, c, d) for tag, a, b, c, d in codes if tag != "equal" and first <= a and b <= last]
    found = _LINE_END.search(snapshot.text)
    return [_replace(snapshot, block, new, found.group() if found else "\n") for block in blocks]


def _replace(snapshot: Snapshot, block: tuple[int, int, int, int], new: list[str], end_of_line: str) -> dict[str, Any]:
    a, b, c, d = block
    if b - a == d - c:  # the same number of lines: their ends stay
        place = {"start": snapshot.position(a, 0), "end": snapshot.position(b - 1, len(snapshot.lines[b - 1]))}
        return {"range": place, "newText": end_of_line.join(new[c:d])}
    if b < len(snapshot.lines):
        place = {"start": snapshot.position(a, 0), "end": snapshot.position(b, 0)}
        return {"range": place, "newText": "".join(line + end_of_line for line in new[c:d])}
    before = snapshot.position(a - 1, len(snapshot.line(a - 1))) if a else snapshot.position(0, 0)
    text = "".join(end_of_line + line for line in new[c:d])
    last = len(snapshot.lines) - 1
    place = {"start": before, "end": snapshot.position(last, len(snapshot.lines[last]))}
    return {"range": place, "newText": text if a else text.removeprefix(end_of_line)}


FEATURES = (
    Feature(types.TEXT_DOCUMENT_FORMATTING, _document),
    Feature(types.TEXT_DOCUMENT_RANGE_FORMATTING, _range),
    Feature(
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        _on_type,
        types.DocumentOnTypeFormattingOptions(first_trigger_character="\n"),
    ),
)
