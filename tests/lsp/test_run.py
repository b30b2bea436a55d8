"""Heavy work: C, loops and runs in child processes; cancelling, trust, progress, and that nothing is left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from client import Client, ResponseError, splice
from processes import alive, below, command, folder, zombies

Start = Callable[..., Client]
GOOD = """\
# uir: input 0 = arange
%0 = buffer 12 : dtype=f32 slot=0
%1 = reshape %0, (3, 4)
%2 = reduce %1 : op=add pop=1
"""
# Sixteen million sums of a million: no machine ends this in the time of a test.
ENDLESS = """\
%0 = buffer 4096 : dtype=f32 slot=0
%1 = reshape %0, (1, 4096, 1)
%2 = expand %1, (4096, 4096, 4096)
%3 = mul %2, %2
%4 = reduce %3 : op=add pop=1
%5 = sin %4
%6 = reshape %5, (4096, 4096, 1)
%7 = expand %6, (4096, 4096, 4096)
%8 = sin %7
%9 = reduce %8 : op=add pop=2
"""
needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("cc", "gcc", "clang")), reason="no C compiler on this machine"
)
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="this system lists no processes in /proc")


def until(check: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def running_program(client: Client) -> list[int]:
    """Wait until the built program itself runs; gives all processes below the server."""

    until(lambda: any("uir-run-" in folder(pid) for pid in below(client.process.pid)))
    return below(client.process.pid)


@pytest.fixture
def endless(client: Client) -> tuple[Client, str]:
    """A client with a program that never ends, open."""
    return client, client.open(ENDLESS)


def run(client: Client, uri: str, **more: Any) -> Any:
    return client.request("uir/run", {"uri": uri, **more}, seconds=60)


NEVER = {"timeout": 1000, "noVerify": True}


# -- results -----------------------------------------------------------------------------------------------------------
@needs_compiler
def test_a_run_gives_the_object_of_the_command_line(client: Client) -> None:
    uri = client.open(GOOD + "# uir: expect = [6, 22, 38]\n")
    result = run(client, uri)
    assert result["ok"], result["error"]
    assert result["expect"] is True
    assert result["verified"] is True
    (output,) = result["outputs"]
    assert (output["name"], output["shape"], output["dtype"]) == ("%2", [3], "f32")
    assert (output["stats"]["min"], output["stats"]["max"]) == (6.0, 38.0)
    assert result["kernel_ms"] > 0


@needs_compiler
def test_a_run_to_a_value_of_the_text_that_is_not_saved(client: Client) -> None:
    uri = client.open(GOOD)
    client.edit(uri, 2, splice(3, 0, 0, "%x = mul %1, 10.0\n"))
    (output,) = run(client, uri, value="%x")["outputs"]
    assert (output["name"], output["shape"], output["stats"]["max"]) == ("%x", [3, 4], 110.0)


def test_a_run_of_a_file_with_errors_is_a_sentence_with_the_line(client: Client) -> None:
    result = run(client, client.open(GOOD + "%3 = neg %nothing\n"))
    assert result["ok"] is False
    assert result["error"].startswith("line 5:")


def test_a_file_that_is_not_open_is_read_from_disk(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a b.uir"
    path.write_text(GOOD)
    assert "void a_b(" in client.request("uir/showC", {"uri": path.as_uri()})["c"]
    with pytest.raises(ResponseError) as caught:
        client.request("uir/showC", {"uri": (tmp_path / "none.uir").as_uri()})
    assert caught.value.code == -32602


@pytest.mark.parametrize("method", ["uir/run", "uir/showC", "uir/showLoops", "uir/graph", "uir/explain"])
@pytest.mark.parametrize("params", [None, [], {}, {"uri": 3}, {"uri": "file:///test.uir", "value": "%nothing"}])
def test_a_request_that_makes_no_sense_is_invalid_params(client: Client, method: str, params: Any) -> None:
    client.open(GOOD)
    with pytest.raises(ResponseError) as caught:
        client.request(method, params)
    assert caught.value.code == -32602


def test_the_c_is_complete_and_its_map_leads_back(client: Client, tmp_path: Path) -> None:
    uri = client.open(GOOD, "file:///sums.uir")
    found = client.request("uir/showC", {"uri": uri, "options": {"plain": True}})
    assert found["stale"] is False
    lines = found["c"].split("\n")
    assert len(found["map"]) == len(lines)
    adds = [k for k, line in enumerate(lines) if "+" in line and "acc" in line and "for" not in line]
    assert adds
    assert {"line": 3, "name": "%2"} in found["map"][adds[0]]
    if shutil.which("cc"):
        (tmp_path / "sums.c").write_text(found["c"])
        done = subprocess.run(["cc", "-std=gnu11", "-c", "sums.c", "-o", "sums.o"], cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()


def test_the_c_of_a_broken_file_is_the_last_good_one_and_says_so(client: Client) -> None:
    uri = client.open(GOOD)
    good = client.request("uir/showC", {"uri": uri})
    client.edit(uri, 2, splice(2, 0, 0, "%bad = reshape %0, (5, 5)\n"))
    stale = client.request("uir/showC", {"uri": uri})
    assert (stale["c"], stale["map"], stale["stale"]) == (good["c"], good["map"], True)
    assert stale["message"].startswith("line 3: RESHAPE (12,) -> (5, 5)")
    assert client.request("uir/showC", {"uri": uri, "value": "%2"})["stale"] is False
    client.edit(uri, 3, splice(2, 0, 0, "", last_line=3))
    assert client.request("uir/showC", {"uri": uri})["stale"] is False


def test_the_c_of_a_file_that_was_never_good_is_empty_with_a_reason(client: Client) -> None:
    found = client.request("uir/showC", {"uri": client.open("%0 = neg %1\n")})
    assert (found["c"], found["map"], found["stale"]) == ("", [], True)
    assert "line 1" in found["message"]
    assert client.request("uir/showC", {"uri": client.open("", "file:///e.uir")})["message"]


def test_the_loops_parse_again(client: Client) -> None:
    found = client.request("uir/showLoops", {"uri": client.open(GOOD)})
    assert found["stale"] is False
    uri = client.open(found["loops"], "file:///loops.uir")
    assert [d for d in client.diagnostics(uri, 1) if d["severity"] == 1] == []


def test_explain_is_the_json_of_the_command_line(client: Client) -> None:
    found = client.request("uir/explain", {"uri": client.open(GOOD), "value": "%1"})
    assert (found["name"], found["line"], found["type"]) == ("%1", 3, "f32[3, 4]")
    assert found["layout"]["strides"] == [4, 1]


# -- cancelling and the end --------------------------------------------------------------------------------------------
@needs_compiler
@needs_proc
def test_cancelling_a_run_kills_everything_it_started(endless: tuple[Client, str]) -> None:
    client, uri = endless
    request = client.start("uir/run", {"uri": uri, "options": NEVER})
    processes = running_program(client)
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError) as caught:
        client.result(request, 10)
    assert caught.value.code == -32800
    assert alive(processes) == []
    assert zombies(client.process.pid) == []
    assert client.request("uir/run", {"uri": client.open(GOOD, "file:///g.uir")}, 60)["ok"]


@needs_proc
def test_cancelling_a_build_kills_the_compiler(start: Start, tmp_path: Path) -> None:
    """A compiler that never ends stands for one that takes long."""
    compiler = tmp_path / "slow-cc"
    compiler.write_text("#!/bin/sh\nsleep 1000\n")
    compiler.chmod(0o755)
    client = start(env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    client.initialize(compiler=str(compiler))
    request = client.start("uir/run", {"uri": client.open(GOOD)})
    until(lambda: any("slow-cc" in command(pid) for pid in below(client.process.pid)))
    processes = below(client.process.pid)
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError) as caught:
        client.result(request, 10)
    assert caught.value.code == -32800
    assert alive(processes) == []
    assert zombies(client.process.pid) == []


@pytest.mark.skipif(sys.platform != "linux", reason="where a process works is asked of /proc")
@pytest.mark.parametrize("killed", ["child", "server and child"])
def test_a_compiler_whose_owner_was_killed_is_ended(start: Start, tmp_path: Path, killed: str) -> None:
    """By the process that takes the place of the child, or by the next server's first one; its folder goes, too."""
    compiler = tmp_path / "slow-cc"
    compiler.write_text("#!/bin/sh\nsleep 1000\n")
    compiler.chmod(0o755)
    (tmp_path / "temporary").mkdir()
    variables = {"TMPDIR": str(tmp_path / "temporary"), "UIR_CACHE_DIR": str(tmp_path / "cache")}
    client = start(env=variables)
    client.initialize(compiler=str(compiler))
    request = client.start("uir/run", {"uri": client.open(GOOD)})
    until(lambda: any("sleep" in command(pid) for pid in below(client.process.pid)))
    processes = below(client.process.pid)
    compilers = [pid for pid in processes if "uir-build-" in folder(pid)]
    assert len(compilers) == 2
    if killed == "child":
        os.kill(min(processes), 9)
        assert client.result(request, 20)["ok"] is False
    else:
        os.kill(client.process.pid, 9)
        for pid in set(processes) - set(compilers):
            os.kill(pid, 9)
        client.wait()
        client = start(env=variables)
        client.initialize()
        client.open(GOOD)
    until(lambda: alive(compilers) == [])
    until(lambda: not list((tmp_path / "temporary").glob("uir-build-*")))


