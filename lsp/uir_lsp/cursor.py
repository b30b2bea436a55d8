"""What a cursor stands in, read from its line alone, so that it is known while the line is being typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from uopc.uir import Span
from uopc.uir.scan import BAD, COMMENT, NUMBER, PUNCT, REF, WORD, Token, tokens

_NESTING = {"(": 1, "[": 1, ")": -1, "]": -1}
DIRECTIVE = re.compile(r"\s*#\s*uir:\s*")


_NOWHERE = Span(0, 0)


@dataclass(frozen=True)
class Cursor:
    """Where a cursor is.

    kind: "name" (of a new value), "op", "operand", "keyword", "value" (of a keyword), "directive" or "comment";
    op: the line's operation, if it is complete; argument: the number of the positional argument; complete: how many of
    these are written before the cursor; key: the keyword whose value is written; word: the current word, before the
    cursor and after it; given: keywords that the line has; depth: how many lists are open.
    """

    kind: str
    op: str = ""
    argument: int = 0
    key: str = ""
    word: Span = _NOWHERE
    given: frozenset[str] = frozenset()
    depth: int = 0
    complete: int = 0


def read_cursor(line: str, column: int) -> Cursor:
    """The place of a code-point column in a line."""
    found = tokens(line, 0)
    comment = next((token for token in found if token[0] == COMMENT), None)
    if comment is not None and column > comment[1]:
        return _in_comment(line, column)
    word = _word(found, column)
    before = [token for token in found if token[2] <= word.start]
    names = [line[start:end] for _, start, end in before]
    if len(before) < 2 or before[0][0] != REF or names[1] != "=":
        return Cursor("name", word=word)
    if len(before) == 2:
        return Cursor("op", word=word)
    return _in_arguments(line, names[2], before[3:], word, _given(line, found))


def _word(found: list[Token], column: int) -> Span:
    """The word that the column touches; an empty span between words."""
    for kind, start, end in found:
        if kind in (REF, NUMBER, WORD, BAD) and start <= column <= end:
            return Span(start, end)
    return Span(column, column)


def _in_comment(line: str, column: int) -> Cursor:
    head = DIRECTIVE.match(line)
    if head is None or column < head.end():
        return Cursor("comment", word=Span(column, column))
    start = max(line.rfind(" ", 0, column), line.rfind("=", 0, column), head.end() - 1) + 1
    return Cursor("directive", word=Span(start, column))


def _given(line: str, found: list[Token]) -> frozenset[str]:
    pairs = pairwise(found)
    return frozenset(line[a[1] : a[2]] for a, b in pairs if a[0] == WORD and line[b[1] : b[2]] == "=")


def _in_arguments(line: str, op: str, before: list[Token], word: Span, given: frozenset[str]) -> Cursor:
    argument, depth, key = 0, 0, ""
    keywords = bool(before and given & _given(line, before))
    for token, start, end in before:
        char = line[start:end] if token == PUNCT else ""
        depth = max(depth + _NESTING.get(char, 0), 0)
        if char == "," and not depth and not keywords:
            argument += 1
        keywords = keywords or char == ":"
    last = [line[start:end] for _, start, end in before[-2:]]
    if len(last) == 2 and last[1] == "=":
        key = last[0]
    elif depth:
        key = _open_keyword(line, before)
    # After a whole operand comes a comma or a keyword.
    after_operand = bool(before) and not depth and last[-1] not in (",", ":")
    kind = "value" if key else "keyword" if keywords or after_operand else "operand"
    complete = argument + (kind == "keyword" and (argument > 0 or _has_operand(line, before)))
    return Cursor(kind, op, argument, key, word, given, depth, complete)


def _has_operand(line: str, before: list[Token]) -> bool:
    first = line[before[0][1] : before[0][2]] if before else ":"
    second = line[before[1][1] : before[1][2]] if len(before) > 1 else ""
    return first != ":" and second != "="


def _open_keyword(line: str, before: list[Token]) -> str:
    """The keyword whose list is open before the cursor, if one is."""
    depth = 0
    for k in range(len(before) - 1, 1, -1):
        char = line[before[k][1] : before[k][2]]
        depth += _NESTING.get(char, 0)
        if depth == 1 and line[before[k - 1][1] : before[k - 1][2]] == "=":
            return line[before[k - 2][1] : before[k - 2][2]]
    return ""
