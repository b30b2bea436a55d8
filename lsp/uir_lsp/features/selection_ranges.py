"""Growing a selection: number or name, entry, list, argument, statement, line, file."""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.names import name_at
from uir_lsp.shapes import ABOUT, POSITION
from uopc.uir import Group, Span


def _selections(snapshot: Snapshot, params: Params) -> list[dict[str, Any]]:
    return [_around(snapshot, *snapshot.locate(position)) for position in params["positions"]]


def _around(snapshot: Snapshot, line: int, column: int) -> dict[str, Any]:
    found: dict[str, Any] = {"range": snapshot.whole}
    last: Span | None = None
    for span in sorted(_spans(snapshot, line, column), key=lambda span: (span.start - span.end, span.start)):
        if span != last and (last is None or (last.start <= span.start and span.end <= last.end)):
            found = {"range": snapshot.range(line, span), "parent": found}
            last = span
    return found


def _spans(snapshot: Snapshot, line: int, column: int) -> list[Span]:
    """Everything in a line that holds the column."""
    spans = [Span(0, len(snapshot.line(line)))]
    name = name_at(snapshot, line, column)
    if name is not None:
        spans.append(name.span)
    statement = snapshot.analysis.statements.get(line)
    if statement is None:
        return spans
    spans += [statement.span, statement.name_span, statement.op_span]
    pending: list[Any] = [*statement.operands]
    for attr in statement.attrs.values():
        spans += [attr.span, attr.name_span]
        pending.append(attr.value)
    while pending:
        operand = pending.pop()
        spans.append(operand.span)
        if isinstance(operand, Group):
            pending += operand.items
    return [span for span in spans if span.start <= column <= span.end and span.start < span.end]


FEATURE = Feature("textDocument/selectionRange", _selections, {**ABOUT, "positions": [POSITION]})
