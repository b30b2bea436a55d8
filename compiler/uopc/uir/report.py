"""From drafts to diagnostics: line numbers, severities, quick fixes; sorted, bounded, what is switched off left out."""

from __future__ import annotations

from collections.abc import Iterable

from uopc.analysis.names import called
from uopc.uir.codes import CODES
from uopc.uir.drafts import Draft, Placed
from uopc.uir.model import Diagnostic, Fix, Related, Severity, Statement
from uopc.uir.nearest import nearest
from uopc.uir.source import line_end_of
from uopc.uir.state import State
from uopc.uop import UOp

MAX_ERRORS = 200
MAX_WARNINGS = 1000
MAX_SUGGESTIONS = 25  # names looked for in the whole file, for one reading
NEAR = 3000  # definitions that a suggestion is looked for in, back from the line

ERROR_CODES = frozenset(code for code, info in CODES.items() if info.severity is Severity.ERROR)


def is_error(draft: Draft) -> bool:
    """Whether a draft keeps the program from running."""
    return draft.code in ERROR_CODES


class Reporter:
    """Makes the diagnostics of one state. It is the context that quick fixes ask."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.eol = "\n"
        self._suggestions = 0
        self._taken: set[str] = set()

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
        fixes: list[Fix] = []
        for make in draft.makers:
            self._taken.clear()
            fix = make(self, line)
            if fix is not None:
                fixes.append(fix)
        severity = draft.severity or CODES[draft.code].severity
        return Diagnostic(
            line, draft.span, severity, draft.code, message, self._related(draft), tuple(fixes), draft.unnecessary
        )

    def _related(self, draft: Draft) -> tuple[Related, ...]:
        found = []
        for name, message in draft.related:
            line = self.state.line_of(name)
            st = self.state.items[line].statement if line is not None else None
            if line is not None and st is not None:
                found.append(Related(line, st.name_span, message))
        return tuple(found)

    def _name(self, u: UOp) -> str | None:
        return self.names.get(u)

    @property
    def names(self) -> dict[UOp, str]:
        """The first name of every node, with its %."""
        if not hasattr(self, "_names"):
            pairs = zip(reversed(self.state.uops), reversed(self.state.items))  # so that the first of equals stays
            former = {u: f"%{item.name}" for item, u in self.state.ahead.items()}
            self._names: dict[UOp, str] = {**former, **{u: f"%{item.name}" for u, item in pairs if u is not None}}
        return self._names

    # -- what quick fixes ask --------------------------------------------------------------------------------------
    def fresh(self, wish: str) -> str:
        """A value name that is free; see `FixContext`."""
        name, k = wish, 1
        while name in self.state.defs or name in self._taken:
            k += 1
            name = f"{wish}_{k}"
        self._taken.add(name)
        return name

    def nearest_value(self, name: str, line: int) -> str | None:
        """The nearest name defined above a line; see `FixContext`."""
        self._suggestions += 1
        if self._suggestions > MAX_SUGGESTIONS:
            return None
        above = self.state.items[max(0, line - NEAR) : line]
        return nearest(name, (i.name for i in reversed(above) if i.name is not None))

    def free_slot(self) -> int:
        """The lowest slot that no buffer has; see `FixContext`."""
        slots = {slot for op, slot in self.state.slots if op == "buffer"}
        return next(k for k in range(len(slots) + 1) if k not in slots)

    def line_length(self, line: int) -> int:
        """Columns of a line; see `FixContext`."""
        return len(self.state.lines[line])

    def written_as(self, node: UOp) -> tuple[int, Statement] | None:
        """The first line whose statement makes a node; see `FixContext`."""
        name = self.names.get(node)
        line = self.state.line_of(name[1:]) if name is not None else None
        st = self.state.items[line].statement if line is not None else None
        return (line, st) if line is not None and st is not None else None

    def directive_start(self, line: int) -> int:
        """Column where the directive of a line begins; see `FixContext`."""
        directive = self.state.items[line].directive
        return directive.span.start if directive is not None else 0

    def line_count(self) -> int:
        """Lines of the text; see `FixContext`."""
        return len(self.state.lines)


def placed_notes(state: State) -> list[Placed]:
    """The drafts of all lines, each with its line number."""
    return [(k, draft) for k, notes in enumerate(state.notes) if notes for draft in notes]


__all__ = ["MAX_ERRORS", "Reporter", "is_error", "placed_notes"]
