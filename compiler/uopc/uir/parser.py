"""One line of text to a statement with spans. Nothing here looks at other lines; a broken line says one error."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from uopc.uir import scan
from uopc.uir.drafts import Draft, FixMaker, replace
from uopc.uir.model import NO_ATTRS, Attr, AttrValue, Group, Number, Operand, Ref, Span, Statement, Word
from uopc.uir.scan import BAD, COMMENT, NUMBER, NUMBER_WORDS, PUNCT, REF, WORD, Token

_CLOSE = {"(": ")", "[": "]"}
_Parts = tuple[list[Operand], Mapping[str, Attr]]


class SyntaxFault(Exception):
    """What stops the parse of a line: a draft of the diagnostic."""

    def __init__(self, span: Span, code: str, message: str, *makers: FixMaker) -> None:
        super().__init__(message)
        self.draft = Draft(span, code, message, makers=makers)


class LineParser:
    """The tokens of one line after its operation, without a comment, and where reading stands."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.operands: list[Operand] = []
        self.attrs: Mapping[str, Attr] = NO_ATTRS

    def parse(self) -> None:
        """Operands, then keywords. Raises SyntaxFault; what was read before it stays."""
        if self._operands():
            self._keywords()

    # -- reading ---------------------------------------------------------------------------------------------------
    def _peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _is(self, token: Token | None, char: str) -> bool:
        return token is not None and token[0] == PUNCT and self.text[token[1]] == char

    def _end(self) -> Span:
        """The place just after the last token, where something is missing."""
        end = self.tokens[-1][2] if self.tokens else len(self.text.rstrip(" \t"))
        return Span(max(0, end - 1), end)

    def _is_keyword(self) -> bool:
        token = self._peek()
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        return token is not None and token[0] == WORD and self._is(following, "=")

    # -- operands --------------------------------------------------------------------------------------------------
    def _operands(self) -> bool:
        """Reads operands; True when keywords follow."""
        comma: Token | None = None
        while (token := self._peek()) is not None:
            if self._is(token, ":") or self._is_keyword():
                if comma and self._is(token, ":"):
                    raise _nothing_after(comma, "value")
                self.at += self._is(token, ":")
                return True
            if self.operands and comma is None:
                self._missing_comma(token)
            self.operands.append(self.operand())
            comma = self._comma()
        if comma:
            raise _nothing_after(comma, "value")
        return False

    def _missing_comma(self, token: Token) -> None:
        span = Span(token[1], token[2])
        if token[0] in (REF, NUMBER) or self._is(token, "(") or self._is(token, "["):
            at = self.operands[-1].span.end
            raise SyntaxFault(
                span, "missing-comma", "a comma is missing before this", replace("insert a comma", Span(at, at), ",")
            )
        self.operand()  # raises: it says why this cannot stand here
        raise SyntaxFault(span, "missing-comma", "a comma is missing before this")

    def _comma(self) -> Token | None:
        token = self._peek()
        if token is not None and self._is(token, ","):
            self.at += 1
            return token
        return None

    def operand(self) -> Operand:
        """One value, number or list. Raises SyntaxFault."""
        kind, start, end = token = self.tokens[self.at]
        text = self.text[start:end]
        if kind == REF:
            self.at += 1
            return Ref(text[1:], Span(start, end))
        if kind == NUMBER or (kind == WORD and text in NUMBER_WORDS):
            self.at += 1
            return self._number(text, Span(start, end))
        if kind == PUNCT and text in _CLOSE:
            return self._group()
        raise self._unexpected(token)

    def _number(self, text: str, span: Span) -> Number:
        value = scan.number_value(text)
        if value is None:
            raise SyntaxFault(span, "bad-number", f"a number of {span.end - span.start} characters is too long")
        return Number(value, text, span)

    def _unexpected(self, token: Token) -> SyntaxFault:
        kind, start, end = token
        text, span = self.text[start:end], Span(start, end)
        if kind == WORD:
            return SyntaxFault(
                span,
                "syntax",
                f"`{_short(text)}` is neither a value (%{_short(text)}) nor a keyword (key=value)",
                replace(f"change to %{_short(text)}", span, f"%{text}"),
            )
        if kind == BAD and len(text) > 1 and text[0] in "+-.0123456789":
            return SyntaxFault(span, "bad-number", f"`{_short(text)}` is not a number")
        if kind == BAD and text == "%":
            return SyntaxFault(span, "syntax", "a name is missing after %")
        if kind == BAD:
            message = f"{character(text)} cannot stand here"
            return SyntaxFault(span, "bad-character", message, replace("remove it", span, ""))
        if text == ",":
            return SyntaxFault(
                span, "missing-argument", "a value is missing before this comma", replace("remove the comma", span, "")
            )
        return SyntaxFault(span, "syntax", f"`{text}` cannot stand here, a value is wanted")

    # -- lists -----------------------------------------------------------------------------------------------------
    def _group(self) -> Group:
        """A list, nested to any depth, without recursion."""
        open_lists: list[tuple[str, int, list[Operand]]] = []
        comma = True  # a comma before the first item is one too many
        while (token := self._peek()) is not None:
            kind, start, end = token
            char = self.text[start:end] if kind == PUNCT else ""
            if char in _CLOSE:
                open_lists.append((char, start, []))
                self.at, comma = self.at + 1, True
            elif char in (")", "]"):
                bracket, begin, items = open_lists.pop()
                if char != _CLOSE[bracket]:
                    raise SyntaxFault(
                        Span(start, end), "unclosed-list", f"`{char}` closes a list that `{bracket}` opened"
                    )
                done = Group(tuple(items), Span(begin, end), bracket + char)
                self.at, comma = self.at + 1, False
                if not open_lists:
                    return done
                open_lists[-1][2].append(done)
            elif char == ",":
                if comma:
                    raise SyntaxFault(Span(start, end), "missing-argument", "an entry is missing before this comma")
                self.at, comma = self.at + 1, True
            else:
                open_lists[-1][2].append(self.operand())
                comma = False
        bracket, begin, _ = open_lists[-1]
        raise SyntaxFault(
            Span(begin, begin + 1),
            "unclosed-list",
            f"this `{bracket}` is never closed",
            replace(f"close it with {_CLOSE[bracket]}", Span(self._end().end, self._end().end), _CLOSE[bracket]),
        )

    # -- keywords --------------------------------------------------------------------------------------------------
    def _keywords(self) -> None:
        attrs: dict[str, Attr] = {}
        self.attrs = attrs
        comma: Token | None = None
        while self._peek() is not None:
            attr = self._attr()
            if attr.name in attrs:
                message = f"`{attr.name}` is given twice"
                raise SyntaxFault(attr.span, "duplicate-argument", message, replace("remove it", attr.span, ""))
            attrs[attr.name] = attr
            comma = self._comma()
        if comma:
            raise _nothing_after(comma, "keyword")

    def _attr(self) -> Attr:
        token = self._peek()
        assert token is not None
        if token[0] != WORD:
            if token[0] == BAD:
                raise self._unexpected(token)
            raise SyntaxFault(Span(token[1], token[2]), "syntax", "a keyword (key=value) is wanted here")
        name_span = Span(token[1], token[2])
        name = self.text[token[1] : token[2]]
        self.at += 1
        if not self._is(self._peek(), "="):
            raise SyntaxFault(name_span, "syntax", f"`=` and a value are missing after `{_short(name)}`")
        self.at += 1
        value = self._attr_value(name)
        return Attr(name, name_span, value, Span(name_span.start, value.span.end))

    def _attr_value(self, name: str) -> AttrValue:
        token = self._peek()
        if token is None:
            raise SyntaxFault(self._end(), "syntax", f"a value is missing after `{_short(name)}=`")
        text = self.text[token[1] : token[2]]
        if token[0] == WORD and text not in NUMBER_WORDS:
            self.at += 1
            return Word(text, Span(token[1], token[2]))
        return self.operand()


