"""JSON-RPC and the base protocol: which message may come when, what answers it, and how a request is cancelled.

Every message comes in through `receive` and goes out through `write`; see the tests of the same names in
tests/lsp/test_protocol.py for what each rule protects from. No library does this: those there are take half a second
to load the types of the whole protocol, and make objects of every message, which costs more than most answers.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import logging
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from uir_lsp import shapes
from uir_lsp.capabilities import welcome
from uir_lsp.journal import Journal
from uir_lsp.opening import Opening
from uir_lsp.options import Options
from uir_lsp.refusal import (
    CANCELLED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    PARSE_ERROR,
    Refusal,
)
from uir_lsp.transport import frame

log = logging.getLogger(__name__)


class Encoded(NamedTuple):
    """JSON text, made already."""

    text: str


class Handler(NamedTuple):
    """What takes a method's parameters, which have the shape `wants`: a result, or a coroutine that gives it."""

    call: Callable[[Any], Any]
    wants: shapes.Shape = shapes.anything


class Writer(Protocol):
    """Where messages go."""

    def write(self, data: bytes) -> None:
        """Send a framed message; returns at once."""


class Endpoint:
    """One side of a session: takes the client's calls and replies, and sends ours. Every method is called on the loop.

    `begin` is told what the client is; `stop` ends all work at `shutdown`; `end` gets the exit code.
    """

    def __init__(
        self, begin: Callable[[Options], None], stop: Callable[[], None], end: Callable[[int], None], journal: Journal
    ) -> None:
        self.journal = journal
        self.writer: Writer | None = None
        self._begin, self._stop, self._end = begin, stop, end
        self._initialized = self._shut_down = False
        self._handlers: dict[str, Handler] = {
            "initialize": Handler(self._initialize),
            "shutdown": Handler(self._shutdown),
            "exit": Handler(self._exit),
            "$/cancelRequest": Handler(self._cancel, {"id": shapes.token}),
        }
        self._tasks: dict[int | str, asyncio.Task[Any]] = {}  # requests of the client that are worked on
        self._notices: set[asyncio.Task[Any]] = set()  # notifications that are worked on
        self._waiting: dict[str, asyncio.Future[Any]] = {}  # requests of ours
        self._numbers = itertools.count(1)

    def register(self, method: str, handler: Handler) -> None:
        """Let a handler take a method's calls."""
        self._handlers[method] = handler

    @property
    def methods(self) -> frozenset[str]:
        """What there are handlers for."""
        return frozenset(self._handlers)

    @property
    def busy(self) -> bool:
        """Whether a request of the client is still to be answered."""
        return bool(self._tasks)

    # -- in --------------------------------------------------------------------------------------------------------
    def receive(self, data: Any) -> None:
        """Handle one message as JSON gave it. Never raises: what is wrong with it is answered or logged."""
        if not isinstance(data, dict):
            self._refuse(None, Refusal("a message is one JSON object", INVALID_REQUEST))
        elif "method" not in data:
            self._receive_reply(data)
        elif (refusal := self._not_now(data)) is not None:
            self._refuse(data.get("id"), refusal)
        elif "id" in data:
            self._request(data["id"], data["method"], data.get("params"))
        else:
            self._notification(data["method"], data.get("params"))

    def unreadable(self, reason: str) -> None:
        """Answer a message whose body was not JSON."""
        self._refuse(None, Refusal(f"not JSON: {reason}", PARSE_ERROR), always=True)

    def _not_now(self, data: dict[str, Any]) -> Refusal | None:
        """Why this call cannot be taken, or not at this point of the session."""
        method = data["method"]
        if data.get("jsonrpc") != "2.0" or not isinstance(method, str) or not shapes.token(data.get("id", 0)):
            return Refusal("not a JSON-RPC 2.0 message", INVALID_REQUEST)
        if method == "exit":
            return None
        if self._shut_down:
            return Refusal("the server is shut down", INVALID_REQUEST)
        if method == "initialize":
            return Refusal("initialize was sent before", INVALID_REQUEST) if self._initialized else None
        return None if self._initialized else Refusal("the first request must be initialize", NOT_INITIALIZED)

    def _request(self, number: int | str, method: str, params: Any) -> None:
        try:
            result = self._called(method, params)
        except Exception as error:
            self._refuse(number, _refusal(error, method))
        else:
            if inspect.iscoroutine(result):
                task = self._tasks[number] = asyncio.ensure_future(result)
                task.add_done_callback(lambda done: self._done(number, method, done))
            else:
                self._answer(number, result)

    def _notification(self, method: str, params: Any) -> None:
        if method not in self._handlers:  # one of the future, or one that is optional
            return
        try:
            result = self._called(method, params)
        except Exception as error:
            self._refuse(None, _refusal(error, method))
        else:
            if inspect.iscoroutine(result):
                task = asyncio.ensure_future(result)
                self._notices.add(task)
                task.add_done_callback(lambda done: self._noticed(method, done))

    def _called(self, method: str, params: Any) -> Any:
        handler = self._handlers.get(method)
        if handler is None:
            log.warning("unknown method %s", method)
            raise Refusal(f"there is no method {method!r}", METHOD_NOT_FOUND)
        shapes.check(params, handler.wants)
        return handler.call(params)

    def _done(self, number: int | str, method: str, task: asyncio.Task[Any]) -> None:
        """A request's task is at its end."""
        if self._tasks.get(number) is task:
            del self._tasks[number]
        if task.cancelled():
            self._refuse(number, Refusal("the request was cancelled", CANCELLED))
        elif (error := task.exception()) is not None:
            self._refuse(number, _refusal(error, method))
        else:
            self._answer(number, task.result())

    def _noticed(self, method: str, task: asyncio.Task[Any]) -> None:
        self._notices.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._refuse(None, _refusal(error, method))

    def _receive_reply(self, data: dict[str, Any]) -> None:
        """A reply to a request of ours, unless it comes after we stopped waiting."""
        number = data.get("id")
        if not isinstance(number, (int, str)):
            log.warning("ignored a message that is neither a call nor a reply")
            return
        waiting = self._waiting.pop(str(number), None)
        if waiting is None or waiting.done():
            return
        if "error" in data:
            said = data["error"]
            waiting.set_exception(Refusal(str(said.get("message") if isinstance(said, dict) else said)))
        else:
            waiting.set_result(data.get("result"))

    # -- out -------------------------------------------------------------------------------------------------------
    def _answer(self, number: int | str, result: Any) -> None:
        text = self.encode(result).text
        self.journal.answered(number, len(text))
        self.write(f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"result":{text}}}')

    def _refuse(self, number: Any, refusal: Refusal, always: bool = False) -> None:
        """Answer with an error; about a notification (no number) nothing is said to the client."""
        self.journal.answered(number, 0, refusal.code)
        self.journal.said(refusal.message)
        if always or number is not None or refusal.code == INVALID_REQUEST:
            number = number if shapes.token(number) else None
            error = {"code": refusal.code, "message": refusal.message}
            self.write(self.encode({"jsonrpc": "2.0", "id": number, "error": error}).text)

    def encode(self, result: Any) -> Encoded:
        """A result as JSON text. Safe to call off the loop, where the work of encoding a large answer belongs."""
        return result if isinstance(result, Encoded) else Encoded(json.dumps(result, separators=(",", ":")))

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        text = self.encode(params).text
        self.journal.sent(method, len(text))
        self.write(f'{{"jsonrpc":"2.0","method":{json.dumps(method)},"params":{text}}}')

    def ask(self, method: str, params: Any) -> asyncio.Future[Any]:
        """Send a request of ours; the future is the client's result, or raises Refusal."""
        number = f"uir-{next(self._numbers)}"
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_look_at)
        body = self.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).text
        self.journal.sent(method, len(body))
        self.write(body)
        return future

    def write(self, body: str) -> None:
        """Send a message."""
        if self.writer is not None:
            self.writer.write(frame(body.encode()))

    # -- life cycle ------------------------------------------------------------------------------------------------
    def begin(self, writer: Writer, opening: Opening) -> None:
        """The session begins; `initialize` has perhaps been answered already."""
        self.writer = writer
        self.journal.began()
        if opening.options is not None:
            self.journal.opened(opening)
            self._greeted(opening.options)

    def _greeted(self, options: Options) -> None:
        """`initialize` is answered."""
        self._initialized = True
        self._begin(options)

    def _initialize(self, params: Any) -> dict[str, Any]:
        """Agree on what both sides can do."""
        shapes.check(params, {})
        options = Options.read(params)
        self._greeted(options)
        return welcome(options)

    def _shutdown(self, _: Any) -> None:
        """Stop all work; nothing but `exit` is taken after this."""
        self._shut_down = True
        for task in (*self._tasks.values(), *self._notices):
            task.cancel()
        self._stop()

    def _exit(self, _: Any) -> None:
        """End the process: code 0 after `shutdown`, 1 without."""
        self.exit()

    def exit(self) -> None:
        """The client is done, or gone."""
        self._end(0 if self._shut_down else 1)

    def _cancel(self, params: dict[str, Any]) -> None:
        """Cancel a request; the work behind it stops because every handler of ours is a task that owns its work."""
        task = self._tasks.get(params["id"])
        if task is not None:
            task.cancel()


def _refusal(error: BaseException, method: str) -> Refusal:
    """What is said about an error: a fault of ours is told apart from a mistake of the client.

    Its traceback goes to the log, not over the wire: it names files of this machine.
    """
    if isinstance(error, Refusal):
        return error
    log.error("%s failed", method, exc_info=error)
    return Refusal(f"{type(error).__name__}: {error}", INTERNAL_ERROR)


def _look_at(future: asyncio.Future[Any]) -> None:
    """Take note of an error that perhaps nobody waits for, so that it is not reported as one that nobody took."""
    if not future.cancelled():
        future.exception()
