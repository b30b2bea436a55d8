"""The text of an open document, and the immutable snapshots of it that every feature reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types

from uopc.uir import Analysis, Span
from uopc.uir.source import from_units, to_units

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def _lines_with_ends(text: str) -> list[str]:
    """The lines with their ends; the last one has none, and may be empty."""
    lines = _LINE.findall(text)
    if not lines or lines[-1].endswith(("\r", "\n")):
        lines.append("")
    return lines


@dataclass(frozen=True)
class ClientView:
    """How the client wants things.

    encoding: its unit of columns, "utf-8", "utf-16" or "utf-32"; markdown: hovers are Markdown, else plain text;
    command_links: a hover may hold links to the client's commands; allow: codes of warnings and hints not to show;
    asks_again: it pulls diagnostics, and pulls them again when it is told that they are others.
    """

    encoding: str = "utf-16"
    markdown: bool = True
    command_links: bool = False
    allow: frozenset[str] = frozenset()
    asks_again: bool = False


class Document:
    """The client's text, kept as lines that hold their own ends (LF, CRLF or CR): an edit costs what it changes.

    `revision` counts changes and, unlike the client's `version`, always rises.
    """

    def __init__(self, uri: str, version: int, text: str, client: ClientView) -> None:
        self.uri, self.version, self.client = uri, version, client
        self.revision = 0
        self.memory = Memory()
        self._lines = _lines_with_ends(text)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self._lines)

    def apply(self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Apply the changes of one notification, each to the result of the one before."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                self._splice(change.range, change.text)
            else:
                self._lines = _lines_with_ends(change.text)
        self.version = version
        self.revision += 1

    def _splice(self, span: types.Range, text: str) -> None:
        first, start = self._locate(span.start)
        last, end = self._locate(span.end)
        if (last, end) < (first, start):
            first, start, last, end = last, end, first, start
        middle = self._lines[first][:start] + text + self._lines[last][end:]
        if first and self._lines[first - 1].endswith("\r"):  # a "\n" may now follow it: one line end, not two
            first -= 1
            middle = self._lines[first] + middle
        if middle.endswith("\r") and last + 1 < len(self._lines):
            last += 1
            middle += self._lines[last]
        at_end = last + 1 == len(self._lines)
        pieces = _lines_with_ends(middle)
        self._lines[first : last + 1] = pieces if at_end else pieces[:-1]

    def _locate(self, position: types.Position) -> tuple[int, int]:
        """Line and code-point column; past the end of a line is its end, past the last line the end of the text."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line].rstrip("\r\n")
        return position.line, from_units(line, position.character, self.client.encoding)


@dataclass
class Memory:
    """What features remember of a document between answers: one entry a feature, gone when the document is closed.

    `good` (the last good answers of showC and showLoops) belongs to the loop, everything else to the analysis thread.
    """

    output_names: tuple[str, ...] = ()
    tokens: tuple[str, list[int]] = ("", [])
    counter: int = 0
    packed: dict[str, list[int]] = field(default_factory=dict)
    symbols: dict[str, tuple[int, Any, Any, str]] = field(default_factory=dict)
    diagnostics: dict[tuple[Any, ...], str] = field(default_factory=dict)
    good: dict[tuple[Any, ...], Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """One state of a document: text and what is known about it. Never changes, so any thread may read it."""

    uri: str
    version: int
    revision: int
    text: str
    lines: list[str]  # without line ends
    analysis: Analysis
    client: ClientView
    memory: Memory
    cost: float  # seconds the analysis took

    def position(self, line: int, column: int) -> dict[str, int]:
        """The client's position of a code-point column."""
        return {"line": line, "character": to_units(self.line(line), column, self.client.encoding)}

    def range(self, line: int, span: Span) -> dict[str, dict[str, int]]:
        """The client's range of a span in a line."""
        return {"start": self.position(line, span.start), "end": self.position(line, span.end)}

    def line(self, number: int) -> str:
        """The text of a line; empty past the end."""
        return self.lines[number] if number < len(self.lines) else ""

    def locate(self, position: types.Position) -> tuple[int, int]:
        """Line and code-point column of a client's position, clamped to the text."""
        if position.line >= len(self.lines):
            last = len(self.lines) - 1
            return last, len(self.lines[last])
        return position.line, from_units(self.lines[position.line], position.character, self.client.encoding)

    @property
    def whole(self) -> dict[str, dict[str, int]]:
        """The range of the whole text."""
        last = len(self.lines) - 1
        return {"start": {"line": 0, "character": 0}, "end": self.position(last, len(self.lines[last]))}
