"""What a condition, a hover or a watch may ask: numbers, names, elements of buffers, and the usual operators.

A small parser of our own: nothing of it is ever handed to Python. `&&` and `and`, `||` and `or`, `!` and `not` are the
same; `/` is true division, `//` and `%` round toward minus infinity; names may have their `%` or not.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, Protocol

_LONGEST = 1_000
_TOKEN = re.compile(
    r"\s*(?:(?P<number>0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>%?[A-Za-z_][A-Za-z_0-9.]*|%[0-9][A-Za-z_0-9.]*)"
    r"|(?P<sign>&&|\|\||==|!=|<=|>=|//|[-+*/%<>!()\[\],]))"
)


class ExpressionError(Exception):
    """The expression cannot be read, or names what there is not."""


class Unknown(Exception):
    """The expression has no value at this moment: something in it has not been computed yet."""


class Names(Protocol):
    """What names stand for. Both give a function from the moment to the value, which may raise Unknown."""

    def scalar(self, name: str) -> Callable[[], Any]:
        """Of a name without %. Raises ExpressionError when there is none."""

    def element(self, name: str, indices: int) -> Callable[[list[Any]], Any]:
        """Of an element of what is named. Raises ExpressionError when there is none, or not with so many indices."""


Expression = Callable[[], Any]

_BINARY: list[dict[str, Callable[[Any, Any], Any]]] = [
    {"==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod},
]
_WORDS = {"and": "&&", "or": "||", "not": "!"}


def compile_expression(text: str, names: Names) -> Expression:
    """A function that gives the value now. Raises ExpressionError with a sentence; the function raises Unknown."""
    parser = _Parser(_tokens(text), names)
    expression = parser.either()
    if parser.token is not None:
        raise ExpressionError(f"`{parser.token[1]}` was not expected")
    return expression


def _tokens(text: str) -> list[tuple[str, str]]:
    if len(text) > _LONGEST:
        raise ExpressionError(f"the expression is longer than {_LONGEST:,} characters")
    found: list[tuple[str, str]] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"`{text[at:].strip()[0]}` has no meaning here")
        kind = str(match.lastgroup)
        word = match.group(kind)
        if kind == "name" and word.startswith("%") and found and _is_value(found[-1]):
            found += [("sign", "%"), ("number" if word[1:].isdigit() else "name", word[1:])]  # a remainder: i %2
        else:
            found.append(("sign", _WORDS[word]) if word in _WORDS else (kind, word))
        at = match.end()
    return found


def _is_value(token: tuple[str, str]) -> bool:
    return token[0] in ("number", "name") or token[1] in (")", "]")


class _Parser:
    """Recursive descent; the length limit keeps it shallow enough."""

    def __init__(self, tokens: list[tuple[str, str]], names: Names) -> None:
        self.tokens, self.names, self.at, self.depth = tokens, names, 0, 0

    @property
    def token(self) -> tuple[str, str] | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def takes(self, sign: str) -> bool:
        """Whether the next token is that sign; it is then behind us."""
        if self.token == ("sign", sign):
            self.at += 1
            return True
        return False

    def wants(self, sign: str) -> None:
        if not self.takes(sign):
            raise ExpressionError(f"`{sign}` is missing" + (f" before `{self.token[1]}`" if self.token else ""))

    def either(self) -> Expression:
        self.depth += 1
        if self.depth > 50:
            raise ExpressionError("the expression is nested too deeply")
        left = self.both()
        while self.takes("||"):
            left = _either(left, self.both())
        self.depth -= 1
        return left

    def both(self) -> Expression:
        left = self.negated()
        while self.takes("&&"):
            left = _both(left, self.negated())
        return left

    def negated(self) -> Expression:
        negations = 0
        while self.takes("!"):
            negations += 1
        inner = self.binary(0)
        if not negations:
            return inner
        return (lambda: not inner()) if negations % 2 else (lambda: bool(inner()))

    def binary(self, level: int) -> Expression:
        if level == len(_BINARY):
            return self.signed()
        left = self.binary(level + 1)
        while self.token is not None and self.token[0] == "sign" and self.token[1] in _BINARY[level]:
            apply = _BINARY[level][self.token[1]]
            self.at += 1
            left = _applied(apply, left, self.binary(level + 1))
        return left

    def signed(self) -> Expression:
        minus = 0
        while self.token in (("sign", "-"), ("sign", "+")):
            minus += self.token == ("sign", "-")
            self.at += 1
        inner = self.atom()
        return (lambda: -inner()) if minus % 2 else inner

    def atom(self) -> Expression:
        if self.takes("("):
            inner = self.either()
            self.wants(")")
            return inner
        token = self.token
        if token is None:
            raise ExpressionError("the expression ends too early")
        self.at += 1
        if token[0] == "number":
            return _constant(token[1])
        if token[0] == "name":
            return self.named(token[1])
        raise ExpressionError(f"`{token[1]}` was not expected")

    def named(self, word: str) -> Expression:
        if word in ("true", "True", "false", "False"):
            truth = word.lower() == "true"
            return lambda: truth
        name = word.removeprefix("%")
        if not self.takes("["):
            return self.names.scalar(name)
        indices = [self.either()]
        while self.takes(","):
            indices.append(self.either())
        self.wants("]")
        element = self.names.element(name, len(indices))
        return lambda: element([index() for index in indices])


def _constant(text: str) -> Expression:
    if text.lower().startswith("0x"):
        value: Any = int(text, 16)
    else:
        value = int(text) if text.isdigit() else float(text)
    return lambda: value


def _either(a: Expression, b: Expression) -> Expression:
    return lambda: bool(a()) or bool(b())


def _both(a: Expression, b: Expression) -> Expression:
    return lambda: bool(a()) and bool(b())


def _applied(apply: Callable[[Any, Any], Any], a: Expression, b: Expression) -> Expression:
    def value() -> Any:
        try:
            return apply(a(), b())
        except (ZeroDivisionError, OverflowError, TypeError) as error:
            raise Unknown(str(error)) from error

    return value
