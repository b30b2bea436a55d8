"""When the documents are analysed and their diagnostics published.

All analysis runs on one thread (see `compute`): it owns the graph's nodes, and the loop stays free.
An edit is analysed at once when the person has paused before it; while edits keep coming it waits about as long as the
last analysis took. A request never waits for that: it asks for a snapshot of the newest text and gets one. What was
computed for an older text is dropped, never published.

When a file is opened, and after an edit, the first snapshot is of a quick analysis (see `uopc.uir.analyze`): right
about errors and types. It is settled when a request needs its nodes, or when the person pauses; if that changes a
warning or a hint, the diagnostics are published again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Generic, TypeVar

from uir_lsp import garbage
from uir_lsp.compute import Compute
from uir_lsp.document import ClientView, Document, Memory, Snapshot
from uopc.uir import Analysis, Superseded, analyze, settle

log = logging.getLogger(__name__)
T = TypeVar("T")

SHORTEST_WAIT, LONGEST_WAIT = 0.020, 0.300
PAUSE = 0.350  # seconds without an edit, after which there is time to settle a long file,
SHORT_PAUSE = 0.030  # and one that takes next to none
LONG = 150  # lines of a long file
TINY = 24  # lines of a file whose quick analysis would save nothing
LATER = 2.0  # seconds after a long file was closed, when its remains are looked for
BRIEF = 0.015  # seconds an analysis took, up to which the one after a small edit is brief work
SMALL = 2_000  # characters of a small edit, and
BRIEF_LINES = 20_000  # lines of a file that is never long to analyse after one
LONGEST_SILENCE = 1.0  # somebody who types without a pause still sees diagnostics


class Entry:
    """A document with its schedule."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.latest: Snapshot | None = None
        self.analysis: Analysis | None = None  # the newest there is, whatever its revision; set on the analysis thread
        self.pending: asyncio.Task[Snapshot] | None = None
        self.pending_revision = -1
        self.settled: Snapshot | None = None  # the newest one as settled, if it was not at once; as `analysis`
        self.published: object = None  # the last message, and for which revision
        self.published_revision = -1
        self.timer: asyncio.TimerHandle | None = None
        self.pause: asyncio.TimerHandle | None = None
        self.last_edit = float("-inf")
        self.waiting_since: float | None = None
        self.closed = False


