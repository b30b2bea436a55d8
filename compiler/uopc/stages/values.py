"""The value that a kernel computes, as a person writes it: `%0[256·i + k] * %1[256·k + j]`."""

from __future__ import annotations

from collections.abc import Callable

from uopc.analysis.expressions import expression
from uopc.analysis.style import MATH
from uopc.ops import Ops
from uopc.uir.printer import number_text
from uopc.uop import UOp

Leaf = Callable[[UOp], "str | None"]

MAX_LENGTH = 100  # a part whose text is longer is shown as an ellipsis
_SUM, _PRODUCT, _ATOM = 1, 2, 3  # how tightly a text binds


class Values:
    """Texts of scalar values. `leaf` gives loop counters, loads and whatever has a name their texts."""

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        self.texts: dict[UOp, tuple[str, int]] = {}

    def write(self, u: UOp) -> str:
        """The text of a value."""
        return self._at(u, 0)

    def _at(self, u: UOp, level: int) -> str:
        for x in self._order(u):
            self.texts[x] = self._cut(*self._text(x))
        text, binds = self.texts[u]
        return text if binds >= level else f"({text})"

    def _order(self, root: UOp) -> list[UOp]:
        """Values below `root` that have no text yet, operands first."""
        done: dict[UOp, None] = {}
        stack = [(root, False)]
        while stack:
            u, expanded = stack.pop()
            if u in done or u in self.texts:
                continue
            if expanded or self._whole(u):
                done[u] = None
                continue
            stack.append((u, True))
            stack.extend((s, False) for s in reversed(u.src))
        return list(done)

    def _whole(self, u: UOp) -> bool:
        """Whether its text is not made of its operands' texts here."""
        return not u.src or self.leaf(u) is not None or not _is_value(u)

    def _cut(self, text: str, binds: int) -> tuple[str, int]:
        return (text, binds) if len(text) <= MAX_LENGTH else (MATH.more, _ATOM)

    def _text(self, u: UOp) -> tuple[str, int]:
        named = self.leaf(u)
        if named is not None:
            return named, _ATOM
        if u.op is Ops.CONST:
            text = number_text(u.arg, u.dtype)
            return text, _SUM if text.startswith("-") else _ATOM
        if not _is_value(u):
            return expression(u, self._inner, MATH), _SUM
        if u.op is Ops.ADD:
            minus = subtrahend(u.src[1])
            sign, right = (" + ", u.src[1]) if minus is None else (" - ", minus)
            return f"{self._part(u.src[0], _SUM)}{sign}{self._part(right, _SUM if minus is None else _PRODUCT)}", _SUM
        if u.op is Ops.MUL:
            return f"{self._part(u.src[0], _PRODUCT)} * {self._part(u.src[1], _PRODUCT)}", _PRODUCT
        name = str(u.dtype) if u.op is Ops.CAST else u.op.value
        return f"{name}({', '.join(self._part(s, 0) for s in u.src)})", _ATOM

    def _part(self, u: UOp, level: int) -> str:
        if u not in self.texts:
            return self._at(u, level)
        text, binds = self.texts[u]
        return text if binds >= level else f"({text})"

    def _inner(self, u: UOp) -> str | None:
        """What the writer of index expressions calls a part of one that is no index."""
        named = self.leaf(u)
        if named is not None or not _is_value(u):
            return named
        return self.texts[u][0] if u in self.texts else MATH.more


def _is_value(u: UOp) -> bool:
    """Whether it is a number that is computed with, and no index or condition."""
    return u.dtype.is_float or (u.op in (Ops.CAST, Ops.WHERE) and any(s.dtype.is_float for s in u.src))


def subtrahend(u: UOp) -> UOp | None:
    """x of x * -1."""
    if u.op is Ops.MUL and u.src[1].op is Ops.CONST and u.src[1].arg == -1:
        return u.src[0]
    return None
