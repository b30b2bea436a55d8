"""A result is shown before it is verified when that takes long; verifying can be cancelled; a run brings its limits."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from client import Client, ResponseError
from processes import alive, below
from test_run import GOOD, needs_compiler, needs_proc

Start = Callable[..., Client]
# The program takes some milliseconds; the reference, which steps through it, some seconds.
SLOW_TO_VERIFY = """\
# uir: input 0 = arange
%a = buffer 500 : dtype=f32 slot=0
%o = buffer 500 : dtype=f32 slot=1
%r = range 500 : idx=0 kind=loop
%q = range 500 : idx=1 kind=loop
%x = index %a, %r
%v = load %x
%y = index %o, %q
%s = store %y, %v
%e = end %s, %q
%f = end %e, %r
%k = sink %f
"""


def run(client: Client, uri: str, **options: Any) -> Any:
    return client.request("uir/run", {"uri": uri, "options": options}, 60)


@needs_compiler
def test_a_result_comes_before_it_is_verified(client: Client) -> None:
    uri = client.open(SLOW_TO_VERIFY)
    request = client.start("uir/run", {"uri": uri, "options": {"keep": True}, "partialResultToken": "early"})
    early = client.wait_for("$/progress", lambda params: params["token"] == "early", 60)["value"]
    assert (early["ok"], early["verified"], early["verifying"]) == (True, None, True)
    (output,) = early["outputs"]
    data = np.frombuffer(base64.b64decode(output["part"]["data"]), "<f4")
    np.testing.assert_array_equal(data, np.full(500, 499, np.float32))  # the last of the outer loop
    part = client.request("uir/values", {"uri": uri, "run": early["run"], "output": output["name"], "slice": [[0, 2]]})
    assert part["shape"] == [2]
    final = client.result(request, 60)
    assert (final["ok"], final["verified"], "verifying" in final) == (True, True, False)
    assert final["run"] == early["run"]
    assert "part" not in final["outputs"][0]  # they came already


@needs_compiler
@needs_proc
def test_verifying_can_be_cancelled_and_what_was_shown_stays(client: Client) -> None:
    uri = client.open(SLOW_TO_VERIFY)
    params = {"uri": uri, "options": {"keep": True}, "partialResultToken": "early", "workDoneToken": "line"}
    request = client.start("uir/run", params)
    early = client.wait_for("$/progress", lambda params: params["token"] == "early", 60)["value"]
    processes = below(client.process.pid)
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError) as caught:
        client.result(request, 10)
    assert caught.value.code == -32800
    assert alive(processes) == []
    about = {"uri": uri, "run": early["run"], "output": early["outputs"][0]["name"], "slice": [0]}
    assert base64.b64decode(client.request("uir/values", about)["data"]) == np.float32(499).tobytes()


@needs_compiler
def test_a_quick_result_comes_once_with_its_elements_and_stages(client: Client) -> None:
    params = {"uri": client.open(GOOD), "options": {"keep": True}, "partialResultToken": "early"}
    for _ in range(2):  # the second is surely quick: everything is imported
        answer = client.request("uir/run", params, 60)
    assert base64.b64decode(answer["outputs"][0]["part"]["data"]) == np.array([6, 22, 38], np.float32).tobytes()
    assert list(answer["stages"]) == ["check", "lower", "build", "run", "verify"]
    assert all(milliseconds >= 0 for milliseconds in answer["stages"].values())
    assert answer["times"]["received"] <= answer["times"]["started"] <= answer["times"]["finished"]


@needs_compiler
def test_the_limits_of_a_run_are_the_clients(client: Client) -> None:
    text = "%0 = buffer 1000000 : dtype=f32 slot=0\n%1 = neg %0\n"
    uri = client.open(text)
    refused = run(client, uri, memory=5)
    assert refused["ok"] is False
    assert "(raise --memory)" in refused["error"]
    assert "5.0 MB" in refused["error"]
    assert refused["memory_bytes"] == 8_000_000
    refused = run(client, uri, operations=999_999)
    assert refused["error"] == (
        "too long to run: it takes about 1,000,000 operations; the limit is 999,999 (raise --operations)"
    )
    assert (refused["operations"], refused["build_ms"]) == (1_000_000, None)
    assert run(client, uri, memory=10, operations=1_000_000)["ok"]


REQUESTS = ("uir/lineValues", "uir/inputs", "uir/showC", "uir/showLoops", "uir/showAssembly", "uir/stages", "uir/graph")


@needs_proc
def test_a_file_directive_is_not_followed_while_not_trusted(start: Start, tmp_path: Path) -> None:
    """A pipe outside of the workspace stands for the file: whoever opens it to read lets a writer in."""
    outside = tmp_path / "outside.npy"
    os.mkfifo(outside)
    assert stat.S_ISFIFO(outside.stat().st_mode)
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "link.npz").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    client = start()
    client.initialize(trusted=False, buildAhead=True)
    names = (str(outside), "../outside.npy", "./../workspace/../outside.npy", "link.npz", "up/outside.npy")
    for name in (*names, "//host/share/a.npy", "\\\\host\\share\\a.npy", "file:///etc/passwd"):
        text = f'# uir: input 0 = file "{name}"\n# uir: expect = file "{name}"\n' + GOOD.split("\n", 1)[1]
        uri = client.open(text, (folder / "a.uir").as_uri())
        client.diagnostics(uri)
        assert run(client, uri)["restricted"] is True
        for request in REQUESTS:
            client.request(request, {"uri": uri}, 60)
        assert client.request("uir/lineValues", {"uri": uri})["values"] == []
        assert "not trusted" in client.request("uir/arrays", {"uri": uri, "path": name})["error"]
        client.at("textDocument/hover", uri, 0, 25)
        client.at("textDocument/completion", uri, 0, 25)
        client.about("textDocument/documentLink", uri)
        with pytest.raises(OSError, match="No such device"):
            os.open(outside, os.O_WRONLY | os.O_NONBLOCK)
