"""The simplifier: every node once, operands first, through the rules of its operation; results are remembered on nodes.

A rule gets simplified operands and answers with a simplified node or None. Floats keep their bits: only rewrites that
hold for NaN, infinities and both zeros are here.
"""

from __future__ import annotations

from collections.abc import Callable

from uopc.dtype import Scalar, dtypes, int_range
from uopc.ops import ALU, Ops
from uopc.symbolic import watch
from uopc.symbolic.compare import differs, less
from uopc.symbolic.divmod import build, floordiv, floormod, forget_answers
from uopc.symbolic.fold import fold
from uopc.symbolic.interval import bounds
from uopc.symbolic.linear import MAX_TERMS, linear, mark
from uopc.symbolic.logic import AND_RULES, NOT_RULES, OR_RULES, WHERE_RULES, XOR_RULES, LogicRule, first
from uopc.uop import UOp

_Operands = tuple[UOp, ...]


def simplify(u: UOp) -> UOp:
    """The same value by less arithmetic. Works on scalar expressions and on whole loop programs; linear in nodes."""
    if watch.raw:
        return u
    if _done(u) is None:
        try:
            if watch.recorder is None:
                _walk(u, _node)
            else:
                watch.timed(_walk, u, _watched)
        finally:
            forget_answers()
    return _simple(u)


def _walk(u: UOp, rewrite: Callable[[Ops, _Operands, UOp], UOp]) -> None:
    todo = [u]
    while todo:
        node = todo[-1]
        if _done(node) is not None:
            todo.pop()
            continue
        waiting = [s for s in node.src if _done(s) is None]
        if waiting:
            todo.extend(waiting)
            continue
        todo.pop()
        result = rewrite(node.op, tuple(_simple(s) for s in node.src), node)
        if result is not node:
            node.remember("simple", result)
        mark(result)


def _done(u: UOp) -> bool | None:
    return True if not u.src or (u._cache is not None and "simple" in u._cache) else None


def _simple(u: UOp) -> UOp:
    known = u._cache.get("simple") if u._cache else None
    return u if known is None else known


def _node(op: Ops, src: _Operands, old: UOp) -> UOp:
    """`old` with simplified operands, simplified."""
    if old.shape == () and op in ALU:
        return _scalar(op, src, old)
    if op is Ops.INDEX:
        src = (src[0], *(_unwidened(i) for i in src[1:]))
    return old if src == old.src else old.replace(src=src)


# What the simplifier does by itself, by operation. What its tables of rules do, they report themselves.
_SUMS = ("canonical-sum", "terms of a sum in one order, equal ones together: a + 2*a = 3*a")
_FLOATS = ("float-identity", "x + -0.0 = x, x * 1.0 = x, max(x, x) = x: for every bit pattern")
_OWN: dict[Ops, tuple[str, str]] = {
    **dict.fromkeys((Ops.ADD, Ops.MUL, Ops.NEG, Ops.SHL, Ops.CAST), _SUMS),
    Ops.MAX: ("max-by-bounds", "max(a, b) = a when the smallest a is not below the largest b"),
    Ops.CMPLT: ("inequality", "a < b as a sum below a constant"),
    Ops.CMPNE: ("inequality", "a < b as a sum below a constant"),
    Ops.FLOORMOD: ("remainder-by-bounds", "a % b = a when 0 <= a < b always"),
    Ops.INDEX: ("narrow-address", "an address does not need the cast that widens its index"),
}
_FOLDED = ("constant-folding", "an operation on constants is a constant")
_BOUNDED = ("known-by-bounds", "x = c when its bounds leave one value")


def _watched(op: Ops, src: _Operands, old: UOp) -> UOp:
    """As `_node`, and the watcher is told when no row of a table has told it."""
    told = watch.recorder
    assert told is not None
    before = old if src == old.src else old.replace(src=src)
    count = told.total
    told.look()
    found = _node(op, src, old)
    if found is not before and told.total == count:
        if found.op is Ops.CONST:
            name, law = _FOLDED if all(s.op is Ops.CONST for s in src) else _BOUNDED
        else:
            name, law = _FLOATS if before.dtype.is_float else _OWN.get(op, _SUMS)
        told.fired(name, law, before, found)
    return found


def _scalar(op: Ops, src: _Operands, old: UOp) -> UOp:
    if all(s.op is Ops.CONST for s in src):
        value = fold(op, old.dtype, src[-1].dtype, tuple(s.arg for s in src))
        if value is not None:
            return UOp.const(value, old.dtype)
    node = old if src == old.src else old.replace(src=src)
    if not node.dtype.is_float:
        lo, hi = bounds(node)
        if lo == hi:
            return UOp.const(lo, node.dtype)
    rule = (_INT if src[-1].dtype.is_int else _BOOL if src[-1].dtype.is_bool else _FLOAT).get(op)
    found = rule(node, *src) if rule is not None else None
    return node if found is None else found


