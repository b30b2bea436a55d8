"""Elementwise operations on vectors, each with exactly the meaning that it has on scalars.

What vectors cannot do in one step (division of integers, shifts by a variable, conversions that saturate) is done lane
by lane with the scalar expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from uopc.dtype import DType, dtypes
from uopc.fast import vecmath
from uopc.ops import Ops
from uopc.render.scalar import expression
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.fast.emit import Emitter

_Rule = Callable[[UOp, DType, "Emitter"], "str | None"]


def vector_alu(u: UOp, e: Emitter) -> str:
    """The node as vector C; its operands are already written."""
    d = u.src[-1].dtype
    rule = _RULES.get(u.op)
    text = rule(u, d, e) if rule is not None else None
    if text is None:
        return _lanewise(u, e)
    if u.dtype is dtypes.f16 and u.op not in (Ops.WHERE, Ops.MAX, Ops.NEG):
        return f"{e.vectors.lanewise('half', '(float)(_Float16)x[l]', dtypes.f16, e.width)}({text})"
    return text


def _lanewise(u: UOp, e: Emitter) -> str:
    """Operand lanes as scalars, the scalar expression, and back."""
    v, w = e.vectors, e.width
    name = e.code.fresh("v")
    operands = [(s, e.vector(s)) for s in u.src]
    named = []
    for s, text in operands:
        if not text.isidentifier():
            held = e.code.fresh("v")
            e.code.line(f"{v.of(s.dtype, w)} {held} = {text};", u)
            text = held
        named.append(v.lane(text, s.dtype, "l"))
    body = expression(u, tuple(named), v.helpers)
    from uopc.fast.emit import lane_text

    e.code.line(f"{v.of(u.dtype, w)} {name} = {{}};", u)
    e.code.line(f"for (int l = 0; l < {w}; l++) {name}[l] = {lane_text(body, u.dtype)};", u)
    return name


def _infix(sign: str) -> _Rule:
    def rule(u: UOp, d: DType, e: Emitter) -> str | None:
        a, b = (e.vector(s) for s in u.src)
        if d.is_bool:
            return f"({a} & {b})" if sign == "*" else None
        if d.is_float or d.is_unsigned:
            return f"({a} {sign} {b})"
        t, w = e.vectors.wrapping(d, e.width), e.vectors.of(d, e.width)
        return f"(({w})(({t}){a} {sign} ({t}){b}))"

    return rule


def _neg(u: UOp, d: DType, e: Emitter) -> str | None:
    a = e.vector(u.src[0])
    if d.is_float:
        return f"(-{a})"
    t, w = e.vectors.wrapping(d, e.width), e.vectors.of(d, e.width)
    return f"(({w})(-({t}){a}))"


def _max(u: UOp, d: DType, e: Emitter) -> str | None:
    a, b = (e.vector(s) for s in u.src)
    return f"({a} | {b})" if d.is_bool else f"{e.vectors.maximum(d, e.width)}({a}, {b})"


def _mask(text: str, d: DType, e: Emitter) -> str:
    """The result of comparing lanes of dtype d as a mask of i32 lanes."""
    own, mask = e.vectors.signed(d, e.width), e.vectors.raw(dtypes.i32, e.width)
    return f"({text})" if own == mask else f"__builtin_convertvector(({own})({text}), {mask})"


def _compare(sign: str) -> _Rule:
    def rule(u: UOp, d: DType, e: Emitter) -> str | None:
        a, b = (e.vector(s) for s in u.src)
        if d.is_bool:
            return f"(~{a} & {b})" if sign == "<" else f"({a} ^ {b})"
        return _mask(f"{a} {sign} {b}", d, e)

    return rule


def _bitwise(sign: str) -> _Rule:
    def rule(u: UOp, d: DType, e: Emitter) -> str | None:
        return f"({e.vector(u.src[0])} {sign} {e.vector(u.src[1])})"

    return rule


def _shift(u: UOp, d: DType, e: Emitter) -> str | None:
    n = u.src[1]
    if n.op is not Ops.CONST or not 0 <= n.arg < d.bits:
        return None
    a = e.vector(u.src[0])
    if u.op is Ops.SHR:
        return f"({a} >> {n.arg})"
    t, w = e.vectors.wrapping(d, e.width), e.vectors.of(d, e.width)
    return f"(({w})(({t}){a} << {n.arg}))"


def _where(u: UOp, d: DType, e: Emitter) -> str | None:
    c = u.src[0]
    a, b = e.vector(u.src[1]), e.vector(u.src[2])
    if not e.is_vector(c):
        v = e.vectors.of(d, e.width)
        return f"({e.value(c)} ? ({v}){a} : ({v}){b})"
    return f"{e.vectors.select(d, e.width)}({e.vector(c)}, {a}, {b})"


def _cast(u: UOp, d: DType, e: Emitter) -> str | None:
    to = u.dtype
    if d.is_float and to.is_int:
        return None
    a = e.vector(u.src[0])
    if to.is_bool:
        return a if d.is_bool else _mask(f"{a} != 0", d, e)
    if d.is_bool:
        ones = f"(-{a})"
        return ones if to is dtypes.i32 else f"__builtin_convertvector({ones}, {e.vectors.of(to, e.width)})"
    if e.vectors.of(to, e.width) == e.vectors.of(d, e.width):
        return a
    return f"__builtin_convertvector({a}, {e.vectors.of(to, e.width)})" if not _is_half_trap(d, to) else None


def _is_half_trap(d: DType, to: DType) -> bool:
    """Conversions to f16 that must round once, from a type that f32 does not hold."""
    return to is dtypes.f16 and (d is dtypes.f64 or (d.is_int and d.bits > 16))


def _bitcast(u: UOp, d: DType, e: Emitter) -> str | None:
    if d.is_bool or dtypes.f16 in (d, u.dtype):
        return None
    return f"(({e.vectors.of(u.dtype, e.width)}){e.vector(u.src[0])})"


def _recip(u: UOp, d: DType, e: Emitter) -> str | None:
    return f"({'1.0' if d is dtypes.f64 else '1.0f'} / {e.vector(u.src[0])})"


def _function(u: UOp, d: DType, e: Emitter) -> str | None:
    if d is dtypes.f64:
        return None
    name = vecmath.FUNCTIONS[u.op.value](e.vectors, e.width)
    return f"{name}({e.vector(u.src[0])})"


def _builtin(u: UOp, d: DType, e: Emitter) -> str | None:
    suffix = "" if d is dtypes.f64 else "f"
    name = e.vectors.lanewise(u.op.value, f"__builtin_{u.op.value}{suffix}(x[l])", d, e.width)
    return f"{name}({e.vector(u.src[0])})"


_RULES: dict[Ops, _Rule] = {
    Ops.ADD: _infix("+"),
    Ops.MUL: _infix("*"),
    Ops.NEG: _neg,
    Ops.MAX: _max,
    Ops.CMPLT: _compare("<"),
    Ops.CMPNE: _compare("!="),
    Ops.AND: _bitwise("&"),
    Ops.OR: _bitwise("|"),
    Ops.XOR: _bitwise("^"),
    Ops.SHL: _shift,
    Ops.SHR: _shift,
    Ops.NOT: lambda u, d, e: f"(~{e.vector(u.src[0])})",
    Ops.WHERE: _where,
    Ops.CAST: _cast,
    Ops.BITCAST: _bitcast,
    Ops.RECIP: _recip,
    Ops.EXP2: _function,
    Ops.LOG2: _function,
    Ops.SIN: _function,
    Ops.SQRT: _builtin,
    Ops.TRUNC: _builtin,
}
