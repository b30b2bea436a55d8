"""The outline of a file, and the search for a value in all open files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params, ServerFeature
from uir_lsp.kinds import SymbolKind
from uir_lsp.protocol import Encoded
from uir_lsp.shapes import text
from uopc.analysis.style import type_text
from uopc.uir import Span, Statement

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

_KINDS = {
    "buffer": SymbolKind.Array,
    "alloc": SymbolKind.Array,
    "param": SymbolKind.TypeParameter,
    "const": SymbolKind.Constant,
    "range": SymbolKind.Number,
    "store": SymbolKind.Event,
    "end": SymbolKind.Event,
    "sink": SymbolKind.Event,
    "group": SymbolKind.Event,
}
_MOST_FOUND = 256


def kind_of(statement: Statement) -> int:
    """The protocol's symbol kind that draws an operation best."""
    return _KINDS.get(statement.op, SymbolKind.Variable)


def type_of(snapshot: Snapshot, statement: Statement, line: int) -> str:
    """The type of a statement's value; empty where it is unknown or an effect."""
    value = snapshot.analysis.values.get(statement.name)
    if value is None or value.line != line or value.uop is None or not value.uop.dtype.bits:
        return ""
    return type_text(value.uop)


def _outline(snapshot: Snapshot, _: Params) -> Encoded:
    """Every statement. Clients ask after each edit, so what an edit leaves as it was is not made again."""
    known, used = snapshot.memory.symbols, {}
    texts = []
    for line, statement in snapshot.analysis.statements.items():
        value = snapshot.analysis.values.get(statement.name)
        uop = value.uop if value is not None and value.line == line else None
        entry = known.get(statement.name)
        if entry is None or entry[0] != line or entry[1] is not statement or entry[2] is not uop:
            entry = (line, statement, uop, json.dumps(_symbol(snapshot, statement, line), separators=(",", ":")))
        used[statement.name] = entry
        texts.append(entry[3])
    snapshot.memory.symbols = used
    return Encoded(f"[{','.join(texts)}]")


def _symbol(snapshot: Snapshot, statement: Statement, line: int) -> dict[str, Any]:
    return {
        "name": "%" + statement.name,
        "detail": f"{statement.op} {type_of(snapshot, statement, line)}".strip(),
        "kind": kind_of(statement),
        "range": snapshot.range(line, Span(statement.name_span.start, statement.span.end)),
        "selectionRange": snapshot.range(line, statement.name_span),
    }


def search(snapshot: Snapshot, query: str) -> list[dict[str, Any]]:
    """The values of a file whose `%name op` holds the letters of the query in order, whatever their case."""
    letters = query.lower()
    found = []
    for line, statement in snapshot.analysis.statements.items():
        if _holds(f"%{statement.name} {statement.op}".lower(), letters):
            found.append(
                {
                    "name": "%" + statement.name,
                    "kind": kind_of(statement),
                    "containerName": f"{statement.op} {type_of(snapshot, statement, line)}".strip(),
                    "location": {"uri": snapshot.uri, "range": snapshot.range(line, statement.name_span)},
                }
            )
            if len(found) == _MOST_FOUND:
                break
    return found


def _holds(text: str, letters: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


async def _workspace_symbols(server: UirServer, params: Params) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for uri in server.documents.uris():
        snapshot = await server.documents.snapshot(uri)
        if snapshot is not None and len(found) < _MOST_FOUND:
            found += await server.compute.call(search, snapshot, params["query"])
    return found[:_MOST_FOUND]


FEATURES = (
    Feature("textDocument/documentSymbol", _outline),
    ServerFeature("workspace/symbol", _workspace_symbols, {"query": text}),
)
