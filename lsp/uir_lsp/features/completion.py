"""Completion: operations, values with their types, keywords and their values, directives."""

from __future__ import annotations

from itertools import islice
from typing import Any

from uir_lsp.cursor import Cursor, read_cursor
from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.names import names_in
from uir_lsp.features.operation import described, meaning, signature, spec_of, static_arguments
from uir_lsp.kinds import CompletionItemKind
from uir_lsp.shapes import AT, text
from uopc.analysis.style import type_text
from uopc.dtype import dtypes
from uopc.ops import ALIASES, OPS, OpSpec, Param
from uopc.uir import Span

_KIND = CompletionItemKind
_MOST_VALUES = 200  # values offered; nearest above the cursor first
_DTYPES = [d for d in dtypes.all if d.bits]
_DIRECTIVES = (
    ("reduce=trailing", "`reduce` with `pop=n` removes the last n axes (the default)"),
    ("reduce=leading", "`reduce` with `pop=n` removes the first n axes"),
    ("input 0 = arange", "data for the buffer of slot 0: 0, 1, 2, ..."),
    ("input 0 = zeros", "data for the buffer of slot 0: zeros"),
    ("input 0 = ones", "data for the buffer of slot 0: ones"),
    ("input 0 = full 0.5", "data for the buffer of slot 0: one number"),
    ("input 0 = randn seed=1", "data for the buffer of slot 0: normally distributed"),
    ("input 0 = uniform -1 1 seed=1", "data for the buffer of slot 0: uniformly distributed"),
    ('input 0 = file "a.npy"', "data for the buffer of slot 0, from a file beside this one"),
    ("expect = [0]", "what the run must give, flat in row-major order"),
    ('expect = file "c.npy"', "what the run must give, from a file beside this one"),
)
Item = dict[str, Any]


def _complete(snapshot: Snapshot, params: Params) -> list[Item]:
    line, column = snapshot.locate(params["position"])
    cursor = read_cursor(snapshot.line(line), column)
    typed_blank = (params.get("context") or {}).get("triggerCharacter") == " "
    items = _items(snapshot, cursor, line)
    if typed_blank and cursor.kind == "operand":
        return []  # a blank after an operation or comma: a list that pops up by itself is in the way of a number
    span = snapshot.range(line, cursor.word)
    return [_with_edit(item, span, rank) for rank, item in enumerate(items)]


def _items(snapshot: Snapshot, cursor: Cursor, line: int) -> list[Item]:
    spec = spec_of(cursor.op)
    if cursor.kind == "op":
        return _operations()
    if cursor.kind == "directive":
        return _directives(snapshot, line, cursor.word)
    if cursor.kind == "name" and snapshot.line(line).strip() == "":
        return [_next_name(snapshot)]
    if spec is None:
        return _values(snapshot, line) if cursor.kind == "operand" else []
    if cursor.kind == "value":
        return _keyword_values(snapshot, spec, cursor, line)
    if cursor.kind == "keyword":
        return _keywords(spec, cursor)
    if cursor.kind == "operand":
        return _operands(snapshot, spec, cursor, line)
    return []


def _with_edit(item: Item, span: dict[str, Any], rank: int) -> Item:
    text = item.pop("insert", item["label"])
    return {**item, "textEdit": {"range": span, "newText": text}, "sortText": f"{rank:04d}"}


def _operations() -> list[Item]:
    names = {**OPS, **{name: OPS[of] for name, of in ALIASES.items()}}
    return [
        {
            "label": name,
            "kind": _KIND.Function,
            "detail": signature(spec),
            "documentation": {"kind": "markdown", "value": described(spec)},
        }
        for name, spec in names.items()
    ]


def _operands(snapshot: Snapshot, spec: OpSpec, cursor: Cursor, line: int) -> list[Item]:
    positional = [parameter for parameter in spec.params if not parameter.keyword_only]
    if not positional:
        return _keywords(spec, cursor)
    wanted = positional[min(cursor.argument, len(positional) - 1)]
    if wanted.kind in ("value", "values", "effects"):
        return _values(snapshot, line)
    found = _fitting(snapshot, spec, wanted.kind, line)
    if not cursor.depth:
        return found
    opened = snapshot.line(line)[: cursor.word.start].rstrip()
    empty = cursor.depth == 1 and opened.endswith(("(", "["))
    return [{**item, "label": item["label"][1:-1]} for item in found] if empty else []


def _fitting(snapshot: Snapshot, spec: OpSpec, kind: str, line: int) -> list[Item]:
    """Static arguments that fit the first operand of a line, to be changed by hand."""
    operand = next(islice(names_in(line, snapshot.line(line)), 1, None), None)
    value = snapshot.analysis.values.get(operand.name) if operand is not None else None
    if value is None or value.uop is None:
        return []
    found = static_arguments(spec, kind, value.uop.shape)
    return [{"label": text, "kind": _KIND.Value, "detail": detail} for text, detail in found]


def _values(snapshot: Snapshot, line: int) -> list[Item]:
    """The values defined above a line, nearest first."""
    found: list[Item] = []
    statements = snapshot.analysis.statements
    for at in range(line - 1, -1, -1):
        statement = statements.get(at)
        value = snapshot.analysis.values.get(statement.name) if statement is not None else None
        if statement is None or value is None or value.line != at:
            continue
        item: Item = {"label": "%" + statement.name, "kind": _KIND.Variable, "filterText": "%" + statement.name}
        if value.uop is not None:
            item["detail"] = f"{type_text(value.uop)}  {statement.op}"
        found.append(item)
        if len(found) == _MOST_VALUES:
            break
    return found


def _next_name(snapshot: Snapshot) -> Item:
    """A name for a new value: the number after the largest."""
    numbers = [int(name) for name in snapshot.analysis.values if name.isdecimal()]
    label = f"%{max(numbers, default=-1) + 1} = "
    return {"label": label.strip(), "insert": label, "kind": _KIND.Variable, "detail": "a new value"}


def _keywords(spec: OpSpec, cursor: Cursor) -> list[Item]:
    """The keywords that the line does not have, by position or by name."""
    positional = [parameter.name for parameter in spec.params if not parameter.keyword_only]
    given = {*cursor.given, *positional[: cursor.complete]}
    return [
        {"label": f"{parameter.name}=", "kind": _KIND.Property, "detail": meaning(parameter)}
        for parameter in spec.params
        if parameter.name not in given
    ]


def _keyword_values(snapshot: Snapshot, spec: OpSpec, cursor: Cursor, line: int) -> list[Item]:
    parameter = next((p for p in spec.params if p.name == cursor.key), None)
    if parameter is None:
        return []
    if parameter.kind in ("value", "values", "effects"):
        return _values(snapshot, line)
    return [{"label": word, "kind": _KIND.EnumMember, "detail": detail} for word, detail in _words(parameter)]


def _words(parameter: Param) -> list[tuple[str, str]]:
    if parameter.kind == "dtype":
        return [(d.name, f"{d.kind}, {d.bits} bit") for d in _DTYPES]
    if parameter.kind == "bool":
        return [("true", ""), ("false", "")]
    return [(word, parameter.doc) for word in parameter.words]


def _directives(snapshot: Snapshot, line: int, word: Span) -> list[Item]:
    if snapshot.line(line)[: word.start].rstrip().endswith("uir:"):
        return [{"label": label, "kind": _KIND.Keyword, "detail": detail} for label, detail in _DIRECTIVES]
    return []


FEATURE = Feature(
    "textDocument/completion",
    _complete,
    {**AT, "context?": {"triggerCharacter?": text}},
)
