"""Squares of elements turned in registers."""

from __future__ import annotations

from collections.abc import Sequence

from uopc.dtype import DType
from uopc.fast.emit import Emitter
from uopc.uop import UOp


def turned(e: Emitter, rows: Sequence[str], d: DType, side: int, node: UOp) -> list[str]:
    """The columns of `side` vectors of `side` lanes each: log2(side) rounds of shuffles."""
    kind, names = e.vectors.of(d, side), list(rows)
    distance = side // 2
    while distance:
        low = e.vectors.exchange(d, side, distance, high=False)
        high = e.vectors.exchange(d, side, distance, high=True)
        fresh = list(names)
        for k in range(side):
            if not k & distance:
                a, b = e.code.fresh("r"), e.code.fresh("r")
                e.code.line(f"{kind} {a} = {low}({names[k]}, {names[k + distance]});", node)
                e.code.line(f"{kind} {b} = {high}({names[k]}, {names[k + distance]});", node)
                fresh[k], fresh[k + distance] = a, b
        names = fresh
        distance //= 2
    return names
