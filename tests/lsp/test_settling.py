"""A long file: errors and types at once after an edit, what only the nodes say when there is time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from client import Client, splice

from uir_lsp.document import ClientView, Memory
from uir_lsp.feature import NotSettled
from uir_lsp.features import hover
from uir_lsp.scheduler import make_snapshot
from uopc.uir import Analysis, analyze, settle

PUBLISH = "textDocument/publishDiagnostics"
REFRESH = "workspace/diagnostic/refresh"
PULLS = {"textDocument": {"diagnostic": {}}}
ASKS_AGAIN = {**PULLS, "workspace": {"diagnostics": {"refreshSupport": True}}}

# The factor %w does not vary along the axis that is summed: a warning, until %p is no product any more.
HEAD = """\
%0 = buffer 16 : dtype=f32 slot=0
%a = reshape %0, (4, 4, 1)
%x = expand %a, (4, 4, 4)
%b = reshape %0, (4, 1, 4)
%w = expand %b, (4, 4, 4)
%p = mul %x, %w
%v0 = permute %p, (1, 0, 2)
"""
PRODUCT = 5
PERMUTE = 6


def text(tail: str = "%s = reduce %p : op=add pop=1\n", lines: int = 300) -> str:
    """The head, a chain that depends on it, and the tail."""
    chain = "".join(f"%v{k} = mul %v{k - 1}, 1.5\n" for k in range(1, lines))
    return f"{HEAD}{chain}{tail}"


def said(diagnostics: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    return [(d["range"]["start"]["line"], d["code"], d["message"]) for d in diagnostics]


def right(source: str) -> list[tuple[int, str, str]]:
    return [(d.line, d.code, d.message) for d in analyze(source).diagnostics]


def last(client: Client, version: int) -> list[tuple[int, str, str]]:
    """What is published for a version in the end."""
    client.diagnostics("file:///test.uir", version)
    time.sleep(0.8)
    found = [p for p in client.messages(PUBLISH) if p.get("version") == version]
    return said(found[-1]["diagnostics"])


TAIL = "%e = expand %v299, (4, 4, 4)\n%s = reduce %p : op=add pop=1\n%out = sink %e, %s\n"


def test_a_warning_about_nodes_far_below_an_edit_is_corrected(client: Client) -> None:
    before = text(TAIL)
    after = before.replace("%p = mul", "%p = add")
    assert len(right(before)) > len(right(after)) > 0
    uri = client.open(before)
    assert said(client.diagnostics(uri, 1)) == right(before)
    client.edit(uri, 2, splice(PRODUCT, 5, 8, "add"))
    assert last(client, 2) == right(after)
    client.edit(uri, 3, splice(PRODUCT, 5, 8, "mul"))
    assert last(client, 3) == right(before)


def test_what_is_not_news_is_not_published_again(client: Client) -> None:
    uri = client.open(text())
    client.diagnostics(uri, 1)
    client.edit(uri, 2, splice(7, 18, 19, "2"))
    last(client, 2)
    assert [p["version"] for p in client.messages(PUBLISH)] == [1, 2]


def test_errors_are_right_at_once(client: Client) -> None:
    uri = client.open(text())
    client.diagnostics(uri, 1)
    client.edit(uri, 2, splice(PERMUTE, 18, 27, "(0, 1)"))
    assert said(client.diagnostics(uri, 2)) == right(text().replace("(1, 0, 2)", "(0, 1)"))
    client.edit(uri, 3, splice(PERMUTE, 18, 24, "(1, 0, 2)"))
    assert last(client, 3) == right(text())


def test_a_hover_after_an_edit_is_about_the_new_nodes(client: Client) -> None:
    uri = client.open(text())
    client.diagnostics(uri, 1)
    before = client.at("textDocument/hover", uri, PERMUTE + 1, 1)
    client.edit(uri, 2, splice(PERMUTE, 18, 27, "(0, 2, 1)"))
    after = client.at("textDocument/hover", uri, PERMUTE + 1, 1)
    fresh = client.open(text().replace("(1, 0, 2)", "(0, 2, 1)"), "file:///fresh.uir")
    assert after == client.at("textDocument/hover", fresh, PERMUTE + 1, 1) != before


def test_a_burst_of_edits_of_a_long_file_publishes_at_most_twice_and_the_last_is_right(client: Client) -> None:
    before = text(TAIL)
    uri = client.open(before)
    client.diagnostics(uri, 1)
    client.send(*[_change(uri, v, "add" if v % 2 else "mul") for v in range(2, 52)])
    assert last(client, 51) == right(before.replace("%p = mul", "%p = add"))
    assert len(client.messages(PUBLISH)) <= 3


def _change(uri: str, version: int, op: str) -> dict[str, Any]:
    document = {"uri": uri, "version": version}
    changes = [splice(PRODUCT, 5, 8, op)]
    return {
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {"textDocument": document, "contentChanges": changes},
    }


def test_a_client_that_pulls_is_told_to_pull_again(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize(ASKS_AGAIN)
    before, after = text(TAIL), text(TAIL).replace("%p = mul", "%p = add")
    uri = client.open(before)
    assert said(client.about("textDocument/diagnostic", uri)["items"]) == right(before)
    client.edit(uri, 2, splice(PRODUCT, 5, 8, "add"))
    first = client.about("textDocument/diagnostic", uri)
    client.wait_until(lambda: client.messages(REFRESH) or None)
    again = client.about("textDocument/diagnostic", uri, previousResultId=first["resultId"])
    assert said(again["items"]) == right(after)
    assert client.messages(PUBLISH) == []


def test_a_client_that_would_not_pull_again_waits_for_the_whole_answer(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize(PULLS)
    uri = client.open(text(TAIL))
    client.edit(uri, 2, splice(PRODUCT, 5, 8, "add"))
    found = client.about("textDocument/diagnostic", uri)["items"]
    assert said(found) == right(text(TAIL).replace("%p = mul", "%p = add"))
    time.sleep(0.5)
    assert client.messages(REFRESH) == []


def test_work_that_an_edit_makes_useless_is_given_up(client: Client) -> None:
    """Edits while there is something to settle, each after a pause that is long enough to begin."""
    uri = client.open(text(lines=3000))
    client.diagnostics(uri, 1)
    for version in range(2, 12):
        client.edit(uri, version, splice(7, 18, 19, str(version % 9)))
        time.sleep(0.17)
    assert last(client, 11) == right(text(lines=3000))
    assert client.close() == 0
    assert "Superseded" not in client.stderr


def test_closing_while_there_is_something_to_settle(client: Client) -> None:
    uri = client.open(text())
    client.edit(uri, 2, splice(7, 18, 19, "2"))
    client.diagnostics(uri, 2)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    time.sleep(0.4)
    assert "version" not in client.messages(PUBLISH)[-1]
    assert client.at("textDocument/hover", uri, 0, 1) is None


def test_a_hover_far_below_an_edit_needs_no_more_than_its_value_is_made_of() -> None:
    lines = 1000
    before = text("%s = reduce %v999 : op=add pop=1\n", lines=lines)
    quick = analyze(before.replace("(1, 0, 2)", "(0, 2, 1)"), analyze(before), quick=True)
    for name, line in (("v1", PERMUTE + 1), ("v500", PERMUTE + 500), ("v999", PERMUTE + 999)):
        assert hovered(quick, line) == hovered(settle(quick), line), name
    with pytest.raises(NotSettled):  # whether it is a contraction may depend on every line
        hovered(quick, PERMUTE + lines)


def hovered(analysis: Analysis, line: int) -> object:
    snapshot = make_snapshot("file:///test.uir", 1, 1, analysis, ClientView(), Memory(), 0.0)
    return hover.FEATURE.answer(snapshot, {"position": {"line": line, "character": 1}})


def test_an_answer_goes_before_what_only_settles(client: Client) -> None:
    """Requests come while there is something to settle: they are answered, and it is settled in the end."""
    before = text(TAIL, lines=3000).replace("%v299,", "%v2999,")
    uri = client.open(before)
    client.diagnostics(uri, 1)
    client.edit(uri, 2, splice(PRODUCT, 5, 8, "add"))
    for k in range(30):
        client.at("textDocument/hover", uri, 10 + k, 1)
        time.sleep(0.02)
    after = before.replace("%p = mul", "%p = add")
    client.wait_until(lambda: True if said(client.messages(PUBLISH)[-1]["diagnostics"]) == right(after) else None)
