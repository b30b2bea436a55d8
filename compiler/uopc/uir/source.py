"""Text and lines: splitting at LF, CRLF and CR only, and conversion between offsets, columns and code units."""

from __future__ import annotations

import re
from bisect import bisect_right

BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[str]:
    """The lines without their ends; a text of n line ends has n + 1 lines. U+2028, FF, NEL do not end a line."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def line_end_of(text: str) -> str:
    """The first line end of a text, "\\n" when there is none: what inserted lines end with."""
    found = _LINE_END.search(text)
    return found.group() if found else "\n"


class LineTable:
    """Offsets of a text as (line, column) and columns in code units. All 0-based; out-of-range input is clamped."""

    def __init__(self, text: str) -> None:
        self.text = text
        starts = [0]
        starts.extend(m.end() for m in _LINE_END.finditer(text))
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts)

    def line(self, line: int) -> str:
        """The text of a line without its end."""
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column in code points) of an offset in code points."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def offset(self, line: int, column: int) -> int:
        """Offset of a line and column in code points; past the end of a line is its end."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        return self._starts[line] + max(0, min(column, len(self.line(line))))

    def units(self, line: int, column: int, encoding: str = "utf-16") -> int:
        """A column of code points in units of "utf-8", "utf-16" or "utf-32"."""
        return to_units(self.line(line), column, encoding)

    def column(self, line: int, units: int, encoding: str = "utf-16") -> int:
        """A column of code units in code points; inside a surrogate pair it is the pair's start."""
        return from_units(self.line(line), units, encoding)


def to_units(text: str, column: int, encoding: str) -> int:
    """Code units of the first `column` code points of a line. O(1) when the line is ASCII."""
    column = max(0, min(column, len(text)))
    if text.isascii() or encoding == "utf-32":
        return column
    head = text[:column]
    if encoding == "utf-8":
        return len(head.encode("utf-8", "surrogatepass"))
    return column + sum(1 for c in head if c > "\uffff")


def from_units(text: str, units: int, encoding: str) -> int:
    """Code points in the first `units` code units of a line, clamped to the line. O(1) when the line is ASCII."""
    if text.isascii() or encoding == "utf-32":
        return max(0, min(units, len(text)))
    seen = 0
    for column, c in enumerate(text):
        seen += len(c.encode("utf-8", "surrogatepass")) if encoding == "utf-8" else 1 + (c > "\uffff")
        if seen > units:
            return column
    return len(text)
