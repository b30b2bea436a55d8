"""Facts about nodes, computed operands first, once a node, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from uopc.uop import UOp

T = TypeVar("T")

# Nothing of a fact about `u` may refer to `u` itself: a node must not keep itself alive.
Rule = Callable[[UOp], T]


def fact(u: UOp, name: str, rule: Rule[T], operands: Callable[[UOp], Iterable[UOp]] = lambda u: u.src) -> T:
    """rule(u), after the same for every operand that lacks it. `rule` reads its operands' facts by calling `fact`."""
    stack = [u]
    while stack:
        x = stack[-1]
        missing = [s for s in operands(x) if not _has(s, name)] if not _has(x, name) else []
        if missing:
            stack.extend(missing)
        else:
            stack.pop()
            x.cached(name, rule)
    found: T = u.cached(name, rule)
    return found


def _has(u: UOp, name: str) -> bool:
    return u._cache is not None and name in u._cache
