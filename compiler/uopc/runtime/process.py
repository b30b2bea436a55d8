"""One way to run another program: no shell, no input, a limit on time and on what is kept of its output."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from uopc.runtime import platform
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import Cancelled

_KEEP = 64 * 1024  # bytes of each stream; the rest is read and dropped, so that the writer never blocks
_GRACE = 2.0  # seconds for the pipes of a killed group to close


@dataclass(frozen=True)
class Finished:
    """How a process ended. `returncode` is negative for a signal; `timed_out` means that it was killed for time."""

    returncode: int
    stdout: bytes
    stderr: bytes
    timed_out: bool


class _Drain(threading.Thread):
    """Reads a pipe to its end and keeps the beginning. `begun` is set after the first line, or at the end."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.pipe = pipe
        self.kept = bytearray()
        self.begun = threading.Event()

    def run(self) -> None:
        while chunk := self.pipe.read1(65536):  # type: ignore[attr-defined]  # Popen's pipes are buffered readers
            self.kept += chunk[: _KEEP - len(self.kept)]
            if b"\n" in chunk:
                self.begun.set()
        self.begun.set()

    def first_line(self, timeout: float) -> bytes:
        """Waits for the first line; what there is of it when time is up, or the pipe ended before."""
        self.begun.wait(timeout)
        return bytes(self.kept).partition(b"\n")[0]

    def close(self) -> bytes:
        """What was read. Waits for the end of the pipe, but not for a process that escaped its group."""
        try:
            self.join(_GRACE)
        except RuntimeError:  # a signal came while the thread was starting: nothing has been read
            return b""
        if not self.is_alive():
            self.pipe.close()
        return bytes(self.kept)


def run_process(
    argv: Sequence[str],
    *,
    timeout: float,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    cancel: CancelToken | None = None,
) -> Finished:
    """Runs `argv` in a process group of its own and waits for its end, `timeout` seconds at most.

    However this function is left (also by Ctrl-C), the whole group is gone. Raises Cancelled when `cancel` was set,
    OSError when the program cannot be started.
    """
    if cancel is not None:
        cancel.check()
    return finish_process(start_process(argv, env=env, cwd=cwd), timeout=timeout, cancel=cancel)


def start_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Starts `argv` in a process group of its own; finish_process sees to its end. Raises OSError."""
    return subprocess.Popen(
        list(argv),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        close_fds=True,
        env=None if env is None else dict(env),
        cwd=cwd,
        **platform.own_group(),
    )


def finish_process(
    process: subprocess.Popen[bytes],
    *,
    timeout: float,
    cancel: CancelToken | None = None,
    on_line: Callable[[bytes], None] | None = None,
) -> Finished:
    """Waits for the end of a process that start_process gave, `timeout` seconds at most, and ends its whole group.

    on_line: called with the first line of its output, while it goes on; it may raise. Raises Cancelled when `cancel`
    was set.
    """
    assert process.stdout is not None and process.stderr is not None
    drains = (_Drain(process.stdout), _Drain(process.stderr))
    ended = threading.Event()
    deadline = time.monotonic() + timeout
    try:
        for drain in drains:
            drain.start()
        threading.Thread(target=platform.watch_exit, args=(process, ended), daemon=True).start()
        with cancel.on_cancel(lambda: platform.kill_group(process)) if cancel is not None else nullcontext():
            if on_line is not None:
                on_line(drains[0].first_line(timeout))
            timed_out = not ended.wait(max(0.0, deadline - time.monotonic()))
    finally:
        platform.kill_group(process)
        process.wait()
        out, err = (drain.close() for drain in drains)
        if process.stdin is not None:
            process.stdin.close()
    if cancel is not None and cancel.cancelled:
        raise Cancelled
    return Finished(process.returncode, out, err, timed_out)
