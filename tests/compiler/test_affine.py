"""Chains of movement operations end in index arithmetic: it is right, and there is no more of it than needed.

Wherever the element that a chain reads is an affine function of the loop counters, the load's index has no // and no %;
elsewhere never more of them than the textbook way has, which puts axes into groups before it splits them.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest
from programs import Array
from scalars import columns, points, unknowns

from uopc.ops import Ops
from uopc.rangeify import Ctx, rangeify
from uopc.symbolic import simplify
from uopc.uop import Shape, UOp, buf

CHAINS = 2400
BATCH = 400
MAX_RANK = 6
MAX_ELEMENTS = 1500
DIVISIONS = (Ops.FLOORDIV, Ops.FLOORMOD)
distribution: Counter[str] = Counter()


# -- random chains -------------------------------------------------------------------------------------------------
class Chain:
    """A value made by random movement operations, and what NumPy makes of the buffer's positions by the same."""

    def __init__(self, seed: int, least: int = 2, most: int = 7) -> None:
        self.rng = random.Random(seed)
        n = self.rng.choice((12, 16, 24, 30, 36, 48, 60, 64, 72, 96, 120, 128, 180, 210))
        self.value = buf(0, n)
        self.positions: Array = np.arange(n)
        self.moves: list[str] = []
        for _ in range(self.rng.randint(least, most)):
            self.rng.choice((self.reshape, self.reshape, self.permute, self.shrink, self.expand, self.flip))()

    @property
    def shape(self) -> Shape:
        return self.value.shape

    def apply(self, value: UOp, positions: Array, words: str) -> None:
        if 0 < positions.size <= MAX_ELEMENTS and positions.ndim <= MAX_RANK:
            self.value, self.positions = value, positions
            self.moves.append(f"{words} -> {value.shape}")

    def reshape(self) -> None:
        shape = self.regrouped()
        self.apply(self.value.reshape(shape), self.positions.reshape(shape), "reshape")

    def regrouped(self) -> Shape:
        """The same elements: neighbours merged, axes split, or all prime factors dealt out anew."""
        kind = self.rng.random()
        shape = list(self.shape)
        if kind < 0.35 and len(shape) > 1:
            k = self.rng.randrange(len(shape) - 1)
            shape[k : k + 2] = [shape[k] * shape[k + 1]]
        elif kind < 0.75 and shape:
            k = self.rng.randrange(len(shape))
            factor = self.rng.choice([f for f in range(1, shape[k] + 1) if shape[k] % f == 0])
            shape[k : k + 1] = [factor, shape[k] // factor]
        else:
            shape = [1] * self.rng.randint(1, 4)
            for p in primes(math.prod(self.shape)):
                shape[self.rng.randrange(len(shape))] *= p
        return tuple(shape)

    def permute(self) -> None:
        order = list(range(len(self.shape)))
        self.rng.shuffle(order)
        self.apply(self.value.permute(order), self.positions.transpose(order), f"permute {order}")

    def shrink(self) -> None:
        windows = [(0, n) for n in self.shape]
        for k in self.rng.sample(range(len(windows)), min(len(windows), self.rng.randint(1, 2))):
            begin = self.rng.randint(0, self.shape[k] // 2)
            windows[k] = (begin, self.rng.randint(begin + 1, self.shape[k]))
        cut = self.positions[tuple(slice(b, e) for b, e in windows)]
        self.apply(self.value.shrink(windows), cut, f"shrink {windows}")

    def expand(self) -> None:
        """A new axis, or one of size 1, repeated."""
        shape = list(self.shape)
        if 1 not in shape:
            shape.insert(self.rng.randint(0, len(shape)), 1)
        ones = [k for k, n in enumerate(shape) if n == 1]
        wide = list(shape)
        wide[self.rng.choice(ones)] = self.rng.choice((2, 3, 4, 5))
        value = self.value.reshape(shape).expand(wide)
        self.apply(value, np.broadcast_to(self.positions.reshape(shape), wide), "expand")

    def flip(self) -> None:
        axes = [k for k in range(len(self.shape)) if self.rng.random() < 0.5]
        self.apply(self.value.flip(axes), np.flip(self.positions, axes), f"flip {axes}")


def primes(n: int) -> list[int]:
    found, p = [], 2
    while n > 1:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return found


def load_index(u: UOp) -> tuple[UOp, tuple[UOp, ...]]:
    """The index with which a chain reads its buffer, and the counter (or constant 0) of each axis."""
    ctx = Ctx()
    idx = tuple(ctx.rng(n) if n != 1 else UOp.const(0) for n in u.shape)
    read = rangeify(u, idx, ctx)
    assert read.op is Ops.LOAD
    return simplify(read.src[0].src[1]), idx


# -- what is needed ------------------------------------------------------------------------------------------------
def is_affine(positions: Array) -> bool:
    """Whether the positions are start + sum(stride_k * i_k)."""
    start = int(positions.flat[0])
    want = np.full(positions.shape, start)
    for axis, n in enumerate(positions.shape):
        if n > 1:
            first = tuple(int(k == axis) for k in range(positions.ndim))
            stride = int(positions[first]) - start
            want += stride * np.arange(n).reshape([-1 if k == axis else 1 for k in range(positions.ndim)])
    return bool((want == positions).all())


def textbook(u: UOp, idx: tuple[UOp, ...]) -> UOp:
    """The index by groups of axes: within a group the axes are merged, then split into one digit for each source axis;
    the first digit needs no %, the last no //, an axis of size 1 neither."""
    while u.op is not Ops.BUFFER:
        source = u.src[0].shape
        if u.op is Ops.RESHAPE:
            idx = _textbook_reshape(idx, u.shape, source)
        elif u.op is Ops.EXPAND:
            idx = tuple(UOp.const(0) if n == 1 else i for i, n in zip(idx, source))
        elif u.op is Ops.PERMUTE:
            idx = tuple(idx[u.arg.index(k)] for k in range(len(source)))
        elif u.op is Ops.SHRINK:
            idx = tuple(i + b if b else i for i, (b, _) in zip(idx, u.arg))
        else:
            idx = tuple(i * -1 + (n - 1) if k in u.arg else i for k, (i, n) in enumerate(zip(idx, source)))
        u = u.src[0]
    return idx[0]


def _textbook_reshape(idx: tuple[UOp, ...], new: Shape, old: Shape) -> tuple[UOp, ...]:
    out: list[UOp] = []
    a = 0
    for group in _runs(new, old):
        b = a
        while math.prod(new[a:b]) < math.prod(group):
            b += 1
        out += _digits([(i, n) for i, n in zip(idx[a:b], new[a:b]) if n > 1], group)
        a = b
        while a < len(new) and new[a] == 1:
            a += 1
    return tuple(out)


def _runs(new: Shape, old: Shape) -> list[Shape]:
    """The source axes in the smallest runs whose element counts are those of runs of new axes."""
    edges = set(itertools.accumulate((n for n in new), lambda x, y: x * y))
    runs: list[list[int]] = [[]]
    total = 1
    for n in old:
        runs[-1].append(n)
        total *= n
        if total in edges and n > 1:
            runs.append([])
    return [tuple(r) for r in runs if r]


def _digits(merged: list[tuple[UOp, int]], group: Shape) -> list[UOp]:
    flat = UOp.const(0)
    for k, (i, n) in enumerate(merged):
        flat = i if k == 0 else flat * n + i
    wide = [k for k, n in enumerate(group) if n > 1]
    out = []
    for k, n in enumerate(group):
        if n == 1:
            out.append(UOp.const(0))
            continue
        stride = math.prod(group[k + 1 :])
        digit = flat // stride if stride > 1 else flat
        out.append(digit % n if k != wide[0] else digit)
    return out


def count(index: UOp) -> int:
    return sum(n.op in DIVISIONS for n in index.toposort())


# -- the tests -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("first", range(0, CHAINS, BATCH))
def test_chains_of_movement_operations(first: int) -> None:
    for seed in range(first, first + BATCH):
        check(Chain(seed), seed)


@pytest.mark.parametrize("seed", [105801, 107097, *range(40)])
def test_deep_chains(seed: int) -> None:
    """The first two are affine by a coincidence of sizes that no rule sees."""
    check(Chain(seed, least=8, most=19), seed)


def check(chain: Chain, seed: int) -> None:
    """The index is right, and has no // and % where the chain is affine, nor ever more than the textbook's."""
    index, idx = load_index(chain.value)
    plain = textbook(chain.value, idx)
    leaves = [i for i in idx if i.op is Ops.RANGE]
    at = points(leaves, most=120, seed=seed)
    zeros = [0] * max(len(next(iter(at.values()), (0,))), 1)
    where = tuple(np.array(at.get(i, zeros)) for i in idx)
    found = columns([index, plain], at)
    said = f"seed {seed}: {'; '.join(chain.moves)}"
    want = chain.positions[where].reshape(-1).tolist() if idx else [int(chain.positions)]
    assert list(found[index]) == want, said
    assert list(found[plain]) == want, f"the baseline itself, {said}"
    affine = is_affine(chain.positions)
    distribution["affine" if affine else f"{count(index)} of the textbook's {count(plain)}"] += 1
    assert count(index) <= (0 if affine else count(plain)), said


def test_the_distribution() -> None:
    """Shown with -s: how many // and % the chains that are not affine keep, beside the textbook's."""
    if not distribution:
        pytest.skip("the chains have not run in this process")
    total = sum(distribution.values())
    print()
    for words, n in sorted(distribution.items(), key=lambda item: -item[1]):
        print(f"{n:5} of {total}: {words}")
    assert distribution["affine"] > total / 3
    assert len(distribution) > 5


def test_unknowns_are_only_loop_counters() -> None:
    index, idx = load_index(Chain(1).value)
    assert set(unknowns(index)) <= set(idx)
