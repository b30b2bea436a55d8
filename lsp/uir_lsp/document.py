"""The text of an open document, and the immutable snapshots of it that every feature reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from uopc.uir import Analysis, Span
from uopc.uir.source import from_units, to_units

_END = re.compile(r"(\r\n|\n|\r)")


def _split(text: str) -> tuple[list[str], list[str]]:
    """The lines and what each ends with; the last one, which may be empty, with nothing."""
    if "\r" not in text:
        lines = text.split("\n")
        return lines, ["\n"] * (len(lines) - 1) + [""]
    parts = _END.split(text)
    return parts[::2], [*parts[1::2], ""]


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
    """The client's text, kept as lines and their ends (LF, CRLF or CR): an edit costs what it changes.

    `revision` counts changes and, unlike the client's `version`, always rises; `changed`: how many characters
    the last change put in, and the lines that it was in had.
    """

    def __init__(self, uri: str, version: int, text: str, client: ClientView) -> None:
        self.uri, self.version, self.client = uri, version, client
        self.revision = 0
        self.memory = Memory()
        self._replace(text)

    @property
    def text(self) -> str:
        """The whole text."""
        if self._plain:
            return "\n".join(self._lines)
        return "".join(map(str.__add__, self._lines, self._ends))

    @property
    def lines(self) -> list[str]:
        """The lines without their ends; those that no edit has touched are the same objects as before."""
        return self._lines.copy()

    def apply(self, changes: Sequence[Mapping[str, Any]], version: int) -> None:
        """Apply the changes of one notification, each to the result of the one before."""
        self.changed = 0
        for change in changes:
            if change.get("range") is not None:
                self._splice(change["range"], change["text"])
            else:
                self._replace(change["text"])
        self.version = version
        self.revision += 1

    def _replace(self, text: str) -> None:
        self.changed = len(text)
        self._lines, self._ends = _split(text)
        self._plain = "\r" not in text  # every line ends with "\n"

    def _splice(self, span: Mapping[str, Any], text: str) -> None:
        lines, ends = self._lines, self._ends
        first, start = self._locate(span["start"])
        last, end = self._locate(span["end"])
        if (last, end) < (first, start):
            first, start, last, end = last, end, first, start
        middle = lines[first][:start] + text + lines[last][end:] + ends[last]
        if first and ends[first - 1] == "\r":  # a "\n" may now follow it: one line end, not two
            first -= 1
            middle = f"{lines[first]}\r{middle}"
        if middle.endswith("\r") and last + 1 < len(lines):
            last += 1
            middle += lines[last] + ends[last]
        self.changed += len(text) + sum(map(len, lines[first : last + 1]))
        new_lines, new_ends = _split(middle)
        if last + 1 < len(lines):  # the middle ends with a line end, after which nothing is new
            del new_lines[-1], new_ends[-1]
        lines[first : last + 1] = new_lines
        ends[first : last + 1] = new_ends
        self._plain = self._plain and "\r" not in text

    def _locate(self, position: Mapping[str, int]) -> tuple[int, int]:
        """Line and code-point column; past the end of a line is its end, past the last line the end of the text."""
        number = position["line"]
        if number >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return number, from_units(self._lines[number], position["character"], self.client.encoding)


@dataclass
class Memory:
    """What features remember of a document between answers: one entry a feature, gone when the document is closed.

    `good` (the last good answers: C, loops, graph) belongs to the loop, everything else to the analysis thread.
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

    def locate(self, position: Mapping[str, int]) -> tuple[int, int]:
        """Line and code-point column of a client's position, clamped to the text."""
        number = position["line"]
        if number >= len(self.lines):
            last = len(self.lines) - 1
            return last, len(self.lines[last])
        return number, from_units(self.lines[number], position["character"], self.client.encoding)

    @property
    def whole(self) -> dict[str, dict[str, int]]:
        """The range of the whole text."""
        last = len(self.lines) - 1
        return {"start": {"line": 0, "character": 0}, "end": self.position(last, len(self.lines[last]))}
