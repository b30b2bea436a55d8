"""What goes to a terminal: colour only where it is one, and nothing that could steer it."""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import TextIO

_CODES = {"error": "1;31", "warning": "1;33", "hint": "1;36", "note": "1;34", "good": "1;32", "bold": "1"}


def coloured(stream: TextIO) -> bool:
    """Whether colour is wanted: on a terminal, unless NO_COLOR is set."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def paint(text: str, style: str, colour: bool) -> str:
    """`text` in the colour of `style`, or as it is."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if colour else text


def printable(text: str) -> str:
    """`text` with control characters (escape sequences!) made visible and tabs as blanks; one column less is none."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == " " else " " if c == "\t" else "\ufffd" for c in text)


def width(text: str) -> int:
    """Columns that `text` takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_columns(c) for c in text)


def _columns(c: str) -> int:
    if unicodedata.combining(c) or c in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def complain(message: str) -> None:
    """One line on standard error."""
    print(printable(message), file=sys.stderr)
