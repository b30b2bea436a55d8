"""Taking guards out of loops: where a guard (of a pad, of a concatenation) compares a loop counter with a number, the
loop is cut there, so that no piece of it has a guard left.
"""

from __future__ import annotations

from itertools import product

from uopc.fast.nest import Nest, over
from uopc.ops import AxisType, Ops
from uopc.symbolic.linear import linear
from uopc.uop import UOp, range_

_MOST = 16  # pieces of one nest


def pieces(nest: Nest, outer: int = 0) -> list[Nest]:
    """The nest cut along its output loops (not the first `outer`) at every number that a guard compares them with."""
    cuts = _breakpoints(nest, set(nest.dims[outer:]))
    chosen: dict[UOp, list[int]] = {}
    count = 1
    for r in sorted(cuts, key=lambda r: (-r.arg.idx, r.arg.size)):
        if count * (len(cuts[r]) + 1) <= _MOST:
            chosen[r] = sorted(cuts[r])
            count *= len(cuts[r]) + 1
    if not chosen:
        return [nest]
    ranges = list(chosen)
    spans = [list(zip([0, *chosen[r]], [*chosen[r], r.arg.size])) for r in ranges]
    return [_piece(nest, dict(zip(ranges, choice))) for choice in product(*spans)]


def _breakpoints(nest: Nest, free: set[UOp]) -> dict[UOp, set[int]]:
    found: dict[UOp, set[int]] = {}
    for n in nest.body.toposort():
        if n.op is not Ops.CMPLT or not n.src[0].dtype.is_int:
            continue
        left, right = linear(n.src[0]), linear(n.src[1])
        terms = {**left.terms, **right.terms}
        if len(terms) != 1 or (left.terms and right.terms):
            continue
        (r,) = terms
        if r not in free:
            continue
        c = terms[r] if left.terms else -terms[r]
        k = right.const - left.const  # c * r < k
        at = -(-k // c) if c > 0 else k // c + 1
        if 0 < at < r.arg.size:
            found.setdefault(r, set()).add(at)
    return found


def _piece(nest: Nest, spans: dict[UOp, tuple[int, int]]) -> Nest:
    moved: dict[UOp, UOp] = {}
    dims = []
    for r in nest.dims:
        if r not in spans:
            dims.append(r)
            continue
        lo, hi = spans[r]
        if hi - lo == 1:
            moved[r] = UOp.const(lo, r.dtype)
            continue
        own = range_(hi - lo, r.arg.idx, AxisType.LOOP)
        dims.append(own)
        moved[r] = own + lo if lo else own
    return over(nest, moved, tuple(dims), nest.red)
