"""A child is ready before the first run: when it may, never before, and never longer than the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from client import Client, environment
from processes import alive, below, command
from test_run import ENDLESS, GOOD, NEVER, needs_compiler, needs_proc, running_program, until

import uir_lsp.readiness as readiness

Start = Callable[..., Client]
pytestmark = needs_proc
BROKEN = GOOD + "%3 = neg %nothing\n"


def children(client: Client) -> list[int]:
    """The children that take jobs: those of the server itself, for what they start is like them for a moment."""
    server = client.process.pid
    return [pid for pid in below(server) if "uir_lsp.child" in command(pid) and parent(pid) == server]


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def programs(client: Client) -> list[int]:
    """The processes that wait for a program, or run one."""
    return [pid for pid in below(client.process.pid) if "runtime/child.py" in command(pid)]


def test_a_child_and_a_process_for_the_program_wait_before_the_first_run(client: Client) -> None:
    client.open(GOOD)
    until(lambda: len(children(client)) == len(programs(client)) == 1)
    time.sleep(1)
    assert (len(children(client)), len(programs(client))) == (1, 1)


@needs_compiler
def test_the_first_run_is_done_by_the_child_that_waited(client: Client) -> None:
    uri = client.open(GOOD)
    until(lambda: len(programs(client)) == 1)
    waiting, program = children(client), programs(client)
    assert client.request("uir/run", {"uri": uri}, 60)["ok"]
    assert children(client) == waiting
    until(lambda: len(programs(client)) == 1)
    assert programs(client) != program  # each runs one program; the next one waits


def test_no_child_before_the_client_is_initialized(start: Start) -> None:
    client = start()
    client.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}})
    client.open(GOOD)
    time.sleep(readiness.QUIET + 1)
    assert below(client.process.pid) == []
    client.notify("initialized", {})
    until(lambda: len(children(client)) == 1)


def test_no_child_without_a_file(client: Client) -> None:
    time.sleep(readiness.QUIET + 1)
    assert below(client.process.pid) == []


def test_no_child_while_the_workspace_is_not_trusted(start: Start) -> None:
    client = start()
    client.initialize(trusted=False, buildAhead=True)
    uri = client.open(GOOD)
    client.diagnostics(uri)
    time.sleep(readiness.QUIET + 1)
    assert below(client.process.pid) == []
    client.notify("uir/trust", {"trusted": True})
    until(lambda: len(children(client)) >= 1)


def test_no_child_while_the_machine_is_short_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert readiness.memory_to_spare()
    text = "MemTotal: 4000000 kB\nMemAvailable: {} kB\n"
    monkeypatch.setattr(Path, "read_text", lambda self, **_: text.format(100_000))
    assert not readiness.memory_to_spare()
    monkeypatch.setattr(Path, "read_text", lambda self, **_: text.format(2_000_000))
    assert readiness.memory_to_spare()


@pytest.mark.parametrize("how", ["shutdown", "end of input", "killed"])
def test_a_waiting_child_ends_with_the_server(client: Client, how: str) -> None:
    client.open(GOOD)
    until(lambda: len(programs(client)) == 1)
    processes = below(client.process.pid)
    if how == "shutdown":
        assert client.close() == 0
    elif how == "end of input":
        client.process.stdin.close()
        client.wait(5)
    else:
        client.process.kill()
        client.wait(5)
    until(lambda: alive(processes) == [], 5)


@needs_compiler
def test_a_child_that_died_at_work_or_was_cancelled_is_replaced(client: Client) -> None:
    uri = client.open(ENDLESS)
    for end in ("killed", "cancelled"):
        request = client.start("uir/run", {"uri": uri, "options": NEVER})
        running_program(client)
        before = children(client)
        if end == "killed":
            os.kill(before[0], signal.SIGKILL)
            assert client.result(request, 10)["ok"] is False
        else:
            client.notify("$/cancelRequest", {"id": request})
        until(lambda before=before: len(children(client)) == 1 and children(client) != before)
        until(lambda: len(programs(client)) == 1)


STUBBORN = """
import time
from uir_lsp import child, jobs
def stubborn(job, report):
    report("at work")
    while True:
        try:
            time.sleep(0.1)
        except SystemExit:
            pass
jobs.JOBS["stubborn"] = stubborn
child.main()
"""


@pytest.mark.parametrize("job", [None, b'{"kind": "stubborn"}\n'])
def test_a_child_whose_server_is_gone_ends_even_when_its_work_swallows_the_end(job: bytes | None) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", STUBBORN], env=environment(), **pipes)  # type: ignore[call-overload]
    try:
        if job is not None:
            child.stdin.write(job)
            child.stdin.flush()
            assert b"at work" in child.stdout.readline() + child.stdout.read(20)
        child.stdin.close()
        assert child.wait(30) in ((0,) if job is None else (0, 1))  # 0: raised where nothing swallows it
    finally:
        child.kill()
        child.stdout.close()


# -- building ahead ----------------------------------------------------------------------------------------------------
def built(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("build/*.so")]


@needs_compiler
def test_a_file_without_errors_is_built_ahead_when_the_setting_says_so(start: Start, tmp_path: Path) -> None:
    client = start(env={"UIR_CACHE_DIR": str(tmp_path)})
    client.initialize(buildAhead=True)
    uri = client.open(GOOD)
    until(lambda: len(built(tmp_path)) == 1)
    result = client.request("uir/run", {"uri": uri}, 60)
    assert result["ok"]
    assert len(built(tmp_path)) == 1  # the run found it: the same flags, the same content


@needs_compiler
@pytest.mark.parametrize(("options", "text"), [({}, GOOD), ({"buildAhead": True}, BROKEN), ({"buildAhead": 1}, GOOD)])
def test_nothing_is_built_ahead_otherwise(start: Start, tmp_path: Path, options: dict[str, Any], text: str) -> None:
    client = start(env={"UIR_CACHE_DIR": str(tmp_path)})
    client.initialize(**options)
    client.open(text)
    until(lambda: len(programs(client)) == 1)
    time.sleep(1)
    assert built(tmp_path) == []


@needs_compiler
def test_a_build_ahead_makes_way_for_a_run(start: Start, tmp_path: Path) -> None:
    """A compiler that never ends holds the build up; a run asked for meanwhile ends it and begins its own."""
    compiler = tmp_path / "slow-cc"
    compiler.write_text("#!/bin/sh\nsleep 1000\n")
    compiler.chmod(0o755)
    client = start(env={"UIR_CACHE_DIR": str(tmp_path / "cache")})
    client.initialize(buildAhead=True, compiler=str(compiler))
    uri = client.open(GOOD)

    def compilers() -> list[int]:
        return [pid for pid in below(client.process.pid) if "slow-cc" in command(pid)]

    until(lambda: len(compilers()) == 1)
    ahead = compilers()
    client.start("uir/run", {"uri": uri})
    until(lambda: alive(ahead) == [] and len(compilers()) == 1)
