"""Which headers a C file needs. One that it does not need costs all the same: math.h takes a compiler 8 ms, a tenth of
what a small program takes in all."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FUNCTIONS = ("exp2", "log2", "sin", "sqrt", "trunc", "floor", "ceil", "round", "rint", "fma", "fmax", "fabs", "ldexp")
_SIZES = (8, 16, 32, 64)

# Header -> the names of it that the renderers write.
NAMES: dict[str, frozenset[str]] = {
    "limits.h": frozenset({"INT_MIN", "INT_MAX", "UINT_MAX"}),
    "math.h": frozenset(
        {"NAN", "INFINITY", "isnan", "isinf", "isfinite", "signbit", *_FUNCTIONS, *(f"{name}f" for name in _FUNCTIONS)}
    ),
    "stdbool.h": frozenset({"bool", "true", "false"}),
    "stdint.h": frozenset(
        {f"{sign}int{size}_t" for sign in ("", "u") for size in _SIZES}
        | {f"{sign}INT{size}_{end}" for sign in ("", "U") for size in _SIZES for end in ("MIN", "MAX")}
    ),
    "string.h": frozenset({"memcpy", "memmove", "memset"}),
}


def includes(lines: Iterable[str]) -> list[str]:
    """The `#include` lines of a file that has these lines."""
    used = {name for line in lines for name in re.findall(r"[A-Za-z_]\w*", line)}
    return [f"#include <{header}>" for header, names in NAMES.items() if names & used]
