"""Child processes that run programs: one may be started ahead, so that a run need not wait for Python to start."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

from uopc.runtime import platform
from uopc.runtime.errors import RunError
from uopc.runtime.process import start_process

_CHILD = str(Path(__file__).with_name("child.py"))


class Standby:
    """At most one child that waits for a job. It has no limits yet: they come with the job, before the program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Start a child ahead, unless one waits. Call it from a thread that lives on: the child ends with it."""
        with self._lock:
            if self._waiting is not None and self._waiting.poll() is None:
                return
            self._discard()
            with contextlib.suppress(OSError, RunError):  # then the run starts one, and says what is wrong
                self._waiting = start_child()

    def take(self) -> subprocess.Popen[bytes]:
        """The child that waits, or a new one. Raises OSError, RunError."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.poll() is None:
            return waiting
        if waiting is not None:
            close(waiting)
        return start_child()

    def end(self) -> None:
        """End the child that waits."""
        with self._lock:
            self._discard()

    def _discard(self) -> None:
        if self._waiting is not None:
            close(self._waiting)
            self._waiting = None


standby = Standby()


def start_child() -> subprocess.Popen[bytes]:
    """A child that waits for the path of its job. Raises OSError, RunError."""
    if not sys.executable:
        raise RunError("the path of the Python interpreter is unknown, so no child process can be started")
    argv = [sys.executable, "-I", "-S", _CHILD, str(os.getpid()), platform.TIE]
    return start_process(argv, env=platform.child_environment(), stdin=subprocess.PIPE)


def give(process: subprocess.Popen[bytes], job: Path) -> None:
    """Hand a child its job. One that died meanwhile is told of when its end is asked for."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(os.fsencode(job) + b"\n")
        process.stdin.flush()


def close(process: subprocess.Popen[bytes]) -> None:
    """End a child that will not be asked, and let go of its pipes."""
    platform.kill_group(process)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
