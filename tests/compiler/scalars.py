"""Scalar integer expressions, evaluated with exact Python integers: the judge of the simplifier, sharing none of it.

The unknowns of an expression are its loop counters and its loads. `columns` evaluates it at many points at once: every
value is a list with one entry per point.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence

from uopc.dtype import DType, dtypes
from uopc.ops import Ops
from uopc.uop import UOp, buf, range_

Columns = Mapping[UOp, Sequence[int]]

# -- meaning -------------------------------------------------------------------------------------------------------
_EXACT: dict[Ops, Callable[[int, int], int]] = {
    Ops.ADD: lambda a, b: a + b,
    Ops.MUL: lambda a, b: a * b,
    Ops.MAX: lambda a, b: a if a > b else b,
    Ops.FLOORDIV: lambda a, b: a // b if b else 0,
    Ops.FLOORMOD: lambda a, b: a - b * (a // b) if b else 0,
    Ops.AND: lambda a, b: a & b,
    Ops.OR: lambda a, b: a | b,
    Ops.XOR: lambda a, b: a ^ b,
    Ops.CMPLT: lambda a, b: a < b,
    Ops.CMPNE: lambda a, b: a != b,
}


def two_complement(d: DType, value: int) -> int:
    """An exact integer as `d` stores it (a bool: whether it is not zero)."""
    if d.is_bool:
        return int(value != 0)
    value %= 1 << d.bits
    return value - (1 << d.bits) if not d.is_unsigned and value >= 1 << (d.bits - 1) else value


def _shifted(op: Ops, d: DType, a: int, n: int) -> int:
    if 0 <= n < d.bits:
        return a * 2**n if op is Ops.SHL else a // 2**n
    return -1 if op is Ops.SHR and a < 0 else 0


def one(u: UOp, args: Sequence[int]) -> int:
    """The value of one operation."""
    d = u.dtype
    if u.op is Ops.WHERE:
        return args[1] if args[0] else args[2]
    if u.op in (Ops.SHL, Ops.SHR):
        return two_complement(d, _shifted(u.op, d, args[0], args[1]))
    if u.op is Ops.NOT:
        return 1 - args[0]
    if u.op is Ops.NEG:
        return two_complement(d, -args[0])
    if u.op is Ops.CAST:
        return two_complement(d, args[0])
    if d.is_bool and u.op is Ops.XOR:
        return args[0] ^ args[1]
    return two_complement(d, int(_EXACT[u.op](args[0], args[1])))


def columns(roots: Iterable[UOp], known: Columns) -> dict[UOp, Sequence[int]]:
    """The value of every node that the roots need, at every point; `known` has those of the unknowns."""
    size = len(next(iter(known.values()), (0,)))
    out: dict[UOp, Sequence[int]] = dict(known)
    for root in roots:
        for u in root.toposort():
            if u in out or u.op in (Ops.BUFFER, Ops.INDEX):
                continue
            if u.op is Ops.CONST:
                out[u] = [int(u.arg)] * size
            else:
                out[u] = [one(u, args) for args in zip(*(out[s] for s in u.src))]
    return out


# -- unknowns ------------------------------------------------------------------------------------------------------
def corners(d: DType) -> list[int]:
    """The values where a dtype's arithmetic is interesting."""
    lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
    return sorted({v for v in (lo, lo + 1, lo // 2, -3, -1, 0, 1, 2, 5, hi // 2 + 1, hi - 1, hi) if lo <= v <= hi})


def load(slot: int, d: DType) -> UOp:
    """A value of which nothing is known but its dtype."""
    return buf(slot, 1, d).index(0).load()


def domain(u: UOp) -> Sequence[int]:
    """The values that an unknown takes in a test."""
    return range(u.arg.size) if u.op is Ops.RANGE else corners(u.dtype)


def unknowns(u: UOp) -> list[UOp]:
    """The loop counters and loads of an expression."""
    return [n for n in u.toposort() if n.op in (Ops.RANGE, Ops.LOAD)]


def points(leaves: Sequence[UOp], most: int = 400, seed: int = 0) -> Columns:
    """All combinations of the unknowns' values; beyond `most` of them a random choice."""
    sizes = [domain(u) for u in leaves]
    total = 1
    for s in sizes:
        total *= len(s)
    if total <= most:
        rows = list(itertools.product(*sizes))
    else:
        rng = random.Random(seed)
        rows = [tuple(s[rng.randrange(len(s))] for s in sizes) for _ in range(most)]
    return {u: [row[k] for row in rows] for k, u in enumerate(leaves)}


# -- random expressions --------------------------------------------------------------------------------------------
DTYPES = (dtypes.i8, dtypes.i32, dtypes.i64, dtypes.u8, dtypes.u32)
_WILD = (Ops.ADD, Ops.MUL, Ops.MAX, Ops.FLOORDIV, Ops.FLOORMOD, Ops.AND, Ops.OR, Ops.XOR, Ops.SHL, Ops.SHR)
_TAME = (Ops.ADD, Ops.ADD, Ops.MUL, Ops.FLOORDIV, Ops.FLOORDIV, Ops.FLOORMOD, Ops.FLOORMOD)


class Expressions:
    """Random expressions. tame: like indices (i32, loop counters, small constants); wild: everything."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.wild = self.rng.random() < 0.5
        sizes = [self.rng.choice((1, 2, 3, 4, 5, 6, 8, 12)) for _ in range(3)]
        self.ranges = [range_(n, k) for k, n in enumerate(sizes)]

    def expression(self, steps: int = 14) -> UOp:
        """One expression, built in `steps` operations on earlier values."""
        values: list[UOp] = list(self.ranges)
        if self.wild:
            d = self.rng.choice(DTYPES)
            values = [*(r.cast(d) for r in self.ranges[:2]), load(0, d), load(1, self.rng.choice(DTYPES))]
        for _ in range(steps):
            recent = values[-3:] if self.rng.random() < 0.7 else values
            values.append(self._step(self.rng.choice(recent), values))
        return values[-1]

    def _step(self, a: UOp, values: list[UOp]) -> UOp:
        if a.dtype.is_bool:
            return self._logic(a, values)
        kind = self.rng.random()
        if kind < 0.08:
            return a.alu(self.rng.choice((Ops.CMPLT, Ops.CMPNE)), self._partner(a, values))
        if kind < 0.16:
            return (a < self._partner(a, values)).where(a, self._partner(a, values))
        if kind < 0.20:
            return a.alu(Ops.NEG)
        if self.wild and kind < 0.32:
            return a.cast(self.rng.choice((*DTYPES, dtypes.bool)))
        op = self.rng.choice(_WILD if self.wild else _TAME)
        b = self._partner(a, values, constant=0.6 if op in (Ops.ADD, Ops.MAX) else 0.9)
        return b.alu(op, a) if self.rng.random() < 0.15 else a.alu(op, b)

    def _partner(self, a: UOp, values: list[UOp], constant: float = 0.5) -> UOp:
        alike = [v for v in values if v.dtype is a.dtype]
        return self._constant(a.dtype) if self.rng.random() < constant else self.rng.choice(alike)

    def _constant(self, d: DType) -> UOp:
        if d.is_bool:
            return UOp.const(self.rng.random() < 0.5, d)
        small = self.rng.choice((-12, -6, -4, -3, -2, -1, 0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 12, 24))
        if not self.wild and small < 0 and self.rng.random() < 0.7:
            small = -small
        if self.wild and self.rng.random() < 0.2:
            small = self.rng.choice(corners(d))
        return UOp.const(small if dtypes.holds(d, small) else abs(small), d)

    def _logic(self, a: UOp, values: list[UOp]) -> UOp:
        kind = self.rng.random()
        numbers = [v for v in values if v.dtype.is_int]
        if kind < 0.5:
            x = self.rng.choice(numbers)
            return a.where(x, self._partner(x, values))
        if kind < 0.65:
            return a.alu(Ops.NOT)
        if kind < 0.75:
            return a.cast(self.rng.choice(DTYPES))
        b = self._partner(a, values, 0.2)
        if self.rng.random() < 0.2:
            return a.alu(Ops.NOT).where(b, a)
        return a.alu(self.rng.choice((Ops.AND, Ops.OR, Ops.XOR, Ops.MUL, Ops.MAX, Ops.CMPNE, Ops.CMPLT)), b)
