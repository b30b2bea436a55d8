"""The child process: loads a built program, runs it, writes what it computed. Imports nothing but the library of
Python (without json, whose import takes longer than everything here), so that `python -I -S child.py PARENT TIE` is
ready in about 15 ms; it may be started ahead of its job.

The path of the job comes as one line on standard input: a marshalled dict, see `_Job`. Its folder is the only place
that is written to. The answer is one line of JSON on what was standard output; the program's own standard output goes
to standard error, and it reads nothing. A line before the answer, WRITTEN, says that the outputs are in their files:
the parent may look at them while the function is called again and again for its time. This process ends with its
parent, PARENT: TIE says whether the system sends a signal then ("signal"), or the end of what was standard input tells
("pipe").
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import marshal
import mmap
import os
import sys
import time

try:
    import resource
except ImportError:  # Windows has no limits of this kind; the parent's clock still holds
    resource = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class _Arg(TypedDict):
        size: int  # bytes
        source: str  # file of the first contents; "" means zeros
        target: str  # file to write the contents to after the first run; "" for an input

    class _Job(TypedDict):
        library: str
        symbol: str
        returns: bool  # whether the function returns the number of the access that was outside
        args: list[_Arg]
        memory: int  # bytes of address space
        seconds: float
        threads: int
        file_bytes: int
        budget_ns: int  # time for measuring again


_HUGE = 4 << 20  # bytes from which huge pages are asked for: a third more bandwidth
_STACK = 64 << 20
_MAX_RUNS = 50
_FEW_RUNS = 3
_PART = 15  # of the budget, for what is quick
WRITTEN = b"written\n"
_PR_SET_PDEATHSIG = 1
_SIGKILL = 9


def main() -> None:
    """Does one job and ends this process without further ceremony."""
    parent, tie = sys.argv[1:]
    if tie == "signal":
        die_with(int(parent))
    reply_to = os.dup(1)
    os.dup2(2, 1)
    job = receive(watched=tie == "pipe")
    try:
        limit(job)
        answer = run(job, reply_to)
    except MemoryError:
        answer = failure("memory", "")
    except OSError as error:
        answer = failure("system", str(error))
    os.write(reply_to, answer.encode())
    os._exit(0)


def die_with(parent: int) -> None:
    """Asks the system (Linux) for the end of this process when the parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)


def receive(watched: bool) -> _Job:
    """Waits for the job, goes to its folder, and lets the program find an empty standard input."""
    path = b""
    while not path.endswith(b"\n"):
        more = os.read(0, 4096)
        if not more:  # the parent ended, or has no job
            os._exit(0)
        path += more
    line = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with open(path[:-1], "rb") as file:
        job: _Job = marshal.load(file)
    os.chdir(os.path.dirname(path[:-1]))
    os.environ["OMP_NUM_THREADS"] = str(job["threads"])
    if watched:
        _thread.start_new_thread(watch, (line,))
    return job


def watch(line: int) -> None:
    """Ends this process and what it started when the other end of `line` is closed: by the parent's own end, too."""
    os.read(line, 1)
    if hasattr(os, "killpg"):
        os.killpg(0, _SIGKILL)
    os._exit(1)


def limit(job: _Job) -> None:
    """Sets the limits, as far as this system has them."""
    if resource is None:
        return
    cpu = int(job["seconds"] * max(1, job["threads"])) + 2
    wanted = [("AS", job["memory"]), ("CPU", cpu), ("FSIZE", job["file_bytes"]), ("CORE", 0), ("STACK", _STACK)]
    for name, value in wanted:
        number = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(number)[1]
        new = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some; the parent's clock still holds
            resource.setrlimit(number, (new, hard if name == "STACK" else new))


def run(job: _Job, reply_to: int) -> str:
    """The answer to the job: its outputs are written, which is told at once; its shortest time is in the answer."""
    blocks = [block(arg["size"]) for arg in job["args"]]
    fill(job, blocks)
    try:
        function = getattr(ctypes.CDLL(job["library"]), job["symbol"])
    except (OSError, AttributeError) as error:
        return failure("load", str(error))
    function.restype = ctypes.c_int if job["returns"] else None
    pointers = [ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(b))) for b in blocks]
    began = time.perf_counter_ns()
    code = function(*pointers) or 0
    best = time.perf_counter_ns() - began
    if code < 0:
        return failure("memory", "")
    if code:
        return f'{{"ok": true, "check": {code}, "kernel_ns": {best}, "runs": 1}}\n'
    for arg, memory in zip(job["args"], blocks):
        if arg["target"]:
            with open(arg["target"], "wb") as file:
                file.write(memoryview(memory)[: arg["size"]])
    os.write(reply_to, WRITTEN)
    runs = 1
    spent = best
    while again(runs, best, spent, job["budget_ns"]):
        fill(job, blocks, only_written=True)
        began = time.perf_counter_ns()
        function(*pointers)
        took = time.perf_counter_ns() - began
        best, spent, runs = min(best, took), spent + took, runs + 1
    return f'{{"ok": true, "check": 0, "kernel_ns": {best}, "runs": {runs}}}\n'


def again(runs: int, best: int, spent: int, budget: int) -> bool:
    """Whether to measure once more: three times if `budget` allows it; what is quick until a part of that is spent."""
    return runs < _MAX_RUNS and spent + best < (budget if runs < _FEW_RUNS else budget // _PART)


def block(size: int) -> mmap.mmap:
    """Memory of this process alone, all zeros. Raises MemoryError beyond the limit."""
    try:
        memory = mmap.mmap(-1, max(size, 1))
    except OSError:
        raise MemoryError from None
    if size >= _HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def fill(job: _Job, blocks: list[mmap.mmap], only_written: bool = False) -> None:
    """Copies the first contents into the blocks; later only into those that the program overwrites."""
    for arg, memory in zip(job["args"], blocks):
        if arg["source"] and (arg["target"] or not only_written):
            with open(arg["source"], "rb", buffering=0) as file:
                read_all(file.readinto, memoryview(memory)[: arg["size"]])


def read_all(read_into: Callable[[memoryview], int | None], view: memoryview) -> None:
    """Fills `view` from a file that has at least as many bytes."""
    done = 0
    while done < len(view):
        done += read_into(view[done:]) or len(view)


def failure(why: str, text: str) -> str:
    """The answer when the program did not run: why is "memory", "load" or "system"."""
    plain = " .,:;()/'-_+="
    quoted = "".join(c if c in plain or (c.isalnum() and c.isascii()) else f"\\u{ord(c):04x}" for c in text[:400])
    return f'{{"ok": false, "why": "{why}", "text": "{quoted}"}}\n'


if TYPE_CHECKING:
    from collections.abc import Callable

if __name__ == "__main__":
    main()
