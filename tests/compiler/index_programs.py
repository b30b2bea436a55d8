"""Random programs with what each element is made of, found by NumPy: the operations applied to element numbers.

Every value is carried as a bool array (*shape, numbered elements): which of the numbered elements each of its elements
is made of. A movement operation moves the rows, an elementwise one unites them, a reduction unites a run of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Made = np.ndarray
Step = Callable[[list[Made]], Made]


@dataclass
class IndexProgram:
    """text: the program; shapes: of its values in order; steps: (name, operands, how its rows come from theirs)."""

    lines: list[str] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    steps: list[tuple[str, list[str], Step | None]] = field(default_factory=list)
    slots: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def add(self, statement: str, operands: list[str], shape: tuple[int, ...], step: Step | None) -> str:
        name = f"%v{len(self.steps)}"
        self.lines.append(f"{name} = {statement}")
        self.shapes[name] = tuple(shape)
        self.steps.append((name, operands, step))
        return name

    def made_of(self, numbered: str) -> dict[str, Made]:
        """For every value, which elements of the value `numbered` its elements are made of."""
        count = int(np.prod(self.shapes[numbered]))
        made: dict[str, Made] = {}
        for name, operands, step in self.steps:
            if name == numbered:
                made[name] = np.eye(count, dtype=bool).reshape(*self.shapes[name], count)
            elif step is None:
                made[name] = np.zeros((*self.shapes[name], count), dtype=bool)
            else:
                made[name] = step([made[o] for o in operands])
            assert made[name].shape == (*self.shapes[name], count), self.text
        return made


def random_program(rng: random.Random, steps: int = 6) -> IndexProgram:
    """A program whose last value reads most of the others; sizes stay small."""
    p = IndexProgram()
    values = [_buffer(p, rng)]
    for _ in range(steps):
        x = values[-1] if rng.random() < 0.8 else rng.choice(values)
        values.append(rng.choice(_MOVES)(p, rng, x))
        if int(np.prod(p.shapes[values[-1]])) > 72:
            values.append(_reduce(p, rng, values[-1]))
    return p


def _buffer(p: IndexProgram, rng: random.Random, n: int | None = None) -> str:
    n = n or rng.choice([4, 6, 8, 12])
    p.slots += 1
    return p.add(f"buffer {n} : dtype=f32 slot={p.slots - 1}", [], (n,), None)


def _tuple(items: object) -> str:
    return f"({', '.join(map(str, items))},)" if items else "()"  # type: ignore[call-overload]


def _factored(rng: random.Random, n: int) -> tuple[int, ...]:
    out: list[int] = []
    while n > 1 and len(out) < 3:
        d = rng.choice([d for d in range(2, n + 1) if n % d == 0])
        out.append(d)
        n //= d
    if n > 1 or not out:
        out.append(n)
    if rng.random() < 0.3:
        out.insert(rng.randrange(len(out) + 1), 1)
    rng.shuffle(out)
    return tuple(out)


def _reshape(p: IndexProgram, rng: random.Random, x: str) -> str:
    shape = _factored(rng, int(np.prod(p.shapes[x])))
    return p.add(f"reshape {x}, {_tuple(shape)}", [x], shape, lambda m: m[0].reshape(*shape, m[0].shape[-1]))


def _permute(p: IndexProgram, rng: random.Random, x: str) -> str:
    order = list(range(len(p.shapes[x])))
    rng.shuffle(order)
    shape = tuple(p.shapes[x][k] for k in order)
    return p.add(f"permute {x}, {_tuple(order)}", [x], shape, lambda m: m[0].transpose(*order, len(order)))


def _shrink(p: IndexProgram, rng: random.Random, x: str) -> str:
    bounds = []
    for n in p.shapes[x]:
        begin = rng.randrange(n) if rng.random() < 0.5 else 0
        bounds.append((begin, rng.randint(begin + 1, n)))
    shape = tuple(e - b for b, e in bounds)
    cut = tuple(slice(b, e) for b, e in bounds)
    return p.add(f"shrink {x}, {_tuple(bounds)}", [x], shape, lambda m: m[0][cut])


def _pad(p: IndexProgram, rng: random.Random, x: str) -> str:
    pads = [(rng.randint(0, 2), rng.randint(0, 1)) for _ in p.shapes[x]]
    shape = tuple(n + a + b for n, (a, b) in zip(p.shapes[x], pads))
    return p.add(f"pad {x}, {_tuple(pads)}", [x], shape, lambda m: np.pad(m[0], [*pads, (0, 0)]))


def _flip(p: IndexProgram, rng: random.Random, x: str) -> str:
    axes = [k for k in range(len(p.shapes[x])) if rng.random() < 0.5]
    return p.add(f"flip {x}, {_tuple(axes)}", [x], p.shapes[x], lambda m: np.flip(m[0], tuple(axes)))


def _expand(p: IndexProgram, rng: random.Random, x: str) -> str:
    at = rng.randrange(len(p.shapes[x]) + 1)
    ones = (*p.shapes[x][:at], 1, *p.shapes[x][at:])
    thin = p.add(f"reshape {x}, {_tuple(ones)}", [x], ones, lambda m: m[0].reshape(*ones, m[0].shape[-1]))
    shape = (*ones[:at], rng.randint(2, 3), *ones[at + 1 :])
    return p.add(
        f"expand {thin}, {_tuple(shape)}", [thin], shape, lambda m: np.broadcast_to(m[0], (*shape, m[0].shape[-1]))
    )


def _reduce(p: IndexProgram, rng: random.Random, x: str) -> str:
    rank = len(p.shapes[x])
    axes = sorted(rng.sample(range(rank), rng.randint(1, rank)) if rank else [])
    if not axes:
        return _flip(p, rng, x)
    op, keep = rng.choice(["add", "max", "mul"]), rng.random() < 0.4
    shape = tuple(1 if k in axes else n for k, n in enumerate(p.shapes[x]) if keep or k not in axes)
    statement = f"reduce {x} : op={op} axes={_tuple(axes)}" + (" keepdim=true" if keep else "")
    return p.add(statement, [x], shape, lambda m: np.asarray(m[0].any(axis=tuple(axes), keepdims=keep)))


def _broadcast(p: IndexProgram, rng: random.Random, x: str) -> str:
    """A binary operation with a buffer along the last axis, or with itself."""
    shape = p.shapes[x]
    if not shape or rng.random() < 0.3:
        return p.add(f"mul {x}, {x}", [x], shape, lambda m: m[0])
    other = _buffer(p, rng, shape[-1])
    op = rng.choice(["add", "sub", "mul", "max"])
    return p.add(f"{op} {x}, {other}", [x, other], shape, lambda m: m[0] | m[1])


def _branch(p: IndexProgram, rng: random.Random, x: str) -> str:
    """x with its own flipped self: two ways to one place."""
    other = _flip(p, rng, x)
    return p.add(f"add {x}, {other}", [x, other], p.shapes[x], lambda m: m[0] | m[1])


def _stack(p: IndexProgram, rng: random.Random, x: str) -> str:
    other = _flip(p, rng, x)
    operands = [x, other, x][: rng.randint(2, 3)]
    shape = (len(operands), *p.shapes[x])
    return p.add(f"stack {', '.join(operands)}", operands, shape, lambda m: np.stack(m))


def _index(p: IndexProgram, rng: random.Random, x: str) -> str:
    if not p.shapes[x]:
        return _flip(p, rng, x)
    k = rng.randrange(p.shapes[x][0])
    return p.add(f"index {x}, {k}", [x], p.shapes[x][1:], lambda m: m[0][k])


def _gather(p: IndexProgram, rng: random.Random, x: str) -> str:
    """An index that is data: any entry may be the one, and the number decides about all elements."""
    if not p.shapes[x]:
        return _flip(p, rng, x)
    p.slots += 1
    numbers = p.add(f"buffer 1 : dtype=i32 slot={p.slots - 1}", [], (1,), None)
    which = p.add(f"reshape {numbers}, ()", [numbers], (), lambda m: m[0].reshape(m[0].shape[-1]))
    shape = p.shapes[x][1:]
    return p.add(f"index {x}, {which}", [x, which], shape, lambda m: np.asarray(m[0].any(axis=0) | m[1]))


_MOVES: list[Callable[[IndexProgram, random.Random, str], str]] = [
    _reshape, _reshape, _permute, _shrink, _pad, _flip, _expand, _reduce, _broadcast, _branch, _stack, _index, _gather,
]  # fmt: skip
