"""Rename a value everywhere in its file, after a check that the new name is one and is free."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature
from uir_lsp.features.names import definition_of, name_at, places_of

_NAME = re.compile(r"%?([A-Za-z0-9_.]+)")
_REQUEST_FAILED = -32803


def _refuse(reason: str) -> JsonRpcException:
    return JsonRpcException(reason, _REQUEST_FAILED)


def _prepare(snapshot: Snapshot, params: types.PrepareRenameParams) -> dict[str, Any] | None:
    place = name_at(snapshot, *snapshot.locate(params.position))
    if place is None or definition_of(snapshot, place.name) is None:
        return None
    return {"range": snapshot.range(place.line, place.span), "placeholder": "%" + place.name}


def _rename(snapshot: Snapshot, params: types.RenameParams) -> dict[str, Any]:
    place = name_at(snapshot, *snapshot.locate(params.position))
    if place is None:
        raise _refuse("there is no value here")
    found = _NAME.fullmatch(params.new_name.strip())
    if found is None:
        raise _refuse("a name is % and letters, digits, _ or . after it")
    new = found[1]
    if new != place.name and places_of(snapshot, new):
        raise _refuse(f"%{new} is in use already")
    edits = [
        {"range": snapshot.range(old.line, old.span), "newText": "%" + new} for old in places_of(snapshot, place.name)
    ]
    return {"changes": {snapshot.uri: edits}}


FEATURES = (
    Feature(types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare),
    Feature(types.TEXT_DOCUMENT_RENAME, _rename),
)
