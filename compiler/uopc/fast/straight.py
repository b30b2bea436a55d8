"""Operands that a reduction along lanes would gather are copied first, so that neighbours lie side by side.

The copy is made once, before the loops; what makes it worth while is that many elements of the result read it.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from math import prod

from uopc.fast.emit import Memory
from uopc.fast.group import Member, Workshop, open_loops
from uopc.opt import gathered
from uopc.render.scalar import bare
from uopc.render.types import C_TYPES
from uopc.symbolic import simplify
from uopc.uop import UOp, buf

_FIRST = 1 << 50  # slots of the copies: no buffer of a program has such a number


def straightened(w: Workshop, m: Member) -> Member:
    """The member over copies of such operands; their making is written."""
    lane = m.choice.lane
    if not m.choice.straight or lane is None:
        return m
    nest = m.nest
    copies = {load: _copied(w, load, lane, k) for k, load in enumerate(gathered(nest, lane))}
    body = nest.body.substitute(copies)
    origin = {**nest.origin, body: nest.origin.get(nest.body, [nest.value])}
    return replace(m, nest=replace(nest, body=body, origin=origin))


def _copied(w: Workshop, load: UOp, lane: UOp, k: int) -> UOp:
    """A load of the copy that is made of what `load` reads."""
    e, kind, name = w.emitter, C_TYPES[load.dtype], f"straight{k}"
    loops = [*sorted((r for r in load.ranges if r is not lane), key=lambda r: r.arg.idx), lane]
    size = prod(r.arg.size for r in loops)
    offset = w.reserve(size * load.dtype.itemsize, shared=True)
    e.code.line(f"{kind}* const {name} = ({kind}*)(scratch + {offset});", load)
    copy = buf(_FIRST + k, size, load.dtype)
    e.memory[copy] = Memory(name)
    index, step = UOp.const(0, lane.dtype), 1
    for r in reversed(loops):
        index = index + r * step
        step *= r.arg.size
    index = simplify(index)
    with ExitStack() as stack:
        open_loops(e, stack, loops, "q")
        e.store(copy, index, bare(e.value(load)), load.dtype, load)
    return copy.index(index).load()
