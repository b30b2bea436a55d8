"""What is made of every element of a contraction while it still is in a register: a bias added, a maximum with 0, ...

An elementwise stage is such an epilogue when it runs over the same loops, reads the contraction at its own element
only, and everything else it reads lies along the lanes or is the same for all of them.
"""

from __future__ import annotations

from uopc.fast.nest import Nest
from uopc.ops import Ops
from uopc.symbolic.linear import linear
from uopc.uop import UOp


def product_load(contraction: Nest, epilogue: Nest) -> UOp | None:
    """The load of the contraction in such an epilogue, None when it is none."""
    if epilogue.red or epilogue.dims != contraction.dims or not contraction.dims:
        return None
    if not contraction.out.dtype is contraction.wide is epilogue.out.dtype:
        return None
    if linear(epilogue.store) != linear(contraction.store) or not _lanes_only(epilogue):
        return None
    found = [n for n in epilogue.loads() if n.src[0].src[0] is contraction.out]
    if len(found) != 1 or linear(found[0].src[0].src[1]) != linear(contraction.store):
        return None
    return found[0]


def others(contraction: Nest, epilogue: Nest) -> list[UOp]:
    """The other loads of an epilogue."""
    return [n for n in epilogue.loads() if n.src[0].src[0] is not contraction.out]


def _lanes_only(epilogue: Nest) -> bool:
    """Whether counters are only used in addresses, and the innermost one moves by one element or none."""
    lane = epilogue.dims[-1]
    todo, seen = [epilogue.body], set()
    while todo:
        n = todo.pop()
        if n in seen:
            continue
        seen.add(n)
        if n.op is Ops.RANGE:
            return False
        if n.op is Ops.LOAD:
            form = linear(n.src[0].src[1])
            if form.terms.get(lane, 0) not in (0, 1) or any(t.op is not Ops.RANGE for t in form.terms):
                return False
        else:
            todo.extend(n.src)
    return True
