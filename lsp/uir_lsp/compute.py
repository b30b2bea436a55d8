"""The thread that owns the graph: all analysis, and every answer that reads one, is made here, one after the other."""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")


class _Job:
    """Work for the thread, ordered by urgency and then by age."""

    def __init__(self, order: tuple[bool, int], work: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.order, self.work, self.loop = order, work, loop
        self.future: asyncio.Future[Any] = loop.create_future()

    def __lt__(self, other: _Job) -> bool:
        return self.order < other.order

    def run(self) -> None:
        """Do the work, unless nobody waits for it any more, and hand the result to the loop."""
        if self.future.cancelled():
            return
        try:
            result, error = self.work(), None
        except Exception as caught:
            result, error = None, caught
        try:
            self.loop.call_soon_threadsafe(self._settle, result, error)
        except RuntimeError:  # the loop is closed: the server is ending
            return

    def _settle(self, result: Any, error: Exception | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


class Compute(threading.Thread):
    """A thread that does what is urgent (analysis for diagnostics) before what is not (answers to requests)."""

    def __init__(self) -> None:
        super().__init__(name="uir-lsp-analysis", daemon=True)
        self._jobs: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._number = itertools.count()
        self._stopped = False
        self.start()

    async def call(self, work: Callable[..., R], *args: Any, urgent: bool = False) -> R:
        """The result of `work(*args)`, called on the thread. Cancelling drops it if it has not begun."""
        if self._stopped:
            raise asyncio.CancelledError
        order = (not urgent, next(self._number))
        job = _Job(order, lambda: work(*args), asyncio.get_running_loop())
        self._jobs.put(job)
        result: R = await job.future
        return result

    def stop(self) -> None:
        """Do nothing more; what is being done now is not waited for."""
        self._stopped = True

    def run(self) -> None:
        """Do one job after the other."""
        while not self._stopped:
            self._jobs.get().run()