# -- the fast way ---------------------------------------------------------------------------------------------------
# Nearly every line is well formed. These functions read such a line in one pass and give up, without a word, on any
# other; LineParser then reads it again and says what is wrong.
def well_formed(text: str, tokens: list[Token]) -> _Parts | None:
    """Operands and keywords of a line without a fault, or None."""
    operands: list[Operand] = []
    at, count = 0, len(tokens)
    while at < count:
        kind, start, end = tokens[at]
        if kind == REF:
            operands.append(Ref(text[start + 1 : end], Span(start, end)))
            at += 1
        elif kind == NUMBER:
            number = _number(text, start, end)
            if number is None:
                return None
            operands.append(number)
            at += 1
        elif kind == PUNCT and text[start] in "([" and (found := _list(text, tokens, at)) is not None:
            operands.append(found[0])
            at = found[1]
        else:
            return _keyword_part(text, tokens, at, operands) if kind in (WORD, PUNCT) and not operands else None
        if at == count:
            return operands, NO_ATTRS
        kind, start, _ = tokens[at]
        if kind != PUNCT or text[start] != ",":
            return _keyword_part(text, tokens, at, operands)
        at += 1
    return None if operands else (operands, NO_ATTRS)


def _number(text: str, start: int, end: int) -> Number | None:
    written = text[start:end]
    value = scan.number_value(written)
    return None if value is None else Number(value, written, Span(start, end))


