"""Tokens of a line: one regular expression, and the values of numbers."""

from __future__ import annotations

import math
import re

from uopc.dtype import Scalar

_NUMBER = (
    r"[+-]?(?:0[xX](?:[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
    r"|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|nan)(?![A-Za-z0-9_.%])"
)
_WORD = r"[A-Za-z_][A-Za-z0-9_.]*"

# The groups, by number; the number of the group that matched is the kind of the token.
REF, NUMBER, WORD, PUNCT, COMMENT, BAD = 1, 2, 3, 4, 5, 6
TOKEN = re.compile(
    rf"(%[A-Za-z0-9_.]+)|({_NUMBER})|({_WORD})|([()\[\],:=])|(#.*)|([+-]?[A-Za-z0-9_.%]+|[^ \t])",
    re.DOTALL,
)
HEAD = re.compile(rf"[ \t]*%([A-Za-z0-9_.]+)[ \t]*=[ \t]*({_WORD})")
# The most common lines as a whole: one or two operands and nothing else, each a name or a plain decimal number, the
# second perhaps a flat list of whole numbers.
_PLAIN = r"(?:%([A-Za-z0-9_.]+)|([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))"
_LIST = r"(\([0-9]+(?:(?:[ \t]*,[ \t]*|[ \t]+)[0-9]+)*,?\))"
SIMPLE = re.compile(
    rf"[ \t]*%([A-Za-z0-9_.]+)[ \t]*=[ \t]*({_WORD})[ \t]+{_PLAIN}[ \t]*(?:,[ \t]*(?:{_PLAIN}|{_LIST})[ \t]*)?\Z"
)
DIGITS = re.compile(r"[0-9]+")
NUMBER_ONLY = re.compile(_NUMBER)

TRUTH = {"true": True, "True": True, "false": False, "False": False}
NUMBER_WORDS: dict[str, Scalar] = {**TRUTH, "inf": math.inf, "nan": math.nan}
MAX_DIGITS = 1000

Token = tuple[int, int, int]


def tokens(text: str, start: int) -> list[Token]:
    """(kind, start, end) of every token of a line from a column on; blanks are left out."""
    return [(m.lastindex or BAD, *m.span()) for m in TOKEN.finditer(text, start)]


def number_value(text: str) -> Scalar | None:
    """The value of a number: an int without point, exponent, inf or nan. None when it has too many digits."""
    if text.isdigit() and len(text) <= MAX_DIGITS:
        return int(text)
    word = NUMBER_WORDS.get(text)
    if word is not None:
        return word
    if len(text) > MAX_DIGITS:
        return None
    if "x" in text or "X" in text:
        return _hexadecimal(text)
    try:
        return int(text)
    except ValueError:
        return float(text)


def _hexadecimal(text: str) -> Scalar:
    if "." in text or "p" in text or "P" in text:
        try:
            return float.fromhex(text)
        except OverflowError:
            return -math.inf if text.startswith("-") else math.inf
    return int(text, 16)


def parse_number(text: str) -> Scalar | None:
    """The number or truth value that the whole text is, or None."""
    if text in NUMBER_WORDS:
        return NUMBER_WORDS[text]
    return number_value(text) if NUMBER_ONLY.fullmatch(text) else None
