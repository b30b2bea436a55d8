"""Diagnostics: what is published, when, for which version; and that edits lead to the state of a fresh analysis."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from client import Client, change, notification, splice

from uopc.uir import analyze

GOOD = "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n"
BAD = GOOD.replace("(3, 4)", "(3, 5)")
Start = Callable[..., Client]
PUBLISH = "textDocument/publishDiagnostics"


def published(client: Client) -> list[Any]:
    return client.messages(PUBLISH)


def sync(client: Client, uri: str) -> None:
    """Wait until everything sent so far is handled, and for any delayed publishing."""
    client.about("textDocument/documentSymbol", uri)
    time.sleep(0.7)


def test_opening_publishes_the_errors_with_their_place_code_and_related_places(client: Client) -> None:
    uri = client.open(BAD)
    (found,) = client.diagnostics(uri, 1)
    assert found["code"] == "reshape-count"
    assert found["severity"] == 1
    assert found["source"] == "uir"
    assert found["message"].startswith("RESHAPE (12,) -> (3, 5)")
    assert found["range"]["start"]["line"] == 1
    assert BAD.split("\n")[1][found["range"]["start"]["character"] : found["range"]["end"]["character"]] == "(3, 5)"
    assert found["relatedInformation"][0]["location"]["range"]["start"] == {"line": 0, "character": 0}


def test_an_edit_is_published_with_its_version(client: Client) -> None:
    uri = client.open(BAD)
    assert len(client.diagnostics(uri, 1)) == 1
    client.edit(uri, 2, splice(1, 21, 22, "4"))
    assert client.diagnostics(uri, 2) == []


def test_closing_publishes_an_empty_list(client: Client) -> None:
    uri = client.open(BAD)
    client.diagnostics(uri, 1)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.wait_for(PUBLISH, lambda p: p["diagnostics"] == [] and "version" not in p)


def test_nothing_is_published_after_closing(client: Client) -> None:
    """An edit whose analysis is still waiting must not bring the diagnostics of a closed file back."""
    uri = client.open(GOOD)
    client.diagnostics(uri, 1)
    edits = [change(uri, v, splice(1, 21, 22, "5")) for v in range(2, 6)]
    client.send(*edits, notification("textDocument/didClose", {"textDocument": {"uri": uri}}))
    client.wait_for(PUBLISH, lambda p: "version" not in p)
    time.sleep(0.5)
    assert "version" not in published(client)[-1]


def test_a_burst_of_edits_publishes_at_most_twice_and_the_last_is_right(client: Client) -> None:
    uri = client.open(GOOD)
    client.diagnostics(uri, 1)
    before = len(published(client))
    client.send(*[change(uri, v, splice(1, 21, 22, str(v % 9))) for v in range(2, 52)])
    last = client.diagnostics(uri, 51)
    sync(client, uri)
    assert len(published(client)) - before <= 2
    assert published(client)[-1]["version"] == 51
    assert "(3, 6)" in last[0]["message"]


def test_somebody_who_types_without_a_pause_still_sees_diagnostics(client: Client) -> None:
    uri = client.open(GOOD)
    client.diagnostics(uri, 1)
    end = time.monotonic() + 2.5
    version = 1
    while time.monotonic() < end:
        version += 1
        client.edit(uri, version, splice(1, 21, 22, str(version % 9)))
        time.sleep(0.01)
    between = [p["version"] for p in published(client) if 1 < p["version"] < version - 5]
    assert between


def test_versions_published_only_rise(client: Client) -> None:
    uri = client.open(GOOD)
    for version in range(2, 40):
        client.edit(uri, version, splice(1, 21, 22, str(version % 9)))
        time.sleep(random.random() * 0.03)
    client.diagnostics(uri, 39)
    versions = [p["version"] for p in published(client)]
    assert versions == sorted(versions)
    assert versions[-1] == 39


def test_what_was_computed_for_an_older_text_is_not_published(client: Client) -> None:
    """The first analysis of a long file is still running when its first line is edited."""
    lines = ["%0 = buffer 12 : dtype=f32 slot=0", *(f"%{k} = add %{k - 1}, 1.0" for k in range(1, 20_000))]
    uri = client.open("\n".join(lines))
    time.sleep(0.05)
    client.edit(uri, 2, splice(0, 12, 14, "13"))
    assert client.diagnostics(uri, 2) == []
    assert [p["version"] for p in published(client)] == [2]


def test_a_request_is_about_the_newest_text_and_does_not_wait_for_the_pause(client: Client) -> None:
    uri = client.open(GOOD)
    client.diagnostics(uri, 1)
    client.send(*[change(uri, v, splice(1, 14, 22, f" %0, ({v}, 1)")) for v in range(2, 12)])
    client.edit(uri, 12, {"text": "%x = buffer 7 : dtype=i32 slot=0\n"})
    assert [s["name"] for s in client.about("textDocument/documentSymbol", uri)] == ["%x"]


def test_two_edits_in_one_notification(client: Client) -> None:
    uri = client.open(BAD)
    client.edit(uri, 2, splice(0, 0, 0, "# first line\n"), splice(2, 21, 22, "4"))
    assert client.diagnostics(uri, 2) == []
    client.edit(uri, 3, splice(2, 21, 22, "7"), splice(0, 0, 0, "", last_line=1))
    (found,) = client.diagnostics(uri, 3)
    assert found["range"]["start"]["line"] == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_columns_after_emoji_in_every_encoding_and_line_end(
    start: Callable[..., Client], encoding: str, end: str
) -> None:
    client = start()
    client.initialize({"general": {"positionEncodings": [encoding]}})
    head = '# 😀\x0c\x85\u2028 é %0 = "'
    text = end.join(
        [head, "%0 = buffer 12 : dtype=f32 slot=0", "%é😀 = reshape %0, (3, 5)", "%1 = reshape %0, (3, 5)", ""]
    )
    uri = client.open(text)
    found = client.diagnostics(uri, 1)
    counts = [d for d in found if d["code"] == "reshape-count"]
    assert counts[-1]["range"]["start"] == {"line": 3, "character": 17}
    unit = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]
    client.edit(uri, 2, splice(0, 2, 2 + unit, "x"))  # the emoji alone
    client.edit(uri, 3, splice(2, 0, 0, "# "))
    after = client.diagnostics(uri, 3)
    assert [d["range"]["start"]["line"] for d in after] == [3]


def test_the_columns_of_an_error_after_an_emoji_in_its_own_line(start: Callable[..., Client]) -> None:
    for encoding, width in (("utf-8", 4), ("utf-16", 2), ("utf-32", 1)):
        client = start()
        client.initialize({"general": {"positionEncodings": [encoding]}})
        uri = client.open("%0 = neg 😀, %zz\n")
        starts = {d["range"]["start"]["character"]: d["range"]["end"]["character"] for d in client.diagnostics(uri, 1)}
        assert starts.get(9) == 9 + width, (encoding, starts)
        client.close()


def test_pull_gives_what_push_would_and_says_when_nothing_changed(start: Callable[..., Client]) -> None:
    client = start()
    result = client.initialize({"textDocument": {"diagnostic": {}}})
    assert result["capabilities"]["diagnosticProvider"]["interFileDependencies"] is False
    uri = client.open(BAD)
    full = client.about("textDocument/diagnostic", uri)
    assert full["kind"] == "full"
    assert [d["code"] for d in full["items"]] == ["reshape-count"]
    again = client.about("textDocument/diagnostic", uri, previousResultId=full["resultId"])
    assert again == {"kind": "unchanged", "resultId": full["resultId"]}
    client.edit(uri, 2, splice(1, 21, 22, "4"))
    assert client.about("textDocument/diagnostic", uri, previousResultId=full["resultId"])["items"] == []
    assert published(client) == []


def test_a_client_that_offers_no_pull_is_not_offered_it(client: Client, start: Callable[..., Client]) -> None:
    assert "diagnosticProvider" not in start().initialize()["capabilities"]
    other = start()
    other.initialize({"textDocument": {"diagnostic": {}}}, diagnostics="push")
    assert len(other.diagnostics(other.open(BAD), 1)) == 1


def _random_text(rng: random.Random) -> str:
    return rng.choice(
        [
            "%1",
            "%2",
            " = ",
            "neg",
            "add %0, %1",
            ", ",
            "(3, 4)",
            "\n",
            "\r\n",
            "#",
            "😀",
            "",
            "%3 = mul %1, %1\n",
            "5",
            "x",
        ]
    )


@pytest.mark.parametrize("seed", range(4))
def test_after_random_edits_everything_equals_a_fresh_start(client: Client, seed: int) -> None:
    rng = random.Random(seed)
    text = GOOD + "%2 = permute %1, (1, 0)\n%3 = add %2, %2\n%4 = reduce %3 : op=add pop=1\n"
    uri = client.open(text)
    version = 1
    for _ in range(12):
        changes = []
        for _ in range(rng.randint(1, 3)):
            lines = text.replace("\r\n", "\n").split("\n")
            line = rng.randrange(len(lines))
            start = rng.randint(0, len(lines[line]))
            end = rng.randint(start, min(len(lines[line]), start + 6))
            new = _random_text(rng)
            changes.append(splice(line, _units(lines[line], start), _units(lines[line], end), new))
            lines[line] = lines[line][:start] + new.replace("\r\n", "\n") + lines[line][end:]
            text = "\n".join(lines)
        version += 1
        client.edit(uri, version, *changes)
        if rng.random() < 0.5:
            client.about("textDocument/documentSymbol", uri)
    found = client.diagnostics(uri, version)
    fresh = f"file:///fresh{seed}.uir"
    assert found == [_moved(d, uri) for d in client.diagnostics(client.open(text, fresh), 1)]
    expected = [(d.line, d.code, d.message) for d in analyze(text).diagnostics]
    assert [(d["range"]["start"]["line"], d["code"], d["message"]) for d in found] == expected


def _units(line: str, column: int) -> int:
    return len(line[:column].encode("utf-16-le")) // 2


def _moved(diagnostic: dict[str, Any], uri: str) -> dict[str, Any]:
    for related in diagnostic.get("relatedInformation", []):
        related["location"]["uri"] = uri
    return diagnostic
