"""What a reader of a file sees: lenses and hints, whole or broken, and that neither flickers."""

from __future__ import annotations

from typing import Any

from client import Client, splice
from marked import opened

PROGRAM = """\
# a comment first
%a = buffer 12 : dtype=f32 slot=0

%m = reshape %a, (3, 4)
%t = permute %m, (1, 0)
%s = reduce %m : op=add pop=1
%out = sink %t, %s
"""
RUN, SHOW = "uir.run", "uir.showGeneratedC"


def lenses(client: Client, uri: str) -> list[tuple[int, str, Any]]:
    found = client.about("textDocument/codeLens", uri)
    for lens in found:
        assert lens["command"]["arguments"][0]["uri"] == uri
    return [
        (lens["range"]["start"]["line"], lens["command"]["command"], lens["command"]["arguments"][0].get("value"))
        for lens in found
    ]


EXPECTED = [(1, RUN, None), (1, SHOW, None), (4, RUN, "%t"), (4, SHOW, "%t"), (5, RUN, "%s"), (5, SHOW, "%s")]


def test_lenses_stand_on_the_first_statement_and_at_each_output(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM)
    assert lenses(shared, uri) == EXPECTED
    titles = {lens["command"]["title"] for lens in shared.about("textDocument/codeLens", uri)}
    assert titles == {"▶ Run", "Show generated C"}


def test_without_a_sink_the_last_value_is_the_output(shared: Client) -> None:
    uri, *_ = opened(shared, "\n".join(PROGRAM.split("\n")[:4]))
    assert lenses(shared, uri) == [(1, RUN, None), (1, SHOW, None), (3, RUN, "%m"), (3, SHOW, "%m")]


def test_one_statement_has_one_pair_and_an_empty_file_none(shared: Client) -> None:
    assert len(lenses(shared, opened(shared, "%0 = const 1 : dtype=i32\n")[0])) == 2
    assert lenses(shared, opened(shared, "# nothing\n")[0]) == []
    assert lenses(shared, opened(shared, "")[0]) == []


def test_lenses_stay_while_lines_are_broken(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM)
    assert lenses(shared, uri) == EXPECTED
    version = 1
    for line, text in [
        (3, "%m = resh"),
        (1, "%a = "),
        (4, "%t = permute %m, ("),
        (6, "%out = sink %t, "),
        (6, "%out"),
        (6, ""),
    ]:
        old = PROGRAM.split("\n")[line]
        version += 2
        shared.edit(uri, version, splice(line, 0, len(old), text))
        found = lenses(shared, uri)
        if (line, text) != (6, ""):
            assert found == EXPECTED, text
        shared.edit(uri, version + 1, splice(line, 0, len(text), old))
        assert lenses(shared, uri) == EXPECTED


def test_lenses_keep_the_outputs_while_a_new_last_line_is_typed(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM)
    assert lenses(shared, uri) == EXPECTED
    for version, text in enumerate(["%", "%n", "%n ", "%n =", "%n = "], 2):
        shared.edit(uri, version, splice(7, 0, 99, text))
        assert lenses(shared, uri) == EXPECTED, text


def test_the_lenses_of_a_loop_program_mean_the_file(shared: Client) -> None:
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = range 4 : idx=0\n%2 = index %0, %1\n%3 = store %2, 1.0\n"
    uri, *_ = opened(shared, text + "%4 = end %3, %1\n%5 = sink %4\n")
    assert {value for _, _, value in lenses(shared, uri)} == {None}


def test_hints_give_every_known_type_at_the_end_of_its_line(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM.replace("reshape %a, (3, 4)", "reshape %a, (3, 4)  # 😀"))
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = shared.about("textDocument/inlayHint", uri, range=everything)
    shown = [(h["position"]["line"], h["position"]["character"], h["label"][0]["value"]) for h in found]
    assert shown == [
        (1, 33, "f32[12]"),
        (3, 29, "f32[3, 4]"),
        (4, 23, "f32[4, 3]"),
        (5, 29, "f32[3]"),
    ]


def test_hints_stay_on_the_lines_that_are_whole(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM.replace("(1, 0)", "(1, 1)"))
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = shared.about("textDocument/inlayHint", uri, range=everything)
    assert [h["position"]["line"] for h in found] == [1, 3, 5]


def test_hints_are_given_for_the_lines_asked_for(shared: Client) -> None:
    uri, *_ = opened(shared, PROGRAM)
    span = {"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 5}}
    found = shared.about("textDocument/inlayHint", uri, range=span)
    assert [h["position"]["line"] for h in found] == [3, 4]
