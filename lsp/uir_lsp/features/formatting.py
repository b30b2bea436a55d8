"""Formatting: of the file, of a range, and of the line before when Enter is typed. Only lines that change are sent."""

from __future__ import annotations

import re
from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.shapes import AT, WITHIN
from uopc.uir import format as format_text
from uopc.uir.formatter import format_line
from uopc.uir.source import split_lines

_LINE_END = re.compile(r"\r\n|\n|\r")
_MANY = 200  # not more errors than this are listed
Edits = list[dict[str, Any]]


def _document(snapshot: Snapshot, _: Params) -> Edits:
    formatted = format_text(snapshot.text)
    if len(set(_LINE_END.findall(snapshot.text))) > 1:  # the ends change too
        return [] if formatted == snapshot.text else [{"range": snapshot.whole, "newText": formatted}]
    old, new = snapshot.lines, split_lines(formatted)
    edits = [_whole_line(snapshot, k, new[k]) for k in range(len(old)) if old[k] != new[k]]
    if len(new) > len(old):  # the last line gets its end
        place = snapshot.position(len(old) - 1, len(old[-1]))
        edits.append({"range": {"start": place, "end": place}, "newText": formatted[len(formatted.rstrip("\r\n")) :]})
    return edits


def _whole_line(snapshot: Snapshot, line: int, text: str) -> dict[str, Any]:
    place = {"start": snapshot.position(line, 0), "end": snapshot.position(line, len(snapshot.line(line)))}
    return {"range": place, "newText": text}


def _range(snapshot: Snapshot, params: Params) -> Edits:
    first, _ = snapshot.locate(params["range"]["start"])
    last, column = snapshot.locate(params["range"]["end"])
    if column == 0 and last > first:  # a selection of whole lines ends at the start of the next
        last -= 1
    return _lines(snapshot, first, last)


def _on_type(snapshot: Snapshot, params: Params) -> Edits:
    line, _ = snapshot.locate(params["position"])
    return _lines(snapshot, line - 1, line - 1) if line else []


def _lines(snapshot: Snapshot, first: int, last: int) -> Edits:
    """The edits that lay out the lines first..last. A line depends on its own text only; one with an error stays."""
    state = snapshot.analysis.state
    broken = {error.line for error in snapshot.analysis.errors}
    edits = []
    for line in range(first, last + 1):
        if line in broken or (len(broken) >= _MANY and state.notes[line]):
            continue
        text = format_line(state.items[line])
        if text != snapshot.line(line):
            edits.append(_whole_line(snapshot, line, text))
    return edits


FEATURES = (
    Feature("textDocument/formatting", _document),
    Feature("textDocument/rangeFormatting", _range, WITHIN),
    Feature(
        "textDocument/onTypeFormatting",
        _on_type,
        AT,
    ),
)