def test_without_a_compiler_the_answer_is_a_sentence(start: Start, tmp_path: Path) -> None:
    client = start(env={"PATH": str(tmp_path), "UIR_CC": "", "XDG_CACHE_HOME": str(tmp_path / "cache")})
    client.initialize()
    result = run(client, client.open(GOOD))
    if result["ok"]:
        pytest.skip("this Python brings a C compiler of its own")
    assert "compiler" in result["error"]


@needs_compiler
@needs_proc
@pytest.mark.parametrize("how", ["shutdown", "exit", "end of input", "killed"])
def test_nothing_outlives_the_server(endless: tuple[Client, str], how: str) -> None:
    client, uri = endless
    request = client.start("uir/run", {"uri": uri, "options": NEVER})
    processes = running_program(client)
    if how == "shutdown":
        client.request("shutdown")
        with pytest.raises(ResponseError) as caught:  # a request in flight is answered, too
            client.result(request, 10)
        assert caught.value.code == -32800
        client.notify("exit")
        assert client.wait(5) == 0
        assert client.stderr == ""
    elif how == "exit":
        client.notify("exit")
        assert client.wait(5) == 1
    elif how == "end of input":
        client.process.stdin.close()
        assert client.wait(5) == 1
    else:
        client.process.kill()
        client.wait(5)
    until(lambda: alive(processes) == [], 5)


