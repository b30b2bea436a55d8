"""`uir/indexMap` and the ways to it: lens and hover link."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

import pytest
from client import Client, ResponseError
from marked import opened

PROGRAM = """\
%0 = buffer 12 : dtype=f32 slot=0
%m = reshape %0, (3, 4)
%t = permute %m, (1, 0)
%w = shrink %t, ((1, 3), (0, 3))
"""


def asked(client: Client, uri: str, value: str | None = None) -> dict[str, Any]:
    params = {"uri": uri} if value is None else {"uri": uri, "value": value}
    answer: dict[str, Any] = client.request("uir/indexMap", params)
    return answer


def test_the_tree_of_a_value(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM)
    answer = asked(shared, uri, "%w")
    assert [node["name"] for node in answer["nodes"]] == ["%w", "%t", "%m", "%0"]
    assert answer["complete"] and (answer["value"], answer["line"]) == ("%w", 3)
    assert answer["nodes"][0]["edges"][0]["index"] == [["+", ["v", 0], 1], ["v", 1]]
    assert answer["nodes"][3]["kind"] == "buffer"
    assert [value["name"] for value in answer["values"]] == ["%0", "%m", "%t", "%w"]


def test_without_a_value_it_is_the_first_output(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM + "%s = reduce %w : op=add pop=1\n%out = sink %s, %t\n")
    assert asked(shared, uri)["value"] == "%s"
    assert "no elements of its own" in asked(shared, uri, "%out")["message"]


def test_a_broken_value_says_why_and_what_is_above_the_error_is_still_shown(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM.replace("((1, 3), (0, 3))", "((1, 9), (0, 3))"))
    assert asked(shared, uri, "%w")["message"].startswith("line 4: ")
    assert len(asked(shared, uri, "%t")["nodes"]) == 3


def test_a_file_whose_output_is_broken_says_which_value_is_shown_instead(shared: Client) -> None:
    uri = shared.open("%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%y = permute %m, (0, 0)\n")
    found = asked(shared, uri)
    assert (found["value"], "message" in found) == ("%m", False)
    assert found["note"].startswith("What the file computes is not known (line 3: PERMUTE (0, 0) of (3, 4)")
    assert "note" not in asked(shared, uri, "%m")


def test_a_loop_program_has_none(shared: Client) -> None:
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = range 4 : idx=0\n%2 = index %0, %1\n%3 = store %2, 1.0\n"
    uri, *_ = opened(shared, text + "%4 = end %3, %1\n%5 = sink %4\n")
    assert "loop program" in asked(shared, uri)["message"]
    assert "loop program" in asked(shared, uri, "%0")["message"]


def test_an_unknown_name_is_an_error_of_the_request(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM)
    with pytest.raises(ResponseError, match="%nothing is not defined"):
        asked(shared, uri, "%nothing")


def test_lens_and_hover_lead_there_for_a_client_that_has_the_command(start: Any) -> None:
    client = start()
    client.initialize(clientCommands=True, trusted=False)
    uri, *_ = opened(client, PROGRAM)
    lenses = client.about("textDocument/codeLens", uri)
    explore = [lens["command"] for lens in lenses if lens["command"]["command"] == "uir.exploreIndexMap"]
    assert [lens["arguments"][0].get("value") for lens in explore] == [None, "%w"]
    hover = client.about("textDocument/hover", uri, position={"line": 2, "character": 1})
    link = re.search(r"\[Explore\]\(command:uir.exploreIndexMap\?([^)]*)\)", hover["contents"]["value"])
    assert link is not None and json.loads(unquote(link[1])) == [{"uri": uri, "value": "%t"}]
    assert len(asked(client, uri, "%t")["nodes"]) == 3  # also where nothing may run
