"""Rename a value everywhere in its file, after a check that the new name is one and is free."""

from __future__ import annotations

import re
from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.names import definition_of, name_at, places_of
from uir_lsp.refusal import Refusal
from uir_lsp.shapes import AT, text

_NAME = re.compile(r"%?([A-Za-z0-9_.]+)")


def _prepare(snapshot: Snapshot, params: Params) -> dict[str, Any] | None:
    place = name_at(snapshot, *snapshot.locate(params["position"]))
    if place is None or definition_of(snapshot, place.name) is None:
        return None
    return {"range": snapshot.range(place.line, place.span), "placeholder": "%" + place.name}


def _rename(snapshot: Snapshot, params: Params) -> dict[str, Any]:
    place = name_at(snapshot, *snapshot.locate(params["position"]))
    if place is None:
        raise Refusal("there is no value here")
    found = _NAME.fullmatch(params["newName"].strip())
    if found is None:
        raise Refusal("a name is % and letters, digits, _ or . after it")
    new = found[1]
    if new != place.name and places_of(snapshot, new):
        raise Refusal(f"%{new} is in use already")
    edits = [
        {"range": snapshot.range(old.line, old.span), "newText": "%" + new} for old in places_of(snapshot, place.name)
    ]
    return {"changes": {snapshot.uri: edits}}


FEATURES = (
    Feature("textDocument/prepareRename", _prepare, AT),
    Feature("textDocument/rename", _rename, {**AT, "newName": text}),
)
