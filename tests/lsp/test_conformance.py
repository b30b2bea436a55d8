"""What the server says, held against the protocol's own types (`lsprotocol`, which the server does not use).

A result that these types cannot be made of, or a member that they do not know, is a fault of ours.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from typing import Any

import pytest
from client import Client, splice
from lsprotocol import converters, types

from uir_lsp import capabilities, kinds
from uir_lsp.features import FEATURES
from uir_lsp.features.code_lenses import RUN, SHOW_C
from uir_lsp.features.commands import COMMANDS
from uir_lsp.uris import path_of, uri_of

PROGRAM = """\
# a comment
# of two lines
# uir: input 0 = file "a.npy"
%0 = buffer 12 : dtype=f32 slot=0
%1 = reshape %0, (3, 4)
%2=permute  %1,(1, 0)
%3 = reshape %2, (3, 5)
%4 = add %1, %0
%5 = reduce %1 : op=add pop=1
"""
AT = {"position": {"line": 4, "character": 1}}
AFTER_COMMA = {"position": {"line": 4, "character": 17}}
ALL = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 8, "character": 0}}}
OPTIONS = {"options": {"tabSize": 2, "insertSpaces": True}}
ASKED: dict[str, dict[str, Any]] = {
    "textDocument/hover": AT,
    "textDocument/completion": {"position": {"line": 4, "character": 5}},
    "textDocument/signatureHelp": AFTER_COMMA,
    "textDocument/definition": AT,
    "textDocument/references": {**AT, "context": {"includeDeclaration": True}},
    "textDocument/documentHighlight": AT,
    "textDocument/documentSymbol": {},
    "textDocument/codeAction": {**ALL, "context": {"diagnostics": []}},
    "textDocument/codeLens": {},
    "textDocument/documentLink": {},
    "textDocument/formatting": OPTIONS,
    "textDocument/rangeFormatting": {**ALL, **OPTIONS},
    "textDocument/onTypeFormatting": {"position": {"line": 6, "character": 0}, **OPTIONS, "ch": "\n"},
    "textDocument/prepareRename": AT,
    "textDocument/rename": {**AT, "newName": "%new"},
    "textDocument/foldingRange": {},
    "textDocument/selectionRange": {"positions": [AT["position"]]},
    "textDocument/inlayHint": ALL,
    "textDocument/semanticTokens/full": {},
    "textDocument/semanticTokens/full/delta": {"previousResultId": "none"},
    "textDocument/semanticTokens/range": ALL,
    "textDocument/prepareCallHierarchy": AT,
    "textDocument/diagnostic": {},
    "workspace/symbol": {"query": ""},
}
CONVERTER = converters.get_converter()


@pytest.fixture(scope="module")
def session() -> Any:
    client = Client()
    client.initialize(diagnostics="pull")
    client.open(PROGRAM)
    yield client
    client.close()


def plain(value: Any) -> Any:
    """A typed value as JSON again, without what is null."""
    return json.loads(json.dumps(CONVERTER.unstructure(value)))


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(one) for key, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def conforms(method: str, result: Any) -> None:
    """The typed form of an answer says what the answer says."""
    answer = {"jsonrpc": "2.0", "id": 1, "result": result}
    typed = CONVERTER.structure(answer, types.METHOD_TO_TYPES[method][1])
    assert without_nulls(plain(typed)) == without_nulls(answer), method


@pytest.mark.parametrize("method", ASKED)
def test_each_answer_is_of_the_protocols_type_and_not_empty(session: Client, method: str) -> None:
    result = session.request(method, {"textDocument": {"uri": "file:///test.uir"}, **ASKED[method]})
    assert result
    conforms(method, result)


def test_the_calls_of_a_value(session: Client) -> None:
    [item] = session.at("textDocument/prepareCallHierarchy", "file:///test.uir", 4, 1)
    for method in ("callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"):
        result = session.request(method, {"item": item})
        assert result
        conforms(method, result)


def test_every_standard_request_is_asked_here() -> None:
    ours = {f.method for f in FEATURES if "/" in f.method and not f.method.startswith("uir/")}
    elsewhere = {"callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "workspace/executeCommand"}
    assert ours - elsewhere - {"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"} == set(ASKED)


def test_published_diagnostics_conform(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize()
    uri = client.open(PROGRAM)
    client.diagnostics(uri, 1)
    client.edit(uri, 2, splice(4, 0, 0, "😀"))
    client.diagnostics(uri, 2)
    for params in client.messages("textDocument/publishDiagnostics"):
        typed = CONVERTER.structure(params, types.PublishDiagnosticsParams)
        assert without_nulls(plain(typed)) == params


@pytest.mark.parametrize(
    ("client", "options"),
    [
        ({}, {}),
        ({"textDocument": {"diagnostic": {}, "rename": {"prepareSupport": True}}}, {}),
        ({"general": {"positionEncodings": ["utf-8"]}}, {"clientCommands": True}),
    ],
)
def test_what_is_offered_is_what_there_is(start: Callable[..., Client], client: Any, options: Any) -> None:
    """The answer to `initialize` is written down; it must offer every feature, and nothing else."""
    result = start().initialize(client, **options)
    typed = CONVERTER.structure(result, types.InitializeResult)
    assert without_nulls(plain(typed)) == result
    offered = {name for name, value in result["capabilities"].items() if name.endswith("Provider") and value}
    there = {PROVIDERS[f.method] for f in FEATURES if f.method in PROVIDERS}
    if "diagnostic" not in client.get("textDocument", {}):
        there.discard("diagnosticProvider")
    if options.get("clientCommands"):
        there.discard("executeCommandProvider")
    assert offered == there


PROVIDERS = {
    "textDocument/hover": "hoverProvider",
    "textDocument/completion": "completionProvider",
    "textDocument/signatureHelp": "signatureHelpProvider",
    "textDocument/definition": "definitionProvider",
    "textDocument/references": "referencesProvider",
    "textDocument/documentHighlight": "documentHighlightProvider",
    "textDocument/documentSymbol": "documentSymbolProvider",
    "textDocument/codeAction": "codeActionProvider",
    "textDocument/codeLens": "codeLensProvider",
    "textDocument/documentLink": "documentLinkProvider",
    "textDocument/formatting": "documentFormattingProvider",
    "textDocument/rangeFormatting": "documentRangeFormattingProvider",
    "textDocument/onTypeFormatting": "documentOnTypeFormattingProvider",
    "textDocument/rename": "renameProvider",
    "textDocument/foldingRange": "foldingRangeProvider",
    "textDocument/selectionRange": "selectionRangeProvider",
    "textDocument/inlayHint": "inlayHintProvider",
    "textDocument/semanticTokens/full": "semanticTokensProvider",
    "textDocument/prepareCallHierarchy": "callHierarchyProvider",
    "textDocument/diagnostic": "diagnosticProvider",
    "workspace/symbol": "workspaceSymbolProvider",
    "workspace/executeCommand": "executeCommandProvider",
}


def test_the_protocols_numbers() -> None:
    for name, ours in vars(kinds).items():
        theirs = getattr(types, name, None)
        if isinstance(ours, type) and isinstance(theirs, enum.EnumMeta):
            for member, value in vars(ours).items():
                if not member.startswith("_"):
                    assert theirs[member].value == value, f"{name}.{member}"


def test_the_commands_that_are_offered_are_those_that_there_are() -> None:
    assert set(capabilities.COMMANDS) == set(COMMANDS)
    assert {RUN, SHOW_C} < set(COMMANDS)


# -- paths -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/home/a b/é%.uir", "file:///home/a%20b/%C3%A9%25.uir"),
        ("/x/c:d#?.uir", "file:///x/c:d%23%3F.uir"),
    ],
)
def test_a_path_and_its_uri(path: str, uri: str) -> None:
    assert uri_of(path, windows=False) == uri
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("c:\\users\\a b.uir", "file:///c:/users/a%20b.uir"),
        ("\\\\host\\share\\a.uir", "file://host/share/a.uir"),
    ],
)
def test_a_path_of_windows_and_its_uri(path: str, uri: str) -> None:
    assert uri_of(path, windows=True) == uri
    assert path_of(uri, windows=True) == path
    assert path_of("file:///C%3A/users", windows=True) == "c:\\users"


def test_what_is_no_file_has_no_path() -> None:
    for uri in ("untitled:Untitled-1", "uir-c:/a.uir", "http://[", ""):
        assert path_of(uri) is None
    assert path_of("file://localhost/a", windows=False) == "/a"
