"""Contractions in blocks that fit the caches.

A block of steps of all lanes is packed into panels, of which one after the other stays in the first-level cache while
blocks of packed rows, which stay in the second-level cache, run past it. What a block of steps adds up to is added to
the result. The order of the additions is that of the steps, whatever the threads.
"""

from __future__ import annotations

from contextlib import ExitStack

from uopc.fast.calls import call
from uopc.fast.emit import Counter
from uopc.fast.group import Workshop, open_loops
from uopc.fast.microkernel import Variant
from uopc.fast.packing import Block, pack_lanes, pack_rows
from uopc.fast.tile import Part, Tile, elements, other_dims
from uopc.render.types import C_TYPES

_SLAB_BYTES = 1 << 23  # packed panels at a time: a part of the last-level cache
_SLACK = 64  # bytes behind packed rows: the last vector of a step reaches beyond them


def write_blocked(w: Workshop, t: Tile) -> None:
    """The whole function body."""
    _Blocked(w, t).write()


def open_blocks(w: Workshop, t: Tile, stack: ExitStack) -> Block:
    """The loops over blocks of steps: k0 is the first iteration of one, `steps` their number, `more` whether there were
    others before (`last`: whether there are none behind, for an epilogue)."""
    e, first = w.emitter, t.loops[0]
    size = first.arg.size
    open_loops(e, stack, t.nest.red[: t.cut], "z")
    before = "".join(f" || z{r.arg.idx}" for r in t.nest.red[: t.cut])
    stack.enter_context(e.loop(f"for (long k0 = 0; k0 < {size}; k0 += {t.chunk})", first))
    e.code.line(f"const long steps = {size} - k0 < {t.chunk} ? {size} - k0 : {t.chunk};", first)
    e.code.line(f"const int more = k0{before} ? 1 : 0;", first)
    if t.epilogue is not None:
        end = "".join(f" && z{r.arg.idx} == {r.arg.size - 1}" for r in t.nest.red[: t.cut])
        e.code.line(f"const int last = k0 + {t.chunk} >= {size}{end};", first)
    e.env[first] = Counter("k0")
    return Block(t, Counter("k0"), "steps")


class _Blocked:
    def __init__(self, w: Workshop, t: Tile) -> None:
        self.w, self.e, self.t = w, w.emitter, t
        self.before, self.after = other_dims(t)
        self.outside = elements(self.before) >= 4  # whole problems are shared between threads, else blocks of one
        step = sum(p.held.itemsize for p in t.lanewise if p.packed)
        most = max(1, _SLAB_BYTES // max(1, step * t.steps() * t.panel)) * t.panel
        self.slab = min(int(t.v.arg.size), most)
        self.memory: dict[Part, str] = {}

    def write(self) -> None:
        w, e, t = self.w, self.e, self.t
        size = t.v.arg.size
        with ExitStack() as stack:
            if self.outside:
                w.pragma(len(self.before))
            open_loops(e, stack, self.before)
            self._reserve()
            whole, rest = divmod(size, self.slab)
            if whole == 1 and not rest:
                self._slab(Counter(""), size)
                return
            with e.loop(f"for (long v0 = 0; v0 < {whole * self.slab}; v0 += {self.slab})", t.v):
                self._slab(Counter("v0"), self.slab)
            if rest:
                with e.loop("", t.v):
                    self._slab(Counter("", whole * self.slab), rest)

    def _reserve(self) -> None:
        """Memory for panels, and where blocks of rows are among a thread's own."""
        w, t = self.w, self.t
        lanes = -(-self.slab // t.width) * t.width
        panels = {
            p: w.reserve(lanes * t.steps() * p.held.itemsize, shared=not self.outside) for p in t.lanewise if p.packed
        }
        self.own = {
            p: w.reserve(t.height * t.steps() * p.held.itemsize + _SLACK, shared=False) for p in t.rowwise if p.packed
        }
        for p, at in panels.items():
            self._declare(p, "panel", f"{w.own_scratch() if self.outside else 'scratch'} + {at}")

    def _declare(self, p: Part, stem: str, base: str) -> None:
        name, kind = self.w.code.fresh(stem), C_TYPES[p.held]
        self.w.code.line(f"{kind}* const {name} = ({kind}*)({base});", p.node)
        self.memory[p] = name

    # -- one slab of lanes -----------------------------------------------------------------------------------------
    def _slab(self, at: Counter, lanes: int) -> None:
        with ExitStack() as stack:
            block = open_blocks(self.w, self.t, stack)
            for p in self.t.lanewise:
                if p.packed:
                    pack_lanes(self.e, self.t, p, self.memory[p], block, at, lanes, self._share)
            self._rows(block, at, lanes)

    def _share(self, loops: int = 1) -> None:
        if not self.outside:
            self.w.pragma(loops)

    def _rows(self, block: Block, at: Counter, lanes: int) -> None:
        """Every block of rows: packed, then all panels of the slab past it."""
        w, e, t = self.w, self.e, self.t
        size = t.u.arg.size
        with ExitStack() as stack:
            self._share(len(self.after) + 1)
            open_loops(e, stack, self.after)
            stack.enter_context(e.loop(f"for (long g = 0; g < {t.blocks}; g++)", t.u))
            tiles = f"{-(-size // t.unit)}/{t.blocks}*{t.unit}"
            e.code.line(f"const long m0 = g*{tiles};", t.u)
            e.code.line(f"const long m1 = g == {t.blocks - 1} ? {size} : (g + 1)*{tiles};", t.u)
            for p, offset in self.own.items():
                self._declare(p, "rows", f"{w.own_scratch()} + {offset}")
                pack_rows(e, t, p, self.memory[p], block, "m0", "m1")
            whole = lanes // t.panel * t.panel
            if whole:
                with e.loop(f"for (long x = 0; x < {whole}; x += {t.panel})", t.v):
                    e.code.line(f"const long v1 = {at.text()} + x;", t.v)
                    self._panel(Counter("v1"), "x", t.panel)
            if lanes > whole:
                self._panel(Counter(at.name, at.plus + whole), str(whole), lanes - whole)

    def _panel(self, at: Counter, first: str, lanes: int) -> None:
        """All tiles of one panel in one block of rows."""
        w, e, t = self.w, self.e, self.t
        steps, rows = t.steps(), t.rows[-(-lanes // t.width)]
        e.env[t.v] = at

        def packed(p: Part) -> str:
            offset = f"(i - m0)*{steps}" if p in self.own else f"{first}*{steps}"
            return f"{self.memory[p]} + {offset}"

        whole = t.u.arg.size // rows * rows
        with e.loop("", t.u):
            e.code.line("long i = m0;", t.u)
            if whole:
                with e.loop(f"for (; i + {rows} <= m1; i += {rows})", t.u):
                    call(w, t, Variant(rows, lanes), Counter("i"), packed)
            rest = t.u.arg.size - whole
            if rest:
                with e.loop("if (i < m1)", t.u):
                    call(w, t, Variant(rest, lanes), Counter("i"), packed)