def _list(text: str, tokens: list[Token], at: int, nested: bool = False) -> tuple[Group, int] | None:
    """A list of numbers or of lists of numbers, and the token after it; None for any other list."""
    begin = tokens[at][1]
    close = _CLOSE[text[begin]]
    items: list[Operand] = []
    comma, count = True, len(tokens)
    at += 1
    while at < count:
        kind, start, end = tokens[at]
        at += 1
        if kind == NUMBER:
            number = _number(text, start, end)
            if number is None:
                return None
            items.append(number)
            comma = False
            continue
        if kind != PUNCT:
            return None
        char = text[start]
        if char == close:
            return Group(tuple(items), Span(begin, end), text[begin] + close), at
        if char == "," and not comma:
            comma = True
        elif char in _CLOSE and not nested and (found := _list(text, tokens, at - 1, True)) is not None:
            items.append(found[0])
            at, comma = found[1], False
        else:
            return None
    return None


def _keyword_part(text: str, tokens: list[Token], at: int, operands: list[Operand]) -> _Parts | None:
    """`[:] key=value ...` to the end of the line, without commas."""
    at += tokens[at][0] == PUNCT and text[tokens[at][1]] == ":"
    attrs: dict[str, Attr] = {}
    while at < len(tokens):
        if at + 2 >= len(tokens) or tokens[at][0] != WORD or text[tokens[at + 1][1]] != "=":
            return None
        _, start, end = tokens[at]
        kind, begin, finish = tokens[at + 2]
        name, written, span = text[start:end], text[begin:finish], Span(begin, finish)
        value: AttrValue | None
        following = at + 3
        if name in attrs:
            return None
        if kind == WORD and written not in NUMBER_WORDS:
            value = Word(written, span)
        elif kind == NUMBER:
            value = _number(text, begin, finish)
        elif kind == PUNCT and written in _CLOSE and (found := _list(text, tokens, at + 2)) is not None:
            value, following = found
        else:
            return None
        if value is None:
            return None
        attrs[name] = Attr(name, Span(start, end), value, Span(start, value.span.end))
        at = following
    return operands, attrs


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def character(c: str) -> str:
    """A character in words: itself when it shows, else its number."""
    return f"`{_short(c)}`" if c.isprintable() and not c.isspace() else f"U+{ord(c[0]):04X}"


def statement_head(text: str) -> tuple[Statement | None, Draft]:
    """What a line that does not begin like a statement still says: its name if it has one, and what is wrong."""
    found = scan.tokens(text, 0)
    kind, start, end = found[0]
    first, span = text[start:end], Span(start, end)
    if kind != REF:
        return _named_later(found, text), _not_a_name(first, kind, span, found, text)
    head = _head(found[0], text)
    following = found[1] if len(found) > 1 and found[1][0] != COMMENT else None
    if following is None:
        return head, Draft(span, "syntax", f"`= operation` is missing after {_short(first)}")
    place = Span(following[1], following[2])
    if text[following[1] : following[2]] != "=":
        insert = replace("insert =", Span(end, end), " =")
        return head, Draft(
            place, "syntax", f"`=` is missing after {_short(first)}", makers=(insert,) if following[0] == WORD else ()
        )
    operation = found[2] if len(found) > 2 and found[2][0] != COMMENT else None
    if operation is None:
        return head, Draft(place, "syntax", "an operation is missing after `=`")
    place = Span(operation[1], operation[2])
    return head, Draft(place, "syntax", f"`{_short(text[place.start : place.end])}` is not the name of an operation")


def _head(name: Token, text: str) -> Statement:
    _, start, end = name
    whole = Span(start, len(text.rstrip(" \t")))
    return Statement(text[start + 1 : end], Span(start, end), "", Span(end, end), (), NO_ATTRS, whole)


def _named_later(found: list[Token], text: str) -> Statement | None:
    """The name in `... %name =`: its uses are not to blame for what stands before it."""
    for token, following in pairwise(found):
        if token[0] == REF and text[following[1] : following[2]] == "=":
            return _head(token, text)
    return None


def _nothing_after(comma: Token, what: str) -> SyntaxFault:
    span = Span(comma[1], comma[2])
    message = f"a {what} is missing after this comma"
    return SyntaxFault(span, "missing-argument", message, replace("remove the comma", span, ""))


def _not_a_name(first: str, kind: int, span: Span, found: list[Token], text: str) -> Draft:
    assigned = len(found) > 1 and text[found[1][1] : found[1][2]] == "="
    if kind in (WORD, NUMBER) and assigned and all(c.isalnum() or c in "_." for c in first):
        return Draft(
            span,
            "syntax",
            f"a value's name starts with %: %{_short(first)}",
            makers=(replace("insert %", span, f"%{first}"),),
        )
    if kind == BAD and len(first) == 1 and first != "%":
        return Draft(span, "bad-character", f"{character(first)} cannot stand here")
    return Draft(span, "syntax", "a line is `%name = operation ...`, a comment (#) or blank")
