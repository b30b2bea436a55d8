"""Index expressions as data that any program can evaluate: nested lists of numbers, variables and operations.

3                          a whole number; conditions are 0 and 1
["v", 2]                   variable number 2
["+", a, b]                and likewise "*", "//", "%" (both round toward minus infinity; by zero they give 0),
                           "max", "<", "!=", "and", "or", "xor"
["not", a], ["where", condition, a, b]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uopc.uop import Ops, UOp

Formula = Any  # int | list

MAX_NODES = 2_000  # an expression written out as a tree may be larger than its graph

_BINARY = {
    Ops.ADD: "+", Ops.MUL: "*", Ops.FLOORDIV: "//", Ops.FLOORMOD: "%", Ops.MAX: "max", Ops.CMPLT: "<",
    Ops.CMPNE: "!=", Ops.AND: "and", Ops.OR: "or", Ops.XOR: "xor",
}  # fmt: skip


class TooComplex(Exception):
    """The expression is too large to hand out, or is made of data."""


def formula(u: UOp, variables: Mapping[UOp, int]) -> Formula:
    """The expression `u` over loop counters numbered by `variables`. Raises TooComplex."""
    built: dict[UOp, Formula] = {}
    size: dict[UOp, int] = {}
    for x in u.toposort():
        size[x] = 1 + sum(size[s] for s in x.src)
        if size[x] > MAX_NODES:
            raise TooComplex
        built[x] = _one(x, [built[s] for s in x.src], variables)
    return built[u]


def _one(x: UOp, sources: list[Formula], variables: Mapping[UOp, int]) -> Formula:
    if x in variables:
        return ["v", variables[x]]
    if x.op is Ops.CONST:
        return int(x.arg)
    if x.op in _BINARY:
        return [_BINARY[x.op], *sources]
    if x.op is Ops.NEG:
        return ["*", sources[0], -1]
    if x.op is Ops.NOT:
        return ["not", *sources]
    if x.op is Ops.WHERE:
        return ["where", *sources]
    if x.op in (Ops.CAST, Ops.ASSUME):  # index arithmetic is exact, whatever it is cast to
        return sources[0]
    raise TooComplex
