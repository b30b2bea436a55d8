"""Windows that are one load in disguise.

A stack of shifted windows of one value reads x[i] where k is 0, x[i + 1] where k is 1, and so on: a choice of loads.
Where their places are a plain sum over the digits of k (as those of a filter over an image are), it is one load.
"""

from __future__ import annotations

from uopc.ops import Ops
from uopc.symbolic import simplify
from uopc.symbolic.linear import linear
from uopc.uop import UOp, rewrite


def one_load(body: UOp) -> UOp:
    """The expression with every such choice replaced by a load."""
    if all(u.op is not Ops.WHERE for u in body.toposort()):
        return body
    return simplify(rewrite((body,), _joined)[0])


def _joined(u: UOp) -> UOp | None:
    found = _choice(u) if u.op is Ops.WHERE else None
    if found is None:
        return None
    counter, loads = found
    first = loads[0].src[0]
    places = [linear(x.src[0].src[1]) for x in loads]
    if any(x.src[0].src[0] is not first.src[0] or p.terms != places[0].terms for x, p in zip(loads, places)):
        return None
    digits = _digits([p.const - places[0].const for p in places])
    if digits is None:
        return None
    index = first.src[1]
    stride = 1
    for size, step in digits:  # innermost first
        digit = counter if stride == 1 else counter // stride
        if stride * size < len(loads):
            digit = digit % size
        index = index + digit.cast(index.dtype) * step
        stride *= size
    return first.src[0].index(simplify(index)).load()


def _choice(u: UOp) -> tuple[UOp, list[UOp]] | None:
    """(counter, the load for each of its values) of where(k < 1, x0, where(k < 2, x1, ... xn))."""
    loads: list[UOp] = []
    counter: UOp | None = None
    while u.op is Ops.WHERE:
        test, value, rest = u.src
        if test.op is not Ops.CMPLT or test.src[0].op is not Ops.RANGE or test.src[1].op is not Ops.CONST:
            return None
        if counter not in (None, test.src[0]) or test.src[1].arg != len(loads) + 1:
            return None
        counter = test.src[0]
        loads.append(value)
        u = rest
    loads.append(u)
    if counter is None or counter.arg.size != len(loads) or any(x.op is not Ops.LOAD for x in loads):
        return None
    return counter, loads


def _digits(places: list[int]) -> list[tuple[int, int]] | None:
    """(size, step) of digits, innermost first, such that the sum of digit * step over the digits of k is places[k]."""
    found: list[tuple[int, int]] = []
    while len(places) > 1:
        step = places[1] - places[0]
        run = next((k for k in range(2, len(places)) if places[k] - places[k - 1] != step), len(places))
        if len(places) % run or any(places[k] - places[k - k % run] != k % run * step for k in range(len(places))):
            return None
        found.append((run, step))
        places = places[::run]
    return found
