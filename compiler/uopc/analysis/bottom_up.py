"""Facts about nodes, computed operands first, once a node, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from uopc.uop import UOp

T = TypeVar("T")

# Nothing of a fact about `u` may refer to `u` itself: a node must not keep itself alive.
Rule = Callable[[UOp], T]


def all_operands(u: UOp) -> tuple[UOp, ...]:
    """The operands of a node."""
    return u.src


def fact(u: UOp, name: str, rule: Rule[T], operands: Callable[[UOp], Iterable[UOp]] = all_operands) -> T:
    """rule(u), after the same for every operand that lacks it. `rule` reads its operands' facts by calling `fact`."""
    if u._cache is None or name not in u._cache:
        stack = [u]
        while stack:
            x = stack[-1]
            missing = [s for s in operands(x) if s._cache is None or name not in s._cache]
            if missing:
                stack.extend(missing)
            else:
                stack.pop()
                x.cached(name, rule)
    assert u._cache is not None
    found: T = u._cache[name]
    return found
