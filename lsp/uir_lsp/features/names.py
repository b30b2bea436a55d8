"""Names in the text. A name means one value in the whole file, so the tokens of a line are all it takes to find it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from uir_lsp.document import Snapshot
from uopc.uir import Span

_NAME_OR_COMMENT = re.compile(r"%([A-Za-z0-9_.]+)|#.*")


class Place(NamedTuple):
    """A name somewhere in the text; the span includes the %."""

    name: str
    line: int
    span: Span


def names_in(line_number: int, line: str) -> Iterator[Place]:
    """Every name of a line outside its comment, well-formed or not."""
    for found in _NAME_OR_COMMENT.finditer(line):
        if found.lastindex:
            yield Place(found[1], line_number, Span(*found.span()))


def name_at(snapshot: Snapshot, line: int, column: int) -> Place | None:
    """The name that a column touches, its end included."""
    for place in names_in(line, snapshot.line(line)):
        if place.span.start <= column <= place.span.end:
            return place
    return None


def places_of(snapshot: Snapshot, name: str) -> list[Place]:
    """Everywhere a name stands, in order: its definition (or definitions, which is an error) and its uses."""
    needle = "%" + name
    found = []
    for number, line in enumerate(snapshot.lines):
        if needle in line:
            found += [place for place in names_in(number, line) if place.name == name]
    return found


def definition_of(snapshot: Snapshot, name: str) -> Place | None:
    """Where a name is defined; where it is defined twice, the first definition stands."""
    value = snapshot.analysis.values.get(name)
    if value is None:
        return None
    statement = snapshot.analysis.statements[value.line]
    return Place(name, value.line, statement.name_span)
