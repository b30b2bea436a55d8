"""Every program there is, whole and broken: the server agrees with the command line, and no feature fails anywhere."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import ROOT, Client, environment, splice

FILES = sorted([*(ROOT / "examples").glob("*.uir"), *(ROOT / "tests" / "cases").glob("*/*.uir")])
SMALL = [path for path in FILES if path.stat().st_size < 20_000]
SEVERITIES = {1: "error", 2: "warning", 4: "hint"}


@pytest.fixture(scope="module")
def points() -> Iterator[Client]:
    """A server that counts columns in code points, as the command line does."""
    client = Client()
    client.initialize({"general": {"positionEncodings": ["utf-32"]}}, diagnostics="push")
    yield client
    client.close()


def test_there_are_programs() -> None:
    assert len(SMALL) > 20


def test_live_diagnostics_are_those_of_uir_check(points: Client) -> None:
    command = [sys.executable, "-m", "uopc.cli", "check", "--format", "json", *map(str, SMALL)]
    done = subprocess.run(command, env=environment(), cwd=ROOT, capture_output=True, timeout=120)
    expected: dict[str, list[dict[str, Any]]] = {str(path): [] for path in SMALL}
    for line in done.stdout.decode().splitlines():
        found = json.loads(line)
        expected[found.pop("file")].append(found)
    assert any(expected.values())
    for path in SMALL:
        uri = points.open(path.read_bytes().decode(), path.as_uri())
        assert [_as_printed(d) for d in points.diagnostics(uri)] == expected[str(path)], path.name
        points.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def _as_printed(diagnostic: dict[str, Any]) -> dict[str, Any]:
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    return {
        "line": start["line"] + 1,
        "column": start["character"] + 1,
        "end_line": end["line"] + 1,
        "end_column": end["character"] + 1,
        "severity": SEVERITIES[diagnostic["severity"]],
        "code": diagnostic["code"],
        "message": diagnostic["message"],
    }


def ask_everything(client: Client, uri: str, lines: list[str], rng: random.Random, places: int) -> None:
    """Every request there is; one that fails raises."""
    document = {"uri": uri}
    last = {"line": len(lines), "character": 0}
    whole = {"start": {"line": 0, "character": 0}, "end": last}
    options = {"tabSize": 4, "insertSpaces": True}
    requests = [
        client.start(f"textDocument/{method}", {"textDocument": document, **more})
        for method, more in [
            ("documentSymbol", {}),
            ("codeLens", {}),
            ("foldingRange", {}),
            ("documentLink", {}),
            ("inlayHint", {"range": whole}),
            ("semanticTokens/full", {}),
            ("semanticTokens/full/delta", {"previousResultId": "1"}),
            ("semanticTokens/range", {"range": whole}),
            ("codeAction", {"range": whole, "context": {"diagnostics": []}}),
            ("formatting", {"options": options}),
            ("rangeFormatting", {"options": options, "range": whole}),
        ]
    ]
    for _ in range(places):
        line = rng.randrange(len(lines))
        position = {"line": line, "character": rng.randint(0, len(lines[line]) + 2)}
        about = {"textDocument": document, "position": position}
        methods = ["hover", "definition", "documentHighlight", "completion", "signatureHelp", "prepareRename"]
        requests += [client.start(f"textDocument/{method}", about) for method in methods]
        requests.append(client.start("textDocument/prepareCallHierarchy", about))
        requests.append(client.start("textDocument/onTypeFormatting", {**about, "ch": "\n", "options": options}))
        requests.append(client.start("textDocument/references", {**about, "context": {"includeDeclaration": True}}))
        requests.append(
            client.start("textDocument/selectionRange", {"textDocument": document, "positions": [position]})
        )
    for request in requests:
        client.result(request, 60)


def test_no_feature_fails_on_any_program(points: Client) -> None:
    rng = random.Random(1)
    for path in SMALL:
        text = path.read_bytes().decode()
        uri = points.open(text, path.as_uri())
        ask_everything(points, uri, text.split("\n"), rng, 4)
        for statement in points.about("textDocument/documentSymbol", uri):
            points.at("textDocument/hover", uri, statement["selectionRange"]["start"]["line"], 1)
        points.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


@pytest.mark.parametrize("seed", range(3))
def test_no_feature_fails_while_a_program_is_being_broken(points: Client, seed: int) -> None:
    rng = random.Random(seed)
    path = rng.choice(SMALL)
    lines = path.read_bytes().decode().replace("\r", "\n").split("\n")
    uri = points.open("\n".join(lines), f"file:///broken{seed}.uir")
    for version in range(2, 14):
        line = rng.randrange(len(lines))
        start = rng.randint(0, len(lines[line]))
        end = min(len(lines[line]), start + rng.randint(0, 5))
        new = rng.choice(["", "%", "(", ",", "=", ":", "😀", "#", " ", "add", "%0", "-1", "[", "\x00", "\ufeff"])
        points.edit(uri, version, splice(line, start, end, new))
        lines[line] = lines[line][:start] + new + lines[line][end:]
        ask_everything(points, uri, lines, rng, 2)


def resident(pid: int) -> int:
    """Bytes of memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.split("\n") if line.startswith("VmRSS"))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc on this system")
def test_memory_does_not_grow_with_edits(client: Client) -> None:
    """Six hundred edits after the first hundred cost a few megabytes; a leak of one snapshot an edit costs hundreds."""
    lines = ["%0 = buffer 4096 : dtype=f32 slot=0", "%1 = reshape %0, (64, 64)"]
    lines += [f"%{k} = add %{k - 1}, {k}.5" for k in range(2, 500)]
    uri = client.open("\n".join(lines))
    before = 0
    for version in range(2, 702):
        value = 2 + version % 400
        client.edit(uri, version, splice(value, 0, 99, f"%{value} = add %{value - 1}, {version}.25"))
        client.at("textDocument/hover", uri, value, 1)
        client.about("textDocument/semanticTokens/full", uri)
        client.about("textDocument/documentSymbol", uri)
        if version == 100:
            before = resident(client.process.pid)
    assert resident(client.process.pid) - before < 40e6
    for number in range(30):
        other = client.open("\n".join(lines), f"file:///{number}.uir")
        client.about("textDocument/documentSymbol", other)
        client.notify("textDocument/didClose", {"textDocument": {"uri": other}})
    time.sleep(0.2)
    assert resident(client.process.pid) - before < 60e6
