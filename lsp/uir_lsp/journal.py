"""The log of a session, which a person can send with a report: what came and went, how large, how fast.

It holds names of files, but nothing of what is in them, unless `--log-contents` asks for that: no parameters, no
results, and of an error its type and place, because its message may quote a line.
"""

from __future__ import annotations

import logging
import platform
import sys
import time
import traceback
from types import TracebackType
from typing import Any

log = logging.getLogger("uir_lsp.session")

_QUOTED = 2000  # characters of a message that `--log-contents` shows
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def set_up(level: str, contents: bool) -> None:
    """Send the log to standard error from `level` on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(contents))
    handler.addFilter(_is_news)
    logging.basicConfig(level=level.upper(), handlers=[handler])
    logging.getLogger("pygls").setLevel(logging.WARNING)  # below that it writes whole messages
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is more than a request that makes no sense, which the answer says already."""
    if not record.exc_info or not record.name.startswith("pygls"):
        return True
    from pygls.exceptions import JsonRpcException  # loaded by now

    return not isinstance(record.exc_info[1], JsonRpcException)


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
        packages = ", ".join(f"{name} {_version(name)}" for name in ("uir", "pygls", "lsprotocol"))
        log.info("%s, Python %s, %s", packages, platform.python_version(), platform.platform())

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
        method, began = self._asked.pop(request, ("?", time.perf_counter()))
        took = 1e3 * (time.perf_counter() - began)
        how = f"{size} bytes" if error is None else f"error {error}"
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


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # not needed without a log

    try:
        return version(package)
    except PackageNotFoundError:
        return "from its source"


def _number(request: Any) -> str:
    return "" if request is None else f" #{request}"


def _document(params: Any) -> str:
    """The file that a message is about, and its version."""
    document = params.get("textDocument") if isinstance(params, dict) else None
    if not isinstance(document, dict):
        return ""
    number = document.get("version")
    return f", {document.get('uri')}" + (f" version {number}" if isinstance(number, int) else "")
