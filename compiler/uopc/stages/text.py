"""A text about a program whose lines know the nodes that they were written for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from uopc.uir.printer import dump_lines
from uopc.uop import UOp

_NOTE_AT = (24, 40)  # columns between which notes begin,
_NOTE_STEP = 8  # in steps, so that a line that grows a little moves nothing


class Line(NamedTuple):
    """One line. note: what is said beside it; nodes: of the graph, whose computation it is part of."""

    text: str
    note: str = ""
    nodes: tuple[UOp, ...] = ()


@dataclass(frozen=True)
class Text:
    """Lines in one language: "uir", "loops" (loop nests for people) or "c"."""

    language: str
    lines: tuple[str, ...]
    nodes: tuple[tuple[UOp, ...], ...]

    @property
    def text(self) -> str:
        """The whole."""
        return "".join(f"{line}\n" for line in self.lines)


def laid_out(language: str, lines: Iterable[Line]) -> Text:
    """Lines with their notes in one column."""
    known = list(lines)
    least, most = _NOTE_AT
    widths = [len(line.text) for line in known if line.note]
    column = max([least, *(-(-(w + 3) // _NOTE_STEP) * _NOTE_STEP for w in widths if w + 3 <= most)])
    texts = tuple(f"{line.text:<{column - 2}}  {line.note}".rstrip() if line.note else line.text for line in known)
    return Text(language, texts, tuple(line.nodes for line in known))


class Namer:
    """Names for nodes that stay the same from stage to stage: the file's own, then numbers that it does not use.

    owners: node without a name -> the name of the line that it is part of (sugar makes several nodes of one line).
    """

    def __init__(self, given: Mapping[UOp, str], owners: Mapping[UOp, str] | None = None) -> None:
        self.names = {u: f"%{name}" for u, name in given.items()}
        self.given = dict(self.names)
        self.owners = owners or {}
        self.places: dict[UOp, str] = {}  # buffers of the compiler's own -> the name of what they hold
        self._taken = set(self.names.values())
        self._next = 0

    def known(self, u: UOp) -> str | None:
        """The file's name of a node."""
        return self.given.get(u)

    def about(self, u: UOp) -> str | None:
        """The file's name of the line that a node is part of."""
        owner = self.owners.get(u)
        return self.given.get(u) or (f"%{owner}" if owner is not None else None)

    def place(self, buffer: UOp) -> str:
        """What a buffer is called: by the file, or by what it holds, or by its number."""
        return self.given.get(buffer) or self.places.get(buffer) or f"buffer {buffer.arg.slot}"

    def name(self, u: UOp) -> str:
        """The name of a node."""
        if u not in self.names:
            while f"%{self._next}" in self._taken:
                self._next += 1
            self.names[u] = f"%{self._next}"
            self._taken.add(self.names[u])
        return self.names[u]


def uir_text(
    root: UOp,
    namer: Namer,
    behind: Mapping[UOp, Iterable[UOp]] | None = None,
    comments: Mapping[UOp, str] | None = None,
) -> Text:
    """A graph as `.uir`. behind: node -> the nodes of the program it came from; comments: at the ends of lines."""
    lines = []
    for text, u in dump_lines(root, namer.name):
        comment = comments.get(u) if comments is not None else None
        nodes = (u,) if behind is None else tuple(behind.get(u, ()))
        lines.append(Line(f"{text}  # {comment}" if comment else text, "", nodes))
    return laid_out("uir", lines)
