"""Diagnostics before they have a line number: what parsing and elaboration of one line say about it.

A draft knows columns only, and names the values that explain it; so it stays good when lines move. Line numbers are
filled in when a snapshot is read (see `report`), quick fixes when they are asked for (see `fix_context`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol, TypeAlias

from uopc.uir.model import Edit, Fix, Severity, Span, Statement
from uopc.uop import UOp


class FixContext(Protocol):
    """What a quick fix may ask about the file it is for."""

    eol: str

    def fresh(self, wish: str) -> str:
        """A value name that is free: the wish itself or the wish with a number."""

    def nearest_value(self, name: str, line: int) -> str | None:
        """The defined value above `line` whose name is nearest, if one is near."""

    def free_slot(self) -> int:
        """The lowest buffer slot that no line uses."""

    def definitions(self, name: str) -> list[int]:
        """The lines that define a name, in order; the first one counts."""

    def uses_of(self, name: str) -> list[tuple[int, Span]]:
        """(line, span) of every operand that names a value, in order."""

    def node(self, name: str) -> UOp | None:
        """The node of a name, None when it has none."""

    def written_as(self, node: UOp) -> tuple[int, Statement] | None:
        """The first line whose statement makes a node."""

    def line_count(self) -> int:
        """Number of lines of the text."""

    def line_text(self, line: int) -> str:
        """A line without its end."""

    def line_length(self, line: int) -> int:
        """Columns of a line, its comment included."""

    def statement_at(self, line: int) -> Statement | None:
        """The statement of a line, if it has one."""

    def next_statement(self, line: int, step: int) -> Statement | None:
        """The first statement below (step 1) or above (step -1) a line."""

    def directive_start(self, line: int) -> int:
        """Column where the directive of a line begins; 0 without one."""

    def has_directive(self, line: int) -> bool:
        """Whether a line has a directive."""


FixMaker: TypeAlias = Callable[[FixContext, int], "Fix | None"]


class Draft(NamedTuple):
    """A diagnostic of one line; `related` holds (value name, what to say at its definition).

    With `subjects`, the message has places {0}, {1}, ... for what these values are called in the file.
    """

    span: Span
    code: str
    message: str
    related: tuple[tuple[str, str], ...] = ()
    makers: tuple[FixMaker, ...] = ()
    unnecessary: bool = False
    subjects: tuple[UOp, ...] | None = None
    severity: Severity | None = None  # when it is not that of the code


Placed: TypeAlias = tuple[int, Draft]


def replace(title: str, span: Span, text: str) -> FixMaker:
    """A fix that writes `text` over one span of the diagnostic's own line."""
    return lambda context, line: Fix(title, (Edit(line, span, text),))


def insert_above(title: str, statement: Callable[[str], str], wish: str, span: Span) -> FixMaker:
    """A fix that puts a new value on a line above and uses it at `span`; `statement(name)` is the new line."""

    def make(context: FixContext, line: int) -> Fix:
        name = context.fresh(wish)
        return Fix(title, (Edit(line, Span(0, 0), statement(name) + context.eol), Edit(line, span, f"%{name}")))

    return make


def line_removed(context: FixContext, line: int) -> Edit:
    """The edit that removes a line; of the last one, only what is on it."""
    last = line + 1 == context.line_count()
    return Edit(line, Span(0, context.line_length(line)), "") if last else Edit(line, Span(0, 0), "", 1)


def did_you_mean(word: str | None, span: Span, sigil: str = "") -> tuple[FixMaker, ...]:
    """The fix that writes a suggestion, if there is one."""
    return (replace(f"change to {sigil}{word}", span, f"{sigil}{word}"),) if word else ()


def hint(word: str | None, sigil: str = "") -> str:
    """The words of a suggestion at the end of a message."""
    return f" (did you mean `{sigil}{word}`?)" if word else ""


def listed(words: Iterable[str]) -> str:
    """Words in a sentence: `a, b and c`."""
    *head, last = list(words)
    return f"{', '.join(head)} and {last}" if head else last
