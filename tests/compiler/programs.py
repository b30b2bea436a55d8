"""Random well-typed programs, each with inputs and with what may differ between two right ways of running it.

Everything in the language is exact (integers wrap, float operations are rounded one by one in the order written) except
sums and products inside a reduce, whose order is free, and exp2, log2 and sin. So each value carries a bound on the
error that is due to those alone: zero for most programs, which then must agree to the bit. Operations that could turn a
small error into a large one (comparisons, truncation, reading bits) are only applied to values without any.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uopc.broadcast import broadcast_shape, broadcast_to
from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.uop import Shape, UOp, UOpError, buf, sink, stack

Array = npt.NDArray[Any]

MAX_ELEMENTS = 2000
MAX_RANK = 6
VALUE_DTYPES = tuple(d for d in dtypes.all if d is not dtypes.void)
FLOATS = tuple(d for d in VALUE_DTYPES if d.is_float)
INTS = tuple(d for d in VALUE_DTYPES if d.is_int)


class Fact(NamedTuple):
    """About a float value.

    error: how far two right results may be apart; bound: the largest magnitude it may have; zero_open: whether the sign
    of its zeros is open (after max and reduce).
    """

    error: float = 0.0
    bound: float = 0.0
    zero_open: bool = False


class Program(NamedTuple):
    """root: a value, or a sink of values or whole-buffer stores; inputs by slot; errors: allowed, one per output."""

    root: UOp
    inputs: dict[int, Array]
    errors: list[float]


def random_program(seed: int) -> Program:
    """The program number `seed`; the same one on every machine."""
    return _Maker(np.random.default_rng(seed)).program()


def difference(want: Array, got: Array, error: float) -> str | None:
    """What is wrong with `got` where `want` is right, or None. NaN equals NaN, and the zeros are equal."""
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    if want.dtype.kind != "f":
        wrong = want != got
    else:
        with np.errstate(all="ignore"):
            a, b = want.astype(np.float64), got.astype(np.float64)
            wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= error))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    first = f"{got[at]} instead of {want[at]} (± {error})"
    return f"{int(wrong.sum())} of {wrong.size} elements differ, first at {at}: {first}"


def random_array(rng: np.random.Generator, d: DType, n: int) -> Array:
    """n elements: mild multiples of 1/16 for floats, the full range with its extremes for integers."""
    if d.is_bool:
        return rng.integers(0, 2, n).astype(np.bool_)
    if d.is_float:
        return (rng.integers(-64, 65, n) / 16).astype(np_dtype(d))
    lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
    anything = rng.integers(lo, hi, n, dtype=np_dtype(d), endpoint=True)
    special = np.array([lo, lo + 1, hi, hi - 1, 0, 1, 2, -1 if lo else 3], np_dtype(d))
    small = rng.integers(-9 if lo else 0, 10, n).astype(np_dtype(d))
    pick = rng.integers(0, 3, n)
    return np.where(pick == 0, anything, np.where(pick == 1, rng.choice(special, n), small)).astype(np_dtype(d))


class _Maker:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.facts: dict[UOp, Fact] = {}
        self.values: list[UOp] = []
        self.inputs: list[Array] = []
        self.reduces = 0

    # -- chance ----------------------------------------------------------------------------------------------------
    def number(self, lo: int, hi: int) -> int:
        """An integer of lo..hi."""
        return int(self.rng.integers(lo, hi + 1))

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, options: Any) -> Any:
        return options[self.number(0, len(options) - 1)]

    # -- the program -----------------------------------------------------------------------------------------------
    def program(self) -> Program:
        for slot in range(self.number(1, 3)):
            self.add_input(slot)
        target = len(self.values) + self.number(3, 14)
        for _ in range(100):
            if len(self.values) >= target:
                break
            self.step()
        return self.finish()

    def add_input(self, slot: int) -> None:
        d = self.pick((*VALUE_DTYPES, *FLOATS, dtypes.f32, dtypes.f32, dtypes.i32, dtypes.i32))
        n = self.pick((1, 2, 6, 12, 24, 30, 36, 60, 64))
        self.inputs.append(random_array(self.rng, d, n))
        b = buf(slot, n, d)
        self.add(b, Fact(0.0, 4.0))
        if self.chance(0.8):
            self.add(b.reshape(self.split(n)), Fact(0.0, 4.0))

    def split(self, n: int) -> Shape:
        """A shape of n elements."""
        shape: list[int] = []
        while n > 1 and len(shape) < MAX_RANK - 1:
            factor = self.pick([k for k in range(2, n + 1) if n % k == 0])
            shape.append(factor)
            n //= factor
        shape.append(n)
        while len(shape) < MAX_RANK and self.chance(0.2):
            shape.insert(self.number(0, len(shape)), 1)
        return tuple(shape) if n != 1 or self.chance(0.3) else tuple(s for s in shape if s != 1)

    def finish(self) -> Program:
        recent = self.values[-4:]
        if self.chance(0.75):
            chosen = [recent[-1]]
            return self.made(chosen[0], chosen)
        chosen = [self.pick(recent) for _ in range(self.number(1, 3))]
        if self.chance(0.5):
            return self.made(sink(*chosen), chosen)
        stores = [self.stored(k, value) for k, value in enumerate(chosen)]
        return self.made(sink(*stores), chosen)

    def stored(self, k: int, value: UOp) -> UOp:
        target = buf(len(self.inputs) + k, math.prod(value.shape), value.dtype)
        return (target if len(value.shape) == 1 else target.reshape(value.shape)).store(value)

    def made(self, root: UOp, chosen: list[UOp]) -> Program:
        used = {u.arg.slot for u in root.toposort() if u.op is Ops.BUFFER}
        inputs = {slot: a for slot, a in enumerate(self.inputs) if slot in used}
        return Program(root, inputs, [self.facts[v].error for v in chosen])

    def add(self, u: UOp, fact: Fact) -> UOp:
        """Keeps a value if it is small enough; the fact is made to fit its dtype."""
        if math.prod(u.shape) <= MAX_ELEMENTS and len(u.shape) <= MAX_RANK:
            self.facts[u] = self.rounded(u.dtype, fact) if u.dtype.is_float else Fact()
            if u not in self.values:
                self.values.append(u)
        return u

    def rounded(self, d: DType, fact: Fact) -> Fact:
        info = np.finfo(np_dtype(d))
        bound = fact.bound if fact.bound < float(info.max) / 2 else math.inf
        own = float(info.eps) * bound + float(info.tiny) if fact.error else 0.0
        return Fact(fact.error + own, bound, fact.zero_open)

    def step(self) -> None:
        steps: tuple[Callable[[UOp], None], ...] = (
            self.movement,
            self.movement,
            self.binary,
            self.binary,
            self.unary,
            self.where,
            self.convert,
            self.reduce,
            self.stack,
            self.index,
        )
        x = self.values[-1] if self.chance(0.6) else self.pick(self.values)
        self.pick(steps)(x)

    # -- movement --------------------------------------------------------------------------------------------------
    def movement(self, x: UOp) -> None:
        moves = (self.permute, self.shrink, self.reshape, self.expand, self.flip, self.pad, self.stage)
        moved = self.pick(moves)(x)
        self.add(moved, self.facts[x])

    def permute(self, x: UOp) -> UOp:
        return x.permute(self.rng.permutation(len(x.shape)))

    def shrink(self, x: UOp) -> UOp:
        bounds = []
        for n in x.shape:
            begin = self.number(0, n // 2)
            least = begin if self.chance(0.03) else min(begin + 1, n)
            bounds.append((begin, self.number(least, n)))
        return x.shrink(bounds)

    def reshape(self, x: UOp) -> UOp:
        n = math.prod(x.shape)
        return x.reshape(self.split(n)) if n else x.reshape((*x.shape, 1)[:MAX_RANK] if 0 in x.shape[:5] else (0,))

    def expand(self, x: UOp) -> UOp:
        if 1 not in x.shape:
            at = self.number(0, len(x.shape))
            x = x.reshape((*x.shape[:at], 1, *x.shape[at:]))
        size = math.prod(x.shape)
        most = min(5, MAX_ELEMENTS // max(1, size))
        return x.expand(self.number(1, most) if n == 1 and most and self.chance(0.7) else n for n in x.shape)

    def flip(self, x: UOp) -> UOp:
        return x.flip(k for k in range(len(x.shape)) if self.chance(0.5))

    def pad(self, x: UOp) -> UOp:
        return x.pad((self.number(0, 2), self.number(0, 2)) if self.chance(0.5) else (0, 0) for _ in x.shape)

    def stage(self, x: UOp) -> UOp:
        return x.stage()

    def stack(self, x: UOp) -> None:
        parts = [x]
        for _ in range(self.number(0, 3)):
            alike = [v for v in self.values if v.dtype is x.dtype and v.shape == x.shape]
            parts.append(self.pick(alike) if self.chance(0.7) else self.constant(x))
        facts = [self.facts[p] for p in parts]
        self.add(stack(*parts), _worst(facts))

    def index(self, x: UOp) -> None:
        if not x.shape or 0 in x.shape:
            return
        indices: list[UOp | int] = []
        for n in x.shape[: self.number(1, len(x.shape))]:
            runtime = self.integer_scalar() if self.chance(0.5) else None
            indices.append(self.number(0, n - 1) if runtime is None else self.inside(runtime, n))
        self.add(x.index(*indices), self.facts[x])

    def integer_scalar(self) -> UOp | None:
        """A run-time integer of shape ()."""
        found = [v for v in self.values if v.dtype.is_int and 0 not in v.shape]
        if not found:
            return None
        v: UOp = self.pick(found)
        return v.index(*(self.number(0, n - 1) for n in v.shape)) if v.shape else v

    def inside(self, i: UOp, n: int) -> UOp:
        """An index that is provably inside, or one that must be clamped."""
        return i % n if self.chance(0.5) and dtypes.holds(i.dtype, n) else i

    # -- elementwise -----------------------------------------------------------------------------------------------
    def constant(self, like: UOp) -> UOp:
        """A constant of the dtype and shape of `like`."""
        d = like.dtype
        if d.is_bool:
            c = like.const_like(self.chance(0.5))
        elif d.is_float:
            c = like.const_like(self.pick((0.0, 1.0, -1.0, 0.5, -2.0, 1.5, -0.0, 3.0)))
        else:
            lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
            c = like.const_like(self.pick((lo, hi, 0, 1, 2, 3, 5, 7, 8, hi // 3, max(lo, -1), max(lo, -4))))
        self.facts[c] = self.rounded(d, Fact(0.0, 3.0)) if d.is_float else Fact()
        return c

    def partner(self, x: UOp) -> UOp:
        """Another value of the dtype of `x` whose shape broadcasts with its own."""
        for _ in range(4):
            y: UOp = self.pick(self.values)
            if y.dtype is x.dtype and _fits(x.shape, y.shape):
                return y
        return x if self.chance(0.2) else self.constant(x)

    def pair(self, x: UOp) -> tuple[UOp, UOp, Fact, Fact]:
        y = self.partner(x)
        shape = broadcast_shape(x.shape, y.shape)
        a, b, fa, fb = broadcast_to(x, shape), broadcast_to(y, shape), self.facts[x], self.facts[y]
        return (a, b, fa, fb) if self.chance(0.5) else (b, a, fb, fa)

    def binary(self, x: UOp) -> None:
        a, b, fa, fb = self.pair(x)
        op = self.pick(_BINARY_OF[x.dtype.kind])
        if op in (Ops.CMPLT, Ops.CMPNE) and (fa.error or fb.error):
            return
        if op in (Ops.SHL, Ops.SHR) and self.chance(0.7):
            b = b.alu(Ops.AND, min(15, int(dtypes.max(b.dtype))))
        self.add(a.alu(op, b), self.binary_fact(op, fa, fb))

    def binary_fact(self, op: Ops, a: Fact, b: Fact) -> Fact:
        zero_open = a.zero_open or b.zero_open
        if op is Ops.ADD:
            return Fact(a.error + b.error, a.bound + b.bound, zero_open)
        if op is Ops.MUL:
            exact = not a.error and not b.error
            error = 0.0 if exact else a.error * b.bound + b.error * a.bound + a.error * b.error
            return Fact(math.inf if error != error else error, _product(a.bound, b.bound), zero_open)
        return _worst([a, b])._replace(zero_open=True)  # max

    def unary(self, x: UOp) -> None:
        if x.dtype.is_bool:
            self.add(x.alu(Ops.NOT), Fact())
        elif x.dtype.is_int:
            self.add(x.alu(Ops.NEG), Fact())
        else:
            op = self.pick((Ops.NEG, Ops.RECIP, Ops.EXP2, Ops.LOG2, Ops.SQRT, Ops.SIN, Ops.TRUNC))
            fact = self.unary_fact(op, self.facts[x], float(np.finfo(np_dtype(x.dtype)).eps))
            if fact is not None:
                self.add(x.alu(op), fact)

    def unary_fact(self, op: Ops, f: Fact, eps: float) -> Fact | None:
        """None where the operation could enlarge an error, or show the sign of a zero that is open."""
        if op is Ops.NEG:
            return f
        if op is Ops.SIN:
            return Fact(f.error + 4 * eps, 1.0, f.zero_open) if f.bound < 1e3 else None
        if op is Ops.EXP2:
            top = 2.0 ** (f.bound + f.error) if f.bound < 10 else math.inf
            return Fact(top * (f.error + 4 * eps), top, False) if f.bound < 10 else None
        if f.error or (op is Ops.RECIP and f.zero_open):
            return None
        if op is Ops.LOG2:
            return Fact(4 * eps * 1100, math.inf, True)
        return Fact(0.0, f.bound if op is Ops.TRUNC else math.inf, f.zero_open)  # recip and sqrt give inf or NaN

    def where(self, x: UOp) -> None:
        a, b, fa, fb = self.pair(x)
        conditions = [v for v in self.values if v.dtype.is_bool and _fits(a.shape, v.shape)]
        if conditions:
            c = self.pick(conditions)
        elif x.dtype.is_bool or (x.dtype.is_float and fa.error):
            return
        else:
            c = a < self.constant(a)
        shape = broadcast_shape(c.shape, a.shape)
        self.add(broadcast_to(c, shape).where(broadcast_to(a, shape), broadcast_to(b, shape)), _worst([fa, fb]))

    def convert(self, x: UOp) -> None:
        f = self.facts[x]
        alike = [d for d in VALUE_DTYPES if d.bits == x.dtype.bits and d is not x.dtype]
        readable = not x.dtype.is_float or (f.bound < math.inf and not f.error and not f.zero_open)
        if alike and readable and self.chance(0.2):
            self.add(x.bitcast(self.pick(alike)), Fact(0.0, math.inf))
            return
        d = self.pick(FLOATS) if f.error else self.pick(VALUE_DTYPES)
        bound = f.bound if x.dtype.is_float else float(max(abs(int(dtypes.min(x.dtype))), int(dtypes.max(x.dtype))))
        self.add(x.cast(d), Fact(f.error, bound, f.zero_open))

    # -- reductions ------------------------------------------------------------------------------------------------
    def reduce(self, x: UOp) -> None:
        if self.reduces >= 3:
            return
        n = self.number(0, len(x.shape))
        op = self.pick((Ops.MAX, Ops.MUL) if x.dtype.is_bool else (Ops.ADD, Ops.ADD, Ops.MAX, Ops.MUL))
        terms = math.prod(x.shape[len(x.shape) - n :])
        fact = self.reduce_fact(op, self.facts[x], terms, x.dtype)
        if fact is not None:
            self.reduces += 1
            self.add(x.reduce(op, n), fact)

    def reduce_fact(self, op: Ops, f: Fact, terms: int, d: DType) -> Fact | None:
        """None where the order of the operations could decide between a number and an infinity."""
        if not d.is_float or op is Ops.MAX:
            return Fact(f.error, f.bound, True)
        info = np.finfo(np_dtype(d))
        big = f.bound * terms if op is Ops.ADD else (max(f.bound, 1.0) + f.error) ** terms if terms < 8 else math.inf
        if not big < float(info.max) / 4:
            return None
        steps = f.error + float(info.eps) * (f.bound + 1)
        error = terms * (f.error + terms * float(info.eps) * f.bound) if op is Ops.ADD else terms * big * steps
        return Fact(error + float(info.tiny) * terms, big, True)


_BINARY_OF: dict[str, tuple[Ops, ...]] = {
    "bool": (Ops.MUL, Ops.MAX, Ops.CMPLT, Ops.CMPNE, Ops.AND, Ops.OR, Ops.XOR),
    "float": (Ops.ADD, Ops.MUL, Ops.MAX, Ops.CMPLT, Ops.CMPNE),
    "int": (
        Ops.ADD,
        Ops.MUL,
        Ops.MAX,
        Ops.CMPLT,
        Ops.CMPNE,
        Ops.FLOORDIV,
        Ops.FLOORMOD,
        Ops.AND,
        Ops.OR,
        Ops.XOR,
        Ops.SHL,
        Ops.SHR,
    ),
}
_BINARY_OF["uint"] = _BINARY_OF["int"]


def _worst(facts: list[Fact]) -> Fact:
    return Fact(max(f.error for f in facts), max(f.bound for f in facts), any(f.zero_open for f in facts))


def _product(a: float, b: float) -> float:
    return 0.0 if 0.0 in (a, b) else a * b


def _fits(a: Shape, b: Shape) -> bool:
    try:
        return math.prod(broadcast_shape(a, b)) <= MAX_ELEMENTS
    except UOpError:
        return False
