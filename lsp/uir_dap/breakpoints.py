"""Breakpoints as a client sets them, made into those of the engine; what cannot be is said in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from uir_dap.source_lines import Found
from uopc.stepping.control import Breakpoint
from uopc.stepping.expressions import ExpressionError, Names, Unknown, compile_expression

_HITS = re.compile(r"\s*(>=|>|==|=|<=|<|%)?\s*(\d{1,9})\s*$")
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    ">=": lambda a, n: a >= n,
    ">": lambda a, n: a > n,
    "==": lambda a, n: a == n,
    "=": lambda a, n: a == n,
    "<=": lambda a, n: a <= n,
    "<": lambda a, n: a < n,
    "%": lambda a, n: n > 0 and a % n == 0,
}


def make_breakpoint(
    number: int, asked: dict[str, Any], found: Found, names: Names, text_of: Callable[[Any], str]
) -> tuple[Breakpoint | None, str]:
    """(the breakpoint, "") or (None, why there is none)."""
    if not found.positions:
        return None, found.message
    try:
        condition = compile_expression(asked["condition"], names) if asked.get("condition") else None
        hits = _hits(asked["hitCondition"]) if asked.get("hitCondition") else None
        message = _message(asked["logMessage"], names, text_of) if asked.get("logMessage") else None
    except ExpressionError as error:
        return None, str(error)
    return Breakpoint(number, found.positions, condition, hits, message), ""


def _hits(text: str) -> Callable[[int], bool]:
    match = _HITS.match(text)
    if match is None:
        raise ExpressionError(f"`{text.strip()}` is no hit count: write 3, >= 3 or % 3")
    compare, n = _COMPARE[match.group(1) or "=="], int(match.group(2))
    return lambda passed: compare(passed, n)


def _message(text: str, names: Names, text_of: Callable[[Any], str]) -> Callable[[], str]:
    """The text with each `{expression}` replaced by its value at the time."""
    pieces = re.split(r"\{([^{}]*)\}", text)
    expressions = [compile_expression(piece, names) for piece in pieces[1::2]]

    def message() -> str:
        said = [pieces[0]]
        for expression, after in zip(expressions, pieces[2::2]):
            try:
                said.append(text_of(expression()))
            except Unknown as unknown:
                said.append(f"({unknown})")
            said.append(after)
        return "".join(said)

    return message
