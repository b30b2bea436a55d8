"""Reductions whose lanes are short pieces of memory far from each other: memory is walked in its own order.

Of a sum over the first and the last of three axes every element adds up pieces that lie a whole plane apart. Here the
loop over the planes is outside: the elements of one block are collected in the result, piece by piece.
"""

from __future__ import annotations

from contextlib import ExitStack

from uopc.fast.emit import Counter
from uopc.fast.group import Workshop, open_loops
from uopc.fast.passes import Member as Lane
from uopc.fast.passes import Shape, Sums, accumulators, emit_pass, total
from uopc.fast.vectors import scalar_combine
from uopc.opt import planes
from uopc.rangeify import identity
from uopc.render.types import constant
from uopc.symbolic.linear import linear

_BLOCK = 64  # elements of the result that are collected at a time


def write_across(w: Workshop) -> None:
    """The whole function body."""
    e, member = w.emitter, w.group.members[0]
    n, lane = member.nest, member.choice.lane
    assert lane is not None and n.op is not None
    inner = n.dims[-1]
    outside = planes(n, lane)
    inside = [r for r in n.red if r is not lane and r not in outside]
    size = inner.arg.size
    with ExitStack() as stack:
        w.pragma(len(n.dims))
        open_loops(e, stack, n.dims[:-1])
        stack.enter_context(e.loop(f"for (long y0 = 0; y0 < {size}; y0 += {_BLOCK})", inner))
        e.code.line(f"const long y1 = {size} - y0 < {_BLOCK} ? {size} : y0 + {_BLOCK};", inner)
        e.env[inner] = Counter("y")
        with e.loop("for (long y = y0; y < y1; y++)", inner):
            e.store(n.out, n.store, constant(identity(n.op, n.wide), n.wide), n.wide, n.value)
        open_loops(e, stack, outside, "k")
        stack.enter_context(e.loop("for (long y = y0; y < y1; y++)", inner))
        shape = Shape(member.choice.width, member.choice.copies)
        sums: Sums = {n.out: accumulators(e, n, shape)}
        with ExitStack() as loops:
            open_loops(e, loops, inside, "k")
            emit_pass(e, [Lane(n, lane)], shape, Counter("", 0), lane.arg.size, sums)
        piece = total(e, n, sums[n.out], shape.width)
        old = f"*({e.address(n.out, linear(n.store))})"
        e.store(n.out, n.store, scalar_combine(n.op, n.wide, old, piece, e.vectors.helpers), n.wide, n.value)
