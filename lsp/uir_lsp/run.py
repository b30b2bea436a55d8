"""Heavy work (showing C and loops, running) in child processes that can be killed: one job at a time each.

A child stays for the next job, so that only the first pays for starting Python. A job that is cancelled takes its child
and everything the child started with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from uir_lsp.python import command

log = logging.getLogger(__name__)

GRACE = 0.5  # seconds between asking a child to end and killing it
IDLE = 300.0  # seconds after which a child with nothing to do is ended
Stage = Callable[[str], None]
Early = Callable[[Any], None]  # takes what is known of an answer before it is whole


class NoAnswer(Exception):
    """A job that came to no answer: its process died, it failed, or the person stopped it. The text says which."""


class Child:
    """One process that takes jobs, in a process group of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.idle: asyncio.TimerHandle | None = None
        self.began = False  # it has said something of its job

    @classmethod
    async def start(cls) -> Child:
        """A new child. It inherits neither end of the protocol."""
        return cls(
            await asyncio.create_subprocess_exec(
                *command("uir_lsp.child"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                **_own_group(),
            )
        )

    @property
    def alive(self) -> bool:
        """Whether it can take a job."""
        return self.process.returncode is None

    async def rehearse(self) -> None:
        """Let it do what the first job would otherwise wait for. Nothing is answered."""
        with contextlib.suppress(ConnectionError):
            await self._write({"kind": "rehearse"})

    async def _write(self, job: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        await self.process.stdin.drain()

    async def call(self, job: dict[str, Any], stage: Stage, early: Early | None = None) -> Any:
        """The answer to a job. Raises NoAnswer."""
        try:
            await self._write(job)
            while True:
                kind, value = await self._read()
                self.began = True
                if kind == "fault":
                    raise NoAnswer(value)
                if kind == "answer":
                    return value
                if kind == "stage":
                    stage(value)
                elif early is not None:
                    early(value)
        except (ConnectionError, asyncio.IncompleteReadError, ValueError) as error:
            await self.process.wait()
            raise NoAnswer(_how_it_ended(self.process.returncode)) from error

    async def _read(self) -> tuple[str, Any]:
        assert self.process.stdout is not None
        size = int(await self.process.stdout.readuntil(b"\n"))
        kind, value = json.loads(await self.process.stdout.readexactly(size))
        return kind, value

    async def end(self) -> None:
        """Kill it, and what it started."""
        descendants = _descendants(self.process.pid)
        if self.alive:
            _signal_group(self.process, signal.SIGTERM)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.process.wait(), GRACE)
        self.kill(descendants)
        await self.process.wait()

    def kill(self, descendants: list[int] | None = None) -> None:
        """Kill it and what it started, without waiting."""
        for pid in _descendants(self.process.pid) if descendants is None else descendants:
            with contextlib.suppress(OSError):
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        _signal_group(self.process, getattr(signal, "SIGKILL", signal.SIGTERM))


class Lane:
    """Up to `limit` children for one kind of work."""

    def __init__(self, limit: int) -> None:
        self._slots = asyncio.Semaphore(limit)
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._preparing = False
        self._killed = False

    @property
    def ready(self) -> bool:
        """Whether a child waits for a job, or soon will."""
        return self._preparing or any(child.alive for child in self._idle)

    async def prepare(self) -> None:
        """See that a child waits for a job, with all that is slow the first time done. Raises OSError."""
        if self.ready or self._busy or self._killed:
            return
        self._preparing = True
        try:
            child = await Child.start()
            if self._killed:  # the server ended meanwhile
                child.kill()
                return
            self._keep(child)
            await child.rehearse()
        finally:
            self._preparing = False

    async def call(self, job: dict[str, Any], stage: Stage, early: Early | None = None) -> Any:
        """The answer to a job; when this is cancelled, the job's processes are gone before it returns."""
        if self._slots.locked():
            stage("waiting for the run before it")
        async with self._slots:
            child = await self._take()
            reused, child.began = child.began, False
            try:
                return await self._call(child, job, stage, early)
            except NoAnswer:
                if child.began or not reused:
                    raise
            # A child that died while it was idle may not have been missed until now: that is no fault of this job.
            return await self._call(await Child.start(), job, stage, early)

    async def _call(self, child: Child, job: dict[str, Any], stage: Stage, early: Early | None) -> Any:
        self._busy.add(child)
        try:
            answer = await child.call(job, stage, early)
        except BaseException:  # cancelled, too
            await asyncio.shield(child.end())
            raise
        finally:
            self._busy.discard(child)
        self._keep(child)
        return answer

    async def _take(self) -> Child:
        while self._idle:
            child = self._idle.pop()
            if child.idle is not None:
                child.idle.cancel()
            if child.alive:
                return child
        return await Child.start()

    def _keep(self, child: Child) -> None:
        child.idle = asyncio.get_running_loop().call_later(IDLE, self._retire, child)
        self._idle.append(child)

    def _retire(self, child: Child) -> None:
        if child in self._idle:
            self._idle.remove(child)
            child.kill()

    def kill(self) -> None:
        """Kill every child at once, without waiting. No other is started ahead."""
        self._killed = True
        for child in [*self._idle, *self._busy]:
            child.kill()
        self._idle.clear()


def _own_group() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _signal_group(process: asyncio.subprocess.Process, number: int) -> None:
    """Send a signal to a child's process group. The group may outlive the child: what it started may be in it."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, number)


def _descendants(pid: int) -> list[int]:
    """Every process below `pid`, also in groups of their own (where the system lists processes in /proc)."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = entry.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found, pending = [], [pid]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        why = " (often: out of memory)" if name == "SIGKILL" else ""
        return f"the process that did the work was ended by {name}{why}"
    return f"the process that did the work ended without an answer (exit code {code})"