@needs_compiler
def test_the_server_answers_while_a_program_runs(endless: tuple[Client, str]) -> None:
    client, uri = endless
    client.start("uir/run", {"uri": uri, "options": NEVER})
    if os.path.isdir("/proc/self"):
        running_program(client)
    began = time.monotonic()
    for _ in range(20):
        assert client.at("textDocument/hover", uri, 3, 1)
    assert time.monotonic() - began < 5


@needs_compiler
def test_a_run_ends_at_its_time_limit_with_a_sentence(endless: tuple[Client, str]) -> None:
    client, uri = endless
    result = run(client, uri, options={"timeout": 0.5, "noVerify": True})
    assert result["ok"] is False
    assert "took longer than 0.5 s" in result["error"]


@needs_proc
def test_a_child_that_dies_at_work_is_a_sentence(endless: tuple[Client, str]) -> None:
    client, uri = endless
    request = client.start("uir/run", {"uri": uri, "options": NEVER})
    processes = running_program(client)
    os.kill(min(processes), 9)
    result = client.result(request, 10)
    assert result["ok"] is False
    assert "SIGKILL" in result["error"]
    until(lambda: alive(processes) == [], 5)


@needs_proc
def test_a_child_that_died_idle_is_replaced_unseen(client: Client) -> None:
    uri = client.open(GOOD)
    client.request("uir/showC", {"uri": uri})
    children = below(client.process.pid)
    assert children
    for child in children:
        os.kill(child, 9)
    client.edit(uri, 2, splice(0, 0, 0, "# again\n"))
    until(lambda: alive(children) == [])
    assert client.request("uir/showC", {"uri": uri})["stale"] is False


# -- progress ----------------------------------------------------------------------------------------------------------
@needs_compiler
def test_a_long_run_shows_a_line_with_stages_and_its_cancel_button_works(start: Start) -> None:
    client = start()
    client.initialize({"window": {"workDoneProgress": True}})
    uri = client.open(ENDLESS)
    request = client.start("uir/run", {"uri": uri, "options": NEVER})
    begin = client.wait_for("$/progress", lambda p: p["value"]["kind"] == "begin")
    assert begin["value"]["cancellable"] is True
    assert "test.uir" in begin["value"]["title"]
    client.wait_for(
        "$/progress", lambda p: "running" in p["value"].get("message", "") and "operations on" in p["value"]["message"]
    )
    client.notify("window/workDoneProgress/cancel", {"token": begin["token"]})
    result = client.result(request, 10)
    assert (result["ok"], result["error"]) == (False, "cancelled")
    assert client.messages("$/progress")[-1] == {"token": begin["token"], "value": {"kind": "end"}}


