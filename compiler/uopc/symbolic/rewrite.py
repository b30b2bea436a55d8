"""The simplifier: every node once, operands first, through the rules of its operation; results are remembered on nodes.

A rule gets simplified operands and answers with a simplified node or None. Floats keep their bits: only rewrites that
hold for NaN, infinities and both zeros are here.
"""

from __future__ import annotations

from collections.abc import Callable

from uopc.dtype import Scalar, dtypes, int_range
from uopc.ops import ALU, Ops
from uopc.symbolic.compare import and_, differs, less, not_
from uopc.symbolic.divmod import build, floordiv, floormod
from uopc.symbolic.fold import fold
from uopc.symbolic.interval import bounds
from uopc.symbolic.linear import MAX_TERMS, linear, mark
from uopc.uop import UOp

_Operands = tuple[UOp, ...]


def simplify(u: UOp) -> UOp:
    """The same value by less arithmetic. Works on scalar expressions and on whole loop programs; linear in nodes."""
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
        result = _node(node.op, tuple(_simple(s) for s in node.src), node)
        if result is not node:
            _remember(node, result)
        mark(result)
    return _simple(u)


def _remember(node: UOp, result: UOp) -> None:
    node.cached("simple", lambda _: result)


def _done(u: UOp) -> bool | None:
    return True if not u.src or (u._cache is not None and "simple" in u._cache) else None


def _simple(u: UOp) -> UOp:
    known = u._cache.get("simple") if u._cache else None
    return u if known is None else known


def _node(op: Ops, src: _Operands, old: UOp) -> UOp:
    """`old` with simplified operands, simplified."""
    if old.shape == () and op in ALU:
        if all(s.op is Ops.CONST for s in src):
            value = fold(op, old.dtype, src[-1].dtype, tuple(s.arg for s in src))
            if value is not None:
                return UOp.const(value, old.dtype)
        rule = (_INT if src[-1].dtype.is_int else _BOOL if src[-1].dtype.is_bool else _FLOAT).get(op)
        found = rule(old, *src) if rule is not None else None
        if found is not None:
            return found
    elif op is Ops.INDEX:
        src = (src[0], *(_unwidened(i) for i in src[1:]))
    return old if src == old.src else old.replace(src=src)


def _unwidened(i: UOp) -> UOp:
    """An address does not care how wide its index is."""
    while (
        i.op is Ops.CAST and i.src[0].dtype.is_int and i.src[0].dtype.bits <= i.dtype.bits and bounds(i.src[0])[0] >= 0
    ):
        i = i.src[0]
    return i


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
    if b.op is Ops.CONST:
        return floordiv(a, int(b.arg))
    return UOp.const(bounds(u)[0], u.dtype) if bounds(u)[0] == bounds(u)[1] else None


def _remainder(u: UOp, a: UOp, b: UOp) -> UOp | None:
    return floormod(a, int(b.arg)) if b.op is Ops.CONST else None


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


def _by_identity(u: UOp, a: UOp, b: UOp, same: Callable[[UOp], UOp], zero: UOp | None, one: UOp | None) -> UOp | None:
    """Bitwise rules: x op x; x op 0 and x op all-ones, which give the other operand or the constant."""
    if a is b:
        return same(a)
    for x, c in ((a, b), (b, a)):
        if c.op is Ops.CONST and c.arg == 0:
            return zero if zero is not None else x
        if c.op is Ops.CONST and int(c.arg) == (
            -1 if not u.dtype.is_unsigned and not u.dtype.is_bool else int_range(u.dtype)[1]
        ):
            return one if one is not None else x
    return None


def _int_and(u: UOp, a: UOp, b: UOp) -> UOp | None:
    return _by_identity(u, a, b, lambda x: x, UOp.const(0, u.dtype), None)


def _int_or(u: UOp, a: UOp, b: UOp) -> UOp | None:
    ones = UOp.const(-1 if u.dtype.kind == "int" else int_range(u.dtype)[1], u.dtype)
    return _by_identity(u, a, b, lambda x: x, None, ones)


def _xor(u: UOp, a: UOp, b: UOp) -> UOp | None:
    if a is b:
        return UOp.const(0, u.dtype)
    for x, c in ((a, b), (b, a)):
        if c.op is Ops.CONST and c.arg == 0:
            return x
    return None


# -- choice --------------------------------------------------------------------------------------------------------
def _where(u: UOp, c: UOp, a: UOp, b: UOp) -> UOp | None:
    if c.op is Ops.CONST:
        return a if c.arg else b
    if a is b:
        return a
    if c.op is Ops.NOT:
        return _rebuilt_where(u, c.src[0], b, a)
    # The same question asked again inside a branch has the answer it had outside.
    if a.op is Ops.WHERE and a.src[0] is c:
        return _rebuilt_where(u, c, a.src[1], b)
    if b.op is Ops.WHERE and b.src[0] is c:
        return _rebuilt_where(u, c, a, b.src[2])
    return _bool_where(u, c, a, b) if u.dtype.is_bool else None


def _rebuilt_where(u: UOp, c: UOp, a: UOp, b: UOp) -> UOp:
    found = _where(u, c, a, b)
    return found if found is not None else UOp(Ops.WHERE, (c, a, b))


def _bool_where(u: UOp, c: UOp, a: UOp, b: UOp) -> UOp | None:
    if (a.op, b.op) == (Ops.CONST, Ops.CONST):
        return c if a.arg else not_(c)
    if b.op is Ops.CONST and not b.arg:
        return and_(c, a)
    return None


# -- floats: only what holds for every bit pattern --------------------------------------------------------------
def _is(c: UOp, value: Scalar) -> bool:
    return c.op is Ops.CONST and c is UOp.const(value, c.dtype)


def _float_sum(u: UOp, a: UOp, b: UOp) -> UOp | None:
    return a if _is(b, -0.0) else b if _is(a, -0.0) else None


def _float_product(u: UOp, a: UOp, b: UOp) -> UOp | None:
    return a if _is(b, 1.0) else b if _is(a, 1.0) else None


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
    Ops.AND: _int_and,
    Ops.OR: _int_or,
    Ops.XOR: _xor,
    Ops.CAST: _int_cast,
    Ops.WHERE: _where,
}
_FLOAT: dict[Ops, Callable[..., UOp | None]] = {
    Ops.ADD: _float_sum,
    Ops.MUL: _float_product,
    Ops.MAX: lambda u, a, b: a if a is b else None,
    Ops.WHERE: _where,
}
_BOOL: dict[Ops, Callable[..., UOp | None]] = {
    Ops.MUL: lambda u, a, b: and_(a, b),
    Ops.AND: lambda u, a, b: and_(a, b),
    Ops.MAX: lambda u, a, b: _int_or(u, a, b),
    Ops.OR: _int_or,
    Ops.XOR: _xor,
    Ops.CMPNE: _xor,
    Ops.NOT: lambda u, a: not_(a),
    Ops.WHERE: _where,
    Ops.CAST: lambda u, a: a if u.dtype is dtypes.bool else None,
}
