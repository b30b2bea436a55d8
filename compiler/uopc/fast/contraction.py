"""The loops around a register tile: panels of packed operands, blocks of rows, and what threads share."""

from __future__ import annotations

from contextlib import ExitStack

from uopc.fast.emit import Counter
from uopc.fast.group import Workshop, open_loops
from uopc.fast.tile import (
    Part,
    Tile,
    base_pointer,
    elements,
    micro_kernel,
    other_dims,
    pack_lanes,
    pack_rows,
    panel_count,
)
from uopc.render.types import C_TYPES
from uopc.symbolic.linear import linear
from uopc.uop import UOp


def write_contraction(w: Workshop) -> None:
    """A kernel that is one contraction: for every panel, for every block of rows, one tile."""
    _Contraction(w).write()


class _Contraction:
    def __init__(self, w: Workshop) -> None:
        self.w, self.e = w, w.emitter
        tile = w.group.members[0].choice.tile
        assert tile is not None
        self.t: Tile = tile
        self.before, self.after = other_dims(tile)
        self.jobs = elements(self.before) * panel_count(tile)
        self.panels: dict[Part, str] = {}

    def write(self) -> None:
        w, e, t = self.w, self.e, self.t
        for p in t.rowwise:
            if p.packed:
                self._pack_rows(p)
        size = max(lanes for _, lanes in t.panels())
        room = -(-size // t.width) * t.width * t.steps()
        offsets = {p: w.reserve(room * p.held.itemsize, shared=False) for p in t.lanewise if p.packed}
        (whole, lanes), *rest = t.panels()
        outside = self.jobs >= 4
        with ExitStack() as stack:
            if outside:
                w.pragma(len(self.before) + 1)
            open_loops(e, stack, self.before)
            stack.enter_context(e.loop(f"for (long p = 0; p < {panel_count(t)}; p++)", t.v))
            if offsets:
                e.code.line(f"char* const own = {w.own_scratch()};")
            for k, (p, offset) in enumerate(offsets.items()):
                kind = C_TYPES[p.held]
                e.code.line(f"{kind}* restrict panel{k} = ({kind}*)(own + {offset});", p.node)
                self.panels[p] = f"panel{k}"
            e.code.line(f"const long v0 = p*{t.panel};", t.v)
            if not rest:
                self._panel(lanes, outside)
                return
            with e.loop(f"if (p < {whole})", t.v):
                self._panel(lanes, outside)
            with e.loop("else", t.v):
                self._panel(rest[0][1], outside)

    def _pack_rows(self, p: Part) -> None:
        w, t = self.w, self.t
        rows = max(t.rows.values())
        blocks = -(-t.u.arg.size // rows)
        offset = w.reserve(blocks * rows * t.steps() * p.held.itemsize, shared=True)
        name, kind = w.code.fresh("rows"), C_TYPES[p.held]
        w.code.line(f"{kind}* restrict {name} = ({kind}*)(scratch + {offset});", p.node)
        w.pragma()
        pack_rows(self.e, t, p, name, rows)
        self.panels[p] = name

    def _panel(self, lanes: int, outside: bool) -> None:
        w, e, t = self.w, self.e, self.t
        for p in t.lanewise:
            if p.packed:
                pack_lanes(e, t, p, self.panels[p], Counter("v0"), lanes)
        rows = t.rows[-(-lanes // t.width)]
        size = t.u.arg.size
        e.env[t.v] = Counter("v0")
        with ExitStack() as stack:
            if not outside:
                w.pragma(len(self.after) + 1 if size % rows == 0 else len(self.after))
            open_loops(e, stack, self.after)
            if size >= rows:
                if not outside and size % rows and not self.after:
                    w.pragma()
                with e.loop(f"for (long i = 0; i < {size // rows * rows}; i += {rows})", t.u):
                    self._call(rows, lanes, Counter("i"))
            if size % rows:
                self._call(size % rows, lanes, Counter("", size // rows * rows))

    def _call(self, rows: int, lanes: int, at: Counter) -> None:
        steps = self.t.steps()

        def packed(p: Part) -> str:
            return f"{self.panels[p]} + {at.text()}*{steps}" if p in self.t.rowwise else self.panels[p]

        call(self.w, self.t, rows, lanes, at, packed)


def call(w: Workshop, t: Tile, rows: int, lanes: int, at: Counter, packed: object) -> None:
    """One tile computed: the call of its micro-kernel, which is written on first use."""
    e = w.emitter
    e.env[t.u] = at
    ld = linear(t.nest.store).terms.get(t.u, 0)
    name = w.micro.get((t.nest.out, rows, lanes))
    if name is None:
        name = f"{w.name}_{t.nest.out.arg.slot}_{rows}x{lanes}"
        w.micro[t.nest.out, rows, lanes] = name
        w.functions.append(micro_kernel(t, name, rows, lanes, w.vectors, ld))
    assert callable(packed)
    args = [packed(p) if p.packed else base_pointer(e, t, p) for p in (*t.rowwise, *t.lanewise)]
    args.append(e.address(t.nest.out, linear(t.nest.store)))
    w.code.line(f"{name}({', '.join(args)});", t.nest.value)


# -- inside a kernel over rows -------------------------------------------------------------------------------------
def pack_panels(w: Workshop, t: Tile) -> None:
    """All panels of all packed lanewise parts, before the loop over blocks of rows."""
    e = w.emitter
    for k, p in enumerate(t.lanewise):
        if not p.packed:
            continue
        name, kind = f"panels{t.nest.out.arg.slot}_{k}", C_TYPES[p.held]
        offset = w.reserve(t.panel_elements() * p.held.itemsize, shared=True)
        w.code.line(f"{kind}* restrict {name} = ({kind}*)(scratch + {offset});", p.node)
        for start, (count, lanes) in _panel_starts(t):
            if count > 1:
                w.pragma()
            with e.loop(f"for (long p = 0; p < {count}; p++)", t.v):
                e.code.line(f"const long v0 = {start} + p*{t.panel};", t.v)
                pack_lanes(e, t, p, f"{name} + {start * t.steps()} + p*{t.panel * t.steps()}", Counter("v0"), lanes)


def _panel_starts(t: Tile) -> list[tuple[int, tuple[int, int]]]:
    found, start = [], 0
    for count, lanes in t.panels():
        found.append((start, (count, lanes)))
        start += count * lanes
    return found


def tile_calls(w: Workshop, t: Tile, rows: int) -> None:
    """All tiles of one block of rows."""
    e = w.emitter
    for start, (count, lanes) in _panel_starts(t):

        def packed(p: Part, start: int = start) -> str:
            k = t.lanewise.index(p)
            return f"panels{t.nest.out.arg.slot}_{k} + {start * t.steps()} + p*{t.panel * t.steps()}"

        with e.loop(f"for (long p = 0; p < {count}; p++)", t.v):
            e.code.line(f"const long v0 = {start} + p*{t.panel};", t.v)
            e.env[t.v] = Counter("v0")
            call(w, t, rows, lanes, Counter("i"), packed)


def depends_on(t: Tile, dims: tuple[UOp, ...]) -> bool:
    """Whether a packed lanewise part differs between iterations of these loops."""
    return any(p.packed and p.node.ranges & set(dims) for p in t.lanewise)
