"""This computer's CPU: the code generator asks for its vectors, the cache of built programs who it is."""

from __future__ import annotations

import platform
import sys
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def identity() -> str:
    """A text that differs between CPUs on which `-march=native` means different things."""
    if sys.platform == "linux":
        try:
            text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n", 1)[0]
        except OSError:
            text = ""
        wanted = ("model name", "flags", "Features", "CPU part", "isa", "cpu\t")
        return platform.machine() + "\n".join(line for line in text.splitlines() if line.startswith(wanted))
    return f"{platform.machine()} {platform.processor()} {platform.version()}"


def features() -> frozenset[str]:
    """The words of its identity: among them the names of its instruction sets, where the system lists them."""
    return frozenset(identity().split())
