"""Colours by meaning: full, as a change of the tokens sent before, and for the visible part."""

from __future__ import annotations

import re
from typing import Any

from uir_lsp.capabilities import TOKEN_MODIFIERS, TOKEN_TYPES
from uir_lsp.cursor import DIRECTIVE
from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.features.directive_tokens import directive_tokens
from uir_lsp.shapes import ABOUT, WITHIN, text
from uopc.uir.scan import COMMENT, NUMBER, NUMBER_WORDS, PUNCT, REF, WORD, Token, tokens
from uopc.uir.source import to_units

_TYPE = {name: k for k, name in enumerate(TOKEN_TYPES)}
_DECLARATION = 1 << TOKEN_MODIFIERS.index("declaration")
_DTYPE = re.compile(r"bool|void|[iu](8|16|32|64)|f(16|32|64)")


def _encode(snapshot: Snapshot, first: int, last: int) -> list[int]:
    """The tokens of lines first..last as the protocol packs them: five numbers each, relative to the token before."""
    data: list[int] = []
    known = snapshot.memory.packed
    used: dict[str, list[int]] = {}
    at_line = 0
    for number in range(first, last + 1):
        line = snapshot.line(number)
        packed = used.get(line) or known.get(line) or _pack(line, snapshot.client.encoding)
        used[line] = packed
        if packed:
            data.append(number - at_line)
            data += packed
            at_line = number
    if first == 0 and last == len(snapshot.lines) - 1:
        snapshot.memory.packed = used
    return data


def _pack(line: str, encoding: str) -> list[int]:
    """The numbers of one line, without the first: how many lines it is below the line before."""
    data: list[int] = []
    before = 0
    for start, end, kind, modifiers in _line_tokens(line):
        begin, stop = to_units(line, start, encoding), to_units(line, end, encoding)
        data += (0, begin - before, stop - begin, kind, modifiers)
        before = begin
    return data[1:]


def _line_tokens(line: str) -> list[tuple[int, int, int, int]]:
    """(start, end, type, modifiers) of the tokens of a line that have a colour."""
    found = []
    before: Token | None = None
    scanned = tokens(line, 0)
    for k, token in enumerate(scanned):
        kind, start, end = token
        text = line[start:end]
        following = line[scanned[k + 1][1]] if k + 1 < len(scanned) else ""
        after_equals = before is not None and line[before[1] : before[2]] == "="
        if kind == REF:
            found.append((start, end, _TYPE["variable"], _DECLARATION if k == 0 else 0))
        elif kind == NUMBER or text in NUMBER_WORDS:
            found.append((start, end, _TYPE["number"], 0))
        elif kind == WORD:
            found.append((start, end, _word_type(text, k, following, after_equals), 0))
        elif kind == COMMENT:
            found += _comment(line, start, end)
        before = token if kind in (PUNCT, REF, NUMBER, WORD) else before
    return found


def _word_type(text: str, k: int, following: str, after_equals: bool) -> int:
    if k == 2 and after_equals:
        return _TYPE["function"]
    if following == "=":
        return _TYPE["property"]
    return _TYPE["type"] if _DTYPE.fullmatch(text) else _TYPE["enumMember"]


def _comment(line: str, start: int, end: int) -> list[tuple[int, int, int, int]]:
    if start == len(line) - len(line.lstrip()) and DIRECTIVE.match(line):
        return [(begin, stop, _TYPE[kind], 0) for begin, stop, kind in directive_tokens(line)]
    return [(start, end, _TYPE["comment"], 0)]


def _remember(snapshot: Snapshot, data: list[int]) -> str:
    memory = snapshot.memory
    memory.counter += 1
    memory.tokens = (str(memory.counter), data)
    return memory.tokens[0]


def _full(snapshot: Snapshot, _: Params) -> dict[str, Any]:
    data = _encode(snapshot, 0, len(snapshot.lines) - 1)
    return {"resultId": _remember(snapshot, data), "data": data}


def _delta(snapshot: Snapshot, params: Params) -> dict[str, Any]:
    known, old = snapshot.memory.tokens
    data = _encode(snapshot, 0, len(snapshot.lines) - 1)
    result = _remember(snapshot, data)
    if params["previousResultId"] != known:
        return {"resultId": result, "data": data}
    return {"resultId": result, "edits": _difference(old, data)}


def _difference(old: list[int], new: list[int]) -> list[dict[str, Any]]:
    """One edit: what is between the common start and the common end."""
    if old == new:
        return []
    shortest = min(len(old), len(new))
    start = next((k for k in range(shortest) if old[k] != new[k]), shortest)
    end = next((k for k in range(shortest - start) if old[-1 - k] != new[-1 - k]), shortest - start)
    return [{"start": start, "deleteCount": len(old) - start - end, "data": new[start : len(new) - end]}]


def _range(snapshot: Snapshot, params: Params) -> dict[str, Any]:
    first, last = snapshot.locate(params["range"]["start"])[0], snapshot.locate(params["range"]["end"])[0]
    return {"data": _encode(snapshot, first, last)}


FEATURES = (
    Feature("textDocument/semanticTokens/full", _full),
    Feature("textDocument/semanticTokens/full/delta", _delta, {**ABOUT, "previousResultId": text}),
    Feature("textDocument/semanticTokens/range", _range, WITHIN, brief=True),
)
