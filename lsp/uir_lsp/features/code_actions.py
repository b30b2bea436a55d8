"""Quick fixes: the mechanical mends that diagnostics carry."""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.diagnostics import as_json
from uir_lsp.kinds import CodeActionKind
from uir_lsp.shapes import WITHIN, text
from uopc.uir import Diagnostic, Edit, Fix

_QUICK_FIX = CodeActionKind.QuickFix


def _actions(snapshot: Snapshot, params: Params) -> list[dict[str, Any]]:
    only = params["context"].get("only")
    if only and not any(kind == _QUICK_FIX or _QUICK_FIX.startswith(f"{kind}.") for kind in only):
        return []
    start, end = snapshot.locate(params["range"]["start"]), snapshot.locate(params["range"]["end"])
    found = []
    for diagnostic in snapshot.analysis.diagnostics:
        first, last = (diagnostic.line, diagnostic.span.start), (diagnostic.line, diagnostic.span.end)
        if first <= end and start <= last:  # fixes are made when they are looked at
            found += [_action(snapshot, diagnostic, fix, k == 0) for k, fix in enumerate(diagnostic.fixes)]
    return found


def _action(snapshot: Snapshot, diagnostic: Diagnostic, fix: Fix, preferred: bool) -> dict[str, Any]:
    return {
        "title": fix.title,
        "kind": _QUICK_FIX,
        "diagnostics": [as_json(snapshot, diagnostic)],
        "isPreferred": preferred,
        "edit": {"changes": {snapshot.uri: [text_edit(snapshot, edit) for edit in fix.edits]}},
    }


def text_edit(snapshot: Snapshot, edit: Edit) -> dict[str, Any]:
    """An edit of the analysis as the protocol writes it."""
    span = {"start": snapshot.position(edit.line, edit.span.start), "end": snapshot.position(*edit.end)}
    return {"range": span, "newText": edit.text}


FEATURE = Feature(
    "textDocument/codeAction",
    _actions,
    {**WITHIN, "context": {"only?": [text]}},
)
