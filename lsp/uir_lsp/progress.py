"""Progress lines in the editor, with a stage and a cancel button, for work that takes longer than half a second."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from uir_lsp.refusal import Refusal

if TYPE_CHECKING:
    from uir_lsp.protocol import Endpoint

Token = int | str
DELAY = 0.5


class Progress:
    """The progress lines that are shown now. An entry lives as long as its work and no longer."""

    def __init__(self, protocol: Endpoint) -> None:
        self._protocol = protocol
        self.offered = False  # the client shows lines that it did not ask for
        self._cancels: dict[Token, Callable[[], Any]] = {}

    def start(self, title: str, on_cancel: Callable[[], Any], client_token: Token | None) -> Line:
        """A line for work that begins now. Close it when the work ends, however it ends."""
        token = client_token if client_token is not None else f"uir-{uuid.uuid4()}"
        self._cancels[token] = on_cancel
        return Line(self, token, title, must_ask=client_token is None)

    def cancel(self, token: Token) -> None:
        """The person pressed cancel."""
        cancel = self._cancels.get(token)
        if cancel is not None:
            cancel()

    def forget(self, token: Token) -> None:
        """The work ended."""
        self._cancels.pop(token, None)

    def send(self, token: Token, value: dict[str, Any]) -> None:
        """One `$/progress` notification."""
        self._protocol.notify("$/progress", {"token": token, "value": value})

    async def ask_for(self, token: Token) -> bool:
        """Whether the client shows a line under a token of ours."""
        if not self.offered:
            return False
        try:
            await self._protocol.ask("window/workDoneProgress/create", {"token": token})
        except Refusal:  # then there is no line
            return False
        return True


class Line:
    """One progress line. It appears after half a second; work that is done sooner never shows one."""

    def __init__(self, owner: Progress, token: Token, title: str, must_ask: bool) -> None:
        self._owner, self._token, self._title, self._must_ask = owner, token, title, must_ask
        self._stage = ""
        self._shown = False
        self._task = asyncio.ensure_future(self._show())

    async def _show(self) -> None:
        await asyncio.sleep(DELAY)
        if self._must_ask and not await self._owner.ask_for(self._token):
            return
        begin = {"kind": "begin", "title": self._title, "cancellable": True, "message": self._stage}
        self._owner.send(self._token, begin)
        self._shown = True

    def stage(self, text: str) -> None:
        """Say what is being done now."""
        self._stage = text
        if self._shown:
            self._owner.send(self._token, {"kind": "report", "cancellable": True, "message": text})

    def close(self) -> None:
        """The work ended."""
        self._task.cancel()
        self._owner.forget(self._token)
        if self._shown:
            self._owner.send(self._token, {"kind": "end"})
