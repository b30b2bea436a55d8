"""How fast a run was against what this machine can do, and which of its limits the program meets (the roofline)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from uopc.dtype import DType
from uopc.runtime.peak import Peak

_SHORT = 2e-6  # seconds: of less, a good part is the call and the clock
_NEAR = 0.25  # of a limit: below that it is not what holds the program up


@dataclass(frozen=True)
class Rate:
    """Something a second, and the most that was measured; None when nothing can be said of that."""

    rate: float
    peak: float | None


@dataclass(frozen=True)
class Speed:
    """compute: operations a second; memory: bytes a second; bound: "compute" or "memory" when one of them is what
    limits the program; words: why, in a sentence."""

    compute: Rate | None
    memory: Rate | None
    bound: str | None
    words: str

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form."""
        return asdict(self)


def speed_of(
    operations: int, memory_bytes: int, kernel_ms: float, dtype: DType, peak: Peak | None, threads: int = 1
) -> Speed:
    """The speed of a run of so many operations (on `dtype`) and bytes. The peak is one thread's: a run with more is not
    told against it."""
    seconds = max(kernel_ms, 1e-9) / 1e3
    alone = peak if threads == 1 else None
    compute = Rate(operations / seconds, None if alone is None else alone.compute(dtype)) if operations else None
    memory = (
        Rate(memory_bytes / seconds, None if alone is None else alone.memory(memory_bytes)) if memory_bytes else None
    )
    if peak is not None and threads > 1:
        return Speed(compute, memory, None, f"the peak is one thread's, and this ran with {threads}")
    if peak is None:
        return Speed(compute, memory, None, "")
    return Speed(compute, memory, *_bound(seconds, operations, memory_bytes, compute, memory))


def _bound(
    seconds: float, operations: int, touched: int, compute: Rate | None, memory: Rate | None
) -> tuple[str | None, str]:
    if seconds < _SHORT:
        return None, "too short to judge: the call itself takes a good part of it"
    at_least = {"compute": _share(compute), "memory": _share(memory)}
    name = max(at_least, key=lambda one: at_least[one])
    per_byte = f"{_short(operations / touched)} operations a byte" if touched else ""
    if at_least[name] < _NEAR:
        if compute is not None and compute.peak is None:
            return None, "not memory-bound; what this machine can do with integers is not measured"
        why = "expensive operations, strides or short loops take the time"
        return None, f"neither arithmetic nor memory is near its limit: {why}"
    if name == "memory":
        return name, f"memory-bound: at {per_byte}, moving the data takes {_percent(at_least[name])} of the time"
    return name, f"compute-bound: at {per_byte}, the arithmetic takes {_percent(at_least[name])} of the time"


def _share(rate: Rate | None) -> float:
    """The part of the time that this needs at least."""
    return rate.rate / rate.peak if rate is not None and rate.peak else 0.0


def _percent(part: float) -> str:
    return f"at least {part:.0%}".replace("%", " %") if part < 0.995 else "all"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def rate_text(rate: Rate, unit: str) -> str:
    """A speed for a person: "62 of 94 GFLOP/s (66 %)"."""
    largest = max(rate.rate, rate.peak or 0.0)
    size, prefix = next(((s, p) for s, p in _PREFIXES if largest >= s), (1.0, ""))
    own = _digits(rate.rate / size)
    if not rate.peak:
        return f"{own} {prefix}{unit}/s"
    return f"{own} of {_digits(rate.peak / size)} {prefix}{unit}/s ({100 * rate.rate / rate.peak:.0f} %)"


_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"
