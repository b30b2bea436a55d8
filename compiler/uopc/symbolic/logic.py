"""Bits, truth values and choices: one rule a row. Operands are simplified, results too."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from uopc.dtype import dtypes, int_range
from uopc.ops import Ops
from uopc.symbolic import watch
from uopc.symbolic.compare import less, truth
from uopc.uop import UOp


class LogicRule(NamedTuple):
    """One rewrite of an operation: its name, its law, and the function of the operands that applies it or not."""

    name: str
    law: str
    apply: Callable[..., UOp | None]


def first(rules: tuple[LogicRule, ...], *src: UOp) -> UOp | None:
    """What the first rule that applies makes of the operands."""
    for rule in rules:
        found = rule.apply(*src)
        if found is not None:
            if watch.recorder is not None:
                watch.recorder.fired(rule.name, rule.law, src, found)
            return found
    return None


def _ones(c: UOp) -> bool:
    """Whether a constant has every bit set."""
    d = c.dtype
    return c.op is Ops.CONST and int(c.arg) == (-1 if d.kind == "int" else int_range(d)[1])


def _zero(c: UOp) -> bool:
    return c.op is Ops.CONST and int(c.arg) == 0


# -- and, or, xor --------------------------------------------------------------------------------------------------
def _same(a: UOp, b: UOp) -> UOp | None:
    return a if a is b else None


def _other_if(test: Callable[[UOp], bool]) -> Callable[[UOp, UOp], UOp | None]:
    return lambda a, b: a if test(b) else b if test(a) else None


def _that_if(test: Callable[[UOp], bool]) -> Callable[[UOp, UOp], UOp | None]:
    return lambda a, b: b if test(b) else a if test(a) else None


def _cancels(a: UOp, b: UOp) -> UOp | None:
    return UOp.const(0, a.dtype) if a is b else None


def _complement(a: UOp, b: UOp) -> UOp | None:
    if not a.dtype.is_bool:
        return None
    return not_(a) if _ones(b) else not_(b) if _ones(a) else None


AND_RULES: tuple[LogicRule, ...] = (
    LogicRule("and-same", "a & a = a", _same),
    LogicRule("and-zero", "a & 0 = 0", _that_if(_zero)),
    LogicRule("and-ones", "a & 11...1 = a", _other_if(_ones)),
)
OR_RULES: tuple[LogicRule, ...] = (
    LogicRule("or-same", "a | a = a", _same),
    LogicRule("or-zero", "a | 0 = a", _other_if(_zero)),
    LogicRule("or-ones", "a | 11...1 = 11...1", _that_if(_ones)),
)
XOR_RULES: tuple[LogicRule, ...] = (
    LogicRule("xor-same", "a ^ a = 0", _cancels),
    LogicRule("xor-zero", "a ^ 0 = a", _other_if(_zero)),
    LogicRule("xor-true", "a ^ true = not a, of bools", _complement),
)


# -- not -----------------------------------------------------------------------------------------------------------
def not_(c: UOp) -> UOp:
    """The negation of a bool."""
    found = first(NOT_RULES, c)
    return UOp(Ops.NOT, (c,)) if found is None else found


def _not_less(c: UOp) -> UOp | None:
    if c.op is not Ops.CMPLT or not c.src[0].dtype.is_int:
        return None
    a, b = c.src
    least, most = int_range(b.dtype)
    if b.op is Ops.CONST and b.arg > least:
        return less(UOp.const(b.arg - 1, b.dtype), a)
    if a.op is Ops.CONST and a.arg < most:
        return less(b, UOp.const(a.arg + 1, a.dtype))
    return None


NOT_RULES: tuple[LogicRule, ...] = (
    LogicRule("not-constant", "not true = false", lambda c: truth(not c.arg) if c.op is Ops.CONST else None),
    LogicRule("not-not", "not not a = a", lambda c: c.src[0] if c.op is Ops.NOT else None),
    LogicRule("not-less", "not (x < k) = k-1 < x, and not (k < x) = x < k+1, of integers", _not_less),
)


# -- choice --------------------------------------------------------------------------------------------------------
def where(c: UOp, a: UOp, b: UOp) -> UOp:
    """a where c holds, else b."""
    found = first(WHERE_RULES, c, a, b)
    return UOp(Ops.WHERE, (c, a, b)) if found is None else found


def and_(a: UOp, b: UOp) -> UOp:
    """a and b of bools."""
    found = first(AND_RULES, a, b)
    return UOp(Ops.AND, (a, b)) if found is None else found


def _where_truth(c: UOp, a: UOp, b: UOp) -> UOp | None:
    if a.dtype is not dtypes.bool or (a.op, b.op) != (Ops.CONST, Ops.CONST) or a is b:
        return None
    return c if a.arg else not_(c)


def _where_and(c: UOp, a: UOp, b: UOp) -> UOp | None:
    return and_(c, a) if a.dtype is dtypes.bool and _zero(b) else None


def _again(u: UOp, c: UOp) -> bool:
    """The same question asked again inside a branch has the answer it had outside."""
    return u.op is Ops.WHERE and u.src[0] is c


WHERE_RULES: tuple[LogicRule, ...] = (
    LogicRule(
        "where-constant",
        "where(true, a, b) = a, where(false, a, b) = b",
        lambda c, a, b: (a if c.arg else b) if c.op is Ops.CONST else None,
    ),
    LogicRule("where-same", "where(c, a, a) = a", lambda c, a, b: _same(a, b)),
    LogicRule(
        "where-not",
        "where(not c, a, b) = where(c, b, a)",
        lambda c, a, b: where(c.src[0], b, a) if c.op is Ops.NOT else None,
    ),
    LogicRule(
        "where-again-then",
        "where(c, where(c, a, e), b) = where(c, a, b)",
        lambda c, a, b: where(c, a.src[1], b) if _again(a, c) else None,
    ),
    LogicRule(
        "where-again-else",
        "where(c, a, where(c, e, b)) = where(c, a, b)",
        lambda c, a, b: where(c, a, b.src[2]) if _again(b, c) else None,
    ),
    LogicRule("where-truth", "where(c, true, false) = c, where(c, false, true) = not c", _where_truth),
    LogicRule("where-and", "where(c, a, false) = c & a", _where_and),
)
