"""Sessions recorded and replayed, and the log that a person can send: it does not hold what is in the files."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from client import ROOT, Client, ResponseError, environment, read, splice

SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.lsp"))
INTERNAL_ERROR = -32603

# Words that must not be in a log: in a comment, a name, a directive.
SECRETS = ("Kestrel", "osprey", "harrier")
PROGRAM = "# Kestrel\n%osprey = buffer 12 : dtype=f32 slot=0\n# uir: harrier\n%1 = reshape %osprey, (3, 5)\n"


def messages(data: bytes) -> list[dict[str, Any]]:
    """The messages of a stream."""
    stream = io.BytesIO(data)
    return list(iter(lambda: read(stream), None))


def replayed(path: Path | str) -> list[dict[str, Any]]:
    """What the server says when it gets a recorded session again."""
    command = [sys.executable, "-m", "uir_lsp", "--replay", str(path)]
    done = subprocess.run(
        command, env=environment(), cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=120
    )
    assert done.returncode == 0 and b"ERROR" not in done.stderr, done.stderr.decode()
    return messages(done.stdout)


def a_session(client: Client) -> None:
    """Everything that a log might quote: a file, its errors, edits, answers, a run, requests that make no sense."""
    client.initialize()
    uri = client.open(PROGRAM)
    client.diagnostics(uri, 1)
    client.edit(uri, 2, splice(0, 0, 0, "# harrier 😀\r\n"))
    client.diagnostics(uri, 2)
    client.at("textDocument/hover", uri, 2, 1)
    client.at("textDocument/completion", uri, 2, 3)
    client.about("textDocument/documentSymbol", uri)
    client.request("workspace/executeCommand", {"command": "uir.run", "arguments": [{"uri": uri}]})
    for method, params in (
        ("textDocument/hover", {"textDocument": {"uri": uri}, "position": "Kestrel"}),
        ("uir/explain", {"uri": uri, "value": "%harrier"}),
        ("osprey/unknown", {}),
    ):
        with pytest.raises(ResponseError):
            client.request(method, params)
    client.close()


def test_a_log_holds_no_contents(start: Callable[..., Client]) -> None:
    client = start("--log", "debug")
    a_session(client)
    lines = client.stderr.replace("osprey/unknown", "")  # a method is no content
    assert [word for word in SECRETS if word in lines] == [], client.stderr


def test_a_log_holds_contents_when_asked(start: Callable[..., Client]) -> None:
    client = start("--log", "debug", "--log-contents")
    a_session(client)
    assert [word for word in SECRETS if word not in client.stderr] == []


def test_a_log_says_what_came_and_went_and_how_fast(start: Callable[..., Client]) -> None:
    client = start("--log", "info")
    a_session(client)
    for part in (
        "Python 3",
        "<- textDocument/didChange",
        "file:///test.uir version 2",
        "-> textDocument/publishDiagnostics",
        "-> textDocument/hover #2",
        "error -32602 after",
        "bytes after",
    ):
        assert part in client.stderr, client.stderr


def test_little_is_logged_unless_asked(start: Callable[..., Client]) -> None:
    client = start()
    a_session(client)
    (line,) = client.stderr.splitlines()
    assert "unknown method" in line


def test_a_fault_of_ours_is_logged_with_its_place_and_without_what_it_quotes() -> None:
    code = (
        "import uir_lsp.server as s, uir_lsp.__main__ as m\n"
        "def broken(snapshot): raise RuntimeError('cannot read ' + snapshot.text)\n"
        "s.published = broken\n"
        "m.main({arguments})\n"
    )
    seen = {}
    for arguments in ([], ["--log-contents"]):
        client = Client(server=[sys.executable, "-c", code.format(arguments=arguments)])
        client.initialize()
        uri = client.open(PROGRAM)
        client.about("textDocument/documentSymbol", uri)
        client.close()
        seen[bool(arguments)] = client.stderr
    assert "RuntimeError" in seen[False] and "in broken" in seen[False]
    assert "Kestrel" not in seen[False]
    assert "Kestrel" in seen[True]


def test_a_replay_gives_the_answers_of_the_session(start: Callable[..., Client], tmp_path: Path) -> None:
    record = tmp_path / "session.lsp"
    client = start("--record", str(record))
    a_session(client)
    before = {m["id"]: m for _, m in client.received if "method" not in m}
    after = {m["id"]: m for m in replayed(record) if "method" not in m}
    assert len(before) > 8
    timed = {k for k, m in before.items() if "build_ms" in json.dumps(m)}
    assert len(timed) == 1
    assert {k: m for k, m in after.items() if k not in timed} == {k: m for k, m in before.items() if k not in timed}
    assert timed <= set(after)


def test_a_second_session_does_not_write_over_the_first(start: Callable[..., Client], tmp_path: Path) -> None:
    record = tmp_path / "session.lsp"
    for _ in range(2):
        client = start("--record", str(record))
        client.initialize()
        client.close()
    first, second = record.read_bytes(), (tmp_path / "session.lsp.2").read_bytes()
    for recorded in (first, second):
        assert [m["method"] for m in messages(recorded)] == ["initialize", "initialized", "shutdown", "exit"]


def test_a_session_cut_short_can_be_replayed(start: Callable[..., Client], tmp_path: Path) -> None:
    """The server was killed, or wrote its last message only half."""
    record = tmp_path / "session.lsp"
    client = start("--record", str(record))
    client.initialize()
    uri = client.open(PROGRAM)
    client.diagnostics(uri, 1)
    client.process.kill()
    whole = record.read_bytes()
    record.write_bytes(whole + b"Content-Length: 99\r\n\r\n{")
    assert any(m.get("method") == "textDocument/publishDiagnostics" for m in replayed(record))


def test_there_are_sessions() -> None:
    assert SESSIONS


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_recorded_session(path: Path) -> None:
    """Sessions that people sent: every request has an answer, and none is that we failed."""
    asked = {m["id"]: m["method"] for m in messages(path.read_bytes()) if "method" in m and "id" in m}
    answers = {m["id"]: m for m in replayed(path) if "method" not in m}
    assert set(answers) == set(asked)
    assert [asked[k] for k, m in answers.items() if m.get("error", {}).get("code") == INTERNAL_ERROR] == []
