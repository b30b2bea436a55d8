"""Go to definition."""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.names import definition_of, name_at
from uir_lsp.shapes import AT


def _definition(snapshot: Snapshot, params: Params) -> dict[str, Any] | None:
    place = name_at(snapshot, *snapshot.locate(params["position"]))
    found = None if place is None else definition_of(snapshot, place.name)
    return None if found is None else {"uri": snapshot.uri, "range": snapshot.range(found.line, found.span)}


FEATURE = Feature("textDocument/definition", _definition, AT, brief=True)
