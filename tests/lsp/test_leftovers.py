"""After many runs, ended in every way, nothing is left: no folder, no process. UIR_RUNS says how many (50)."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

from client import Client, ResponseError
from processes import alive, below
from test_run import ENDLESS, GOOD, NEVER, needs_compiler, needs_proc, running_program, until

Start = Callable[..., Client]
RUNS = int(os.environ.get("UIR_RUNS", "50"))


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("uir-*"))


@needs_compiler
@needs_proc
def test_nothing_is_left_in_the_temporary_folder(start: Start, tmp_path: Path) -> None:
    """Good runs, failing ones, cancelled ones, and ones whose processes are killed; at last the server itself is."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = {"TMPDIR": str(temporary), "UIR_CACHE_DIR": str(tmp_path / "cache")}
    client, chance = start(env=variables), random.Random(1)
    client.initialize()
    good, endless = client.open(GOOD), client.open(ENDLESS, "file:///endless.uir")
    ended: dict[str, int] = {}
    for _ in range(RUNS):
        way = chance.choice(["good"] * 6 + ["cancelled", "killed", "program killed"])
        ended[way] = ended.get(way, 0) + 1
        if way == "good":
            assert client.request("uir/run", {"uri": good, "options": {"keep": chance.random() < 0.5}}, 60)["ok"]
            continue
        request = client.start("uir/run", {"uri": endless, "options": {**NEVER, "keep": True}})
        processes = running_program(client)
        if way == "cancelled":
            client.notify("$/cancelRequest", {"id": request})
        else:
            os.kill(min(processes) if way == "killed" else max(processes), signal.SIGKILL)
        with contextlib.suppress(ResponseError):
            assert client.result(request, 20)["ok"] is False
    print(f"{RUNS} runs: {ended}")
    client.request("uir/run", {"uri": endless, "options": {"timeout": 0.1, "noVerify": True}}, 60)
    processes = below(client.process.pid)
    assert client.close() == 0
    until(lambda: alive(processes) == [])
    swept = leave_a_dead_servers_folders(start, variables, temporary)
    assert [name for name in left(temporary) if name not in swept] == []
    assert left(temporary) == []


def leave_a_dead_servers_folders(start: Start, variables: dict[str, str], temporary: Path) -> list[str]:
    """A server that is killed at work leaves folders; the next one's first child removes them."""
    client = start(env=variables)
    client.initialize()
    client.start("uir/run", {"uri": client.open(ENDLESS), "options": {**NEVER, "keep": True}})
    processes = running_program(client)
    os.kill(min(processes), signal.SIGKILL)
    client.process.kill()
    client.wait()
    until(lambda: alive(processes) == [])
    swept = left(temporary)
    assert swept
    after = start(env=variables)
    after.initialize()
    after.open(GOOD)
    until(lambda: not set(swept) & set(left(temporary)))
    assert after.close() == 0
    return swept
