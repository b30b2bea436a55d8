"""From drafts to diagnostics: line numbers and severities; sorted, bounded, what is switched off left out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from uopc.analysis.names import called
from uopc.uir.codes import CODES
from uopc.uir.drafts import Draft, Placed
from uopc.uir.fix_context import Budget, Context, Fixes
from uopc.uir.model import Diagnostic, Related, Severity
from uopc.uir.source import line_end_of
from uopc.uir.state import State
from uopc.uop import UOp

MAX_ERRORS = 200
MAX_WARNINGS = 1000

ERROR_CODES = frozenset(code for code, info in CODES.items() if info.severity is Severity.ERROR)


def is_error(draft: Draft) -> bool:
    """Whether a draft keeps the program from running."""
    return draft.code in ERROR_CODES


class Reporter:
    """Makes the diagnostics of one state."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.eol = "\n"
        self._budget = Budget()

    def diagnostics(self, placed: Iterable[Placed], allow: frozenset[str], text: str) -> tuple[Diagnostic, ...]:
        """The diagnostics of drafts, by line and column."""
        self.eol = line_end_of(text)
        shown = [p for p in placed if p[1].code not in allow or is_error(p[1])]
        shown.sort(key=lambda p: (p[0], p[1].span, p[1].code, p[1].message))
        errors = [p for p in shown if is_error(p[1])]
        others = [p for p in shown if not is_error(p[1])]
        chosen = errors[:MAX_ERRORS] + others[:MAX_WARNINGS]
        chosen.sort(key=lambda p: (p[0], p[1].span, p[1].code, p[1].message))
        found = [self._diagnostic(line, draft) for line, draft in chosen]
        if len(errors) > MAX_ERRORS:
            line, draft = errors[MAX_ERRORS]
            more = f"{len(errors) - MAX_ERRORS:,} more errors are not shown"
            found.append(Diagnostic(line, draft.span, Severity.ERROR, "too-many-errors", more))
        return tuple(found)

    def _diagnostic(self, line: int, draft: Draft) -> Diagnostic:
        message = draft.message
        if draft.subjects is not None:
            message = message.format(*(called(u, self._name) for u in draft.subjects))
        fixes = Fixes(self._context, draft.makers, line) if draft.makers else ()
        severity = draft.severity or CODES[draft.code].severity
        return Diagnostic(
            line, draft.span, severity, draft.code, message, self._related(draft), fixes, draft.unnecessary
        )

    def _context(self) -> Context:
        return Context(self.state, self.eol, self._name, self._budget)

    def _related(self, draft: Draft) -> tuple[Related, ...]:
        found = []
        for name, message in draft.related:
            line = self.state.line_of(name)
            st = self.state.items[line].statement if line is not None else None
            if line is not None and st is not None:
                found.append(Related(line, st.name_span, message))
        return tuple(found)

    def _name(self, u: UOp) -> str | None:
        line = self._lines.get(u)
        return None if line is None else f"%{self.state.items[line].name}"

    @cached_property
    def _lines(self) -> dict[UOp | None, int]:
        """The line of the first value that is a node."""
        uops, places = self.state.uops, self.state.places
        former: dict[UOp | None, int] = {u: places[item] for item, u in self.state.ahead.items()}
        former.update(zip(reversed(uops), range(len(uops) - 1, -1, -1)))  # so that the first of equals stays
        return former


def placed_notes(state: State) -> list[Placed]:
    """The drafts of all lines, each with its line number."""
    return [(k, draft) for k, notes in enumerate(state.notes) if notes for draft in notes]


__all__ = ["MAX_ERRORS", "Reporter", "is_error", "placed_notes"]
