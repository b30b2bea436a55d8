"""Symbols, definition, references, highlights, rename, call hierarchy: also in a file that is broken."""

from __future__ import annotations

import pytest
from client import Client, ResponseError
from marked import apply, ask, opened, place

PROGRAM = """\
# a matrix and itself turned
%a = buffer 12 : dtype=f32 slot=0
%m = reshape %a, (3, 4)
%t = permute %m, (1, 0)  # %m turned
%s = add %m, %m
sink? %m
%out = sink %t, %s
"""
DEFINITION, REFERENCES = "textDocument/definition", "textDocument/references"


def test_symbols_name_every_statement_and_its_type(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM)
    found = shared.about("textDocument/documentSymbol", uri)
    assert [(s["name"], s["detail"]) for s in found] == [
        ("%a", "buffer f32[12]"),
        ("%m", "reshape f32[3, 4]"),
        ("%t", "permute f32[4, 3]"),
        ("%s", "add f32[3, 4]"),
        ("%out", "sink"),
    ]
    assert found[1]["selectionRange"] == place(2, 0, 2)
    assert found[1]["range"] == place(2, 0, 23)


def test_definition_goes_to_the_name_from_a_use_on_any_line(shared: Client) -> None:
    assert ask(shared, DEFINITION, PROGRAM.replace("permute %m", "permute $0%m"))["range"] == place(2, 0, 2)
    assert ask(shared, DEFINITION, PROGRAM.replace("%m\n%out", "%m$0\n%out"))["range"] == place(2, 0, 2)
    assert ask(shared, DEFINITION, PROGRAM.replace("%m = ", "%$0m = "))["range"] == place(2, 0, 2)


def test_definition_of_what_is_no_value_is_nothing(shared: Client) -> None:
    assert ask(shared, DEFINITION, PROGRAM.replace("# %m", "# %$0m")) is None
    assert ask(shared, DEFINITION, "%1 = neg %$00\n") is None
    assert ask(shared, DEFINITION, "%1 = n$0eg %0\n") is None


def test_the_first_of_two_definitions_stands(shared: Client) -> None:
    text = "%0 = buffer 2 : dtype=f32 slot=0\n%0 = buffer 3 : dtype=f32 slot=1\n%1 = neg %$00\n"
    assert ask(shared, DEFINITION, text)["range"] == place(0, 0, 2)


def test_references_with_and_without_the_definition(shared: Client) -> None:
    uri, line, column = opened(shared, PROGRAM.replace("add %m", "add %$0m"))
    every = shared.at(REFERENCES, uri, line, column, context={"includeDeclaration": True})
    uses = [place(2, 0, 2), place(3, 13, 15), place(4, 9, 11), place(4, 13, 15), place(5, 6, 8)]
    assert [found["range"] for found in every] == uses
    assert [
        f["range"] for f in shared.at(REFERENCES, uri, line, column, context={"includeDeclaration": False})
    ] == uses[1:]


def test_names_with_dots_and_prefixes_are_not_mixed_up(shared: Client) -> None:
    text = "%a = const 1 : dtype=i32\n%a.b = const 2 : dtype=i32\n%ab = add %$0a, %a.b\n"
    found = ask(shared, REFERENCES, text, context={"includeDeclaration": True})
    assert [f["range"] for f in found] == [place(0, 0, 2), place(2, 10, 12)]


def test_highlights_tell_writing_from_reading(shared: Client) -> None:
    found = ask(shared, "textDocument/documentHighlight", PROGRAM.replace("permute %m", "permute %$0m"))
    assert [h["kind"] for h in found] == [3, 2, 2, 2, 2]


def test_rename_changes_every_place_but_no_comment(shared: Client) -> None:
    result = ask(shared, "textDocument/rename", PROGRAM.replace("add %m", "add %$0m"), newName="%matrix")
    (edits,) = result["changes"].values()
    expected = PROGRAM.replace("%m", "%matrix").replace("# %matrix turned", "# %m turned")
    assert apply(PROGRAM, edits) == expected


@pytest.mark.parametrize("name", ["", "%", "a b", "%a-b", "%t", "é"])
def test_rename_refuses_what_is_no_name_or_taken(shared: Client, name: str) -> None:
    with pytest.raises(ResponseError) as caught:
        ask(shared, "textDocument/rename", PROGRAM.replace("add %m", "add %$0m"), newName=name)
    assert caught.value.code == -32803


def test_prepare_rename_offers_only_values(shared: Client) -> None:
    found = ask(shared, "textDocument/prepareRename", PROGRAM.replace("add %m", "add %$0m"))
    assert found == {"range": place(4, 9, 11), "placeholder": "%m"}
    assert ask(shared, "textDocument/prepareRename", PROGRAM.replace("add %m", "a$0dd %m")) is None
    assert ask(shared, "textDocument/prepareRename", "%1 = neg %$00\n") is None


def test_the_call_hierarchy_is_the_data_flow(shared: Client) -> None:
    (item,) = ask(shared, "textDocument/prepareCallHierarchy", PROGRAM.replace("add %m", "add %$0m"))
    assert (item["name"], item["detail"]) == ("%m", "reshape f32[3, 4]")
    incoming = shared.request("callHierarchy/incomingCalls", {"item": item})
    assert [(c["from"]["name"], c["fromRanges"]) for c in incoming] == [
        ("%t", [place(3, 13, 15)]),
        ("%s", [place(4, 9, 11), place(4, 13, 15)]),
    ]
    outgoing = shared.request("callHierarchy/outgoingCalls", {"item": incoming[1]["from"]})
    assert [(c["to"]["name"], len(c["fromRanges"])) for c in outgoing] == [("%m", 2)]


def test_workspace_symbols_search_every_open_file(shared: Client) -> None:
    opened(shared, "%needle = const 1 : dtype=i32\n")
    opened(shared, "%0 = const 1 : dtype=i32\n%needle2 = neg %0\n")
    found = shared.request("workspace/symbol", {"query": "ndle"})
    assert sorted(s["name"] for s in found) == ["%needle", "%needle2"]
    assert "neg i32[]" in {s["containerName"] for s in found}


def test_growing_a_selection(shared: Client) -> None:
    uri, line, column = opened(shared, "%0 = buffer 4 : dtype=f32 slot=0\n%1 = shrink %0, ((1, $023),) # c\n")
    params = {"textDocument": {"uri": uri}, "positions": [{"line": line, "character": column}]}
    found = shared.request("textDocument/selectionRange", params)[0]
    steps = []
    while found:
        steps.append(found["range"])
        found = found.get("parent")
    assert steps[:4] == [place(1, 21, 23), place(1, 17, 24), place(1, 16, 26), place(1, 0, 26)]
    assert steps[4] == place(1, 0, 30)
    assert steps[5]["start"] == {"line": 0, "character": 0}


def test_comments_and_loops_fold(shared: Client) -> None:
    text = "# one\n# two\n\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = range 4 : idx=0\n%2 = index %0, %1\n"
    text += "%3 = store %2, 1.0\n%4 = end %3, %1\n%5 = sink %4\n"
    uri, *_ = opened(shared, text)
    found = [(f["startLine"], f["endLine"]) for f in shared.about("textDocument/foldingRange", uri)]
    assert found == [(0, 1), (4, 6)]


def test_links_go_to_the_files_that_directives_name(shared: Client) -> None:
    uri, *_ = opened(shared, '# uir: input 0 = file "data/a b.npy"\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n')
    (link,) = shared.about("textDocument/documentLink", uri)
    assert link["target"] == "file:///data/a%20b.npy"
    assert link["range"] == place(0, 23, 35)
