"""Messages and their frames: a header with the length of what follows, a blank line, JSON in UTF-8."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

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


def record(copy: BinaryIO, body: bytes) -> None:
    """Write a message down, so that the session can be replayed as a bug report."""
    copy.write(frame(body))
    copy.flush()
