"""One client on two streams: a thread reads its messages, answers and events are written in order."""

from __future__ import annotations

import json
import os
import queue
import threading
from typing import Any, BinaryIO

from uir_lsp.transport import Unreadable, decode, frame, read_message

Message = dict[str, Any]

_GRACE = 3.0  # seconds that work in progress has to come to its end after a disconnect


class Connection:
    """messages: what the client sent, None at the end of its stream."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self.messages: queue.Queue[Message | None] = queue.Queue()
        self._stdin, self._stdout = stdin, stdout
        self._number = 0
        threading.Thread(target=self._read, name="uir-dap-reader", daemon=True).start()

    def _read(self) -> None:
        while (body := read_message(self._stdin)) is not None:
            try:
                message = decode(body)
            except Unreadable:
                continue
            if not isinstance(message, dict):
                continue
            self.messages.put(message)
            if message.get("command") in ("disconnect", "terminate"):
                _end_later()
        self.messages.put(None)
        _end_later()

    def answer(self, request: Message, body: Any = None) -> None:
        """The answer to a request."""
        self._send({**_answer_to(request), "success": True, **({} if body is None else {"body": body})})

    def refuse(self, request: Message, message: str, shown: bool = False) -> None:
        """A request that cannot be done, with a sentence; shown: the client puts it before the person."""
        error = {"id": 1, "format": message.replace("{", "(").replace("}", ")"), "showUser": shown}
        self._send({**_answer_to(request), "success": False, "message": message, "body": {"error": error}})

    def event(self, event: str, body: Any = None) -> None:
        """Something that happened."""
        self._send({"type": "event", "event": event, **({} if body is None else {"body": body})})

    def _send(self, message: Message) -> None:
        self._number += 1
        body = json.dumps({"seq": self._number, **message}, ensure_ascii=False).encode()
        try:
            self._stdout.write(frame(body))
            self._stdout.flush()
        except OSError:
            os._exit(0)  # nobody listens any more


def _answer_to(request: Message) -> Message:
    return {"type": "response", "request_seq": request.get("seq", 0), "command": request.get("command", "")}


def _end_later() -> None:
    """The process does not outlive its client, whatever it is computing."""
    timer = threading.Timer(_GRACE, os._exit, (0,))
    timer.daemon = True
    timer.start()
