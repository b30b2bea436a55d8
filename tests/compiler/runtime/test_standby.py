"""A child that was started ahead: it runs one program under the limits of that run, and ends with its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from runtime_help import wait_until

from uopc.runtime import platform
from uopc.runtime.errors import Stopped
from uopc.runtime.limits import Limits
from uopc.runtime.process import finish_process
from uopc.runtime.standby import Standby, standby

ROOT = Path(__file__).parents[3]
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="this system lists no processes in /proc")


@pytest.fixture
def prepared() -> Iterator[int]:
    """A child waits for the next run; gives its number."""
    standby.prepare()
    assert standby._waiting is not None
    yield standby._waiting.pid
    standby.end()


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_waiting_child_is_the_one_that_runs(run_c, prepared: int) -> None:
    before = "#include <unistd.h>"
    assert run_c("o[0] = getpid() % 65536;", before=before).outputs[1][0] == prepared % 65536
    assert run_c("o[0] = getpid() % 65536;", before=before).outputs[1][0] != prepared % 65536


def test_limits_are_those_of_the_run(run_c, prepared: int) -> None:
    body = """
        long got = 0;
        while (got < 8192) { char *p = malloc(1 << 20); if (!p) break; memset(p, 1, 1 << 20); got++; }
        o[0] = got; o[1] = atoi(getenv("OMP_NUM_THREADS"));"""
    before = "#include <stdlib.h>\n#include <string.h>"
    done = run_c(body, limits=Limits(seconds=30, memory=64 << 20, threads=3), before=before)
    assert 10 < done.outputs[1][0] < 64 + 512 + 3 * 160 + 1
    assert done.outputs[1][1] == 3


def test_it_reads_nothing_and_stands_in_its_folder(run_c, prepared: int) -> None:
    body = 'char c, here[4096]; o[0] = read(0, &c, 1); o[1] = strstr(getcwd(here, sizeof here), "uir-run-") != 0;'
    np.testing.assert_array_equal(run_c(body, before="#include <unistd.h>\n#include <string.h>").outputs[1][:2], [0, 1])


def test_one_that_died_waiting_is_replaced(run_c, prepared: int) -> None:
    os.kill(prepared, 9)
    time.sleep(0.1)
    assert run_c("o[0] = 7;").outputs[1][0] == 7


def test_its_time_begins_with_the_run(run_c, prepared: int) -> None:
    time.sleep(0.7)
    assert run_c("o[0] = 1;", limits=Limits(seconds=0.6)).outputs[1][0] == 1
    standby.prepare()
    with pytest.raises(Stopped, match="took longer than"):
        run_c("volatile int go = 1; while (go);", limits=Limits(seconds=0.3))


def test_two_are_never_kept_and_ending_leaves_none() -> None:
    own = Standby()
    own.prepare()
    own.prepare()
    assert own._waiting is not None
    process = own._waiting
    own.end()
    assert process.returncode is not None
    assert own._waiting is None


_PARENT = """
import sys, time
from uopc.runtime import platform
platform.TIE = sys.argv[1]
from uopc.runtime.standby import give, start_child
child = start_child()
if len(sys.argv) > 2:
    from pathlib import Path
    give(child, Path(sys.argv[2]))
print(child.pid, flush=True)
time.sleep(60)
"""


@needs_proc
@pytest.mark.parametrize("tie", [platform.TIE, "pipe"])
@pytest.mark.parametrize("at_work", [False, True])
def test_it_ends_with_a_parent_that_is_killed(tie: str, at_work: bool, shared_cache, scratch: Path, tmp_path) -> None:
    """Waiting or at work, by the signal that Linux sends or by the pipe that other systems have."""
    arguments = [tie] + ([str(endless_job(shared_cache, tmp_path))] if at_work else [])
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, *arguments], stdout=subprocess.PIPE, env=environment)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    time.sleep(0.4)
    assert lives(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not lives(pid), 10)


def endless_job(cache, folder: Path) -> Path:
    import marshal

    from uopc.runtime.library import build_library

    library = build_library("void program(void) { volatile int go = 1; while (go); }\n", cache=cache)
    job = {"library": str(library.path), "symbol": "program", "returns": False, "args": [], "memory": 1 << 32}
    more = {"seconds": 600.0, "threads": 1, "file_bytes": 1 << 20, "budget_ns": 0}
    path = folder / "job"
    path.write_bytes(marshal.dumps({**job, **more}))
    return path


def test_a_child_without_a_job_is_ended_with_its_group() -> None:
    from uopc.runtime.standby import start_child

    child = start_child()
    assert child.stdin is not None
    child.stdin.close()
    assert finish_process(child, timeout=10).returncode == 0
