"""The child process: loads a built program, runs it, writes what it computed. Imports nothing but the library of
Python (without json, whose import takes longer than everything here), so that `python -I -S child.py JOB` is ready
in about 15 ms.

JOB is a marshalled dict, see `_Job`. Its folder is the only place that is written to. The answer is one line of JSON
on what was standard output; the program's own standard output goes to standard error.
"""

from __future__ import annotations

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
        parent: int  # process id


_HUGE = 4 << 20  # bytes from which huge pages are asked for: a third more bandwidth
_STACK = 64 << 20
_MAX_RUNS = 50
_PR_SET_PDEATHSIG = 1
_SIGKILL = 9


def main() -> None:
    """Does the job named on the command line and ends this process without further ceremony."""
    reply_to = os.dup(1)
    os.dup2(2, 1)
    with open(sys.argv[1], "rb") as file:
        job: _Job = marshal.load(file)
    try:
        limit(job)
        answer = run(job)
    except MemoryError:
        answer = failure("memory", "")
    except OSError as error:
        answer = failure("system", str(error))
    os.write(reply_to, answer.encode())
    os._exit(0)


def limit(job: _Job) -> None:
    """Sets the limits, as far as this system has them, and asks to die with the parent."""
    if resource is not None:
        cpu = int(job["seconds"] * max(1, job["threads"])) + 2
        wanted = [("AS", job["memory"]), ("CPU", cpu), ("FSIZE", job["file_bytes"]), ("CORE", 0), ("STACK", _STACK)]
        for name, value in wanted:
            number = getattr(resource, "RLIMIT_" + name)
            hard = resource.getrlimit(number)[1]
            new = value if hard == resource.RLIM_INFINITY else min(value, hard)
            with contextlib.suppress(ValueError, OSError):  # macOS refuses some; the parent's clock still holds
                resource.setrlimit(number, (new, hard if name == "STACK" else new))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        if os.getppid() != job["parent"]:  # it died before we asked
            os._exit(1)


def run(job: _Job) -> str:
    """The answer to the job: its outputs are written, its shortest time is in the answer."""
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
    runs = 1
    spent = best
    while runs < _MAX_RUNS and spent + best < job["budget_ns"]:
        fill(job, blocks, only_written=True)
        began = time.perf_counter_ns()
        function(*pointers)
        took = time.perf_counter_ns() - began
        best, spent, runs = min(best, took), spent + took, runs + 1
    return f'{{"ok": true, "check": 0, "kernel_ns": {best}, "runs": {runs}}}\n'


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
