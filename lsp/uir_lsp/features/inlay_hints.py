"""The type of every value, at the end of its line."""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.kinds import InlayHintKind
from uir_lsp.shapes import WITHIN
from uopc.analysis.style import type_text

_TYPE = InlayHintKind.Type


def _hints(snapshot: Snapshot, params: Params) -> list[dict[str, Any]]:
    first, _ = snapshot.locate(params["range"]["start"])
    last, _ = snapshot.locate(params["range"]["end"])
    found = []
    for line in range(first, last + 1):
        hint = _hint(snapshot, line)
        if hint is not None:
            found.append(hint)
    return found


def _hint(snapshot: Snapshot, line: int) -> dict[str, Any] | None:
    """The hint of a line; none where nothing is known, and none for effects, which have no shape."""
    statement = snapshot.analysis.statements.get(line)
    value = snapshot.analysis.values.get(statement.name) if statement is not None else None
    if statement is None or value is None or value.line != line or value.uop is None or not value.uop.dtype.bits:
        return None
    definition = {"uri": snapshot.uri, "range": snapshot.range(line, statement.name_span)}
    return {
        "position": snapshot.position(line, len(snapshot.line(line))),
        "label": [{"value": type_text(value.uop), "location": definition}],
        "kind": _TYPE,
        "paddingLeft": True,
    }


FEATURE = Feature("textDocument/inlayHint", _hints, WITHIN, brief=True)
