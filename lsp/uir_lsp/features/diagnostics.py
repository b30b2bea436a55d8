"""Diagnostics, pushed after an edit or pulled by the client."""

from __future__ import annotations

import json
from typing import Any

from uir_lsp.capabilities import SOURCE
from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.kinds import DiagnosticSeverity, DiagnosticTag
from uir_lsp.pages import link
from uir_lsp.protocol import Encoded
from uir_lsp.shapes import ABOUT, text
from uopc.documentation import DIAGNOSTICS
from uopc.uir import Diagnostic, Severity

_SEVERITY = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.HINT: DiagnosticSeverity.Hint,
}
_UNNECESSARY = DiagnosticTag.Unnecessary


def published(snapshot: Snapshot) -> str:
    """All diagnostics of a snapshot as JSON text, as the protocol writes them.

    Most are those of the text before: what was written of them is remembered.
    """
    before = snapshot.memory.diagnostics
    now: dict[tuple[object, ...], str] = {}
    texts = []
    ascii_only = snapshot.text.isascii()
    for diagnostic in snapshot.analysis.diagnostics:
        wide = () if ascii_only else _wide_lines(snapshot, diagnostic)
        key = (diagnostic[:6], diagnostic.unnecessary, wide)
        text = before.get(key) or json.dumps(as_json(snapshot, diagnostic), separators=(",", ":"))
        now[key] = text
        texts.append(text)
    snapshot.memory.diagnostics = now
    return f"[{','.join(texts)}]"


def _wide_lines(snapshot: Snapshot, diagnostic: Diagnostic) -> tuple[str, ...]:
    """The lines that a diagnostic is about whose columns are not their characters."""
    lines = (diagnostic.line, *(related.line for related in diagnostic.related))
    return tuple([text for k in lines if not (text := snapshot.line(k)).isascii()])


def as_json(snapshot: Snapshot, diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic, as the protocol writes it."""
    found: dict[str, Any] = {
        "range": snapshot.range(diagnostic.line, diagnostic.span),
        "severity": _SEVERITY[diagnostic.severity],
        "code": diagnostic.code,
        "source": SOURCE,
        "message": diagnostic.message,
    }
    about = link(DIAGNOSTICS, diagnostic.code, snapshot.client.command_links)
    if about is not None:
        found["codeDescription"] = {"href": about}
    if diagnostic.unnecessary:
        found["tags"] = [_UNNECESSARY]
    if diagnostic.related:
        found["relatedInformation"] = [
            {
                "location": {"uri": snapshot.uri, "range": snapshot.range(related.line, related.span)},
                "message": related.message,
            }
            for related in diagnostic.related
        ]
    return found


def _pull(snapshot: Snapshot, params: Params) -> dict[str, Any] | Encoded:
    result_id = f"{snapshot.revision}{'' if snapshot.analysis.settled else '+'}"
    if params.get("previousResultId") == result_id:
        return {"kind": "unchanged", "resultId": result_id}
    return Encoded(f'{{"kind":"full","resultId":"{result_id}","items":{published(snapshot)}}}')


FEATURE = Feature(
    "textDocument/diagnostic",
    _pull,
    {**ABOUT, "previousResultId?": text},
    settled=lambda client: not client.asks_again,
)