def _unwidened(i: UOp) -> UOp:
    """An address does not care how wide its index is, as long as the cast keeps the value."""
    while i.op is Ops.CAST and i.src[0].dtype.is_int and _within(bounds(i.src[0]), int_range(i.dtype)):
        i = i.src[0]
    return i


def _within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


# -- integers ------------------------------------------------------------------------------------------------------
def _sum(u: UOp, a: UOp, b: UOp) -> UOp | None:
    first, second = linear(a), linear(b)
    if len(first.terms) + len(second.terms) > MAX_TERMS and first.terms and second.terms:
        return None
    return build(linear(UOp(Ops.ADD, (a, b))), u.dtype)


def _product(u: UOp, a: UOp, b: UOp) -> UOp | None:
    if a.op is Ops.CONST:
        a, b = b, a
    if b.op is Ops.CONST:
        return build(linear(UOp(Ops.MUL, (a, b))), u.dtype)
    return None if (a, b) == u.src else UOp(Ops.MUL, (a, b))


def _form(u: UOp, *src: UOp) -> UOp:
    return build(linear(UOp(u.op, src, u.arg)), u.dtype)


def _shift_left(u: UOp, a: UOp, n: UOp) -> UOp | None:
    if n.op is not Ops.CONST:
        return None
    return _form(u, a, n) if 0 <= n.arg < u.dtype.bits else UOp.const(0, u.dtype)


def _quotient(u: UOp, a: UOp, b: UOp) -> UOp | None:
    return floordiv(a, int(b.arg)) if b.op is Ops.CONST else None


def _remainder(u: UOp, a: UOp, b: UOp) -> UOp | None:
    if b.op is Ops.CONST:
        return floormod(a, int(b.arg))
    return a if bounds(a)[0] >= 0 and bounds(a)[1] < bounds(b)[0] else None


def _int_max(u: UOp, a: UOp, b: UOp) -> UOp | None:
    if bounds(a)[0] >= bounds(b)[1]:
        return a
    if bounds(b)[0] >= bounds(a)[1]:
        return b
    if a.op is Ops.MAX and b.op is Ops.CONST and a.src[1].op is Ops.CONST:
        return UOp(Ops.MAX, (a.src[0], UOp.const(max(a.src[1].arg, b.arg), u.dtype)))
    return None


def _int_cast(u: UOp, x: UOp) -> UOp | None:
    if u.dtype.is_int:
        return _form(u, x)
    if u.dtype.is_bool:
        return differs(x, UOp.const(0, x.dtype))
    return None


# -- floats: only what holds for every bit pattern --------------------------------------------------------------
def _is(c: UOp, value: Scalar) -> bool:
    return c.op is Ops.CONST and c is UOp.const(value, c.dtype)


def _float_sum(u: UOp, a: UOp, b: UOp) -> UOp | None:
    return a if _is(b, -0.0) else b if _is(a, -0.0) else None


def _float_product(u: UOp, a: UOp, b: UOp) -> UOp | None:
    return a if _is(b, 1.0) else b if _is(a, 1.0) else None


def _by(rules: tuple[LogicRule, ...]) -> Callable[..., UOp | None]:
    return lambda u, *src: first(rules, *src)


_INT: dict[Ops, Callable[..., UOp | None]] = {
    Ops.ADD: _sum,
    Ops.MUL: _product,
    Ops.NEG: _form,
    Ops.SHL: _shift_left,
    Ops.FLOORDIV: _quotient,
    Ops.FLOORMOD: _remainder,
    Ops.MAX: _int_max,
    Ops.CMPLT: lambda u, a, b: less(a, b),
    Ops.CMPNE: lambda u, a, b: differs(a, b),
    Ops.AND: _by(AND_RULES),
    Ops.OR: _by(OR_RULES),
    Ops.XOR: _by(XOR_RULES),
    Ops.CAST: _int_cast,
    Ops.WHERE: _by(WHERE_RULES),
}
_FLOAT: dict[Ops, Callable[..., UOp | None]] = {
    Ops.ADD: _float_sum,
    Ops.MUL: _float_product,
    Ops.MAX: lambda u, a, b: a if a is b else None,
    Ops.WHERE: _by(WHERE_RULES),
}
_BOOL: dict[Ops, Callable[..., UOp | None]] = {
    Ops.MUL: _by(AND_RULES),
    Ops.AND: _by(AND_RULES),
    Ops.MAX: _by(OR_RULES),
    Ops.OR: _by(OR_RULES),
    Ops.XOR: _by(XOR_RULES),
    Ops.CMPNE: _by(XOR_RULES),
    Ops.NOT: _by(NOT_RULES),
    Ops.WHERE: _by(WHERE_RULES),
    Ops.CAST: lambda u, a: a if u.dtype is dtypes.bool else None,
}
