"""Alignment of integer values: a modulus and a remainder, which bounds and sums do not see through a choice or a mask.

The domain of congruences of P. Granger, "Static analysis of arithmetical congruences" (1989). An operation that may
leave its dtype wraps: what is then known holds modulo the common factor with 2**bits.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd, prod
from typing import NamedTuple

from uopc.dtype import int_range, wrap_int
from uopc.ops import Ops
from uopc.symbolic.interval import bounds
from uopc.uop import UOp


class Alignment(NamedTuple):
    """The values remainder + k * modulus; 0 <= remainder < modulus, or modulus 0: the one value `remainder`."""

    modulus: int
    remainder: int

    def divides(self, k: int, c: int) -> bool:
        """Whether k times the value has one remainder by c."""
        return k * self.modulus % c == 0

    def excludes(self, value: int) -> bool:
        """Whether the value is none of these."""
        return value != self.remainder if self.modulus == 0 else (value - self.remainder) % self.modulus != 0


ANYTHING = Alignment(1, 0)


def aligned(modulus: int, remainder: int) -> Alignment:
    """The values remainder + k * modulus, written one way."""
    m = abs(modulus)
    return Alignment(m, remainder % m if m else remainder)


def alignment(u: UOp) -> Alignment:
    """What is known of `u`, an integer or bool of any shape: it is remainder + k * modulus for some integer k."""
    known = _known(u)
    if known is not None:
        return known
    todo = [u]
    while todo:
        node = todo[-1]
        waiting = [s for s in _read(node) if _known(s) is None]
        if waiting:
            todo += waiting
        else:
            todo.pop()
            node.remember("alignment", _compute(node))
    found: Alignment = u.cached("alignment", _compute)
    return found


def _known(u: UOp) -> Alignment | None:
    if u.op is Ops.CONST:
        return Alignment(0, int(u.arg))
    return u._cache.get("alignment") if u._cache else None


def _read(u: UOp) -> tuple[UOp, ...]:
    """The operands whose alignment counts."""
    if u.op not in _RULES or u.dtype.bits == 0 or any(s.dtype.is_float for s in u.src):
        return ()
    return u.src[:1] if u.op in _MOVED else u.src


def _compute(u: UOp) -> Alignment:
    read = _read(u)
    if not read:
        return ANYTHING
    lo, hi = bounds(u)
    if lo == hi:
        return Alignment(0, lo)
    found = _RULES[u.op](u, *(_known(s) or ANYTHING for s in read))
    if found.modulus == 0:
        return Alignment(0, wrap_int(u.dtype, found.remainder))
    # The exact result and the stored one differ by a multiple of 2**bits, unless the bounds show that it fits.
    return found if (lo, hi) != int_range(u.dtype) or u.op in _NEVER_WRAPS else _wrapped(found, u.dtype.bits)


def _wrapped(a: Alignment, bits: int) -> Alignment:
    return aligned(gcd(a.modulus, 1 << bits), a.remainder)


def union(a: Alignment, b: Alignment) -> Alignment:
    """What holds of both."""
    return aligned(gcd(a.modulus, b.modulus, a.remainder - b.remainder), a.remainder)


def scaled(a: Alignment, k: int) -> Alignment:
    """k times the value."""
    return aligned(a.modulus * k, a.remainder * k)


def total(a: Alignment, b: Alignment) -> Alignment:
    """The sum of two values."""
    return aligned(gcd(a.modulus, b.modulus), a.remainder + b.remainder)


def product(a: Alignment, b: Alignment) -> Alignment:
    """The product of two values."""
    shared = gcd(a.modulus * b.modulus, a.modulus * b.remainder, a.remainder * b.modulus)
    return aligned(shared, a.remainder * b.remainder)


def quotient(a: Alignment, b: Alignment) -> Alignment:
    """floor(a / c) for a constant c > 0 that divides the modulus."""
    c = b.remainder
    return aligned(a.modulus // c, a.remainder // c) if b.modulus == 0 and c > 0 and a.modulus % c == 0 else ANYTHING


def remainder(a: Alignment, b: Alignment) -> Alignment:
    """a - c * floor(a / c) for a constant c, 0 by zero: it differs from a by a multiple of c."""
    return aligned(gcd(a.modulus, b.remainder), a.remainder) if b.modulus == 0 and b.remainder else ANYTHING


def _low_bits(a: Alignment) -> int | None:
    """How many low bits are known; None: all of them."""
    return None if a.modulus == 0 else (a.modulus & -a.modulus).bit_length() - 1


def _zero_bits(a: Alignment) -> int:
    """How many low bits are known to be zero."""
    known = _low_bits(a)
    zeros = (a.remainder & -a.remainder).bit_length() - 1 if a.remainder else None
    counts = [n for n in (known, zeros) if n is not None]
    return min(counts, default=0)


def _bitwise(combine: Callable[[int, int], int]) -> Callable[[UOp, Alignment, Alignment], Alignment]:
    def rule(u: UOp, a: Alignment, b: Alignment) -> Alignment:
        known = [n for n in (_low_bits(a), _low_bits(b)) if n is not None]
        return aligned(1 << min(known) if known else 0, combine(a.remainder, b.remainder))

    return rule


def _and(u: UOp, a: Alignment, b: Alignment) -> Alignment:
    """The low bits that both know, or those that one of them has cleared, whichever are more."""
    known = _bitwise(int.__and__)(u, a, b)
    cleared = 1 << max(_zero_bits(a), _zero_bits(b))
    return known if known.modulus == 0 or known.modulus >= cleared else Alignment(cleared, 0)


def _shift_left(u: UOp, a: Alignment, n: Alignment) -> Alignment:
    return scaled(a, 1 << n.remainder) if n.modulus == 0 and 0 <= n.remainder < u.dtype.bits else ANYTHING


def _shift_right(u: UOp, a: Alignment, n: Alignment) -> Alignment:
    inside = n.modulus == 0 and 0 <= n.remainder < u.dtype.bits
    return quotient(a, Alignment(0, 1 << n.remainder)) if inside else ANYTHING


def _cast(u: UOp, a: Alignment) -> Alignment:
    source, whole = bounds(u.src[0]), int_range(u.dtype)
    if u.dtype.is_bool:
        return ANYTHING
    return a if whole[0] <= source[0] and source[1] <= whole[1] else _wrapped(a, u.dtype.bits)


def _reduce(u: UOp, a: Alignment) -> Alignment:
    count = prod(u.src[0].shape[len(u.shape) :])
    if u.arg[0] is Ops.ADD:
        return aligned(a.modulus, a.remainder * count) if a.modulus else Alignment(0, a.remainder * count)
    return a if u.arg[0] is Ops.MAX and count else ANYTHING


_MOVED = frozenset((Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE, Ops.SHRINK, Ops.FLIP, Ops.STAGE, Ops.PAD, Ops.INDEX))
_RULES: dict[Ops, Callable[..., Alignment]] = {
    Ops.ADD: lambda u, a, b: total(a, b),
    Ops.MUL: lambda u, a, b: product(a, b),
    Ops.NEG: lambda u, a: scaled(a, -1),
    Ops.MAX: lambda u, a, b: union(a, b),
    Ops.WHERE: lambda u, c, a, b: union(a, b),
    Ops.STACK: lambda u, first, *others: _union_of(first, others),
    Ops.FLOORDIV: lambda u, a, b: quotient(a, b),
    Ops.FLOORMOD: lambda u, a, b: remainder(a, b),
    Ops.AND: _and,
    Ops.OR: _bitwise(int.__or__),
    Ops.XOR: _bitwise(int.__xor__),
    Ops.SHL: _shift_left,
    Ops.SHR: _shift_right,
    Ops.CAST: _cast,
    Ops.ASSUME: lambda u, a: a,
    Ops.REDUCE: _reduce,
    **dict.fromkeys(_MOVED, lambda u, a: a),
    Ops.PAD: lambda u, a: union(a, Alignment(0, 0)),
}
_NEVER_WRAPS = _MOVED | {Ops.MAX, Ops.WHERE, Ops.STACK, Ops.AND, Ops.OR, Ops.XOR, Ops.SHR, Ops.ASSUME, Ops.CAST}


def _union_of(first: Alignment, others: tuple[Alignment, ...]) -> Alignment:
    for a in others:
        first = union(first, a)
    return first
