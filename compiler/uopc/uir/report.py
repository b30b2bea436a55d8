"""From drafts to diagnostics: line numbers and severities; sorted, bounded, what is switched off left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from uopc.analysis.names import called
from uopc.uir.codes import CODES
from uopc.uir.drafts import Draft, Placed
from uopc.uir.fix_context import Budget, Context, Fixes
from uopc.uir.model import Diagnostic, Related, Severity, Span
from uopc.uir.source import line_end_of
from uopc.uir.state import State
from uopc.uop import UOp

MAX_ERRORS = 200
MAX_WARNINGS = 1000

ERROR_CODES = frozenset(code for code, info in CODES.items() if info.severity is Severity.ERROR)


def is_error(draft: Draft) -> bool:
    """Whether a draft keeps the program from running."""
    return draft.code in ERROR_CODES


def has_error(placed: Iterable[Placed]) -> bool:
    """Whether one of many does."""
    return not ERROR_CODES.isdisjoint([draft.code for _, draft in placed])


class Messages:
    """The messages of drafts that name values, kept from one state to the next while these are called the same."""

    def __init__(self, state: State, before: Messages | None) -> None:
        """`before`: the messages of the state that `state` was made from, if they are known."""
        self._state = state
        self._before: dict[int, _Said] = before._said if before is not None and state.renamed is not None else {}
        self._renamed = state.renamed or frozenset()
        self._said: dict[int, _Said] = {}

    def of(self, draft: Draft) -> str:
        """The message of a draft, with what its values are called."""
        if draft.subjects is None:
            return draft.message
        said = self._before.get(id(draft))
        if said is None or said.draft is not draft or not self._renamed.isdisjoint(said.asked):
            said = self._written(draft, draft.subjects)
        self._said[id(draft)] = said
        return said.message

    def finished(self) -> Messages:
        """These, without those that they were made from."""
        self._before = {}
        return self

    def _written(self, draft: Draft, subjects: tuple[UOp, ...]) -> _Said:
        asked: set[UOp] = set()

        def name(u: UOp) -> str | None:
            asked.add(u)
            return self.name(u)

        return _Said(draft, draft.message.format(*(called(u, name) for u in subjects)), frozenset(asked))

    def name(self, u: UOp) -> str | None:
        """What a node is called."""
        found = self._state.node_names.get(u)
        return None if found is None else f"%{found}"


class _Said(NamedTuple):
    """A message, the draft it is of, and the nodes whose names were asked for."""

    draft: Draft
    message: str
    asked: frozenset[UOp]


class Reporter:
    """Makes the diagnostics of one state."""

    def __init__(self, state: State, messages: Messages | None = None) -> None:
        self.state = state
        self.eol = "\n"
        self._budget = Budget()
        self._messages = Messages(state, messages)

    def diagnostics(self, placed: Iterable[Placed], allow: frozenset[str], text: str) -> tuple[Diagnostic, ...]:
        """The diagnostics of drafts, by line and column."""
        self.eol = line_end_of(text)
        shown = [p for p in placed if p[1].code not in allow or p[1].code in ERROR_CODES]
        shown.sort(key=_order)
        errors = sum([p[1].code in ERROR_CODES for p in shown])
        if errors > MAX_ERRORS or len(shown) - errors > MAX_WARNINGS:
            return self._the_first(shown)
        return tuple([self._diagnostic(line, draft) for line, draft in shown])

    def _the_first(self, shown: list[Placed]) -> tuple[Diagnostic, ...]:
        """Of very many as many as a person looks at."""
        errors = [p for p in shown if is_error(p[1])]
        others = [p for p in shown if not is_error(p[1])]
        chosen = sorted(errors[:MAX_ERRORS] + others[:MAX_WARNINGS], key=_order)
        found = [self._diagnostic(line, draft) for line, draft in chosen]
        if len(errors) > MAX_ERRORS:
            line, draft = errors[MAX_ERRORS]
            more = f"{len(errors) - MAX_ERRORS:,} more errors are not shown"
            found.append(Diagnostic(line, draft.span, Severity.ERROR, "too-many-errors", more))
        return tuple(found)

    @property
    def messages(self) -> Messages:
        """What was written, for the state after this one."""
        return self._messages.finished()

    def _diagnostic(self, line: int, draft: Draft) -> Diagnostic:
        message = draft.message if draft.subjects is None else self._messages.of(draft)
        fixes = Fixes(self._context, draft.makers, line) if draft.makers else ()
        severity = draft.severity or CODES[draft.code].severity
        related = self._related(draft) if draft.related else ()
        return Diagnostic(line, draft.span, severity, draft.code, message, related, fixes, draft.unnecessary)

    def _context(self) -> Context:
        return Context(self.state, self.eol, self._messages.name, self._budget)

    def _related(self, draft: Draft) -> tuple[Related, ...]:
        found = []
        for name, message in draft.related:
            line = self.state.line_of(name)
            st = self.state.items[line].statement if line is not None else None
            if line is not None and st is not None:
                found.append(Related(line, st.name_span, message))
        return tuple(found)


def _order(placed: Placed) -> tuple[int, Span, str, str]:
    line, draft = placed
    return line, draft.span, draft.code, draft.message


def placed_notes(state: State) -> list[Placed]:
    """The drafts of all lines, each with its line number."""
    return [(k, draft) for k in state.noted for draft in state.notes[k]]


__all__ = ["MAX_ERRORS", "Messages", "Reporter", "has_error", "is_error", "placed_notes"]
