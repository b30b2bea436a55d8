"""What one thread of this machine can do with what its compiler makes: measured once, kept in the user's cache.

A program's speed is then told against it: "62 of 94 GFLOP/s (66 %)".
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import exp, isfinite, log
from pathlib import Path
from typing import Any

from uopc import cpu
from uopc.dtype import DType, dtypes
from uopc.runtime import platform
from uopc.runtime.cache import content_key
from uopc.runtime.cancel import CancelToken
from uopc.runtime.kept import keep, kept
from uopc.runtime.toolchain import Compiler

_SOURCE = Path(__file__).with_name("peak.c")
_FLAGS = ("-ffp-contract=fast",)  # a multiplication and an addition become one instruction where there is one
_SYMBOL = "uir_peak"
_SIZES = 6  # as in peak.c
_SECONDS = 30.0


@dataclass(frozen=True)
class Peak:
    """flops: floating-point operations a second, by dtype name; bandwidth: (bytes touched, bytes a second), by size."""

    flops: dict[str, float]
    bandwidth: tuple[tuple[float, float], ...]

    def compute(self, dtype: DType) -> float | None:
        """Operations a second on that dtype; None for what was not measured. f16 is computed in f32."""
        return self.flops.get("f32" if dtype is dtypes.f16 else dtype.name)

    def memory(self, touched: int) -> float:
        """Bytes a second when that many are read or written: what fits into a cache moves faster."""
        sizes = [size for size, _ in self.bandwidth]
        at = bisect_left(sizes, touched)
        if at == 0 or at == len(sizes):
            return self.bandwidth[min(at, len(sizes) - 1)][1]
        (small, fast), (large, slow) = self.bandwidth[at - 1], self.bandwidth[at]
        part = log(touched / small) / log(large / small)
        return exp(log(fast) * (1 - part) + log(slow) * part)

    def best(self, other: Peak | None) -> Peak:
        """The larger of each figure: a busy machine can only measure too little."""
        if other is None:
            return self
        flops = {name: max(value, other.flops.get(name, 0.0)) for name, value in self.flops.items()}
        both = zip(self.bandwidth, other.bandwidth)
        return Peak(flops, tuple((size, max(rate, before)) for (size, rate), (_, before) in both))


def known_peak(compiler: Compiler) -> Peak | None:
    """What was measured before with that compiler on this machine, if it was."""
    try:
        return _decoded(kept(_path(compiler)))
    except ValueError:
        return None


def measure_peak(compiler: Compiler, cancel: CancelToken | None = None) -> Peak:
    """Measures for about a second in a child process and keeps the result. Raises RunError, Cancelled."""
    from uopc.runtime.execute import execute
    from uopc.runtime.library import build_library
    from uopc.runtime.limits import Limits

    built = build_library(_SOURCE.read_text(encoding="utf-8"), _FLAGS, compiler=compiler, cancel=cancel)
    result = _Result()
    done = execute(built.path, _SYMBOL, (result,), {}, limits=Limits(_SECONDS), cancel=cancel)
    f32, f64, *rest = done.outputs[0].tolist()
    found = Peak({"f32": f32, "f64": f64}, tuple(zip(rest[::2], rest[1::2]))).best(known_peak(compiler))
    keep(_path(compiler), {"flops": found.flops, "bandwidth": found.bandwidth})
    return found


@dataclass(frozen=True)
class _Result:
    """The array that the measuring function fills."""

    slot: int = 0
    dtype: DType = dtypes.f64
    size: int = 2 + 2 * _SIZES
    output: bool = True


def _path(compiler: Compiler) -> Path:
    parts = (_SOURCE.read_text(encoding="utf-8"), compiler.identity, *compiler.command, cpu.identity())
    return platform.cache_dir() / f"peak-{content_key(parts)[:20]}.json"


def _decoded(data: Any) -> Peak:
    """Raises ValueError for anything that is not what `measure_peak` keeps."""
    try:
        flops = {name: float(data["flops"][name]) for name in ("f32", "f64")}
        bandwidth = tuple((float(size), float(rate)) for size, rate in data["bandwidth"])
    except (KeyError, TypeError) as error:
        raise ValueError("not a peak") from error
    numbers = [*flops.values(), *(number for pair in bandwidth for number in pair)]
    if len(bandwidth) != _SIZES or not all(isfinite(number) and number > 0 for number in numbers):
        raise ValueError("not a peak")
    return Peak(flops, bandwidth)
