"""Temporary folders that say whose they are, so that what a killed process left behind can be told and removed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from uopc.runtime import platform

_NAME = re.compile(r"uir-(?:run|build|probe|cache|crash|kept|shown)-(\d+)\.(\w+)-")


def new_folder(kind: str) -> Path:
    """A new folder of this process, for which it is to care. Raises OSError."""
    return Path(tempfile.mkdtemp(prefix=f"uir-{kind}-{os.getpid()}.{_room()}-"))


@contextmanager
def scratch_folder(kind: str) -> Iterator[Path]:
    """A folder that is gone when the block ends. Raises OSError."""
    folder = new_folder(kind)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(temporary: Path | None = None) -> int:
    """Removes what processes that died left in the temporary folder, and ends what is at work there (a compiler whose
    owner was killed); gives the number of folders."""
    left: list[str] = []
    with contextlib.suppress(OSError):
        left += [entry.path for entry in os.scandir(temporary or tempfile.gettempdir()) if _is_left_over(entry)]
    platform.end_processes_in(left)
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _is_left_over(entry: os.DirEntry[str]) -> bool:
    match = _NAME.match(entry.name)
    if match is None or match[2] != _room() or platform.process_lives(int(match[1])):
        return False
    with contextlib.suppress(OSError):
        return entry.is_dir(follow_symlinks=False) and _is_mine(entry)
    return False


def _is_mine(entry: os.DirEntry[str]) -> bool:
    return platform.IS_WINDOWS or entry.stat(follow_symlinks=False).st_uid == os.getuid()


@lru_cache(maxsize=1)
def _room() -> str:
    """Where this process's number counts: containers may share a temporary folder, but not their numbers."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return str(os.stat("/proc/self/ns/pid").st_ino)
    return "0"
