"""The thread that owns the graph: all analysis, and every answer that reads one, is made here, one after the other.

While it has nothing to do, the loop may do brief work itself: two changes of threads take longer than most answers.
"""

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

    def __init__(self, order: tuple[bool, int], work: Callable[[], Any], ended: Callable[[], None]) -> None:
        self.order, self.work, self.ended = order, work, ended
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()

    def __lt__(self, other: _Job) -> bool:
        return self.order < other.order

    def run(self) -> None:
        """Do the work, unless nobody waits for it any more, and hand the result to the loop."""
        result: Any = None
        error: Exception | None = None
        try:
            if not self.future.cancelled():
                result = self.work()
        except Exception as caught:
            error = caught
        try:
            self.loop.call_soon_threadsafe(self._settle, result, error)
        except RuntimeError:  # the loop is closed: the server is ending
            return

    def _settle(self, result: Any, error: Exception | None) -> None:
        self.ended()
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
        self._unfinished = 0  # jobs whose end the loop has not seen; only the loop counts
        self.start()

    async def call(self, work: Callable[..., R], *args: Any, urgent: bool = False) -> R:
        """The result of `work(*args)`, called on the thread. Cancelling drops it if it has not begun."""
        if self._stopped:
            raise asyncio.CancelledError
        self._unfinished += 1
        order = (not urgent, next(self._number))
        job = _Job(order, lambda: work(*args), self._ended)
        self._jobs.put(job)
        result: R = await job.future
        return result

    @property
    def idle(self) -> bool:
        """Whether brief work may be done on the loop now: the thread has nothing to do."""
        return not self._unfinished and not self._stopped

    @property
    def waited_for(self) -> bool:
        """Whether there is more to do than what is being done."""
        return not self._jobs.empty()

    def _ended(self) -> None:
        self._unfinished -= 1

    def stop(self) -> None:
        """Do nothing more; what is being done now is not waited for."""
        self._stopped = True

    def run(self) -> None:
        """Do one job after the other."""
        while not self._stopped:
            self._jobs.get().run()
