"""One elementwise operation as a C expression with exactly the language's meaning and no undefined behaviour.

Signed arithmetic is written plainly where bounds analysis shows that it cannot overflow, and through the unsigned type
elsewhere. Every expression comes out closed: in parentheses, or a name, a call or a number.
"""

from __future__ import annotations

from collections.abc import Callable

from uopc.dtype import DType, dtypes, int_range
from uopc.ops import Ops
from uopc.render import helpers
from uopc.render.types import C_TYPES, UNSIGNED, constant
from uopc.symbolic import bounds
from uopc.uop import UOp


class Helpers:
    """The helper functions that a program calls, in order of first use."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def call(self, name: str, text: str, *args: str) -> str:
        """A call of helper `name`, whose definition is `text`."""
        self.texts.setdefault(name, text)
        return f"{name}({', '.join(bare(a) for a in args)})"


def bare(text: str) -> str:
    """An expression without the parentheses around the whole of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1] if k == len(text) - 1 else text
    return text


def expression(u: UOp, args: tuple[str, ...], used: Helpers) -> str:
    """`u` as C, its operands given as C."""
    if u.op in (Ops.CAST, Ops.BITCAST):
        return _CONVERSIONS[u.op](u, args[0], used)
    d = u.src[-1].dtype
    if d is dtypes.f16 and u.op is not Ops.WHERE:
        return _half(u, args, used)
    return _RULES[u.op](u, d, args, used)


def _half(u: UOp, args: tuple[str, ...], used: Helpers) -> str:
    """Half precision is computed in single precision and rounded after every operation."""
    wide = tuple(f"(float){a}" for a in args)
    text = _RULES[u.op](u, dtypes.f32, wide, used)
    return text if u.dtype.is_bool else f"((_Float16){text})"


# -- sums and products ---------------------------------------------------------------------------------------------
def fits(u: UOp) -> bool:
    """Whether the exact sum, product or negative always fits the dtype of `u`."""
    spans = [bounds(s) for s in u.src]
    if u.op is Ops.NEG:
        spans = [(-1, -1), *spans]
    corners = [x + y if u.op is Ops.ADD else x * y for x in spans[0] for y in spans[1]]
    lo, hi = int_range(u.dtype)
    return lo <= min(corners) and max(corners) <= hi


def _infix(sign: str) -> Callable[..., str]:
    def rule(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
        if d.is_float or fits(u):
            return (
                f"({args[0]}{sign}{args[1]})"
                if d.is_float or d.bits >= 32
                else f"(({C_TYPES[d]})({args[0]}{sign}{args[1]}))"
            )
        return wrapping(d, f"({UNSIGNED[max(d.bits, 32)]}){args[0]} {sign} ({UNSIGNED[max(d.bits, 32)]}){args[1]}")

    return rule


def wrapping(d: DType, text: str) -> str:
    """An unsigned expression brought back to d modulo 2**bits."""
    return f"({text})" if d.is_unsigned and d.bits >= 32 else f"(({C_TYPES[d]})({text}))"


def _add(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
    b = u.src[1]
    if b.op is Ops.CONST and d.kind == "int" and d.bits >= 32 and b.arg < 0 and fits(u) and b.arg != int_range(d)[0]:
        return f"({args[0]}-{constant(-b.arg, d)})"
    return _infix("+")(u, d, args, used)


def _mul(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
    return f"({args[0]}&&{args[1]})" if d.is_bool else _infix("*")(u, d, args, used)


def _neg(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
    if d.is_float or (d.bits >= 32 and not d.is_unsigned and fits(u)):
        return f"(-{args[0]})"
    return wrapping(d, f"0 - ({UNSIGNED[max(d.bits, 32)]}){args[0]}")


# -- quotients, comparisons, bits ----------------------------------------------------------------------------------
def _divide(sign: str, helper: Callable[[DType], str]) -> Callable[..., str]:
    def rule(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
        # C's own operator truncates: it is the floor where neither side is negative, and defined where b > 0.
        if bounds(u.src[0])[0] >= 0 and bounds(u.src[1])[0] > 0:
            text = f"({args[0]}{sign}{args[1]})"
            return text if d.bits >= 32 else f"(({C_TYPES[d]}){text})"
        return used.call(f"{helper.__name__}_{d}", helper(d), *args)

    return rule


def _helper(helper: Callable[[DType], str], name: str) -> Callable[..., str]:
    def rule(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
        return used.call(f"{name}_{d}", helper(d), *args)

    return rule


def _max(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
    return f"({args[0]}||{args[1]})" if d.is_bool else used.call(f"max_{d}", helpers.maximum(d), *args)


def _bitwise(sign: str, logical: str) -> Callable[..., str]:
    def rule(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
        text = f"({args[0]}{logical if d.is_bool else sign}{args[1]})"
        return text if d.is_bool or d.bits >= 32 else f"(({C_TYPES[d]}){text})"

    return rule


def _compare(sign: str) -> Callable[..., str]:
    return lambda u, d, args, used: f"({args[0]}{sign}{args[1]})"


def _where(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
    text = f"({args[0]}?{args[1]}:{args[2]})"
    return f"(({C_TYPES[d]}){text})" if d.is_int and d.bits < 32 else text


# -- functions -----------------------------------------------------------------------------------------------------
def _function(name: str) -> Callable[..., str]:
    return lambda u, d, args, used: f"{name}{'' if d is dtypes.f64 else 'f'}({bare(args[0])})"


def _recip(u: UOp, d: DType, args: tuple[str, ...], used: Helpers) -> str:
    return f"({'1.0' if d is dtypes.f64 else '1.0f'}/{args[0]})"


def _cast(u: UOp, x: str, used: Helpers) -> str:
    source, d = u.src[0].dtype, u.dtype
    if d.is_bool:
        return f"({x}!=0)"
    if source.is_float and d.is_int:
        return used.call(f"cast_{source}_{d}", helpers.cast(source, d), x)
    return f"(({C_TYPES[d]}){x})"


def _bitcast(u: UOp, x: str, used: Helpers) -> str:
    source, d = u.src[0].dtype, u.dtype
    return used.call(f"bitcast_{source}_{d}", helpers.bitcast(source, d), x)


_CONVERSIONS = {Ops.CAST: _cast, Ops.BITCAST: _bitcast}
_RULES: dict[Ops, Callable[..., str]] = {
    Ops.ADD: _add,
    Ops.MUL: _mul,
    Ops.NEG: _neg,
    Ops.MAX: _max,
    Ops.FLOORDIV: _divide("/", helpers.floordiv),
    Ops.FLOORMOD: _divide("%", helpers.floormod),
    Ops.CMPLT: _compare("<"),
    Ops.CMPNE: _compare("!="),
    Ops.AND: _bitwise("&", "&&"),
    Ops.OR: _bitwise("|", "||"),
    Ops.XOR: _bitwise("^", "!="),
    Ops.SHL: _helper(helpers.shl, "shl"),
    Ops.SHR: _helper(helpers.shr, "shr"),
    Ops.RECIP: _recip,
    Ops.EXP2: _function("exp2"),
    Ops.LOG2: _function("log2"),
    Ops.SQRT: _function("sqrt"),
    Ops.SIN: _function("sin"),
    Ops.TRUNC: _function("trunc"),
    Ops.NOT: lambda u, d, args, used: f"(!{args[0]})",
    Ops.WHERE: _where,
}
