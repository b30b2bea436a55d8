"""What the server offers, as `initialize` answers it: one document that needs nothing of the server itself.

It is the first thing that a client waits for, so this module imports next to nothing; a test holds it against the
list of features.
"""

from __future__ import annotations

from typing import Any

from uir_lsp import __version__
from uir_lsp.options import Options

COMMANDS = ("uir.run", "uir.showGeneratedC", "uir.showLoops", "uir.showAssembly", "uir.explain")
SOURCE = "uir"  # of our diagnostics
TOKEN_TYPES = (
    "variable", "function", "number", "property", "enumMember", "type", "comment", "macro", "string", "keyword",
)  # fmt: skip
TOKEN_MODIFIERS = ("declaration", "readonly")
_INCREMENTAL = 2

_OFFERED: dict[str, Any] = {
    "textDocumentSync": {"openClose": True, "change": _INCREMENTAL, "save": False},
    "hoverProvider": True,
    "completionProvider": {"triggerCharacters": ["%", "=", ":", " "], "resolveProvider": False},
    "signatureHelpProvider": {"triggerCharacters": [" ", ",", "=", "("], "retriggerCharacters": [" "]},
    "definitionProvider": True,
    "referencesProvider": True,
    "documentHighlightProvider": True,
    "documentSymbolProvider": True,
    "workspaceSymbolProvider": {"resolveProvider": False},
    "callHierarchyProvider": True,
    "codeActionProvider": {"codeActionKinds": ["quickfix"], "resolveProvider": False},
    "codeLensProvider": {"resolveProvider": False},
    "documentLinkProvider": {"resolveProvider": False},
    "documentFormattingProvider": True,
    "documentRangeFormattingProvider": True,
    "documentOnTypeFormattingProvider": {"firstTriggerCharacter": "\n"},
    "foldingRangeProvider": True,
    "selectionRangeProvider": True,
    "inlayHintProvider": {"resolveProvider": False},
    "semanticTokensProvider": {
        "legend": {"tokenTypes": list(TOKEN_TYPES), "tokenModifiers": list(TOKEN_MODIFIERS)},
        "full": {"delta": True},
        "range": True,
    },
    "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": False}},
}


def welcome(options: Options) -> dict[str, Any]:
    """The result of `initialize` for a client."""
    offered = {**_OFFERED, "positionEncoding": options.encoding}
    offered["renameProvider"] = {"prepareProvider": True} if options.prepares_rename else True
    if options.pull:
        about = {"identifier": SOURCE, "interFileDependencies": False, "workspaceDiagnostics": False}
        offered["diagnosticProvider"] = about
    if not options.client_commands:
        offered["executeCommandProvider"] = {"commands": list(COMMANDS)}
    return {"capabilities": offered, "serverInfo": {"name": "uir-lsp", "version": __version__}}
