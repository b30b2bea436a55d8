"""The words of a directive, each with its meaning: `# uir: input 0 = file "a.npz" "w"`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from uir_lsp.cursor import DIRECTIVE
from uopc.uir.directives import KINDS, SOURCES
from uopc.uir.scan import NUMBER_WORDS, parse_number

_PIECE = re.compile(r'"[^"]*"?|#.*|[^\s=,()\[\]"#]+|[=\[\](),]')
_MANY = 2_000  # characters of a list that is coloured as one number


def directive_tokens(line: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of the parts of a line that is a directive; a kind is a token type of the protocol.

    A directive with a mistake has colours too: it is read word by word.
    """
    head = DIRECTIVE.match(line)
    assert head is not None
    sign = line.index("#")
    yield sign, sign + 1, "comment"
    yield line.index("uir:", sign), line.index("uir:", sign) + 4, "macro"
    at, first, kind = head.end(), True, ""
    while piece := _PIECE.search(line, at):
        start, at = piece.span()
        word = piece.group()
        if word == "[" and (end := line.find("]", start)) - start > _MANY:
            yield start, end + 1, "number"
            at = end + 1
            continue
        following = line[at:].lstrip()[:1] if word[0].isalpha() else ""
        found = _kind(word, first, kind, following)
        kind, first = (word, False) if first else (kind, False)
        if found:
            yield start, at, found


def _kind(word: str, first: bool, directive: str, following: str) -> str:
    """The token type of a word; `directive` is the word that the directive began with."""
    if word.startswith(("#", '"')):
        return "comment" if word.startswith("#") else "string"
    if first:
        return "keyword" if word in KINDS else ""
    if word in NUMBER_WORDS or parse_number(word) is not None:
        return "number"
    if following == "=":
        return "property"
    if word in SOURCES and directive in ("input", "expect"):
        return "function"
    return "enumMember" if word[0].isalpha() else ""
