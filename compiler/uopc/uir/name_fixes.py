"""Quick fixes of names: a near one that exists, another one that is free, a definition moved above its uses."""

from __future__ import annotations

from uopc.uir.drafts import FixContext, FixMaker, did_you_mean, line_removed
from uopc.uir.model import Edit, Fix, Ref, Span, Statement
from uopc.uir.source import BOM


def nearest_value(ref: Ref) -> FixMaker:
    """The fix that writes a defined name instead."""

    def make(context: FixContext, line: int) -> Fix | None:
        name = context.nearest_value(ref.name, line)
        return did_you_mean(name, ref.span, "%")[0](context, line) if name else None

    return make


def renamed(st: Statement) -> FixMaker:
    """The fix that gives a second definition a name of its own."""

    def make(context: FixContext, line: int) -> Fix:
        name = context.fresh(st.name)
        return Fix(f"rename this one to %{name}", (Edit(line, st.name_span, f"%{name}"),))

    return make


def moved_up(name: str) -> FixMaker:
    """The fix that moves the definition of a value above its first use, if its own operands are defined there."""

    def make(context: FixContext, line: int) -> Fix | None:
        source = context.definitions(name)[0]
        st = context.statement_at(source)
        first = min(k for k, _ in context.uses_of(name))
        if st is None or context.has_directive(source):
            return None
        needed = [context.definitions(ref.name) for ref in st.operands if isinstance(ref, Ref)]
        if any(not lines or lines[0] >= first for lines in needed):
            return None
        at = 1 if context.line_text(first).startswith(BOM) else 0
        moved = context.line_text(source) + context.eol
        edits = (Edit(first, Span(at, at), moved), line_removed(context, source))
        return Fix(f"move %{name} above its first use", edits)

    return make
