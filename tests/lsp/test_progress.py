"""Progress lines leave nothing behind."""

from __future__ import annotations

import asyncio
from typing import Any

import uir_lsp.progress as progress
from uir_lsp.progress import Progress


class Recorder:
    """Stands for the protocol: keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def notify(self, method: str, params: Any) -> None:
        self.sent.append((method, params))


def test_tokens_are_forgotten_when_the_work_ends() -> None:
    async def work() -> None:
        recorder = Recorder()
        lines = Progress(recorder)  # type: ignore[arg-type]
        pressed = []
        for k in range(3):
            line = lines.start("t", lambda: pressed.append(1), k)
            line.stage("s")
            line.close()
        assert lines._cancels == {}
        lines.cancel(0)
        assert pressed == []
        assert recorder.sent == []

    asyncio.run(work())


def test_a_line_begins_once_and_ends_once(monkeypatch: Any) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.01)

    async def work() -> list[Any]:
        recorder = Recorder()
        line = Progress(recorder).start("t", lambda: None, "token")  # type: ignore[arg-type]
        line.stage("first")
        await asyncio.sleep(0.05)
        line.stage("second")
        line.close()
        return [params["value"] for _, params in recorder.sent]

    begin, report, end = asyncio.run(work())
    assert (begin["kind"], begin["message"]) == ("begin", "first")
    assert (report["kind"], report["message"]) == ("report", "second")
    assert end == {"kind": "end"}
