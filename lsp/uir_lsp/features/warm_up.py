"""After `initialized`: pay for what the first key stroke would otherwise wait for, off the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uir_lsp.feature import ServerFeature
from uopc.analysis.explain import explain
from uopc.uir import analyze

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

_PLACE = {"line": 0, "character": 0}
_RANGE = {"start": _PLACE, "end": _PLACE}
_DOCUMENT = {"uri": "file:///warm.uir", "version": 0}
_PARAMS: dict[str, Any] = {
    "textDocument": _DOCUMENT,
    "contentChanges": [{"range": _RANGE, "text": ""}],
    "position": _PLACE,
    "range": _RANGE,
    "context": {"includeDeclaration": True, "diagnostics": [], "triggerKind": 1, "isRetrigger": False},
}
_FREQUENT = (
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_HOVER,
    types.TEXT_DOCUMENT_INLAY_HINT,
    types.TEXT_DOCUMENT_CODE_LENS,
    types.TEXT_DOCUMENT_COMPLETION,
    types.TEXT_DOCUMENT_SIGNATURE_HELP,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.TEXT_DOCUMENT_DIAGNOSTIC,
    types.CANCEL_REQUEST,
)
_PROGRAM = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = reshape %0, (2, 2)\n%2 = mul %1, %1\n%3 = reduce %2 : op=add pop=1\n"


async def _initialized(server: UirServer, _: Any) -> None:
    await server.compute.call(_warm, server)
    server.readiness.begin()


def _warm(server: UirServer) -> None:
    for method in _FREQUENT:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": {**_PARAMS, "id": 0}}
        if method not in (types.TEXT_DOCUMENT_DID_CHANGE, types.CANCEL_REQUEST):
            message["id"] = 0
        server.protocol.structure_message(message)
    explain(analyze(_PROGRAM), "3")


FEATURE = ServerFeature(types.INITIALIZED, _initialized)
