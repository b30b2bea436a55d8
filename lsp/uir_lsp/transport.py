"""Bytes in, bytes out: one thread that reads messages, one that writes them, so that neither ever blocks the loop."""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

log = logging.getLogger(__name__)

_MAX_HEADER_LINE = 8192


class Unreadable(Exception):
    """A message whose body is not JSON; the stream itself is intact."""


def read_message(stream: BinaryIO) -> bytes | None:
    """The body of the next message; None at the end of input (a message cut short counts as the end)."""
    length: int | None = None
    while True:
        line = stream.readline(_MAX_HEADER_LINE)
        if not line:
            return None
        if line.strip():
            length = _content_length(line, length)
        elif length is not None:
            body = stream.read(length)
            return body if len(body) == length else None


def _content_length(line: bytes, known: int | None) -> int | None:
    name, _, value = line.partition(b":")
    if name.strip().lower() == b"content-length" and value.strip().isdigit():
        return int(value)
    return known


def decode(body: bytes) -> Any:
    """The JSON value of a message body. Raises Unreadable."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error


def frame(body: bytes) -> bytes:
    """A body with the header that the protocol puts before it."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class ReaderThread(threading.Thread):
    """Reads messages until the end of input and hands each on, in order; then calls `ended` once.

    `deliver` and `unreadable` are called on this thread: they are expected to pass their argument to the loop.
    `record` gets a copy of everything read, so that a session can be replayed as a bug report; `seen` gets each message
    and its size.
    """

    def __init__(
        self,
        stream: BinaryIO,
        deliver: Callable[[Any], None],
        unreadable: Callable[[str], None],
        ended: Callable[[], None],
        record: BinaryIO | None = None,
        seen: Callable[[Any, int], None] = lambda message, size: None,
    ) -> None:
        super().__init__(name="uir-lsp-reader", daemon=True)
        self._stream, self._record, self._seen = stream, record, seen
        self._deliver, self._unreadable, self._ended = deliver, unreadable, ended

    def run(self) -> None:
        """Read until the end of input."""
        try:
            while (body := read_message(self._stream)) is not None:
                self._pass_on(body)
        except (OSError, ValueError, RuntimeError) as error:  # the pipe broke, or the loop is already closed
            log.info("reading ended: %s", error)
        finally:
            self._ended()

    def _pass_on(self, body: bytes) -> None:
        if self._record is not None:
            self._record.write(frame(body))
            self._record.flush()
        try:
            message = decode(body)
        except Unreadable as error:
            self._unreadable(str(error))
        else:
            self._seen(message, len(body))
            self._deliver(message)


class WriterThread(threading.Thread):
    """Writes queued messages in order. `lost` is called once, on this thread, if the other side is gone."""

    def __init__(self, stream: BinaryIO, lost: Callable[[], None]) -> None:
        super().__init__(name="uir-lsp-writer", daemon=True)
        self._stream, self._lost = stream, lost
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def write(self, data: bytes) -> None:
        """Queue one framed message; returns at once."""
        self._queue.put(data)

    def close(self) -> None:
        """Let the thread end when everything queued so far is written."""
        self._queue.put(None)

    def run(self) -> None:
        """Write until closed."""
        try:
            while (data := self._queue.get()) is not None:
                self._stream.write(data)
                self._stream.flush()
        except (OSError, ValueError) as error:
            log.info("writing ended: %s", error)
            self._lost()
