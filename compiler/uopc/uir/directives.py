"""Directives: comments that start with `uir:`. Their text to data; what needs other lines is in `directive_checks`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from uopc.dtype import Scalar
from uopc.typerules import count
from uopc.uir.drafts import Draft, did_you_mean, hint, listed, replace
from uopc.uir.model import Span
from uopc.uir.nearest import nearest
from uopc.uir.parser import SyntaxFault
from uopc.uir.scan import parse_number

KINDS = ("reduce", "input", "expect", "allow")
SOURCES = ("arange", "zeros", "ones", "full", "randn", "uniform", "file")
_PREFIX = re.compile(r"#[ \t]*uir:[ \t]*")
_TOKEN = re.compile(r'"(?P<string>[^"]*)"|(?P<list>\[[^\]]*\]?)|(?P<pair>\([^)]*\)?)|=|[^\s=\[("]+|"')
_ENTRY = re.compile(r"[^\s,]+")


class Directive(NamedTuple):
    """One directive as written.

    kind: "reduce" "input" "expect" or "allow"; key: the slot or the output's number; source: a word of SOURCES, "list",
    or for `reduce` the order; words: the codes of `allow`, each with its span.
    """

    kind: str
    span: Span
    key: int = 0
    key_span: Span = Span(0, 0)
    source: str = ""
    source_span: Span = Span(0, 0)
    numbers: tuple[Scalar, ...] = ()
    path: str = ""
    member: str | None = None
    options: tuple[tuple[str, Scalar], ...] = ()
    shape: tuple[int, ...] | None = None
    words: tuple[tuple[str, Span], ...] = ()

    def option(self, name: str) -> Scalar | None:
        """The value of `name=`, None when it was not given."""
        return dict(self.options).get(name)


def is_directive(comment: str) -> bool:
    """Whether a comment (with its #) is a directive."""
    return _PREFIX.match(comment) is not None


def parse_directive(text: str, start: int) -> tuple[Directive | None, tuple[Draft, ...]]:
    """The directive in the comment that begins at column `start` of a line, or what is wrong with it."""
    found = _PREFIX.match(text, start)
    assert found is not None
    try:
        return _Reader(text, start, found.end()).read(), ()
    except SyntaxFault as fault:
        return None, (fault.draft,)


class _Reader:
    def __init__(self, text: str, start: int, body: int) -> None:
        self.text = text
        found = [m for m in _TOKEN.finditer(text, body) if m.group().strip()]
        # A second # begins a comment on the directive.
        self.tokens = list(takewhile(lambda m: not m.group().startswith("#"), found))
        self.whole = Span(start, self.tokens[-1].end() if self.tokens else len(text.rstrip()))
        self.at = 0

    # -- tokens ----------------------------------------------------------------------------------------------------
    def _peek(self) -> str:
        return self.tokens[self.at].group() if self.at < len(self.tokens) else ""

    def _span(self) -> Span:
        """Where the next token is; at the end, the last character."""
        if self.at < len(self.tokens):
            return Span(*self.tokens[self.at].span())
        return Span(self.whole.end - 1, self.whole.end)

    def _next(self) -> str:
        token = self._peek()
        self.at += 1
        return token

    def _fault(self, message: str, span: Span | None = None, code: str = "bad-directive") -> SyntaxFault:
        return SyntaxFault(span or self._span(), code, message)

    def _expect_sign(self, after: str) -> None:
        if self._peek() != "=":
            raise self._fault(f"`=` is missing after `{after}`")
        self.at += 1

    def _number(self, what: str, *, whole: bool = False) -> Scalar:
        span, token = self._span(), self._peek()
        value = parse_number(token)
        if value is None or (whole and (type(value) is not int or value < 0)):
            said = f", not `{token[:40]}`" if token else ""
            raise self._fault(f"{what} is {'a whole number' if whole else 'a number'}{said}", span)
        self.at += 1
        return value

    # -- the directives --------------------------------------------------------------------------------------------
    def read(self) -> Directive:
        """The directive. Raises SyntaxFault."""
        span, word = self._span(), self._next()
        readers = {"reduce": self._reduce, "input": self._input, "expect": self._expect, "allow": self._allow}
        if word not in readers:
            near = nearest(word, KINDS)
            message = f"there is no directive `{word[:40]}`{hint(near)}: they are {listed(KINDS)}"
            raise SyntaxFault(span, "unknown-directive", message, *did_you_mean(near, span))
        directive = readers[word]()
        if self.at < len(self.tokens):
            raise self._fault(f"nothing is wanted here, after the {word} directive")
        return directive

    def _reduce(self) -> Directive:
        self._expect_sign("reduce")
        span, order = self._span(), self._next()
        if order not in ("trailing", "leading"):
            near = nearest(order, ("trailing", "leading")) if order else None
            makers = did_you_mean(near, span) if order else ()
            raise SyntaxFault(span, "bad-directive", f"reduce is `trailing` or `leading`, not `{order[:40]}`", *makers)
        return Directive("reduce", self.whole, source=order, source_span=span)

    def _input(self) -> Directive:
        key_span = self._span()
        slot = self._number("the slot of an input", whole=True)
        self._expect_sign(f"input {slot}")
        return self._data("input", int(slot), key_span, (*SOURCES, "list"))

    def _expect(self) -> Directive:
        key_span, number = self._span(), 0
        if self._peek() != "=":
            number = int(self._number("the number of an output", whole=True))
        self._expect_sign("expect")
        return self._data("expect", number, key_span, ("file", "list"))

    def _allow(self) -> Directive:
        words = []
        while self.at < len(self.tokens):
            span = self._span()
            words.append((self._next().rstrip(","), span))
        if not words:
            raise self._fault("allow needs the code of a warning or hint, as in `allow no-op`")
        return Directive("allow", self.whole, words=tuple(words))

    # -- where data comes from -------------------------------------------------------------------------------------
    def _data(self, kind: str, key: int, key_span: Span, sources: tuple[str, ...]) -> Directive:
        span, token = self._span(), self._peek()
        source = "list" if token.startswith("[") else token
        if source not in sources or (source == "list" and token == "list"):
            raise self._bad_source(kind, token, span, sources)
        self.at += 1
        made = Directive(kind, self.whole, key, key_span, source, span)
        if source == "list":
            made = made._replace(numbers=list_numbers(self.text, span))
        elif source == "full":
            made = made._replace(numbers=(self._number("the value of full"),))
        elif source == "uniform":
            made = made._replace(numbers=(self._number("the lower bound"), self._number("the upper bound")))
        elif source == "file":
            made = self._file(made)
        return self._options(made)

    def _bad_source(self, kind: str, token: str, span: Span, sources: tuple[str, ...]) -> SyntaxFault:
        words = [s for s in sources if s != "list"]
        near = nearest(token, words) if token else None
        message = f"an {kind} is {', '.join(words)} or a list like [1, 2, 3], not `{token[:40]}`{hint(near)}"
        return SyntaxFault(span, "bad-directive", message, *(did_you_mean(near, span) if token else ()))

    def _file(self, made: Directive) -> Directive:
        path = self._string("a file is named in double quotes")
        member = self._string("") if self._peek().startswith('"') else None
        return made._replace(path=path, member=member)

    def _string(self, message: str) -> str:
        if self.at >= len(self.tokens) or self.tokens[self.at].group("string") is None:
            raise self._fault(message or "a closing double quote is missing")
        if not self.tokens[self.at].group("string"):
            raise self._fault("the name of a file must not be empty")
        return self._next()[1:-1]

    def _options(self, made: Directive) -> Directive:
        allowed: tuple[str, ...] = ("seed",) if made.source in ("randn", "uniform") else ()
        allowed = ("rtol", "atol", "shape") if made.kind == "expect" else allowed
        found: dict[str, Scalar] = {}
        shape = None
        while self.at < len(self.tokens):
            span, name = self._span(), self._peek()
            if name not in allowed or name in found or (name == "shape" and shape is not None):
                raise self._bad_option(made, name, span, allowed)
            self.at += 1
            self._expect_sign(name)
            if name == "shape":
                shape = self._shape()
            else:
                found[name] = self._option(name)
        return made._replace(options=tuple(found.items()), shape=shape)

    def _option(self, name: str) -> Scalar:
        span, value = self._span(), self._number(f"`{name}`", whole=name == "seed")
        if name != "seed" and not value >= 0:
            raise self._fault(f"`{name}` must not be negative", span)
        return value

    def _bad_option(self, made: Directive, name: str, span: Span, allowed: tuple[str, ...]) -> SyntaxFault:
        if name in allowed:
            return self._fault(f"`{name}` is given twice", span)
        near = nearest(name, allowed)
        takes = f"takes {listed(f'{a}=' for a in allowed)}" if allowed else "takes nothing more"
        message = f"{made.source} {takes}, not `{name[:40]}`{hint(near)}"
        return SyntaxFault(span, "bad-directive", message, *did_you_mean(near, span))

    def _shape(self) -> tuple[int, ...]:
        span, token = self._span(), self._next()
        closed = token[:1] + token[-1:] in ("()", "[]")
        sizes = [parse_number(e) for e in token[1:-1].replace(",", " ").split()] if closed else [None]
        if not all(type(n) is int and n >= 0 for n in sizes):
            raise self._fault(f"`shape` is a list of sizes like (3, 4), not `{token[:40]}`", span)
        return tuple(int(n) for n in sizes if n is not None)


def list_numbers(text: str, span: Span) -> tuple[Scalar, ...]:
    """The numbers of a list in a directive. Raises SyntaxFault at the entry that is none."""
    if text[span.end - 1] != "]" or span.end - span.start < 2:
        close = replace("close it with ]", Span(span.end, span.end), "]")
        raise SyntaxFault(Span(span.start, span.start + 1), "bad-directive", "this `[` is never closed", close)
    numbers = []
    for entry, place in list_entries(text, span):
        value = int(entry) if entry.isdigit() and len(entry) < 19 and entry.isascii() else parse_number(entry)
        if value is None:
            raise SyntaxFault(place(), "bad-directive", f"`{entry[:40]}` is not a number")
        numbers.append(value)
    return tuple(numbers)


class _Place(NamedTuple):
    """Where an entry of a list is; made into a span only when something is wrong with it."""

    start: int
    end: int

    def __call__(self) -> Span:
        return Span(self.start, self.end)


def list_entries(text: str, span: Span) -> Iterator[tuple[str, _Place]]:
    """The entries of a list in a directive, each with its place."""
    for m in _ENTRY.finditer(text, span.start + 1, span.end - 1):
        yield m.group(), _Place(m.start(), m.end())


def count_entries(n: int) -> str:
    """`n` entries in words."""
    return count("entry", n)
