"""The call hierarchy as data flow: "outgoing" is what a value is made of, "incoming" what uses it."""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.names import definition_of, name_at
from uir_lsp.features.symbols import kind_of, type_of
from uir_lsp.shapes import AT, Shape, text
from uopc.uir import Group, Ref, Span, Statement


def _item(snapshot: Snapshot, name: str) -> dict[str, Any] | None:
    value = snapshot.analysis.values.get(name)
    if value is None:
        return None
    statement = snapshot.analysis.statements[value.line]
    return {
        "name": "%" + name,
        "kind": kind_of(statement),
        "detail": f"{statement.op} {type_of(snapshot, statement, value.line)}".strip(),
        "uri": snapshot.uri,
        "range": snapshot.range(value.line, Span(statement.name_span.start, statement.span.end)),
        "selectionRange": snapshot.range(value.line, statement.name_span),
        "data": name,
    }


def _prepare(snapshot: Snapshot, params: Params) -> list[dict[str, Any]] | None:
    place = name_at(snapshot, *snapshot.locate(params["position"]))
    item = None if place is None or definition_of(snapshot, place.name) is None else _item(snapshot, place.name)
    return None if item is None else [item]


def _named(item: Params) -> str:
    named: str = item["data"] if isinstance(item.get("data"), str) else item["name"].removeprefix("%")
    return named


def _incoming(snapshot: Snapshot, params: Params) -> list[dict[str, Any]]:
    value = snapshot.analysis.values.get(_named(params["item"]))
    users: dict[str, list[dict[str, Any]]] = {}
    for line, span in value.uses if value is not None else ():
        user = snapshot.analysis.statements.get(line)
        if user is not None:
            users.setdefault(user.name, []).append(snapshot.range(line, span))
    items = ((_item(snapshot, name), places) for name, places in users.items())
    return [{"from": item, "fromRanges": places} for item, places in items if item is not None]


def _outgoing(snapshot: Snapshot, params: Params) -> list[dict[str, Any]]:
    value = snapshot.analysis.values.get(_named(params["item"]))
    statement = snapshot.analysis.statements.get(value.line) if value is not None else None
    if value is None or statement is None:
        return []
    parts: dict[str, list[dict[str, Any]]] = {}
    for ref in refs_of(statement):
        parts.setdefault(ref.name, []).append(snapshot.range(value.line, ref.span))
    items = ((_item(snapshot, name), places) for name, places in parts.items())
    return [{"to": item, "fromRanges": places} for item, places in items if item is not None]


def refs_of(statement: Statement) -> list[Ref]:
    """Every value that a statement uses, in order."""
    found: list[Ref] = []
    pending: list[Any] = [*statement.operands, *(attr.value for attr in statement.attrs.values())][::-1]
    while pending:
        operand = pending.pop()
        if isinstance(operand, Ref):
            found.append(operand)
        elif isinstance(operand, Group):
            pending += operand.items[::-1]
    return found


def _item_uri(params: Any) -> str:
    uri: str = params["item"]["uri"]
    return uri


_ITEM: Shape = {"item": {"uri": text, "name": text}}
FEATURES = (
    Feature("textDocument/prepareCallHierarchy", _prepare, AT),
    Feature("callHierarchy/incomingCalls", _incoming, _ITEM, uri=_item_uri),
    Feature("callHierarchy/outgoingCalls", _outgoing, _ITEM, uri=_item_uri),
)