@needs_compiler
def test_a_reply_that_comes_after_the_work_has_ended_is_ignored(start: Start) -> None:
    client = start()
    client.answers_to_server["window/workDoneProgress/create"] = None
    client.initialize({"window": {"workDoneProgress": True}})
    request = client.start("uir/run", {"uri": client.open(ENDLESS), "options": NEVER})
    client.wait_for("window/workDoneProgress/create")
    (asked,) = [m["id"] for _, m in client.received if m.get("method") == "window/workDoneProgress/create"]
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError):
        client.result(request, 10)
    client.send({"jsonrpc": "2.0", "id": asked, "result": None})
    assert client.about("textDocument/documentSymbol", "file:///test.uir")
    assert client.messages("$/progress") == []
    assert client.close() == 0
    assert client.stderr == ""


@needs_compiler
def test_the_clients_own_token_is_used(endless: tuple[Client, str]) -> None:
    client, uri = endless
    client.start("uir/run", {"uri": uri, "options": NEVER, "workDoneToken": "mine"})
    assert client.wait_for("$/progress")["token"] == "mine"
    assert client.messages("window/workDoneProgress/create") == []


def test_short_work_shows_nothing(start: Start) -> None:
    client = start()
    client.initialize({"window": {"workDoneProgress": True}})
    uri = client.open(GOOD)
    client.request("uir/showC", {"uri": uri})  # the first one starts a process, which may take its time
    before = len(client.messages("$/progress"))
    client.edit(uri, 2, splice(0, 0, 0, "# x\n"))
    client.request("uir/showC", {"uri": uri})
    assert len(client.messages("$/progress")) == before


# -- trust -------------------------------------------------------------------------------------------------------------
@needs_compiler
def test_a_workspace_that_is_not_trusted_is_checked_but_not_run(start: Start) -> None:
    client = start()
    client.initialize(trusted=False)
    uri = client.open(GOOD)
    refused = run(client, uri)
    assert (refused["ok"], refused["restricted"]) == (False, True)
    assert refused["error"]
    assert client.request("uir/showC", {"uri": uri})["c"]
    client.notify("uir/trust", {"trusted": True})
    assert run(client, uri)["ok"] is True
    client.notify("uir/trust", {"trusted": False})
    assert run(client, uri)["restricted"] is True
    client.notify("uir/trust", {"trusted": "yes"})
    assert run(client, uri)["restricted"] is True


def test_the_command_is_refused_too_while_not_trusted(start: Start) -> None:
    client = start()
    client.initialize(trusted=False)
    uri = client.open(GOOD)
    params = {"command": "uir.run", "arguments": [{"uri": uri}]}
    assert client.request("workspace/executeCommand", params)["restricted"] is True


# -- commands ----------------------------------------------------------------------------------------------------------
def test_clients_with_their_own_commands_are_offered_none(start: Start) -> None:
    offered = start().initialize(clientCommands=True)["capabilities"]
    assert offered.get("executeCommandProvider") is None
    names = start().initialize()["capabilities"]["executeCommandProvider"]["commands"]
    assert sorted(names) == ["uir.explain", "uir.run", "uir.showAssembly", "uir.showGeneratedC", "uir.showLoops"]


def test_the_c_is_shown_as_a_document_that_goes_with_the_server(start: Start) -> None:
    client = start()
    client.answers_to_server["window/showDocument"] = lambda params: {"success": True}
    client.initialize({"window": {"showDocument": {"support": True}}})
    uri = client.open(GOOD)
    params = {"command": "uir.showGeneratedC", "arguments": [{"uri": uri, "value": "%1"}]}
    result = client.request("workspace/executeCommand", params)
    shown = client.wait_for("window/showDocument")
    path = Path(shown["uri"].removeprefix("file://"))
    assert path.name == "test.1.c"
    assert path.read_text() == result["c"]
    client.close()
    assert not path.exists()


@needs_compiler
def test_a_run_by_command_is_summed_up_in_a_message(client: Client) -> None:
    uri = client.open(GOOD)
    client.request("workspace/executeCommand", {"command": "uir.run", "arguments": [{"uri": uri}]}, 60)
    shown = client.wait_for("window/showMessage")
    assert shown["type"] == 3
    assert shown["message"].startswith("%2 : f32[3]\n[ 6. 22. 38.]\nverified against the reference")


def test_unknown_commands_are_refused_and_a_cancelled_one_is_answered(client: Client) -> None:
    with pytest.raises(ResponseError) as caught:
        client.request("workspace/executeCommand", {"command": "uir.nothing", "arguments": []})
    assert caught.value.code == -32602
    uri = client.open(ENDLESS)
    params = {"command": "uir.run", "arguments": [{"uri": uri, "options": NEVER}]}
    request = client.start("workspace/executeCommand", params)
    time.sleep(0.3)
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError) as caught:
        client.result(request, 10)
    assert caught.value.code == -32800
