"""Running a built library in a child process, and saying in words how that ended."""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from uopc.dtype import DType
from uopc.nptypes import Array, np_dtype
from uopc.runtime import platform
from uopc.runtime.cancel import CancelToken
from uopc.runtime.child import WRITTEN
from uopc.runtime.errors import LoadError, RunError, Stopped
from uopc.runtime.limits import Limits, amount
from uopc.runtime.process import Finished, finish_process
from uopc.runtime.scratch import scratch_folder
from uopc.runtime.standby import give, standby

_OVERHEAD = 512 << 20  # address space of the interpreter and the C library
_PER_THREAD = 160 << 20  # address space that a thread's stack and heap reserve
_FILE_SLACK = 1 << 20
_MEASURE_NS = 60_000_000


class Argument(Protocol):
    """One pointer argument of the C function: `size` elements of `dtype`."""

    @property
    def slot(self) -> int: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def size(self) -> int: ...
    @property
    def output(self) -> bool: ...


@dataclass(frozen=True)
class Execution:
    """What came back: flat outputs by position among the arguments, the shortest time of a run, and the number (from 1)
    of the access that was outside its buffer (0: none; otherwise there are no outputs)."""

    outputs: dict[int, Array]
    kernel_ms: float
    check: int


def execute(
    library: Path,
    symbol: str,
    args: Sequence[Argument],
    inputs: Mapping[int, Array],
    *,
    checked: bool = False,
    limits: Limits | None = None,
    cancel: CancelToken | None = None,
    seen: Callable[[dict[int, Array]], None] | None = None,
) -> Execution:
    """Calls `symbol` with the buffers `args`, filled from `inputs` by slot (outputs start as zeros without one).

    checked: the function returns the number of a failed access check; seen: takes the outputs as soon as they are
    there, while the child still measures. Raises Stopped in words for a crash, a time-out or lack of memory, LoadError
    when the library is unusable, Cancelled.
    """
    limits = limits or Limits()
    if cancel is not None:
        cancel.check()
    with scratch_folder("run") as folder:
        try:
            job = _prepare(folder, library, symbol, args, inputs, checked, limits)
            child = standby.take()
        except OSError as error:
            raise RunError(f"the run cannot be prepared in {folder}: {error.strerror or error}") from error
        outputs: dict[int, Array] = {}

        def take(line: bytes) -> None:
            if line + b"\n" == WRITTEN:
                outputs.update(_outputs(folder, args))
                if seen is not None:
                    seen(outputs)

        give(child, job)
        answer = _answer(finish_process(child, timeout=limits.seconds, cancel=cancel, on_line=take), limits)
    return Execution(outputs, answer["kernel_ns"] / 1e6, answer["check"])


def _prepare(
    folder: Path,
    library: Path,
    symbol: str,
    args: Sequence[Argument],
    inputs: Mapping[int, Array],
    checked: bool,
    limits: Limits,
) -> Path:
    described: list[dict[str, Any]] = []
    for k, arg in enumerate(args):
        source = ""
        if arg.slot in inputs and inputs[arg.slot].size:
            source = str(folder / f"in{k}")
            _contents(arg, inputs[arg.slot]).tofile(source)
        target = str(folder / f"out{k}") if arg.output else ""
        described.append({"size": arg.size * arg.dtype.itemsize, "source": source, "target": target})
    largest = max((a["size"] for a in described if a["target"]), default=0)
    job = {
        "library": str(library),
        "symbol": symbol,
        "returns": checked,
        "args": described,
        "memory": limits.memory + _OVERHEAD + limits.threads * _PER_THREAD,
        "seconds": limits.seconds,
        "threads": limits.threads,
        "file_bytes": largest + _FILE_SLACK,
        "budget_ns": _MEASURE_NS,
    }
    path = folder / "job"
    path.write_bytes(marshal.dumps(job))
    return path


def _contents(arg: Argument, array: Array) -> Array:
    if array.dtype != np_dtype(arg.dtype) or array.size != arg.size:
        given = f"{array.size:,} of {array.dtype}"
        raise RunError(f"buffer {arg.slot} is {arg.size:,} elements of {arg.dtype}, not {given}")
    return array


def _outputs(folder: Path, args: Sequence[Argument]) -> dict[int, Array]:
    found = {}
    for k, arg in enumerate(args):
        if arg.output:
            array = np.fromfile(folder / f"out{k}", np_dtype(arg.dtype))
            if array.size != arg.size:
                raise Stopped(f"the program's output is incomplete: {array.size:,} of {arg.size:,} elements")
            found[k] = array
    return found


def _answer(done: Finished, limits: Limits) -> dict[str, Any]:
    if done.timed_out:
        raise Stopped(f"took longer than {limits.seconds:g} s (raise --timeout)")
    death = platform.death_words(done.returncode)
    if death is not None:
        raise Stopped(f"stopped by {death}")
    try:
        answer: dict[str, Any] = json.loads(done.stdout.removeprefix(WRITTEN))
    except ValueError:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Stopped(f"ended with exit code {done.returncode}" + (f": {said[-1]}" if said else "")) from None
    if answer["ok"]:
        return answer
    if answer["why"] == "memory":
        raise Stopped(f"needs more memory than the limit of {amount(limits.memory)} (raise --memory)")
    if answer["why"] == "load":
        raise LoadError(f"the built program cannot be loaded: {answer['text']}")
    raise Stopped(f"failed in the child process: {answer['text']}")
