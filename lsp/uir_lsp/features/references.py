"""Find references, and the highlighting of the same places in the editor."""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.names import Place, definition_of, name_at, places_of
from uir_lsp.kinds import DocumentHighlightKind
from uir_lsp.shapes import AT, truth

_READ, _WRITE = DocumentHighlightKind.Read, DocumentHighlightKind.Write


def _places(snapshot: Snapshot, position: Any) -> list[tuple[Place, bool]]:
    """Every place of the name at a position, and whether it is the definition."""
    place = name_at(snapshot, *snapshot.locate(position))
    if place is None:
        return []
    definition = definition_of(snapshot, place.name)
    return [(found, found == definition) for found in places_of(snapshot, place.name)]


def _references(snapshot: Snapshot, params: Params) -> list[dict[str, Any]]:
    wanted = params["context"]["includeDeclaration"]
    return [
        {"uri": snapshot.uri, "range": snapshot.range(place.line, place.span)}
        for place, defines in _places(snapshot, params["position"])
        if wanted or not defines
    ]


def _highlights(snapshot: Snapshot, params: Params) -> list[dict[str, Any]]:
    return [
        {"range": snapshot.range(place.line, place.span), "kind": _WRITE if defines else _READ}
        for place, defines in _places(snapshot, params["position"])
    ]


FEATURES = (
    Feature("textDocument/references", _references, {**AT, "context": {"includeDeclaration": truth}}),
    Feature("textDocument/documentHighlight", _highlights, AT, brief=True),
)
