"""Being ready before it is asked: a child process that waits for the first run, and, if a setting says so, the build.

Only in a workspace that is trusted, after `initialized`, with a file open, when nothing was typed for a moment and this
machine has memory to spare. A child that waits runs nothing of the file.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING

from uir_lsp.run import NoAnswer

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

log = logging.getLogger(__name__)

QUIET = 0.4  # seconds without an edit
SPARE = 768 << 20  # bytes of memory that must be free: several times what a child takes


class Readiness:
    """Asked after everything that makes a run likely. Every method is called on the loop."""

    def __init__(self, server: UirServer) -> None:
        self._server = server
        self._began = False
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._build: asyncio.Task[None] | None = None
        self._built = ""  # the text that was built last

    def begin(self) -> None:
        """The client is initialized."""
        self._began = True
        self.touch()

    def touch(self) -> None:
        """A file was opened or edited, trust came, or a child was lost."""
        self._last = time.monotonic()
        if self._timer is None and self._began:
            self._timer = asyncio.get_running_loop().call_later(QUIET, self._due)

    def stop(self) -> None:
        """The server ends."""
        self._began = False
        self.yield_to_run()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def yield_to_run(self) -> None:
        """A run was asked for: it builds by itself, and needs the processor."""
        if self._build is not None:
            self._build.cancel()
            self._build = None

    def _due(self) -> None:
        self._timer = None
        rest = self._last + QUIET - time.monotonic()
        if rest > 0 or self._server.documents.busy:
            self._timer = asyncio.get_running_loop().call_later(max(rest, 0.05), self._due)
        elif self._server.options.trusted and self._server.documents.uris():
            self._start(self._prepare())

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _prepare(self) -> None:
        lane = self._server.run_lane
        if not lane.ready and memory_to_spare():
            try:
                await lane.prepare()
            except OSError as error:
                log.warning("no process could be started ahead of a run: %s", error.strerror)
        if self._server.options.build_ahead:
            self.yield_to_run()
            self._build = self._start(self._build_ahead())

    async def _build_ahead(self) -> None:
        """Build the file that was edited last, if it has no errors."""
        server = self._server
        snapshot = await server.documents.newest()
        if snapshot is None or snapshot.analysis.has_errors or snapshot.text == self._built:
            return
        job = {"kind": "build", "text": snapshot.text, "compiler": server.options.compiler}
        try:
            if await server.ahead_lane.call(job, lambda stage: None):
                self._built = snapshot.text
        except NoAnswer as reason:
            log.info("nothing was built ahead: %s", reason)


def memory_to_spare() -> bool:
    """Whether this machine has memory for a process that may never be asked; yes where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return True
    free = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return free is None or int(free) * 1024 >= SPARE
