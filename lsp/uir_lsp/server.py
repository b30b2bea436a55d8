"""The server: what a session holds, and how its parts are put together."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from uir_lsp import __version__
from uir_lsp.commands import COMMANDS, ShownFiles
from uir_lsp.compute import Compute
from uir_lsp.document import ClientView, Memory, Snapshot
from uir_lsp.feature import Feature, NotSettled, ServerFeature
from uir_lsp.features import FEATURES
from uir_lsp.features.diagnostics import published
from uir_lsp.kept import KeptRuns
from uir_lsp.options import Options
from uir_lsp.progress import Progress
from uir_lsp.protocol import Encoded, UirProtocol
from uir_lsp.readiness import Readiness
from uir_lsp.run import Early, Lane, NoAnswer
from uir_lsp.scheduler import BRIEF_LINES, Documents, make_snapshot
from uir_lsp.transport import ReaderThread, WriterThread
from uopc.uir import analyze

log = logging.getLogger(__name__)

LAST_WORDS = 1.0  # seconds for the client to take what is still queued when the server ends
TOO_LONG = 3.0  # seconds after the end of input at which the process ends whatever it is doing


class UirServer(LanguageServer):
    """One session with one client."""

    protocol: UirProtocol

    def __init__(self) -> None:
        super().__init__("uir-lsp", __version__, protocol_cls=UirProtocol)
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
        for feature in FEATURES:
            self._register(feature)

    # -- one session -----------------------------------------------------------------------------------------------
    async def serve(
        self, stdin: BinaryIO, stdout: BinaryIO, record: BinaryIO | None = None, replay: bool = False
    ) -> int:
        """Serve until `exit` or the end of input; gives the exit code. A replay is answered to its end first."""
        loop = asyncio.get_running_loop()
        self._done = loop.create_future()

        def post(call: Callable[..., Any], *args: Any) -> None:
            loop.call_soon_threadsafe(call, *args)

        writer = WriterThread(stdout, lost=lambda: post(self.end, 1))
        reader = ReaderThread(
            stdin,
            deliver=self._one_by_one(loop) if replay else lambda message: post(self.protocol.receive, message),
            unreadable=lambda reason: post(self.protocol.unreadable, reason),
            ended=(lambda: post(self._replayed)) if replay else lambda: self._input_ended(post),
            record=record,
            seen=self.protocol.journal.received,
        )
        self.protocol.journal.began()
        self.protocol.set_writer(writer)
        writer.start()
        reader.start()
        code = await self._done
        self.stop_work()
        writer.close()
        writer.join(LAST_WORDS)
        return code

    def _input_ended(self, post: Callable[..., Any]) -> None:
        """The client is gone. Runs on the reader's thread, so that even a loop that hangs cannot keep the process."""
        post(self.protocol.lsp_exit)
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

    def begin(self, params: types.InitializeParams, encoding: str) -> None:
        """Take what the client says of itself."""
        self.options = Options.read(params)
        said = self.options
        self.documents.client = ClientView(encoding, said.markdown, said.client_commands, said.allow, said.asks_again)

    def capabilities(self, encoding: Any) -> types.ServerCapabilities:
        """What this server offers this client."""
        manager = self.protocol.fm
        methods = {*manager.features, *manager.builtin_features}
        if not self.options.pull:
            methods.discard(types.TEXT_DOCUMENT_DIAGNOSTIC)
        commands = [] if self.options.client_commands else list(COMMANDS)
        if not commands:
            methods.discard(types.WORKSPACE_EXECUTE_COMMAND)
        sync = types.TextDocumentSyncKind.Incremental
        builder = ServerCapabilitiesBuilder(
            self.protocol.client_capabilities, methods, manager.feature_options, commands, sync, None, encoding
        )
        offered: types.ServerCapabilities = builder.build()  # type: ignore[no-untyped-call]
        if not commands:
            offered.execute_command_provider = None
        return offered

    # -- features --------------------------------------------------------------------------------------------------
    def _register(self, feature: Feature | ServerFeature) -> None:
        handler = self._about_document(feature) if isinstance(feature, Feature) else self._about_session(feature)
        self.protocol.fm.feature(feature.method, feature.options)(handler)

    def _about_document(self, feature: Feature) -> Callable[[Any], Coroutine[Any, Any, Encoded | None]]:
        async def handle(params: Any) -> Encoded | None:
            try:
                return await self._answer(feature, params, feature.settled(self.documents.client))
            except NotSettled:
                return await self._answer(feature, params, settled=True)

        return handle

    async def _answer(self, feature: Feature, params: Any, settled: bool) -> Encoded | None:
        snapshot = await self.documents.snapshot(feature.uri(params), settled)
        if snapshot is None:
            return None
        brief = feature.brief and len(snapshot.lines) <= BRIEF_LINES
        return await self.compute.call(self._encoded, feature, snapshot, params, brief=brief)

    def _encoded(self, feature: Feature, snapshot: Snapshot, params: Any) -> Encoded:
        return self.protocol.encode(feature.answer(snapshot, params))

    def _about_session(self, feature: ServerFeature) -> Callable[[Any], Coroutine[Any, Any, Any]]:
        async def handle(params: Any) -> Any:
            return await feature.handle(self, params)

        return handle

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

    async def execute_command(self, command: str, arguments: list[Any]) -> Any:
        """The result of one of the server's commands. Raises JsonRpcInvalidParams."""
        handler = COMMANDS.get(command)
        if handler is None:
            raise JsonRpcInvalidParams(f"there is no command {command!r}")
        return await handler(self, arguments[0] if arguments else None)

    # -- documents -------------------------------------------------------------------------------------------------
    async def snapshot_for(self, uri: str) -> Snapshot:
        """The newest snapshot of a document, open or on disk, settled. Raises JsonRpcInvalidParams."""
        snapshot = await self.documents.snapshot(uri, settled=True)
        if snapshot is not None:
            return snapshot
        path = to_fs_path(uri)
        try:
            return await self.compute.call(_read_snapshot, uri, path or "", self.documents.client)
        except (OSError, ValueError) as error:
            raise JsonRpcInvalidParams(f"{uri} is neither open nor a file that can be read") from error

    def close_document(self, uri: str) -> None:
        """Forget a document and take its diagnostics away."""
        self.documents.close(uri)
        self._publish(self.protocol.encode({"uri": uri, "diagnostics": []}), corrects=False)

    def _diagnostics_of(self, snapshot: Snapshot) -> Encoded:
        about = f'"uri":{json.dumps(snapshot.uri)},"version":{snapshot.version}'
        return Encoded(f'{{{about},"diagnostics":{published(snapshot)}}}')

    def _publish(self, params: Encoded, corrects: bool) -> None:
        if not self.options.pull:
            self.protocol.notify_encoded(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
        elif corrects and self.options.asks_again:
            self.workspace_diagnostic_refresh(None)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Errors of ours go to the log: a pop-up at every key stroke helps nobody."""
        if not isinstance(error, JsonRpcException):  # the client's fault, which the answer says
            log.error("%s failed", getattr(source, "__name__", source), exc_info=error)


def _read_snapshot(uri: str, path: str, client: ClientView) -> Snapshot:
    text = Path(path).read_bytes().decode("utf-8")
    return make_snapshot(uri, 0, 0, analyze(text, allow=client.allow), client, Memory(), 0.0)
