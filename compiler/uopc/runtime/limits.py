"""What a run may use, and what a program would need: asked before anything is allocated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from uopc.dtype import DType
from uopc.ops import Ops
from uopc.runtime.errors import LimitError
from uopc.uop import UOp

DEFAULT_MEMORY = 4 << 30  # bytes
DEFAULT_SECONDS = 10.0
DEFAULT_OPERATIONS = 10**12  # some minutes of one core
_UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB", "EB")


@dataclass(frozen=True)
class Limits:
    """Limits on a run: wall clock in seconds, bytes of buffers, outputs and scratch memory, threads."""

    seconds: float = DEFAULT_SECONDS
    memory: int = DEFAULT_MEMORY
    threads: int = 1


def amount(size: int) -> str:
    """A number of bytes for a person: 96 bytes, 4.0 GB."""
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{size:,} bytes" if unit == 0 else f"{value:,.1f} {_UNITS[unit]}"


def check_memory(nodes: Iterable[UOp], outputs: Iterable[tuple[str, DType, tuple[int, ...]]], limit: int) -> None:
    """Raises LimitError, naming the largest part, when the buffers and the materialized values among `nodes`, and the
    outputs (name, dtype, shape), need more than `limit` bytes together."""
    needs = _memory_of(nodes)
    needs += [(_size(d, prod(shape)), f"output {name}", prod(shape), d) for name, d, shape in outputs]
    total = sum(need[0] for need in needs)
    if total <= limit:
        return
    size, what, count, dtype = max(needs, key=lambda need: need[0])
    others = "" if len(needs) == 1 else f", everything together {amount(total)}"
    raise LimitError(
        f"too large to run: {what} has {count:,} elements of {dtype} and needs {amount(size)}{others}; "
        f"the limit is {amount(limit)} (raise --memory)"
    )


def check_built_memory(args: Iterable[tuple[int, DType, int]], limit: int) -> None:
    """The same for a compiled program's arguments (slot, dtype, elements), which may be more than the graph shows."""
    total = sum(_size(dtype, size) for _, dtype, size in args)
    if total > limit:
        raise LimitError(
            f"too large to run: its buffers need {amount(total)}; the limit is {amount(limit)} (raise --memory)"
        )


def check_operations(operations: int, limit: int) -> None:
    """Raises LimitError when a program takes more operations than it may."""
    if operations > limit:
        raise LimitError(
            f"too long to run: it takes about {operations:,} operations; the limit is {limit:,} (raise --operations)"
        )


def _memory_of(nodes: Iterable[UOp]) -> list[tuple[int, str, int, DType]]:
    found: dict[tuple[str, int], tuple[int, str, int, DType]] = {}
    for u in nodes:
        if u.op is Ops.BUFFER:
            n = prod(u.shape)
            found["buffer", u.arg.slot] = (_size(u.dtype, n), f"buffer {u.arg.slot}", n, u.dtype)
        elif u.op is Ops.STAGE:
            n = prod(u.shape)
            found["stage", len(found)] = (_size(u.dtype, n), "a stage", n, u.dtype)
    return list(found.values())


def _size(dtype: DType, count: int) -> int:
    return count * dtype.itemsize
