"""What the rewrite rules did, in words: how often, and a few rewrites of each before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from uopc.analysis.expressions import expression, loop_letter
from uopc.analysis.style import MATH
from uopc.ops import Ops
from uopc.symbolic.compare import Inequality
from uopc.symbolic.linear import Linear
from uopc.symbolic.watch import Fired
from uopc.uop import UOp

SHOWN = 3  # rewrites of one rule
_LONG = 90  # characters beyond which a rewrite shows nothing any more
# The rules of logic get operands only: what they are operands of is the first word of their name.
_OPERATIONS = {"and": Ops.AND, "or": Ops.OR, "xor": Ops.XOR, "not": Ops.NOT, "where": Ops.WHERE}

_LITERAL = frozenset({"canonical-sum", "constant-folding", "known-by-bounds"})
_SIGNS = {Ops.ADD: " + ", Ops.MUL: " · ", Ops.FLOORDIV: " // ", Ops.FLOORMOD: " % ", Ops.CMPLT: " < ", Ops.CMPNE: " ≠ "}


@dataclass(frozen=True)
class Rewrite:
    """One thing that a rule did."""

    before: str
    after: str


@dataclass(frozen=True)
class Rule:
    """A rule at work. law: what it says; count: how often it applied; ms: the milliseconds of that, which two equal
    rules need not share; examples: short ones, each once."""

    name: str
    law: str
    count: int
    ms: float = field(compare=False)
    examples: tuple[Rewrite, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def rules_of(fired: Mapping[str, Fired]) -> tuple[Rule, ...]:
    """The rules that applied, most often first."""
    found = (Rule(name, f.law, f.count, round(f.seconds * 1e3, 3), _examples(name, f)) for name, f in fired.items())
    return tuple(sorted(found, key=lambda r: (-r.count, r.name)))


def _examples(name: str, fired: Fired) -> tuple[Rewrite, ...]:
    texts = dict.fromkeys(Rewrite(_text(name, a), _text("", b)) for a, b in fired.examples)
    telling = [r for r in texts if r.before != r.after and MATH.more not in r.before + r.after]
    short = [r for r in telling if len(r.before) + len(r.after) <= _LONG]
    return tuple(sorted(short or telling, key=lambda r: len(r.before) + len(r.after))[:SHOWN])


def _text(name: str, what: Any) -> str:
    if isinstance(what, Inequality):
        return f"{_sum(what.terms, 0)} < {what.bound}"
    if isinstance(what, Linear):
        return _sum(what.terms, what.const)
    if isinstance(what, tuple):
        what = UOp(_OPERATIONS[name.partition("-")[0]], what)
    if name in _LITERAL:
        return _literal(what)
    if what.op is Ops.INDEX:
        return f"[{', '.join(_typed(i) for i in what.src[1:])}]"
    return expression(what, _leaf, MATH)


def _leaf(u: UOp) -> str | None:
    return f"buffer{u.arg.slot}" if u.op is Ops.BUFFER else loop_letter(u)


def _literal(u: UOp) -> str:
    """An operation as it stands, its operands as sums: what makes sums must not be shown by what it makes."""
    sign = _SIGNS.get(u.op)
    parts = [expression(s, _leaf, MATH) for s in u.src]
    if sign is None or len(parts) != 2:
        return expression(u, _leaf, MATH) if not u.src else f"{u.op.value}({', '.join(parts)})"
    return sign.join(f"({p})" if " " in p and u.op is not Ops.ADD else p for p in parts)


def _typed(i: UOp) -> str:
    text = expression(i, _leaf, MATH)
    return f"{i.dtype}({text})" if i.op is Ops.CAST else text


def _sum(terms: Mapping[UOp, int], const: int) -> str:
    """A sum of exact numbers, each part of it as it stands."""
    text = ""
    for t, c in terms.items():
        inner = expression(t, _leaf, MATH)
        inner = f"({inner})" if t.op in (Ops.ADD, Ops.FLOORDIV, Ops.FLOORMOD) and abs(c) != 1 else inner
        factor = "" if abs(c) == 1 else f"{abs(c)}{MATH.times}"
        text += f" {'-' if c < 0 else '+'} {factor}{inner}"
    if const or not terms:
        text += f" {'-' if const < 0 else '+'} {abs(const)}"
    return text.removeprefix(" + ").replace(" - ", "-", 1) if text.startswith(" - ") else text.removeprefix(" + ")
