"""The request for the data flow: what it says of a file, while it is broken, and where nothing may be run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from client import Client, splice

SUMS = """\
%0 = buffer 12 : dtype=f32 slot=0
%m = reshape %0, (3, 4)
%s = reduce %m : op=add pop=1
%y = exp2 %s
"""
LOOPS = """\
%0 = buffer 12 : dtype=f32 slot=0
%o = buffer 12 : dtype=f32 slot=1
%r = range 12 : idx=0
%a = index %0, %r
%v = load %a
%q = mul %r, 1
%t = index %o, %q
%s = store %t, %v
%e = end %s, %r
%z = sink %e
"""


def graph(client: Client, uri: str) -> Any:
    return client.request("uir/graph", {"uri": uri}, seconds=60)


def test_the_values_what_they_read_and_who_computes_them(client: Client) -> None:
    uri = client.open(SUMS)
    found = graph(client, uri)
    names = [node["name"] for node in found["nodes"]]
    assert names == ["%0", "%m", "%s", "%y"]
    assert found["edges"] == [[0, 1], [1, 2], [2, 3]]
    view, total, last = found["nodes"][1:]
    assert (view["op"], view["detail"], view["line"], view["dtype"], view["shape"]) == (
        "reshape",
        "(3, 4)",
        1,
        "f32",
        [3, 4],
    )
    assert [node["role"] for node in found["nodes"]] == ["input", "view", "reduce", "compute"]
    assert found["nodes"][0]["kernel"] is None
    assert (total["kernel"], last["kernel"], last["output"]) == (0, 0, True)
    assert len(found["kernels"]) == 1
    assert found["kernels"][0]["about"] == "f32[3]"
    c = client.request("uir/showC", {"uri": uri}, seconds=60)["c"]
    assert f" {found['kernels'][0]['name']}(" in c  # the name that it has in the C
    assert (found["message"], found["stale"]) == ("", False)


def test_index_arithmetic_is_marked_and_a_loop_program_has_no_kernels(client: Client) -> None:
    found = graph(client, client.open(LOOPS))
    assert [node["name"] for node in found["nodes"] if node["index"]] == ["%q"]
    assert (found["kernels"], found["stale"]) == ([], False)
    assert "loop program" in found["message"]


def test_a_broken_file_keeps_its_last_good_graph(client: Client) -> None:
    uri = client.open(SUMS)
    good = graph(client, uri)
    client.edit(uri, 2, splice(2, 0, 0, "%bad = reshape %0, (5, 5)\n"))
    stale = graph(client, uri)
    assert (stale["nodes"], stale["edges"], stale["stale"]) == (good["nodes"], good["edges"], True)
    assert stale["message"].startswith("line 3: RESHAPE (12,) -> (5, 5)")
    client.edit(uri, 3, splice(2, 0, 0, "", last_line=3))
    assert graph(client, uri) == good


def test_a_file_that_was_never_good_shows_what_is_known(client: Client) -> None:
    found = graph(client, client.open(SUMS + "%w = neg %nothing\n"))
    assert [node["name"] for node in found["nodes"]] == ["%0", "%m", "%s", "%y"]
    assert (found["kernels"], found["stale"]) == ([], False)
    assert found["message"].startswith("line 5:")
    assert graph(client, client.open("", "file:///empty.uir"))["nodes"] == []


def test_the_graph_needs_no_trust(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize(trusted=False)
    assert len(graph(client, client.open(SUMS))["nodes"]) == 4
