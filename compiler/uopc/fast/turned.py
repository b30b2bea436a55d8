"""Copies that cross rows and columns: square blocks read along one loop, turned in registers, written along another."""

from __future__ import annotations

from contextlib import ExitStack

from uopc.fast.emit import Counter
from uopc.fast.group import Workshop, open_loops
from uopc.fast.squares import turned
from uopc.opt import crossing
from uopc.symbolic.linear import linear
from uopc.uop import UOp

_BLOCK = 64  # elements of a side that are walked before the next one: the lines stay in the cache


def write_turned(w: Workshop) -> None:
    """The whole function body."""
    e = w.emitter
    member = w.group.members[0]
    n, lane, side = member.nest, member.choice.lane, member.choice.width
    assert lane is not None
    across = crossing(n, lane, tuple(d for d in n.dims if d is not lane))
    assert across is not None
    outer = [d for d in n.dims if d is not lane and d is not across]
    rows, columns = across.arg.size // side * side, lane.arg.size // side * side
    with ExitStack() as stack:
        w.pragma(len(outer) + 1)
        open_loops(e, stack, outer)
        stack.enter_context(e.loop(f"for (long y0 = 0; y0 < {across.arg.size}; y0 += {_BLOCK})", across))
        e.code.line(f"const long y1 = y0 + {_BLOCK} < {rows} ? y0 + {_BLOCK} : {rows};", across)
        e.code.line(f"const long y2 = y0 + {_BLOCK} < {across.arg.size} ? y0 + {_BLOCK} : {across.arg.size};", across)
        with e.loop(f"for (long j = 0; j < {columns}; j += {side})", lane):
            with e.loop(f"for (long i = y0; i < y1; i += {side})", across):
                _square(w, n.body, across, lane, side)
            if rows < across.arg.size:
                _plain(w, across, lane, ("y1 < y0 ? y0 : y1", "y2"), ("j", f"j + {side}"))
        if columns < lane.arg.size:
            _plain(w, across, lane, ("y0", "y2"), (str(columns), str(lane.arg.size)))


def _plain(w: Workshop, across: UOp, lane: UOp, rows: tuple[str, str], columns: tuple[str, str]) -> None:
    """What is left at the borders, element by element."""
    e, n = w.emitter, w.group.members[0].nest
    down = f"for (long y = {rows[0]}; y < {rows[1]}; y++)"
    along = f"for (long x = {columns[0]}; x < {columns[1]}; x++)"
    with e.loop(down, across), e.loop(along, lane):
        e.env[across], e.env[lane] = Counter("y"), Counter("x")
        e.store(n.out, n.store, e.value(n.body), n.out.dtype, n.body)


def _square(w: Workshop, load: UOp, across: UOp, lane: UOp, side: int) -> None:
    """side rows of side elements, turned by log2(side) rounds of shuffles."""
    e, n = w.emitter, w.group.members[0].nest
    d = n.out.dtype
    kind = e.vectors.of(d, side)
    names = []
    for k in range(side):
        e.env[across], e.env[lane] = Counter("i"), Counter("j", k)
        name = e.code.fresh("r")
        text = e.vectors.load(e.address(load.src[0].src[0], linear(load.src[0].src[1])), d, side, side)
        e.code.line(f"{kind} {name} = {text};", load)
        names.append(name)
    names = turned(e, names, d, side, load)
    for k in range(side):
        e.env[across], e.env[lane] = Counter("i", k), Counter("j")
        with e.lanes(lane, side, side):
            e.store(n.out, n.store, names[k], d, n.body)
