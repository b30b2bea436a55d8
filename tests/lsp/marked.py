"""Texts with marks: `$0` is a cursor, so that a test shows the place it asks about."""

from __future__ import annotations

import itertools
from typing import Any

from client import Client

_numbers = itertools.count()


def opened(client: Client, marked: str) -> tuple[str, int, int]:
    """Open a text under a URI of its own; gives the URI and the position of `$0` (ASCII before it in its line)."""
    before, _, after = marked.partition("$0")
    uri = client.open(before + after, uri=f"file:///marked{next(_numbers)}.uir")
    lines = before.split("\n")
    return uri, len(lines) - 1, len(lines[-1])


def ask(client: Client, method: str, marked: str, **more: Any) -> Any:
    """The answer to a request about the mark."""
    return client.at(method, *opened(client, marked), **more)


def place(line: int, start: int, end: int) -> dict[str, Any]:
    """The protocol's range within a line."""
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def apply(text: str, edits: list[dict[str, Any]]) -> str:
    """A text (of ASCII, LF) after edits in the protocol's form, none of which overlap."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(position: dict[str, int]) -> int:
        return min(starts[position["line"]] + position["character"], len(text))

    spans = sorted(
        ((offset(e["range"]["start"]), offset(e["range"]["end"]), e["newText"]) for e in edits), reverse=True
    )
    for start, end, new in spans:
        text = text[:start] + new + text[end:]
    return text
