"""The processes of this machine, as the tests of what must not be left behind see them (Linux)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def _statuses() -> Iterator[tuple[int, int, bool]]:
    """(number, parent, whether it ended and was not waited for) of every process."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        yield int(stat.parent.name), int(fields[1]), fields[0] == "Z"


def children_of(pid: int) -> list[int]:
    """The living children of a process."""
    return [number for number, parent, ended in _statuses() if parent == pid and not ended]


def zombies(pid: int) -> list[int]:
    """The children of a process that ended and were not waited for."""
    return [number for number, parent, ended in _statuses() if parent == pid and ended]


def below(pid: int) -> list[int]:
    """Every living process below `pid`, as the kernel lists them."""
    children: dict[int, list[int]] = {}
    for number, parent, ended in _statuses():
        if not ended:
            children.setdefault(parent, []).append(number)
    found, pending = [], [pid]
    while pending:
        here = children.get(pending.pop(), [])
        found += here
        pending += here
    return found


def command(pid: int) -> str:
    """The command line of a process; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def folder(pid: int) -> str:
    """The working folder of a process: that of its run, once it has one. Empty when it is gone."""
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def alive(pids: list[int]) -> list[int]:
    """Those that still run."""
    running = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            running.append(pid)
    return running
