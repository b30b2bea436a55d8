"""The client's documents: opened, edited, closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.shapes import ABOUT, MAX_UINTEGER, RANGE, Shape, check, integer, text

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

_OPENED: Shape = {"textDocument": {"uri": text, "version": integer, "text": text}}
_CHANGED: Shape = {"textDocument": {"uri": text, "version": integer}, "contentChanges": [{"text": text}]}


def _open(server: UirServer, params: Any) -> None:
    """A document is now the client's."""
    item = params["textDocument"]
    server.documents.open(item["uri"], item["version"], item["text"])
    server.readiness.touch()


def _change(server: UirServer, params: Any) -> None:
    """Apply the changes in order."""
    changes = params["contentChanges"]
    for change in changes:
        if change.get("range") is not None:
            clamp(change["range"])
            check(change["range"], RANGE, "range")
    document = params["textDocument"]
    server.documents.change(document["uri"], document["version"], changes)
    server.readiness.touch()


def _close(server: UirServer, params: Any) -> None:
    """The document's truth is on disk again: forget ours, and take its diagnostics away."""
    server.close_document(params["textDocument"]["uri"])


def clamp(span: Any) -> None:
    """Bring the numbers of a range into what the protocol allows.

    A notification cannot be refused, and an edit that is dropped leaves the text wrong for good: a line or column that
    is too large means the end, a negative one the start.
    """
    for end in span.values() if isinstance(span, dict) else []:
        if isinstance(end, dict):
            end.update({k: min(max(v, 0), MAX_UINTEGER) for k, v in end.items() if isinstance(v, int)})


FEATURES = (
    ServerFeature("textDocument/didOpen", _open, _OPENED),
    ServerFeature("textDocument/didChange", _change, _CHANGED),
    ServerFeature("textDocument/didClose", _close, ABOUT),
)
