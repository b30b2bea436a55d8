"""Index expressions computed as numbers, for many loop positions at a time and without NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import product as cartesian
from math import prod

from uopc.uop import Ops, UOp

Column = list[int]

_BINARY: dict[Ops, Callable[[int, int], int]] = {
    Ops.ADD: operator.add,
    Ops.MUL: operator.mul,
    Ops.MAX: max,
    Ops.FLOORDIV: lambda a, b: a // b if b else 0,
    Ops.FLOORMOD: lambda a, b: a % b if b else 0,
    Ops.CMPLT: lambda a, b: int(a < b),
    Ops.CMPNE: lambda a, b: int(a != b),
    Ops.AND: operator.and_,
    Ops.OR: operator.or_,
    Ops.XOR: operator.xor,
}


def box(loops: Sequence[UOp]) -> dict[UOp, Column]:
    """Every position of the loops in row-major order, as one column of counters a loop."""
    rows = list(cartesian(*(range(r.arg.size) for r in loops)))
    return {r: [row[k] for row in rows] for k, r in enumerate(loops)}


def tabulate(u: UOp, columns: Mapping[UOp, Column], count: int) -> Column | None:
    """The values of `u` at `count` positions; None when it reads data or uses an operation that indices do not."""
    values: dict[UOp, Column] = dict(columns)
    for x in u.toposort():
        if x not in values:
            column = _column(x, [values[s] for s in x.src], count)
            if column is None:
                return None
            values[x] = column
    return values[u]


def _column(x: UOp, sources: list[Column], count: int) -> Column | None:
    if x.op is Ops.CONST:
        return [int(x.arg)] * count
    if x.op in _BINARY:
        return list(map(_BINARY[x.op], *sources))
    if x.op is Ops.WHERE:
        return [a if c else b for c, a, b in zip(*sources)]
    if x.op is Ops.NOT:
        return [1 - a for a in sources[0]]
    if x.op is Ops.NEG:
        return [-a for a in sources[0]]
    return sources[0] if x.op in (Ops.CAST, Ops.ASSUME) else None


def positions(loops: Sequence[UOp]) -> int:
    """How many positions the loops have."""
    return prod(r.arg.size for r in loops)
