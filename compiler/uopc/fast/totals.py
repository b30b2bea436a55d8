"""Reductions of everything to one element, in pieces of fixed size that threads share.

The pieces are the same whatever the number of threads, and are combined in their order: so is the result.
"""

from __future__ import annotations

from contextlib import ExitStack
from math import prod

from uopc.fast.emit import Counter
from uopc.fast.group import Member, Workshop, open_loops
from uopc.fast.passes import Member as Lane
from uopc.fast.passes import Shape, Sums, accumulators, emit_pass, total
from uopc.fast.vectors import scalar_combine
from uopc.render.types import C_TYPES
from uopc.uop import UOp

_PIECE = 1 << 15  # elements of a piece


def in_pieces(m: Member) -> bool:
    """Whether a stage is such a reduction, long enough for pieces."""
    n = m.nest
    return not n.dims and bool(n.red) and m.choice.role == "lanes" and n.length() >= 2 * _PIECE


def write_total(w: Workshop, m: Member) -> str:
    """The statements; the name of the result, in the dtype that it is collected in."""
    return _Total(w, m).write()


class _Total:
    def __init__(self, w: Workshop, m: Member) -> None:
        self.w, self.e, self.m, self.n = w, w.emitter, m, m.nest
        assert m.choice.lane is not None
        self.lane = Lane(m.nest, m.choice.lane)
        self.shape = Shape(m.choice.width, m.choice.copies)
        # Pieces are iterations of the outermost loop, which may be the one along the lanes.
        self.first: UOp = m.nest.red[0]
        inside = prod(r.arg.size for r in m.nest.red[1:])
        self.step = max(1, _PIECE // inside)

    def write(self) -> str:
        w, e, n = self.w, self.e, self.n
        size = self.first.arg.size
        whole, rest = divmod(size, self.step)
        kind = C_TYPES[n.wide]
        at = w.reserve((whole + 1) * n.wide.itemsize, shared=True)
        e.code.line(f"{kind}* const part = ({kind}*)(scratch + {at});", n.value)
        w.pragma()
        with e.loop(f"for (long p = 0; p < {whole}; p++)", self.first):
            e.code.line(f"const long p0 = p*{self.step};", self.first)
            e.code.line(f"part[p] = {self._piece(Counter('p0'), self.step)};", n.value)
        if rest:
            with e.loop("", self.first):
                e.code.line(f"part[{whole}] = {self._piece(Counter('', whole * self.step), rest)};", n.value)
        assert n.op is not None
        e.code.line(f"{kind} whole = part[0];", n.value)
        step = scalar_combine(n.op, n.wide, "whole", "part[p]", e.vectors.helpers)
        e.code.line(f"for (long p = 1; p < {whole + (rest > 0)}; p++) whole = {step};", n.value)
        return "whole"

    def _piece(self, start: Counter, length: int) -> str:
        """`length` iterations of the outermost loop combined; the name of the result."""
        e, n, lane = self.e, self.n, self.lane
        sums: Sums = {n.out: accumulators(e, n, self.shape)}
        with ExitStack() as stack:
            if self.first is lane.lane:
                open_loops(e, stack, n.red[1:], "k")
                emit_pass(e, [lane], self.shape, start, length, sums)
            else:
                with_first = (
                    f"for (long r = {start.text()}; r < {Counter(start.name, start.plus + length).text()}; r++)"
                )
                stack.enter_context(e.loop(with_first, self.first))
                e.env[self.first] = Counter("r")
                open_loops(e, stack, [r for r in n.red[1:] if r is not lane.lane], "k")
                emit_pass(e, [lane], self.shape, Counter("", 0), lane.lane.arg.size, sums)
        return total(e, n, sums[n.out], self.shape.width)
