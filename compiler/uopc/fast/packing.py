"""Packing: operands of a contraction copied into the order in which its tiles read them.

Of a lanewise part a panel holds, for every step, its lanes side by side (and zeros behind the last one of a panel that
is not whole vectors wide); of a rowwise part a block holds, for every step, its rows side by side. Copies that cross
rows and columns go through squares in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod

from uopc.dtype import dtypes
from uopc.fast.emit import Counter, Emitter
from uopc.fast.squares import turned
from uopc.fast.tile import Part, Tile
from uopc.ops import Ops
from uopc.render.types import C_TYPES
from uopc.symbolic.linear import linear
from uopc.uop import UOp


@dataclass(frozen=True)
class Block:
    """The steps that are packed: `count` iterations of the first loop from `first` on, and all of the others."""

    t: Tile
    first: Counter
    count: str

    @staticmethod
    def whole(t: Tile) -> Block:
        """All steps."""
        return Block(t, Counter(""), str(t.loops[0].arg.size))

    def bound(self, k: int) -> str:
        """Iterations of loop number k."""
        return self.count if k == 0 else str(self.t.loops[k].arg.size)

    def at(self, e: Emitter, k: int) -> None:
        """Say that loop number k stands at iteration q{k} of the block."""
        r, name = self.t.loops[k], f"q{k}"
        if k == 0 and (self.first.name or self.first.plus):
            e.code.line(f"const long y{name} = {self.first.text()} + {name};", r)
            name = "y" + name
        e.env[r] = Counter(name)

    def step(self, last: str) -> str:
        """The number of the step, given the iteration of the innermost loop."""
        loops = self.t.loops
        return "".join(f"q{k}*{prod(x.arg.size for x in loops[k + 1 :])} + " for k in range(len(loops) - 1)) + last

    @contextmanager
    def loops(self, e: Emitter, count: int) -> Iterator[None]:
        """The first `count` loops, opened."""
        with ExitStack() as stack:
            for k, r in enumerate(self.t.loops[:count]):
                stack.enter_context(e.loop(f"for (long q{k} = 0; q{k} < {self.bound(k)}; q{k}++)", r))
                self.at(e, k)
            yield


def _stride(p: Part, r: UOp) -> int | None:
    """Elements between two iterations of r, of a part that is a plain load."""
    if p.node.op is not Ops.LOAD:
        return None
    form = linear(p.node.src[0].src[1])
    return form.terms.get(r, 0) if all(t.op is Ops.RANGE for t in form.terms) else None


def _across(t: Tile, p: Part) -> bool:
    """Whether a lanewise part lies in memory step by step, not lane by lane."""
    return _stride(p, t.loops[-1]) == 1 and _stride(p, t.v) != 1


def _turns(p: Part) -> bool:
    return p.held.bits in (32, 64) and not p.held.is_bool and p.held is not dtypes.f16


# -- panels --------------------------------------------------------------------------------------------------------
def pack_lanes(
    e: Emitter,
    t: Tile,
    p: Part,
    panel: str,
    block: Block,
    first: Counter,
    lanes: int,
    share: Callable[[], None] = lambda: None,
) -> None:
    """Statements that write the panels of `lanes` lanes from `first` on. share: announces a loop for several threads:
    steps where memory is walked step by step, else panels."""
    if _across(t, p):
        _panels_across(e, t, p, panel, block, first, lanes, share)
        return
    share()
    with block.loops(e, len(t.loops)):
        _lanes_of_step(e, t, p, panel, block, first, lanes)


def _lanes_of_step(e: Emitter, t: Tile, p: Part, panel: str, block: Block, first: Counter, lanes: int) -> None:
    """Inside the loops of a block: one step of all panels, so that a row's lines and pages are touched once."""
    steps, step = t.steps(), block.step(f"q{len(t.loops) - 1}")
    whole = lanes // t.panel * t.panel
    if whole > t.panel:
        with e.loop(f"for (long x = 0; x < {whole}; x += {t.panel})", t.v):
            e.code.line(f"const long y = {first.text()} + x;", t.v)
            for j in range(0, t.panel, t.width):
                e.env[t.v] = Counter("y", j)
                _vector(e, t, p, f"{panel} + x*{steps} + ({step})*{t.panel} + {j}", t.width)
    start = whole if whole > t.panel else 0
    for j in range(start, lanes, t.width):
        begin = j // t.panel * t.panel
        wide = -(-min(t.panel, lanes - begin) // t.width) * t.width
        e.env[t.v] = Counter(first.name, first.plus + j)
        _vector(e, t, p, f"{panel} + {begin * steps} + ({step})*{wide} + {j - begin}", min(t.width, lanes - j))


def _vector(e: Emitter, t: Tile, p: Part, to: str, active: int) -> None:
    with e.loop("", p.node), e.lanes(t.v, t.width, active):
        text = e.vector(p.node)
        e.code.line(e.vectors.store(to, text, p.held, t.width, t.width), p.node)


def _panels_across(
    e: Emitter, t: Tile, p: Part, panel: str, block: Block, first: Counter, lanes: int, share: Callable[[], None]
) -> None:
    whole = lanes // t.panel * t.panel
    if whole:
        share()
        with e.loop(f"for (long x0 = 0; x0 < {whole}; x0 += {t.panel})", t.v):
            e.code.line(f"const long y0 = {first.text()} + x0;", t.v)
            _panel_across(e, t, p, f"{panel} + x0*{t.steps()}", block, Counter("y0"), t.panel)
    if lanes > whole:
        at = Counter(first.name, first.plus + whole)
        with e.loop("", t.v):
            _panel_across(e, t, p, f"{panel} + {whole * t.steps()}", block, at, lanes - whole)


def _panel_across(e: Emitter, t: Tile, p: Part, panel: str, block: Block, first: Counter, lanes: int) -> None:
    """One panel of a part that lies step by step."""
    wide, last, to = -(-lanes // t.width) * t.width, len(t.loops) - 1, e.code.fresh("p")
    side = t.width if _turns(p) else 1
    with block.loops(e, last):
        e.code.line(f"{C_TYPES[p.held]}* {to} = {panel} + ({block.step('0')})*{wide};", p.node)
        for x in range(0, wide, t.width):
            some = min(t.width, lanes - x)
            if side > 1:
                e.code.line(f"long q{last} = 0;" if not x else f"q{last} = 0;", p.node)
                with e.loop(f"for (; q{last} + {side} <= {block.bound(last)}; q{last} += {side})", p.node):
                    block.at(e, last)
                    names = _rows_of(e, t, p, t.v, Counter(first.name, first.plus + x), some)
                    for k, name in enumerate(names):
                        at = f"{to} + (q{last} + {k})*{wide} + {x}"
                        e.code.line(e.vectors.store(at, name, p.held, t.width, t.width), p.node)
            head = f"for (; q{last} < {block.bound(last)}; q{last}++)"
            if side == 1:
                head = f"for (long q{last} = 0; q{last} < {block.bound(last)}; q{last}++)"
            with e.loop(head, p.node):
                block.at(e, last)
                _one_by_one(e, p, t.v, Counter(first.name, first.plus + x), some, f"{to} + q{last}*{wide} + {x}")
                if some < t.width:
                    rest = f"for (long x = {some}; x < {t.width}; x++) {to}[q{last}*{wide} + {x} + x] = 0;"
                    e.code.line(rest, p.node)


def _rows_of(e: Emitter, t: Tile, p: Part, r: UOp, first: Counter, count: int) -> list[str]:
    """A square: `width` elements along the innermost loop for each of `count` iterations of r, turned."""
    kind, names = e.vectors.of(p.held, t.width), []
    for i in range(t.width):
        name = e.code.fresh("r")
        text = "{}"
        if i < count:
            e.env[r] = Counter(first.name, first.plus + i)
            form = linear(p.node.src[0].src[1])
            text = e.vectors.load(e.address(p.node.src[0].src[0], form), p.held, t.width, t.width)
        e.code.line(f"{kind} {name} = {text};", p.node)
        names.append(name)
    return turned(e, names, p.held, t.width, p.node)


def _one_by_one(e: Emitter, p: Part, r: UOp, first: Counter, count: int | str, to: str) -> None:
    with e.loop(f"for (long x = 0; x < {count}; x++)", r):
        e.code.line(f"const long y = {first.text()} + x;", r)
        e.env[r] = Counter("y")
        e.code.line(f"({to})[x] = {e.value(p.node)};", p.node)


# -- blocks of rows ------------------------------------------------------------------------------------------------
def pack_rows(e: Emitter, t: Tile, p: Part, to: str, block: Block, first: str, end: str) -> None:
    """Statements that write the rows from `first` to `end`, `tall` of them side by side for every step."""
    tall, size = t.tall, t.steps() * t.tall
    if _stride(p, t.u) == 1 and _stride(p, t.loops[-1]) != 1:
        _rows_along(e, t, p, to, block, first, end)
        return
    with e.loop(f"for (long y0 = {first}; y0 < {end}; y0 += {tall})", t.u):
        e.code.line(f"{C_TYPES[p.held]}* const d = {to} + (y0 - {first})/{tall}*{size};", p.node)
        if _turns(p) and _stride(p, t.loops[-1]) == 1:
            with e.loop(f"if (y0 + {tall} <= {end})", p.node):
                _rows_turned(e, t, p, block)
                e.code.line("continue;", p.node)
        e.code.line(f"const long most = {end} - y0 < {tall} ? {end} - y0 : {tall};", t.u)
        with block.loops(e, len(t.loops)):
            at = f"d + ({block.step(f'q{len(t.loops) - 1}')})*{tall}"
            _one_by_one(e, p, t.u, Counter("y0"), "most", at)


def _rows_along(e: Emitter, t: Tile, p: Part, to: str, block: Block, first: str, end: str) -> None:
    """Rows that lie side by side already: step after step, so that each step's lines are read once."""
    tall, size, step = t.tall, t.steps() * t.tall, block.step(f"q{len(t.loops) - 1}")
    with block.loops(e, len(t.loops)):
        e.env[t.u] = Counter(first)
        e.code.line(f"const {C_TYPES[p.held]}* s = {e.address(p.node.src[0].src[0], linear(p.node.src[0].src[1]))};")
        e.code.line(f"{C_TYPES[p.held]}* d = {to} + ({step})*{tall};", p.node)
        e.code.line("long x = 0;", t.u)
        bytes_ = tall * p.held.itemsize
        with e.loop(f"for (; x + {tall} <= {end} - {first}; x += {tall}, s += {tall}, d += {size})", t.u):
            e.code.line(f"__builtin_memcpy(d, s, {bytes_});", p.node)
        e.code.line(f"for (long z = 0; z < {end} - {first} - x; z++) d[z] = s[z];", p.node)


def _rows_turned(e: Emitter, t: Tile, p: Part, block: Block) -> None:
    """`tall` rows that lie step by step. The last vector of a step reaches into the next, which is written later."""
    last, w, tall = len(t.loops) - 1, t.width, t.tall
    with block.loops(e, last):
        e.code.line(f"long q{last} = 0;", p.node)
        with e.loop(f"for (; q{last} + {w} <= {block.bound(last)}; q{last} += {w})", p.node):
            block.at(e, last)
            squares = [_rows_of(e, t, p, t.u, Counter("y0", x), min(w, tall - x)) for x in range(0, tall, w)]
            for k in range(w):
                for s, names in enumerate(squares):
                    at = f"d + ({block.step(f'q{last}')} + {k})*{tall} + {s * w}"
                    e.code.line(e.vectors.store(at, names[k], p.held, w, w), p.node)
        with e.loop(f"for (; q{last} < {block.bound(last)}; q{last}++)", p.node):
            block.at(e, last)
            _one_by_one(e, p, t.u, Counter("y0"), tall, f"d + ({block.step(f'q{last}')})*{tall}")
