"""The loops around a register tile: panels of packed operands, blocks of rows, and what threads share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from uopc.fast.blocked import write_blocked
from uopc.fast.calls import call
from uopc.fast.emit import Counter
from uopc.fast.group import Workshop, open_loops
from uopc.fast.microkernel import Variant
from uopc.fast.packing import Block, pack_lanes
from uopc.fast.streamed import write_streamed
from uopc.fast.tile import Part, Tile, elements, other_dims
from uopc.render.types import C_TYPES
from uopc.uop import UOp


def write_contraction(w: Workshop) -> None:
    """A kernel that is one contraction, as its tile says."""
    tile = w.group.members[0].choice.tile
    assert tile is not None
    if tile.mode == "blocked":
        write_blocked(w, tile)
    elif tile.mode == "streamed":
        write_streamed(w, tile)
    else:
        _Contraction(w, tile).write()


_STRIPE_BYTES = 1 << 19  # packed panels that a thread works on at a time: they stay in the second-level cache
_STRIPE = 256  # bytes of a row that are packed together: whole cache lines, and few pages


class _Contraction:
    """Stripes of a few panels each: packed, then walked down block of rows by block of rows."""

    def __init__(self, w: Workshop, tile: Tile) -> None:
        self.w, self.e = w, w.emitter
        self.t = tile
        self.before, self.after = other_dims(tile)
        self.stripe = self._stripe()
        self.size = tile.v.arg.size
        self.jobs = elements(self.before) * -(-self.size // self.stripe)
        self.panels: dict[Part, str] = {}

    def _stripe(self) -> int:
        """Lanes of a stripe: several panels when they are packed, and enough stripes are left for the threads."""
        t = self.t
        step = sum(p.held.itemsize for p in t.lanewise if p.packed)
        count = max(1, _STRIPE // max(1, t.panel * step)) if step else 1
        if step * t.panel_elements() <= _STRIPE_BYTES >> 1 and not self.before:
            return -(-int(t.v.arg.size) // t.panel) * t.panel
        while count > 1 and count * t.panel * t.steps() * step > _STRIPE_BYTES:
            count //= 2
        while count > 1 and t.v.arg.size < 4 * count * t.panel:
            count //= 2
        return count * t.panel

    def write(self) -> None:
        w, e, t = self.w, self.e, self.t
        room = -(-min(self.stripe, self.size) // t.width) * t.width * t.steps()
        offsets = {p: w.reserve(room * p.held.itemsize, shared=False) for p in t.lanewise if p.packed}
        whole, rest = divmod(self.size, self.stripe)
        outside = self.jobs >= 4
        with ExitStack() as stack:
            if outside:
                w.pragma(len(self.before) + 1)
            open_loops(e, stack, self.before)
            stack.enter_context(e.loop(f"for (long p = 0; p < {whole + (rest > 0)}; p++)", t.v))
            if offsets:
                e.code.line(f"char* const own = {w.own_scratch()};")
            for k, (p, offset) in enumerate(offsets.items()):
                kind = C_TYPES[p.held]
                e.code.line(f"{kind}* restrict panel{k} = ({kind}*)(own + {offset});", p.node)
                self.panels[p] = f"panel{k}"
            e.code.line(f"const long v0 = p*{self.stripe};", t.v)
            if not rest or not whole:
                self._stripe_of(rest or self.stripe, outside)
                return
            with e.loop(f"if (p < {whole})", t.v):
                self._stripe_of(self.stripe, outside)
            with e.loop("else", t.v):
                self._stripe_of(rest, outside)

    def _stripe_of(self, lanes: int, outside: bool) -> None:
        """One stripe: its panels packed, then its tiles."""
        e, t = self.e, self.t
        for p in t.lanewise:
            if p.packed:
                pack_lanes(e, t, p, self.panels[p], Block.whole(t), Counter("v0"), lanes)
        whole, rest = divmod(lanes, t.panel)
        kinds = [(0, whole, t.panel)] if whole else []
        if rest:
            kinds.append((whole * t.panel, 1, rest))
        if len({t.rows[-(-n // t.width)] for _, _, n in kinds}) == 1:
            self._blocks(kinds, outside)
        else:
            for kind in kinds:
                self._blocks([kind], outside)

    def _blocks(self, kinds: list[tuple[int, int, int]], outside: bool) -> None:
        """All rows of panels (first lane, count, lanes of each) whose tiles have one height."""
        w, e, t = self.w, self.e, self.t
        rows, size = t.rows[-(-kinds[0][2] // t.width)], t.u.arg.size
        with ExitStack() as stack:
            if not outside and self.after:
                w.pragma(len(self.after))
            open_loops(e, stack, self.after)
            if size >= rows:
                if not outside and not self.after:
                    w.pragma()
                with e.loop(f"for (long i = 0; i < {size // rows * rows}; i += {rows})", t.u):
                    self._tiles(kinds, rows, Counter("i"))
            if size % rows:
                self._tiles(kinds, size % rows, Counter("", size // rows * rows))

    def _tiles(self, kinds: list[tuple[int, int, int]], rows: int, at: Counter) -> None:
        """One block of rows of every panel of the stripe."""
        w, e, t = self.w, self.e, self.t
        steps = t.steps()
        for first, count, lanes in kinds:
            if count > 1:
                with e.loop(f"for (long g = 0; g < {count * t.panel}; g += {t.panel})", t.v):
                    e.code.line("const long v1 = v0 + g;", t.v)
                    e.env[t.v] = Counter("v1")
                    call(w, t, Variant(rows, lanes), at, self._packed(f"g*{steps}"))
            else:
                e.env[t.v] = Counter("v0", first)
                call(w, t, Variant(rows, lanes), at, self._packed(str(first * steps)))

    def _packed(self, offset: str) -> Callable[[Part], str]:
        """Where the packed parts of a tile are: `offset` into the stripe."""

        def pointer(p: Part) -> str:
            return self.panels[p] if offset == "0" else f"{self.panels[p]} + {offset}"

        return pointer


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
                to = f"{name} + {start * t.steps()} + p*{t.panel * t.steps()}"
                pack_lanes(e, t, p, to, Block.whole(t), Counter("v0"), lanes)


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
            call(w, t, Variant(rows, lanes), Counter("i"), packed)


def depends_on(t: Tile, dims: tuple[UOp, ...]) -> bool:
    """Whether a packed lanewise part differs between iterations of these loops."""
    return any(p.packed and p.node.ranges & set(dims) for p in t.lanewise)
