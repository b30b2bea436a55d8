"""Signature help: the arguments of an operation while they are typed."""

from __future__ import annotations

from typing import Any

from uir_lsp.cursor import Cursor, read_cursor
from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.operation import meaning, parameter_texts, signature, spec_of
from uir_lsp.shapes import AT
from uopc.ops import OpSpec


def _help(snapshot: Snapshot, params: Params) -> dict[str, Any] | None:
    line, column = snapshot.locate(params["position"])
    cursor = read_cursor(snapshot.line(line), column)
    spec = spec_of(cursor.op)
    if spec is None or cursor.kind not in ("operand", "keyword", "value"):
        return None
    shown: dict[str, Any] = {
        "label": signature(spec),
        "documentation": {"kind": "markdown", "value": f"{spec.doc}\n\nresult: {spec.rule}"},
        "parameters": [
            {"label": text, "documentation": meaning(parameter)}
            for text, parameter in zip(parameter_texts(spec), spec.params)
        ],
    }
    active = _active(spec, cursor)
    if active is not None:
        shown["activeParameter"] = active
        return {"signatures": [shown], "activeSignature": 0, "activeParameter": active}
    return {"signatures": [shown], "activeSignature": 0}


def _active(spec: OpSpec, cursor: Cursor) -> int | None:
    """The number of the parameter that the cursor is in."""
    if cursor.kind == "value":
        return next((k for k, parameter in enumerate(spec.params) if parameter.name == cursor.key), None)
    if cursor.kind == "keyword":
        return next((k for k, p in enumerate(spec.params) if p.keyword_only and p.name not in cursor.given), None)
    positional = [k for k, parameter in enumerate(spec.params) if not parameter.keyword_only]
    if not positional:
        return None
    many = spec.params[positional[-1]].kind in ("values", "effects")
    return positional[min(cursor.argument, len(positional) - 1)] if many or cursor.argument < len(positional) else None


FEATURE = Feature(
    "textDocument/signatureHelp",
    _help,
    AT,
)
