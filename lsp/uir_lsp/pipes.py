"""The client's two pipes. One thread reads, one writes what may take long, so that neither blocks the loop."""

from __future__ import annotations

import logging
import queue
import select
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from uir_lsp import transport
from uir_lsp.transport import Unreadable, decode, read_message

log = logging.getLogger(__name__)

_ROOM = getattr(select, "PIPE_BUF", 0)


class ReaderThread(threading.Thread):
    """Hands on messages, in order: `first`, which were read before, and all until the end of input; then calls `ended`.

    `deliver` and `unreadable` are called on this thread: they are expected to pass their argument to the loop.
    `record` gets a copy of everything read, so that a session can be replayed as a bug report; `seen` gets each message
    and its size.
    """

    def __init__(
        self,
        stream: BinaryIO,
        first: list[bytes],
        deliver: Callable[[Any], None],
        unreadable: Callable[[str], None],
        ended: Callable[[], None],
        record: BinaryIO | None = None,
        seen: Callable[[Any, int], None] = lambda message, size: None,
    ) -> None:
        super().__init__(name="uir-lsp-reader", daemon=True)
        self._stream, self._first, self._record, self._seen = stream, first, record, seen
        self._deliver, self._unreadable, self._ended = deliver, unreadable, ended

    def run(self) -> None:
        """Read until the end of input."""
        try:
            for early in self._first:
                self._pass_on(early)
            while (body := read_message(self._stream)) is not None:
                if self._record is not None:
                    transport.record(self._record, body)
                self._pass_on(body)
        except (OSError, ValueError, RuntimeError) as error:  # the pipe broke, or the loop is already closed
            log.info("reading ended: %s", error)
        finally:
            self._ended()

    def _pass_on(self, body: bytes) -> None:
        try:
            message = decode(body)
        except Unreadable as error:
            self._unreadable(str(error))
        else:
            self._seen(message, len(body))
            self._deliver(message)


class WriterThread(threading.Thread):
    """Writes messages in order. `lost` is called if the other side is gone, on whatever thread finds out."""

    def __init__(self, stream: BinaryIO, lost: Callable[[], None]) -> None:
        super().__init__(name="uir-lsp-writer", daemon=True)
        self._stream, self._lost = stream, lost
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._queued = 0  # messages that are not written yet
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """Send one framed message; returns at once, whether or not the other side reads."""
        with self._lock:
            if not self._queued and takes_at_once(self._stream, data):
                try:
                    self._put(data)
                except (OSError, ValueError) as error:
                    self._gone(error)
                return
            self._queued += 1
        self._queue.put(data)

    def close(self) -> None:
        """Let the thread end when everything queued so far is written."""
        self._queue.put(None)

    def run(self) -> None:
        """Write until closed."""
        try:
            while (data := self._queue.get()) is not None:
                self._put(data)
                with self._lock:
                    self._queued -= 1
        except (OSError, ValueError) as error:
            self._gone(error)

    def _put(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()

    def _gone(self, error: Exception) -> None:
        log.info("writing ended: %s", error)
        self._lost()


def takes_at_once(stream: BinaryIO, data: bytes) -> bool:
    """Whether a pipe takes a message without anybody waiting: one that is ready has room for PIPE_BUF bytes.

    A thread is then not worth its two changes. Where the system does not say (Windows), no.
    """
    if len(data) > _ROOM:
        return False
    try:
        return bool(select.select([], [stream], [], 0)[1])
    except (OSError, ValueError):  # closed, or more files are open than select can tell of
        return False
