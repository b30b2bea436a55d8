"""The log of a session, which a person can send with a report: what came and went, how large, how fast.

It holds names of files, but nothing of what is in them, unless `--log-contents` asks for that: no parameters, no
results, and of an error its type and place, because its message may quote a line.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any

from uir_lsp import __version__

if TYPE_CHECKING:
    from uir_lsp.opening import Opening

log = logging.getLogger("uir_lsp.session")

_QUOTED = 2000  # characters of a message that `--log-contents` shows
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def set_up(level: str, contents: bool) -> None:
    """Send the log to standard error from `level` on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(contents))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.getLogger("asyncio").setLevel(logging.WARNING)


class _Formatter(logging.Formatter):
    def __init__(self, contents: bool) -> None:
        super().__init__("%(relativeCreated)8d ms %(levelname)s %(name)s: %(message)s")
        self._contents = contents

    def formatException(self, ei: _ExcInfo) -> str:
        """An error with its place in our code; what it says only when contents may be seen."""
        if self._contents or ei[0] is None:
            return super().formatException(ei)
        return "".join(traceback.format_tb(ei[2])) + f"{ei[0].__name__} (its message is left out)"


class Journal:
    """Notes of the messages of one session."""

    def __init__(self) -> None:
        self.contents = False
        self._asked: dict[int | str, tuple[str, float]] = {}

    def began(self) -> None:
        """The session begins: what runs, on what."""
        if not log.isEnabledFor(logging.INFO):
            return
        import platform

        log.info("uir %s, Python %s, %s", __version__, platform.python_version(), platform.platform())

    def opened(self, opening: Opening) -> None:
        """The first message and its answer."""
        if log.isEnabledFor(logging.INFO):
            self.received(opening.message, len(opening.body or b""))
            self._answered(opening.message["id"], f"{opening.answered} bytes", opening.seconds)

    def received(self, message: Any, size: int) -> None:
        """A message of the client."""
        if not log.isEnabledFor(logging.INFO):
            return
        if not isinstance(message, dict) or "method" not in message:
            log.info("<- a reply, %d bytes", size)
            return
        method, request = str(message["method"]), message.get("id")
        if isinstance(request, (int, str)):
            self._asked[request] = (method, time.perf_counter())
        log.info("<- %s%s, %d bytes%s", method, _number(request), size, _document(message.get("params")))
        self._quote(message)

    def answered(self, request: Any, size: int, error: int | None = None) -> None:
        """The answer to a request."""
        if not log.isEnabledFor(logging.INFO):
            return
        self._answered(request, f"{size} bytes" if error is None else f"error {error}")

    def _answered(self, request: Any, how: str, seconds: float | None = None) -> None:
        now = time.perf_counter()
        method, began = self._asked.pop(request, ("?", now))
        took = 1e3 * (now - began if seconds is None else seconds)
        log.info("-> %s%s, %s after %.1f ms", method, _number(request), how, took)

    def sent(self, method: str, size: int) -> None:
        """A notification or request of ours."""
        log.info("-> %s, %d bytes", method, size)

    def said(self, text: str) -> None:
        """What may quote a file."""
        self._quote(text)

    def _quote(self, what: Any) -> None:
        if self.contents:
            log.info("   %s", str(what)[:_QUOTED])


def _number(request: Any) -> str:
    return "" if request is None else f" #{request}"


def _document(params: Any) -> str:
    """The file that a message is about, and its version."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    if not isinstance(document, dict):
        return ""
    number = document.get("version")
    return f", {document.get('uri')}" + (f" version {number}" if isinstance(number, int) else "")