class Documents(Generic[T]):
    """The open documents. Every method but the analysis itself is called on the loop."""

    def __init__(self, compute: Compute, prepare: Callable[[Snapshot], T], publish: Callable[[T, bool], None]) -> None:
        """`prepare` makes a message of a snapshot, on the analysis thread.

        `publish` sends it, on the loop; its second argument says whether other diagnostics of the same text were known.
        """
        self._compute, self._prepare, self._publish = compute, prepare, publish
        self._entries: dict[str, Entry] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.client = ClientView()

    def open(self, uri: str, version: int, text: str) -> None:
        """Take a document over from disk and analyse it at once."""
        self.close(uri)
        entry = self._entries[uri] = Entry(Document(uri, version, text, self.client))
        self._due(entry)

    def change(self, uri: str, version: int, changes: Sequence[Mapping[str, Any]]) -> None:
        """Apply an edit, and see that it is analysed."""
        entry = self._entries.get(uri)
        if entry is None:
            log.warning("ignored a change of a document that is not open")
            return
        entry.document.apply(changes, version)
        self._schedule(entry)

    def close(self, uri: str) -> None:
        """Forget a document."""
        entry = self._entries.get(uri)
        if entry is not None:
            self._drop(entry)
            if entry.latest is not None and len(entry.latest.lines) > LONG:
                asyncio.get_running_loop().call_later(LATER, self._let_go)

    def _let_go(self) -> None:
        self._start(self._compute.call(garbage.let_go))

    def close_all(self) -> None:
        """Forget every document, at the end of the session."""
        for entry in list(self._entries.values()):
            self._drop(entry)

    def _drop(self, entry: Entry) -> None:
        del self._entries[entry.document.uri]
        entry.closed = True
        for timer in (entry.timer, entry.pause):
            if timer is not None:
                timer.cancel()

    def uris(self) -> list[str]:
        """The open documents."""
        return list(self._entries)

    @property
    def busy(self) -> bool:
        """Whether diagnostics are to come without another edit."""
        return bool(self._tasks) or any(entry.timer or entry.pause for entry in self._entries.values())

    async def snapshot(self, uri: str, settled: bool = False) -> Snapshot | None:
        """The newest state of an open document, analysed; None if it is not open.

        settled: its nodes are needed, not only its text, errors and types.
        """
        entry = self._entries.get(uri)
        if entry is None:
            return None
        return await self._settled(entry, lambda: False) if settled else await self._snapshot(entry)

    def known(self, uri: str, settled: bool) -> Snapshot | None:
        """The same without waiting; None also when it is not known and not found out in no time."""
        entry = self._entries.get(uri)
        snapshot = None if entry is None else self._at_once(entry)
        return None if snapshot is None or (settled and not snapshot.analysis.settled) else snapshot

    async def newest(self) -> Snapshot | None:
        """The snapshot of the document that was opened or edited last."""
        last = max(self._entries.values(), key=lambda entry: entry.last_edit, default=None)
        return None if last is None else await self._snapshot(last)

    # -- analysis --------------------------------------------------------------------------------------------------
    async def _snapshot(self, entry: Entry) -> Snapshot:
        known = self._at_once(entry)
        if known is not None:
            return known
        revision = entry.document.revision
        if entry.pending is None or entry.pending_revision != revision:
            entry.pending_revision = revision
            entry.pending = asyncio.ensure_future(self._analyse(entry))
        return await asyncio.shield(entry.pending)  # who waits may be cancelled; the others still want it

    def _at_once(self, entry: Entry) -> Snapshot | None:
        """The newest state, if it is known, or brief work that can be done here and now."""
        if entry.latest is not None and entry.latest.revision == entry.document.revision:
            return entry.latest
        if not self._compute.idle or not self._is_brief(entry):
            return None
        entry.latest = _take_snapshot(entry, *_state(entry.document))
        return entry.latest

    async def _analyse(self, entry: Entry) -> Snapshot:
        snapshot = await self._compute.call(_take_snapshot, entry, *_state(entry.document), urgent=True)
        if entry.latest is None or entry.latest.revision < snapshot.revision:
            entry.latest = snapshot
        return snapshot

    def _is_brief(self, entry: Entry) -> bool:
        """Whether the newest text will be analysed in no time."""
        known = entry.latest
        if known is None or known.cost > BRIEF or len(known.lines) > BRIEF_LINES:
            return False
        return entry.document.revision == known.revision + 1 and entry.document.changed <= SMALL

    async def _settled(self, entry: Entry, stop: Callable[[], bool]) -> Snapshot:
        """The newest state with nothing left to do. Raises Superseded once `stop` says so."""
        snapshot = await self._snapshot(entry)
        if snapshot.analysis.settled:
            return snapshot
        settled = await self._compute.call(_settle, entry, snapshot, stop)
        if entry.latest is snapshot:
            entry.latest = settled
        return settled

    # -- publishing ------------------------------------------------------------------------------------------------
    def _schedule(self, entry: Entry) -> None:
        now = time.monotonic()
        quiet, entry.last_edit = now - entry.last_edit, now
        if entry.pause is not None:
            entry.pause.cancel()
            entry.pause = None
        cost = entry.latest.cost if entry.latest is not None else 0.0
        wait = min(max(cost, SHORTEST_WAIT), LONGEST_WAIT)
        if entry.timer is None and quiet >= wait:
            self._due(entry)
            return
        if entry.waiting_since is None:
            entry.waiting_since = now
        if entry.timer is not None:
            entry.timer.cancel()
        longest = max(entry.waiting_since + LONGEST_SILENCE - now, 0.0)
        entry.timer = asyncio.get_running_loop().call_later(min(wait, longest), self._due, entry, wait < longest)

    def _due(self, entry: Entry, quiet: bool = False) -> None:
        """Publish. quiet: edits came, and have ceased; what is published then is published once."""
        entry.timer, entry.waiting_since = None, None
        if quiet or not self._refreshed_at_once(entry):
            self._start(self._refresh(entry, settled=quiet))

    def _refreshed_at_once(self, entry: Entry) -> bool:
        """Publish what is known of the newest text, if that is brief work: a task and a thread would take longer."""
        try:
            snapshot = self._at_once(entry)
            if snapshot is None or snapshot.cost > BRIEF or not self._compute.idle:
                return False
            self._tell(entry, snapshot, self._prepare(snapshot))
            if not snapshot.analysis.settled:
                self._settle_later(entry, snapshot)
        except Exception:  # as in _refresh
            log.exception("the analysis of %s failed", entry.document.uri)
        return True

    def _tell(self, entry: Entry, snapshot: Snapshot, message: T) -> None:
        """Publish a message about the newest text, if it is news."""
        if message != entry.published:
            corrects = entry.published_revision == snapshot.revision or entry.settled is snapshot
            entry.published, entry.published_revision = message, snapshot.revision
            self._publish(message, corrects)

    def _paused(self, entry: Entry) -> None:
        entry.pause = None
        self._start(self._refresh(entry, settled=True))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _refresh(self, entry: Entry, settled: bool) -> None:
        """Publish what is known of the newest text, if it is news; what a quick analysis left, when there is time."""
        revision = entry.document.revision

        def old() -> bool:
            return entry.closed or entry.document.revision != revision

        def stop() -> bool:  # who waits for an answer goes before what nobody has asked for
            return old() or (entry.published_revision == revision and self._compute.waited_for)

        try:
            snapshot = await (self._settled(entry, stop) if settled else self._snapshot(entry))
            message = await self._compute.call(self._prepare, snapshot, urgent=not settled)
            if old():
                return
            self._tell(entry, snapshot, message)
            if settled or not revision:
                await self._compute.call(snapshot.analysis.expect_edits)
            if not snapshot.analysis.settled:
                self._settle_later(entry, snapshot)
            elif settled:
                await self._compute.call(garbage.tidy)
        except Superseded:
            if not old():
                self._pause(entry, PAUSE)
        except Exception:  # a fault of ours in one text: it is told in the log, and the next edit is analysed again
            log.exception("the analysis of %s failed", entry.document.uri)

    def _settle_later(self, entry: Entry, snapshot: Snapshot) -> None:
        soon = not snapshot.revision or len(snapshot.lines) <= LONG
        self._pause(entry, SHORT_PAUSE if soon else PAUSE)

    def _pause(self, entry: Entry, pause: float) -> None:
        if not entry.closed:
            entry.pause = asyncio.get_running_loop().call_later(pause, self._paused, entry)


