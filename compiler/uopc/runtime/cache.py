"""The folder of built libraries (and of their assembly): found by content, replaced atomically, bounded in size."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from uopc.runtime import platform
from uopc.runtime.scratch import new_folder

MAX_BYTES = 256 * 1024 * 1024
MAX_FILES = 2000
_YOUNG = 60.0  # seconds in which an entry is never evicted: somebody may be about to load it
_STALE = 3600.0  # seconds after which a half-written file belongs to a process that died


def content_key(parts: Iterable[str]) -> str:
    """The name of what is built from these texts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _private_folder() -> Path:
    """A folder of this process, for when the shared one cannot be used."""
    folder = new_folder("cache")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def default_folder() -> Path:
    """The user's cache of built libraries; one of this process alone if others could write there or nobody can."""
    folder = platform.cache_dir() / "build"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        usable = platform.is_private(folder) and os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        usable = False
    return folder if usable else _private_folder()


class Cache:
    """Built libraries in one folder, by key. Safe with any number of processes that use it at once."""

    def __init__(
        self,
        folder: Path,
        max_bytes: int = MAX_BYTES,
        max_files: int = MAX_FILES,
        suffix: str = platform.SHARED_SUFFIX,
    ) -> None:
        self.folder = folder
        self.suffix = suffix
        self.max_bytes = max_bytes
        self.max_files = max_files

    def path(self, key: str) -> Path:
        """Where the entry of that key is or would be."""
        return self.folder / (key + self.suffix)

    def find(self, key: str) -> Path | None:
        """The library of that key, marked as just used; None when there is none."""
        path = self.path(key)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def put(self, key: str, built: Path) -> Path:
        """Takes a copy of `built` under `key` and makes room. The entry appears whole or not at all."""
        path = self.path(key)
        handle, name = tempfile.mkstemp(prefix=".new-", dir=self.folder)
        os.close(handle)
        try:
            shutil.copyfile(built, name)
            os.chmod(name, 0o700)
            _replace(name, path)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(name)
        self._evict()
        return path

    def drop(self, key: str) -> None:
        """Forgets an entry that turned out to be damaged."""
        with contextlib.suppress(OSError):
            self.path(key).unlink()

    def _evict(self) -> None:
        now = time.time()
        entries = []
        for entry in os.scandir(self.folder):
            with contextlib.suppress(OSError):  # another process may have evicted it meanwhile
                status = entry.stat()
                entries.append((status.st_mtime, status.st_size, entry))
        entries.sort(key=lambda e: e[0])
        size, count = sum(e[1] for e in entries), len(entries)
        for modified, length, entry in entries:
            half_written = entry.name.startswith(".new-")
            too_much = size > self.max_bytes or count > self.max_files
            if now - modified < (_STALE if half_written else _YOUNG) or not (too_much or half_written):
                continue
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
            size, count = size - length, count - 1


def _replace(new: str, path: Path) -> None:
    try:
        os.replace(new, path)
    except PermissionError:
        if not path.exists():  # Windows does not replace a loaded library; the one there has the same content
            raise
