"""Canonical layout: the chapter's positional syntax, one blank between parts, comments and blank lines kept.

A line depends on its own text only, and nothing is aligned, so that an edit changes one line of a diff.
"""

from __future__ import annotations

from uopc.uir.analysis import analyze
from uopc.uir.bind import Bound
from uopc.uir.lines import Line, canonical_op
from uopc.uir.model import AttrValue, Group, Number, Ref, Statement
from uopc.uir.scan import TRUTH
from uopc.uir.source import BOM, line_end_of


def format(text: str) -> str:
    """The text in canonical layout. Meaning and comments stay; lines with errors stay as they are; idempotent."""
    if not text:
        return text
    analysis = analyze(text)
    errors = analysis.errors
    if errors and errors[0].code == "too-large" and not analysis.values:
        return text
    broken = {d.line for d in errors} if len(errors) <= 200 else {k for k, n in enumerate(analysis.state.notes) if n}
    eol = line_end_of(text)
    lines = [
        raw if k in broken else format_line(item)
        for k, (raw, item) in enumerate(zip(analysis.lines, analysis.state.items))
    ]
    if text.startswith(BOM) and not lines[0].startswith(BOM):
        lines[0] = BOM + lines[0]
    done = eol.join(lines)
    return done if done.endswith(("\n", "\r")) else done + eol


def format_line(item: Line) -> str:
    """One line in canonical layout; as it is when its arguments do not fit its operation."""
    comment = item.text[item.comment :].rstrip() if item.comment >= 0 else ""
    if item.statement is None or item.bound is None:
        return comment if item.statement is None and not item.drafts else item.text
    statement = statement_layout(item.statement, item.bound)
    return f"{statement}  {comment}" if comment else statement


def statement_layout(st: Statement, bound: Bound) -> str:
    """A statement in the chapter's syntax: operands, positional lists, then ` : key=value`."""
    spec = bound.plan.spec
    positional = [_value(v) for v in bound.values]
    positional += [_argument(p.kind, bound.places[p.name]) for p in bound.plan.fixed if p.kind != "value"]
    keywords = [
        f"{p.name}={_argument(p.kind, bound.places[p.name])}"
        for p in spec.params
        if p.keyword_only and p.name in bound.places
    ]
    head = f"%{st.name} = {canonical_op(st.op)}"
    if positional:
        head += " " + ", ".join(positional)
    return f"{head} : {' '.join(keywords)}" if keywords else head


def _argument(kind: str, value: AttrValue) -> str:
    if kind in ("bounds", "pads") and isinstance(value, Group) and any(isinstance(i, Number) for i in value.items):
        numbers = [_value(i) for i in value.items]
        return _list([f"({b}, {e})" for b, e in zip(numbers[::2], numbers[1::2])])
    if kind == "axes" and isinstance(value, Number):
        return f"({value.text},)"
    return _value(value)


def _value(value: AttrValue) -> str:
    if isinstance(value, Ref):
        return f"%{value.name}"
    if isinstance(value, Group):
        return _list([_value(i) for i in value.items])  # bound lists are at most two deep
    if isinstance(value, Number) and value.text in TRUTH:
        return value.text.lower()
    return value.text


def _list(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
