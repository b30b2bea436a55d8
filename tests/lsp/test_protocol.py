"""The rules of the protocol itself: life cycle, bad messages, late replies, standard output, the end of the process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from client import ROOT, Client, ResponseError, change, environment, frame, notification, read, splice

GOOD = "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n"
Start = Callable[..., Client]


def refused(client: Client, method: str, params: object = None) -> ResponseError:
    with pytest.raises(ResponseError) as caught:
        client.request(method, params)
    return caught.value


# -- life cycle --------------------------------------------------------------------------------------------------------
def test_a_request_before_initialize_is_answered_not_initialized(start: Start) -> None:
    client = start()
    assert refused(client, "textDocument/hover", {}).code == -32002
    client.notify("textDocument/didOpen", {})  # dropped without a word
    client.initialize()
    assert client.close() == 0


def test_a_second_initialize_is_refused(client: Client) -> None:
    assert refused(client, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}).code == -32600


def test_a_request_after_shutdown_is_refused(client: Client) -> None:
    client.request("shutdown")
    assert refused(client, "textDocument/hover", {}).code == -32600
    client.notify("exit")
    assert client.wait() == 0


def test_exit_without_shutdown_is_code_1(client: Client) -> None:
    client.notify("exit")
    assert client.wait() == 1


def test_the_end_of_input_ends_the_server(client: Client) -> None:
    client.process.stdin.close()
    assert client.wait(5) == 1


def test_the_end_of_input_in_the_middle_of_a_message_ends_the_server(client: Client) -> None:
    client.send_bytes(b"Content-Length: 1000\r\n\r\n{")
    client.process.stdin.close()
    assert client.wait(5) == 1


def test_the_end_of_input_while_the_analysis_runs_ends_the_server() -> None:
    code = (
        "import sys, uir_lsp.scheduler as s, uir_lsp.__main__ as m\n"
        "def endless(*_, **__):\n"
        "    print('begun', file=sys.stderr, flush=True)\n"
        "    while True: pass\n"
        "s.analyze = endless\n"
        "m.main([])\n"
    )
    client = Client(server=[sys.executable, "-c", code])
    try:
        client.initialize()
        client.open(GOOD)
        end = time.monotonic() + 20
        while "begun" not in client.stderr and time.monotonic() < end:
            time.sleep(0.05)
        client.process.stdin.close()
        assert client.wait(10) == 1
    finally:
        client.process.kill()


# -- bad messages ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "params",
    [None, {}, [], 7, {"textDocument": {"uri": "file:///test.uir"}}, {"textDocument": 3, "position": []}],
)
def test_malformed_parameters_are_answered_invalid_params(client: Client, params: object) -> None:
    client.open(GOOD)
    error = refused(client, "textDocument/hover", params)
    assert error.code == -32602
    assert error.data is None


@pytest.mark.parametrize("number", [2**31, 2**63, -1])
def test_a_huge_position_in_a_request_is_answered_invalid_params(client: Client, number: int) -> None:
    uri = client.open(GOOD)
    position = {"line": 0, "character": number}
    assert refused(client, "textDocument/hover", {"textDocument": {"uri": uri}, "position": position}).code == -32602


def test_a_huge_position_in_a_change_is_the_end_of_the_line(client: Client) -> None:
    uri = client.open(GOOD)
    before = client.diagnostics(uri, 1)
    edit = splice(1, 2**40, 2**40, "  # end")
    edit["rangeLength"] = -5
    client.edit(uri, 2, edit)
    assert client.diagnostics(uri, 2) == before
    client.edit(uri, 3, splice(1, 0, 2**33, "%1 = reshape %0, (5, 5)"))
    assert [d["code"] for d in client.diagnostics(uri, 3)] == ["reshape-count"]


def test_a_position_past_the_end_is_no_error(client: Client) -> None:
    uri = client.open(GOOD)
    assert client.at("textDocument/hover", uri, 999, 5) is None
    assert client.at("textDocument/definition", uri, 0, 999) is None


def test_an_unknown_request_is_answered_and_an_unknown_notification_is_ignored(client: Client) -> None:
    client.notify("$/somethingOfTheFuture", {"a": 1})
    client.notify("uir/somethingOfTheFuture", {"a": 1})
    assert refused(client, "textDocument/somethingOfTheFuture", {}).code == -32601


def test_what_is_not_json_or_no_message_is_answered_and_survived(client: Client) -> None:
    client.send_bytes(b"Content-Length: 5\r\n\r\n{{{{{")
    client.send_bytes(b"content-length: 7\r\nX-Other: 1\r\n\r\n[1,2,3]")
    client.send_bytes(b'Content-Length: 2\r\n\r\n""')
    client.send({"id": [], "jsonrpc": "1.0"}, {"jsonrpc": "1.0", "id": 77, "method": "shutdown"})
    deep = b"[" * 100_000
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % len(deep) + deep)
    uri = client.open(GOOD)
    assert client.about("textDocument/documentSymbol", uri)
    codes = [m["error"]["code"] for _, m in client.received if "error" in m]
    assert codes.count(-32700) == 2
    assert codes.count(-32600) == 3


def test_bad_notifications_raise_no_popup(client: Client) -> None:
    client.notify("textDocument/didOpen", {"textDocument": {"uri": 3}})
    client.notify("textDocument/didChange", {"textDocument": {"uri": "file:///never-opened.uir", "version": 1}})
    client.send(change("file:///never-opened.uir", 2, splice(0, 0, 0, "x")))
    client.open(GOOD)
    assert client.about("textDocument/documentSymbol", "file:///test.uir")
    assert client.messages("window/showMessage") == []


def test_a_late_reply_from_the_client_is_ignored(client: Client) -> None:
    client.send({"jsonrpc": "2.0", "id": "nobody-asked", "result": None})
    client.send({"jsonrpc": "2.0", "id": "nobody-asked", "error": {"code": -1, "message": "no"}})
    client.open(GOOD)
    assert client.about("textDocument/documentSymbol", "file:///test.uir")
    assert client.close() == 0
    assert client.stderr == ""


def test_cancelling_what_is_unknown_or_done_is_ignored(client: Client) -> None:
    uri = client.open(GOOD)
    client.notify("$/cancelRequest", {"id": 4711})
    request = client.start("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    client.result(request)
    client.notify("$/cancelRequest", {"id": request})
    assert client.close() == 0


def test_a_cancelled_request_is_answered_cancelled(client: Client) -> None:
    lines = [f"%{k} = add %{k - 1}, 1.0" for k in range(1, 20_000)]
    uri = client.open("%0 = buffer 4 : dtype=f32 slot=0\n" + "\n".join(lines))
    request = client.start("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError) as caught:
        client.result(request)
    assert caught.value.code == -32800


def test_string_ids_are_answered_with_strings(client: Client) -> None:
    uri = client.open(GOOD)
    client._replies["a-1"] = __import__("queue").Queue()
    params = {"textDocument": {"uri": uri}}
    client.send({"jsonrpc": "2.0", "id": "a-1", "method": "textDocument/documentSymbol", "params": params})
    assert len(client.result("a-1")) == 2


# -- streams -----------------------------------------------------------------------------------------------------------
def test_what_is_printed_does_not_reach_the_protocol() -> None:
    code = (
        "import os, sys, uir_lsp.features.hover as h, uir_lsp.__main__ as m\n"
        "import uir_lsp.server as s\n"
        "old = s.published\n"
        "def loud(snapshot):\n"
        "    print('from print'); os.write(1, b'from fd 1\\n'); os.system('cat; echo from a child')\n"
        "    return old(snapshot)\n"
        "s.published = loud\n"
        "m.main([])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment(),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    item = {"uri": "file:///a.uir", "languageId": "uir", "version": 1, "text": GOOD}
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    process.stdin.write(
        frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        + frame(notification("textDocument/didOpen", {"textDocument": item}))
    )
    process.stdin.flush()
    guard = threading.Timer(30, process.kill)  # a message that a child ate is never answered
    guard.start()
    first, second = read(process.stdout), read(process.stdout)
    out, err = process.communicate(timeout=20)
    guard.cancel()
    assert first is not None and second is not None
    assert first["id"] == 1
    assert second["method"] == "textDocument/publishDiagnostics"
    assert out == b""
    for text in (b"from print", b"from fd 1", b"from a child"):
        assert text in err


def test_a_client_that_does_not_read_does_not_stop_the_server(start: Start) -> None:
    """Ten megabytes of answers fit no pipe: the server must go on reading, and end when its input does."""
    process = subprocess.Popen(
        [sys.executable, "-m", "uir_lsp"],
        env=environment(),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    process.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
    lines = "".join(f"%{k} = buffer 4 : dtype=f32 slot={k}\n" for k in range(2000))
    item = {"uri": "file:///a.uir", "languageId": "uir", "version": 1, "text": lines}
    process.stdin.write(frame(notification("textDocument/didOpen", {"textDocument": item})))
    for k in range(20):
        about = {"textDocument": {"uri": "file:///a.uir"}}
        process.stdin.write(
            frame({"jsonrpc": "2.0", "id": k + 2, "method": "textDocument/documentSymbol", "params": about})
        )
    process.stdin.write(b"")
    process.stdin.flush()
    process.stdin.close()
    try:
        assert process.wait(15) == 1
    finally:
        process.kill()
        process.stdout.close()


def test_a_fault_of_ours_is_an_answer_without_our_paths_and_no_popup() -> None:
    code = (
        "import uir_lsp.features.hover as h, uir_lsp.features as f\n"
        "def broken(*_): raise RuntimeError('a fault')\n"
        "f.FEATURES = tuple(x._replace(answer=broken) if x is h.FEATURE else x for x in f.FEATURES)\n"
        "import uir_lsp.server as s, uir_lsp.__main__ as m\n"
        "s.published = broken\n"
        "m.main([])\n"
    )
    client = Client(server=[sys.executable, "-c", code])
    try:
        client.initialize()
        uri = client.open(GOOD)
        with pytest.raises(ResponseError) as caught:
            client.at("textDocument/hover", uri, 0, 1)
        assert caught.value.code == -32603
        assert caught.value.data is None
        assert "a fault" in caught.value.message and "/" not in caught.value.message
        client.edit(uri, 2, splice(0, 0, 0, "#"))
        assert client.about("textDocument/documentSymbol", uri) is not None
        assert client.messages("window/showMessage") == []
        assert client.close() == 0
    finally:
        client.process.kill()


# -- start-up ----------------------------------------------------------------------------------------------------------
def test_starting_imports_neither_numpy_nor_the_c_side() -> None:
    code = (
        "import sys, uir_lsp.server, asyncio\n"
        "s = uir_lsp.server.UirServer()\n"
        "heavy = [m for m in ('numpy', 'uopc.runtime', 'uopc.pipeline', 'uopc.evaluate') if m in sys.modules]\n"
        "print(heavy)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), cwd=ROOT, capture_output=True, timeout=30)
    assert done.stdout.decode().strip() == "[]", done.stderr.decode()


def test_initialize_is_answered_before_anything_heavy_is_loaded() -> None:
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import uir_lsp.__main__\n"
        "uir_lsp.__main__._arguments(['--stdio'])\n"
        "heavy = ('argparse', 'asyncio', 'dataclasses', 'inspect', 'logging', 'pathlib', 'threading', 'uopc')\n"
        "print([m for m in heavy if m in sys.modules and m not in before])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), cwd=ROOT, capture_output=True, timeout=30)
    assert done.stdout.decode().strip() == "[]", done.stderr.decode()


def test_what_comes_while_the_server_loads_is_taken_in_order(start: Start) -> None:
    """Everything in one write, before `initialize` is answered."""
    client = start()
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    item = {"uri": "file:///a.uir", "languageId": "uir", "version": 1, "text": GOOD}
    about = {"textDocument": {"uri": "file:///a.uir"}}
    client.send(
        {"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": params},
        notification("initialized", {}),
        notification("textDocument/didOpen", {"textDocument": item}),
        change("file:///a.uir", 2, splice(2, 0, 0, "%2 = neg %1\n")),
        {"jsonrpc": "2.0", "id": "s", "method": "textDocument/documentSymbol", "params": about},
        {"jsonrpc": "2.0", "id": "t", "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "id": "d", "method": "shutdown"},
        notification("exit"),
    )
    assert client.wait() == 0
    replies = {message["id"]: message for _, message in client.received if "method" not in message}
    assert "hoverProvider" in replies["i"]["result"]["capabilities"]
    assert replies["t"]["error"]["code"] == -32600
    assert replies["d"]["result"] is None
    symbols = replies["s"]
    assert len(symbols["result"]) == 3 if "result" in symbols else symbols["error"]["code"] == -32800


@pytest.mark.parametrize("params", [None, [], 3])
def test_initialize_with_parameters_that_are_none_is_refused_and_may_be_sent_again(start: Start, params: Any) -> None:
    client = start()
    assert refused(client, "initialize", params).code == -32602
    client.initialize()
    assert client.close() == 0


def test_exit_as_the_first_message_is_code_1(start: Start) -> None:
    client = start()
    client.notify("exit")
    assert client.wait() == 1


def test_analysing_and_hovering_never_import_numpy(client: Client) -> None:
    uri = client.open(GOOD)
    client.diagnostics(uri, 1)
    client.at("textDocument/hover", uri, 1, 1)
    maps = f"/proc/{client.process.pid}/maps"
    if not os.path.exists(maps):
        pytest.skip("no /proc on this system")
    with open(maps) as libraries:
        assert "numpy" not in libraries.read()


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32"], "utf-32"),
        (["utf-7", "utf-8"], "utf-8"),
        (["utf-7"], "utf-16"),
    ],
)
def test_the_position_encoding_is_the_clients_first_that_we_know(
    start: Start, offered: list[str] | None, chosen: str
) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    result = start().initialize(general)
    assert result["capabilities"]["positionEncoding"] == chosen


def test_the_client_killed_takes_the_server_with_it(tmp_path: object) -> None:
    """The server's input ends when the process that holds the other end dies, however it dies."""
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-m', 'uir_lsp'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)\n"
        "print(p.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], env=environment(), cwd=ROOT, stdout=subprocess.PIPE)
    pid = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    end = time.monotonic() + 10
    while time.monotonic() < end and os.path.exists(f"/proc/{pid}") and not _is_zombie(pid):
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{pid}") or _is_zombie(pid)
    parent.stdout.close()


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_recorded_session_can_be_replayed(start: Start, tmp_path: object) -> None:
    record = f"{tmp_path}/session.lsp"
    client = start("--record", record)
    client.initialize()
    uri = client.open(GOOD)
    expected = client.about("textDocument/documentSymbol", uri)
    client.close()
    done = subprocess.run(
        [sys.executable, "-m", "uir_lsp", "--replay", record],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        timeout=30,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0
    assert json.dumps(expected[0]["name"]).encode() in done.stdout
