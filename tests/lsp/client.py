"""A client of the protocol for the tests: starts the real server, speaks JSON-RPC over its standard streams."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30.0  # a test that waits longer than this has failed


def environment() -> dict[str, str]:
    """An environment in which a child finds the packages of this tree, installed or not."""
    homes = [str(ROOT / "compiler"), str(ROOT / "lsp")]
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*homes, known] if known else homes)}


class ResponseError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.message, self.data = error["code"], error["message"], error.get("data")


class Client:
    """One server process. Everything it sends is kept in `received`, in order, with the time it came."""

    def __init__(
        self, *arguments: str, server: list[str] | None = None, env: dict[str, str] | None = None, **options: Any
    ) -> None:
        command = [*(server or [sys.executable, "-m", "uir_lsp"]), *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, env={**environment(), **(env or {})}, cwd=ROOT, **pipes, **options)
        self.received: list[tuple[float, dict[str, Any]]] = []
        self.answers_to_server: dict[str, Callable[[Any], Any] | None] = {}
        self.stderr = ""
        self._replies: dict[int | str, queue.Queue[dict[str, Any] | None]] = {}
        self._next_id = 0
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        self._errors = threading.Thread(target=self._read_errors, daemon=True)
        self._errors.start()

    # -- sending ---------------------------------------------------------------------------------------------------
    def send_bytes(self, data: bytes) -> None:
        """Put raw bytes into the server's input."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages: Any) -> None:
        """Send messages in one write."""
        self.send_bytes(b"".join(frame(message) for message in messages))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send(notification(method, params))

    def start(self, method: str, params: Any = None, before: Any = None) -> int:
        """Send a request and give its id, without waiting. `before`: a message to send in the same write."""
        self._next_id += 1
        self._replies[self._next_id] = queue.Queue()
        request = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        self.send(*([] if before is None else [before]), request)
        return self._next_id

    def result(self, request: int, seconds: float = SECONDS) -> Any:
        """The result of a request that was started. Raises ResponseError."""
        try:
            reply = self._replies[request].get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError(f"no answer in {seconds} s; stderr: {self.stderr}") from None
        if reply is None:
            raise ConnectionError(f"the server ended before it answered; stderr: {self.stderr}")
        if "error" in reply:
            raise ResponseError(reply["error"])
        return reply["result"]

    def request(self, method: str, params: Any = None, seconds: float = SECONDS) -> Any:
        """The result of a request. Raises ResponseError."""
        return self.result(self.start(method, params), seconds)

    # -- a session -------------------------------------------------------------------------------------------------
    def initialize(self, capabilities: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """Begin the session; `options` are the initializationOptions."""
        params = {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities or {}}
        result: dict[str, Any] = self.request("initialize", {**params, "initializationOptions": options})
        self.notify("initialized", {})
        return result

    def open(self, text: str, uri: str = "file:///test.uir", version: int = 1) -> str:
        """Open a document."""
        item = {"uri": uri, "languageId": "uir", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def edit(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Change a document."""
        self.send(change(uri, version, *changes))

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """A request about a position."""
        position = {"line": line, "character": character}
        return self.request(method, {"textDocument": {"uri": uri}, "position": position, **more})

    def about(self, method: str, uri: str, **more: Any) -> Any:
        """A request about a document."""
        return self.request(method, {"textDocument": {"uri": uri}, **more})

    def diagnostics(self, uri: str, version: int | None = None, seconds: float = SECONDS) -> list[dict[str, Any]]:
        """The diagnostics published for a version (None: the first there are)."""

        def fits(params: dict[str, Any]) -> bool:
            return params["uri"] == uri and (version is None or params.get("version") == version)

        found: list[dict[str, Any]] = self.wait_for("textDocument/publishDiagnostics", fits, seconds)["diagnostics"]
        return found

    # -- receiving -------------------------------------------------------------------------------------------------
    def messages(self, method: str) -> list[Any]:
        """The parameters of every message of a method so far."""
        return [message.get("params") for _, message in list(self.received) if message.get("method") == method]

    def wait_for(self, method: str, fits: Callable[[Any], bool] = lambda _: True, seconds: float = SECONDS) -> Any:
        """The parameters of the first message of a method that fits, received already or to come."""
        return self.wait_until(lambda: next((p for p in self.messages(method) if fits(p)), None), seconds)

    def wait_until(self, check: Callable[[], Any], seconds: float = SECONDS) -> Any:
        """What `check` gives as soon as that is not None, tried whenever something was received."""
        end = time.monotonic() + seconds
        with self._news:
            while (found := check()) is None:
                if not self._news.wait(end - time.monotonic()):
                    raise TimeoutError(f"waited {seconds} s; stderr: {self.stderr}")
            return found

    def _read(self) -> None:
        assert self.process.stdout is not None
        while (body := read_body(self.process.stdout)) is not None:
            arrived, message = time.monotonic(), json.loads(body)
            with self._news:
                self.received.append((arrived, message))
                self._news.notify_all()
            if "method" not in message:
                self._replies.setdefault(message["id"], queue.Queue()).put(message)
            elif "id" in message:
                self._answer(message)
        for waiting in list(self._replies.values()):
            waiting.put(None)

    def _answer(self, message: dict[str, Any]) -> None:
        answer = self.answers_to_server.get(message["method"], lambda params: None)
        if answer is not None:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": answer(message.get("params"))})

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.stderr += line.decode(errors="replace")

    # -- the end ---------------------------------------------------------------------------------------------------
    def close(self) -> int:
        """End the session as the protocol says; gives the exit code."""
        if self.process.poll() is None:
            try:
                self.request("shutdown")
                self.notify("exit")
            except (ResponseError, OSError):
                self.process.kill()
        return self.wait()

    def wait(self, seconds: float = SECONDS) -> int:
        """The exit code, once the process has ended."""
        code = self.process.wait(seconds)
        self._errors.join(seconds)
        return code


def frame(message: Any) -> bytes:
    """A message with its header."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def read(stream: Any) -> dict[str, Any] | None:
    """The next message; None at the end."""
    body = read_body(stream)
    return None if body is None else json.loads(body)


def read_body(stream: Any) -> bytes | None:
    """The text of the next message; None at the end."""
    size = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        if line.lower().startswith(b"content-length:"):
            size = int(line.partition(b":")[2])
        else:
            raise AssertionError(f"not a header: {line!r}")
    return stream.read(size) if line else None


def notification(method: str, params: Any = None) -> dict[str, Any]:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def change(uri: str, version: int, *changes: dict[str, Any]) -> dict[str, Any]:
    """A didChange notification."""
    document = {"uri": uri, "version": version}
    return notification("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})


def splice(line: int, start: int, end: int, text: str, last_line: int | None = None) -> dict[str, Any]:
    """A change of one range."""
    last = line if last_line is None else last_line
    span = {"start": {"line": line, "character": start}, "end": {"line": last, "character": end}}
    return {"range": span, "text": text}
