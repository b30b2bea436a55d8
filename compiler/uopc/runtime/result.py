"""What a run gives: one object, the same for the command line, the server and the tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from uopc.dtype import DType
from uopc.nptypes import Array
from uopc.runtime.compare import Difference
from uopc.runtime.speed import Speed


@dataclass(frozen=True)
class OutputResult:
    """One output: its name as in the file (`%7`), its type, and its elements."""

    name: str
    dtype: DType
    array: Array

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form: name shape dtype stats preview."""
        return {
            "name": self.name,
            "shape": list(self.array.shape),
            "dtype": self.dtype.name,
            "stats": statistics(self.array),
            "preview": preview(self.array),
        }


@dataclass(frozen=True)
class OutputDifference:
    """An output that is not what it should be. against: "expect" or "reference"."""

    output: str
    against: str
    difference: Difference


@dataclass
class RunResult:
    """The outcome of a run.

    expect: whether every `expect` holds, None without one; verified: whether the result agrees with the reference
    evaluator, None when that was not asked or would take too long; build_ms, kernel_ms: None when it did not come to
    that. difference: the largest one; differences: the outputs that are wrong, and where; notes: what a person should
    know besides; line (0-based): where an error is; operations, memory_bytes: what the cost model says of the run;
    speed: how fast it was against the peak of this machine, as far as that is known; stages: milliseconds that each
    stage took, of those that came to an end.
    """

    file: str
    ok: bool = False
    error: str | None = None
    outputs: list[OutputResult] = field(default_factory=list)
    expect: bool | None = None
    verified: bool | None = None
    build_ms: float | None = None
    kernel_ms: float | None = None
    difference: float | None = None
    differences: list[OutputDifference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    line: int | None = None
    operations: int | None = None
    memory_bytes: int | None = None
    speed: Speed | None = None
    stages: dict[str, float] = field(default_factory=dict)

    def to_dict(self, described: bool = True) -> dict[str, Any]:
        """The machine-readable form, valid JSON whatever the values are. described: with statistics of the outputs."""
        return {
            "file": self.file,
            "ok": self.ok,
            "error": self.error,
            "outputs": [output.to_dict() for output in self.outputs] if described else [],
            "expect": self.expect,
            "verified": self.verified,
            "build_ms": self.build_ms,
            "kernel_ms": self.kernel_ms,
            "speed": None if self.speed is None else self.speed.to_dict(),
        }


def statistics(array: Array) -> dict[str, Any]:
    """min, max and mean of the finite elements (None when there are none), and how many are NaN and infinite."""
    floating = np.issubdtype(array.dtype, np.floating)
    finite = array[np.isfinite(array)] if floating else array.reshape(-1)
    nan, inf = (int(np.isnan(array).sum()), int(np.isinf(array).sum())) if floating else (0, 0)
    counts = {"nan": nan, "inf": inf}
    if not finite.size:
        return {"min": None, "max": None, "mean": None, **counts}
    low, high = finite.min(), finite.max()
    with np.errstate(over="ignore"):
        mean = float(finite.mean(dtype=np.float64))
    kind = float if floating else int
    return {"min": kind(low), "max": kind(high), "mean": mean if np.isfinite(mean) else None, **counts}


def preview(array: Array) -> str:
    """The elements as NumPy prints them; of more than a thousand only the corners."""
    return np.array2string(array, threshold=1000, edgeitems=3)
