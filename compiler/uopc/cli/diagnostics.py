"""Diagnostics as a person reads them, and as a machine does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from uopc.cli.terminal import paint, printable, width
from uopc.uir import Diagnostic, Span

_MARGIN = 60  # columns of the line that are shown on each side of a span
_LONGEST = 2 * _MARGIN


def render(file: str, lines: Sequence[str], d: Diagnostic, colour: bool) -> str:
    """`file:line:col: error[code]: message`, the line with the span marked below it, and the related places."""
    severity = d.severity.value
    place = f"{printable(file)}:{d.line + 1}:{d.span.start + 1}:"
    kind = paint(f"{severity}[{d.code}]:", severity, colour)
    parts = [f"{paint(place, 'bold', colour)} {kind} {printable(d.message)}"]
    parts.extend(_excerpt(lines, d.line, d.span, severity, colour))
    for related in d.related:
        where = f"{printable(file)}:{related.line + 1}:{related.span.start + 1}:"
        parts.append(f"  {where} {paint('note:', 'note', colour)} {printable(related.message)}")
    return "\n".join(parts)


def _excerpt(lines: Sequence[str], line: int, span: Span, style: str, colour: bool) -> Iterator[str]:
    if not 0 <= line < len(lines) or not lines[line].strip():
        return
    text = lines[line]
    begin, end = 0, len(text)
    if len(text) > _LONGEST:
        begin = max(0, span.start - _MARGIN)
        end = min(len(text), max(begin + _LONGEST, span.start + 1))
    head = ("..." if begin else "") + printable(text[begin : span.start])
    marked = printable(text[span.start : min(span.end, end)])
    tail = printable(text[min(span.end, end) : end]) + ("..." if end < len(text) else "")
    yield f"  {head}{marked}{tail}".rstrip()
    marks = "^" + "~" * max(0, width(marked) - 1)
    yield "  " + " " * width(head) + paint(marks, style, colour)


def to_json(file: str, d: Diagnostic) -> str:
    """One object on one line; lines and columns from 1, columns in code points, the end excluded."""
    return json.dumps(
        {
            "file": file,
            "line": d.line + 1,
            "column": d.span.start + 1,
            "end_line": d.line + 1,
            "end_column": d.span.end + 1,
            "severity": d.severity.value,
            "code": d.code,
            "message": d.message,
        },
        ensure_ascii=False,
    )
