"""A client of the debug adapter, as an editor is one: over pipes, with a process of its own."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from uir_lsp.transport import frame, read_message

Message = dict[str, Any]
PATIENCE = 30.0  # seconds


class Refused(Exception):
    """The adapter answered that it cannot."""


class DapClient:
    """Requests wait for their answer; events are kept until they are asked for."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "uopc.cli", "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.answers: queue.Queue[Message] = queue.Queue()
        self.events: queue.Queue[Message] = queue.Queue()
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while (body := read_message(self.process.stdout)) is not None:
            message = json.loads(body)
            (self.events if message["type"] == "event" else self.answers).put(message)

    def send(self, command: str, arguments: Message | None = None) -> int:
        """Sends a request and returns its number."""
        self.number += 1
        message = {"seq": self.number, "type": "request", "command": command, "arguments": arguments or {}}
        assert self.process.stdin is not None
        self.process.stdin.write(frame(json.dumps(message).encode()))
        self.process.stdin.flush()
        return self.number

    def ask(self, command: str, **arguments: Any) -> Any:
        """The body of the answer. Raises Refused."""
        number = self.send(command, arguments)
        answer = self.answers.get(timeout=PATIENCE)
        assert (answer["request_seq"], answer["command"]) == (number, command)
        if not answer["success"]:
            raise Refused(answer["message"])
        return answer.get("body")

    def event(self, name: str) -> Message:
        """The body of the next event of that name; others before it are let go of."""
        while True:
            event = self.events.get(timeout=PATIENCE)
            if event["event"] == name:
                body: Message = event.get("body", {})
                return body

    def launch(self, program: Path, breakpoints: dict[str, list[Message]] | None = None, **options: Any) -> list[Any]:
        """Everything up to the first stop; the answers to the breakpoints, set on the file or on the listing."""
        self.ask("initialize", adapterID="uir", linesStartAt1=True)
        self.ask("launch", program=str(program), **options)
        self.event("initialized")
        answers = []
        for where, asked in (breakpoints or {}).items():
            source: Message = {"path": str(program)} if where == "file" else {"sourceReference": 1}
            answers += self.ask("setBreakpoints", source=source, breakpoints=asked)["breakpoints"]
        self.ask("configurationDone")
        return answers

    def go(self, command: str) -> Message:
        """Moves, and returns the body of the stop."""
        self.ask(command, threadId=1)
        return self.event("stopped")

    def frames(self) -> list[Message]:
        """The stack."""
        frames: list[Message] = self.ask("stackTrace", threadId=1)["stackFrames"]
        return frames

    def line(self) -> int:
        """The current line, from 1."""
        return int(self.frames()[0]["line"])

    def scope(self, name: str) -> dict[str, str]:
        """name -> value of the variables of a scope."""
        return {v["name"]: v["value"] for v in self.variables(self.reference(name))}

    def counters(self) -> dict[str, str]:
        """The loop counters with their bounds, as `1  (0..3)`."""
        return {
            name: value for name, value in self.scope("Counters, accumulators, this line").items() if "(0.." in value
        }

    def reference(self, name: str) -> int:
        """The reference of a scope."""
        scopes = self.ask("scopes", frameId=1)["scopes"]
        return int(next(s["variablesReference"] for s in scopes if s["name"] == name))

    def variables(self, reference: int, **page: int) -> list[Message]:
        """The variables behind a reference."""
        found: list[Message] = self.ask("variables", variablesReference=reference, **page)["variables"]
        return found

    def value(self, expression: str, context: str = "hover") -> str:
        """What an expression is now."""
        return str(self.ask("evaluate", expression=expression, frameId=1, context=context)["result"])

    def close(self) -> int:
        """Disconnects and returns the exit code of the adapter."""
        if self.process.poll() is None:
            try:
                self.send("disconnect")
                self.process.wait(PATIENCE)
            except OSError:
                self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        return self.process.wait(PATIENCE)
