"""Go to definition."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature
from uir_lsp.features.names import definition_of, name_at


def _definition(snapshot: Snapshot, params: types.DefinitionParams) -> dict[str, Any] | None:
    place = name_at(snapshot, *snapshot.locate(params.position))
    found = None if place is None else definition_of(snapshot, place.name)
    return None if found is None else {"uri": snapshot.uri, "range": snapshot.range(found.line, found.span)}


FEATURE = Feature(types.TEXT_DOCUMENT_DEFINITION, _definition)
