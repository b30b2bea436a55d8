"""The server: what a session holds, and how its parts are put together."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from uir_lsp import shapes
from uir_lsp.compute import Compute
from uir_lsp.document import ClientView, Memory, Snapshot
from uir_lsp.feature import Feature, NotSettled, ServerFeature
from uir_lsp.features import FEATURES
from uir_lsp.features.diagnostics import published
from uir_lsp.journal import Journal
from uir_lsp.kept import KeptRuns
from uir_lsp.opening import Opening
from uir_lsp.options import Options
from uir_lsp.pipes import ReaderThread, WriterThread
from uir_lsp.progress import Progress
from uir_lsp.protocol import Encoded, Endpoint, Handler
from uir_lsp.readiness import Readiness
from uir_lsp.refusal import InvalidParams
from uir_lsp.run import Early, Lane, NoAnswer
from uir_lsp.scheduler import BRIEF_LINES, Documents, make_snapshot
from uir_lsp.shown import ShownFiles
from uir_lsp.uris import path_of
from uopc.uir import analyze

log = logging.getLogger(__name__)

LAST_WORDS = 1.0  # seconds for the client to take what is still queued when the server ends
TOO_LONG = 3.0  # seconds after the end of input at which the process ends whatever it is doing


class UirServer:
    """One session with one client."""

    def __init__(self) -> None:
        self.protocol = Endpoint(self._begin, self.stop_work, self.end, Journal())
        self.options = Options()
        self.compute = Compute()
        self.documents: Documents[Encoded] = Documents(self.compute, self._diagnostics_of, self._publish)
        self.lines = Progress(self.protocol)
        self.show_lane, self.run_lane = Lane(limit=1), Lane(limit=2)
        self.side_lane = Lane(limit=1)  # what nobody waits for: a run must not wait for it either
        self.ahead_lane = Lane(limit=1)  # builds that nobody asked for yet, ended when a run is asked for
        self.readiness = Readiness(self)
        self.shown, self.kept = ShownFiles(), KeptRuns()
        self._done: asyncio.Future[int] | None = None
        self.protocol.register(
            "window/workDoneProgress/cancel",
            Handler(lambda said: self.lines.cancel(said["token"]), {"token": shapes.token}),
        )
        for feature in FEATURES:
            self._register(feature)

    # -- one session -----------------------------------------------------------------------------------------------
    async def serve(
        self, stdin: BinaryIO, stdout: BinaryIO, opening: Opening, record: BinaryIO | None = None, replay: bool = False
    ) -> int:
        """Serve until `exit` or the end of input; gives the exit code. A replay is answered to its end first."""
        loop = asyncio.get_running_loop()
        self._done = loop.create_future()

        def post(call: Callable[..., Any], *args: Any) -> None:
            loop.call_soon_threadsafe(call, *args)

        writer = WriterThread(stdout, lost=lambda: post(self.end, 1))
        reader = ReaderThread(
            stdin,
            [] if opening.options or opening.body is None else [opening.body],
            deliver=self._one_by_one(loop) if replay else lambda message: post(self.protocol.receive, message),
            unreadable=lambda reason: post(self.protocol.unreadable, reason),
            ended=(lambda: post(self._replayed)) if replay else lambda: self._input_ended(post),
            record=record,
            seen=self.protocol.journal.received,
        )
        self.protocol.begin(writer, opening)
        writer.start()
        reader.start()
        code = await self._done
        self.stop_work()
        writer.close()
        writer.join(LAST_WORDS)
        return code

    def _input_ended(self, post: Callable[..., Any]) -> None:
        """The client is gone. Runs on the reader's thread, so that even a loop that hangs cannot keep the process."""
        post(self.protocol.exit)
        time.sleep(TOO_LONG)
        self.stop_work()
        os._exit(1)

    def _one_by_one(self, loop: asyncio.AbstractEventLoop) -> Callable[[Any], None]:
        """Hand a recorded message on and wait for its answer: a recording has no clock, its order is all there is."""

        async def take(message: Any) -> None:
            self.protocol.receive(message)
            while self.protocol.busy:
                await asyncio.sleep(0.005)

        return lambda message: asyncio.run_coroutine_threadsafe(take(message), loop).result()

    def _replayed(self) -> None:
        """The recording is at its end: wait for what an edit has still to bring."""
        if self.documents.busy:
            asyncio.get_running_loop().call_later(0.01, self._replayed)
        else:
            self.end(0)

    def end(self, code: int) -> None:
        """Let `serve` return."""
        if self._done is not None and not self._done.done():
            self._done.set_result(code)

    def stop_work(self) -> None:
        """End every child process and drop what has not begun."""
        self.readiness.stop()
        for lane in (self.show_lane, self.run_lane, self.side_lane, self.ahead_lane):
            lane.kill()
        self.shown.remove()
        self.kept.close()
        self.documents.close_all()
        self.compute.stop()

    def _begin(self, said: Options) -> None:
        """Take what the client says of itself."""
        self.options = said
        self.lines.offered = said.progress
        self.documents.client = ClientView(
            said.encoding, said.markdown, said.client_commands, said.allow, said.asks_again
        )

    # -- features --------------------------------------------------------------------------------------------------
    def _register(self, feature: Feature | ServerFeature) -> None:
        call = self._about_document(feature) if isinstance(feature, Feature) else partial(feature.handle, self)
        self.protocol.register(feature.method, Handler(call, feature.wants))

    def _about_document(self, feature: Feature) -> Callable[[Any], Any]:
        def handle(params: Any) -> Encoded | Coroutine[Any, Any, Encoded | None]:
            """The answer, at once if that is brief work."""
            settled = feature.settled(self.documents.client)
            if feature.brief and self.compute.idle:
                snapshot = self.documents.known(feature.uri(params), settled)
                if snapshot is not None and len(snapshot.lines) <= BRIEF_LINES:
                    with suppress(NotSettled):
                        return self._encoded(feature, snapshot, params)
            return self._answer(feature, params, settled)

        return handle

    async def _answer(self, feature: Feature, params: Any, settled: bool) -> Encoded | None:
        snapshot = await self.documents.snapshot(feature.uri(params), settled)
        if snapshot is None:
            return None
        try:
            return await self.compute.call(self._encoded, feature, snapshot, params)
        except NotSettled:
            return await self._answer(feature, params, settled=True)

    def _encoded(self, feature: Feature, snapshot: Snapshot, params: Any) -> Encoded:
        return self.protocol.encode(feature.answer(snapshot, params))

    async def work(
        self, lane: Lane, job: dict[str, Any], title: str, token: int | str | None, early: Early | None = None
    ) -> Any:
        """The answer to a job in a child process, under a progress line whose cancel button ends it.

        Raises NoAnswer; when the request is cancelled, the job's processes are gone before this returns.
        """
        pressed = False

        def stop() -> None:
            nonlocal pressed
            pressed = True
            task.cancel()

        task = asyncio.ensure_future(lane.call(job, lambda text: line.stage(text), early))
        line = self.lines.start(title, stop, token)
        try:
            return await task
        except asyncio.CancelledError:
            if not pressed:
                raise
            raise NoAnswer("cancelled") from None
        finally:
            line.close()
            self.readiness.touch()

    # -- documents -------------------------------------------------------------------------------------------------
    async def snapshot_for(self, uri: str) -> Snapshot:
        """The newest snapshot of a document, open or on disk, settled. Raises InvalidParams."""
        snapshot = await self.documents.snapshot(uri, settled=True)
        if snapshot is not None:
            return snapshot
        path = path_of(uri)
        try:
            return await self.compute.call(_read_snapshot, uri, path or "", self.documents.client)
        except (OSError, ValueError) as error:
            raise InvalidParams(f"{uri} is neither open nor a file that can be read") from error

    def close_document(self, uri: str) -> None:
        """Forget a document and take its diagnostics away."""
        self.documents.close(uri)
        self._publish(self.protocol.encode({"uri": uri, "diagnostics": []}), corrects=False)

    def show_message(self, kind: int, text: str) -> None:
        """Show the person a text."""
        self.protocol.notify("window/showMessage", {"type": kind, "message": text})

    def _diagnostics_of(self, snapshot: Snapshot) -> Encoded:
        about = f'"uri":{json.dumps(snapshot.uri)},"version":{snapshot.version}'
        return Encoded(f'{{{about},"diagnostics":{published(snapshot)}}}')

    def _publish(self, params: Encoded, corrects: bool) -> None:
        if not self.options.pull:
            self.protocol.notify("textDocument/publishDiagnostics", params)
        elif corrects and self.options.asks_again:
            self.protocol.ask("workspace/diagnostic/refresh", None)


def _read_snapshot(uri: str, path: str, client: ClientView) -> Snapshot:
    text = Path(path).read_bytes().decode("utf-8")
    return make_snapshot(uri, 0, 0, analyze(text, allow=client.allow), client, Memory(), 0.0)
