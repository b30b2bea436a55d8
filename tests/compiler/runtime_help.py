"""What the tests of building and running share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from uopc.dtype import DType


@dataclass(frozen=True)
class Argument:
    """One parameter of a hand-written C function."""

    slot: int
    dtype: DType
    size: int
    output: bool


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Returns as soon as the condition holds; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def fake_compiler(folder: Path, script: str, name: str = "cc") -> Path:
    """A shell script that stands for a C compiler."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return path