def _state(document: Document) -> tuple[int, int, str, list[str]]:
    return document.version, document.revision, document.text, document.lines


def _take_snapshot(entry: Entry, version: int, revision: int, text: str, lines: list[str]) -> Snapshot:
    """Analyse a text, from what is known of the text before it. Runs on the analysis thread."""
    began = time.perf_counter()
    document = entry.document
    before = entry.analysis
    quick = len(lines) > TINY
    with garbage.kept() if before is None else nullcontext():
        analysis = analyze(text, before, allow=document.client.allow, quick=quick, lines=lines)
    entry.analysis, entry.settled = analysis, None
    cost = time.perf_counter() - began
    return make_snapshot(document.uri, version, revision, analysis, document.client, document.memory, cost)


def _settle(entry: Entry, snapshot: Snapshot, stop: Callable[[], bool]) -> Snapshot:
    """The same state with nothing left to do. Runs on the analysis thread. Raises Superseded once `stop` says so."""
    known = entry.settled
    if known is not None and known.revision == snapshot.revision:
        return known
    settled = replace(snapshot, analysis=settle(snapshot.analysis, stop))
    if entry.analysis is snapshot.analysis:
        entry.analysis, entry.settled = settled.analysis, settled
    return settled


def make_snapshot(
    uri: str, version: int, revision: int, analysis: Analysis, client: ClientView, memory: Memory, cost: float
) -> Snapshot:
    """The snapshot of an analysis."""
    return Snapshot(uri, version, revision, analysis.text, analysis.lines, analysis, client, memory, cost)
