"""Contractions of a few rows: an operand that is read a few times only is packed while it is read.

The first tile of a panel reads it where it is and leaves it in the order of the others; the second has the cache fetch
what the next panel needs. The operand streams through once, behind the arithmetic.
"""

from __future__ import annotations

from contextlib import ExitStack

from uopc.fast.blocked import open_blocks
from uopc.fast.calls import call
from uopc.fast.emit import Counter
from uopc.fast.group import Workshop, open_loops
from uopc.fast.microkernel import Variant
from uopc.fast.tile import Part, Tile, base_pointer, elements, other_dims
from uopc.render.types import C_TYPES


def write_streamed(w: Workshop, t: Tile) -> None:
    """The whole function body."""
    _Streamed(w, t).write()


class _Streamed:
    def __init__(self, w: Workshop, t: Tile) -> None:
        self.w, self.e, self.t = w, w.emitter, t
        self.before, _ = other_dims(t)
        self.panels: dict[Part, str] = {}

    def write(self) -> None:
        w, e, t = self.w, self.e, self.t
        size = t.v.arg.size
        whole = size // t.panel * t.panel
        stripe = self._stripe(whole)
        offsets = {p: w.reserve(t.panel * t.steps() * p.held.itemsize, shared=False) for p in t.lanewise if p.packed}
        with ExitStack() as stack:
            w.pragma(len(self.before) + 1)
            open_loops(e, stack, self.before)
            stack.enter_context(e.loop(f"for (long s0 = 0; s0 < {whole}; s0 += {stripe})", t.v))
            e.code.line(f"const long s1 = {whole} - s0 < {stripe} ? {whole} : s0 + {stripe};", t.v)
            for p, offset in offsets.items():
                name, kind = w.code.fresh("panel"), C_TYPES[p.held]
                e.code.line(f"{kind}* const {name} = ({kind}*)({w.own_scratch()} + {offset});", p.node)
                self.panels[p] = name
            open_blocks(w, t, stack)
            with e.loop(f"for (long v0 = s0; v0 < s1; v0 += {t.panel})", t.v):
                self._panel(t.panel, Counter("v0"), ahead=True)
            if size > whole:
                with e.loop(f"if (s1 == {whole})", t.v):
                    self._panel(size - whole, Counter("", whole), ahead=False)

    def _stripe(self, whole: int) -> int:
        """Lanes that one thread walks through."""
        share = self.w.threads if elements(self.before) < 4 else 1
        return -(-whole // self.t.panel // share) * self.t.panel

    def _panel(self, lanes: int, at: Counter, *, ahead: bool) -> None:
        """All tiles of one panel."""
        e, t = self.e, self.t
        following = self._next(at) if ahead else []
        e.env[t.v] = at
        rows, size = t.tall, t.u.arg.size
        starts = range(0, size, rows)
        fetching = starts[:2][-1] if ahead else -1
        for i in starts[:2]:
            self._tile(Variant(min(rows, size - i), lanes, not i, i == fetching), Counter("", i), following)
        if 3 * rows <= size:
            with e.loop(f"for (long i = {2 * rows}; i + {rows} <= {size}; i += {rows})", t.u):
                self._tile(Variant(rows, lanes), Counter("i"), following)
        if size % rows and size > 2 * rows:
            self._tile(Variant(size % rows, lanes), Counter("", starts[-1]), following)

    def _next(self, at: Counter) -> list[str]:
        """Where the next panel of this thread starts: beside this one, or in the next block of steps."""
        e, t = self.e, self.t
        k = t.loops[0]
        e.code.line(f"const long v1 = v0 + {t.panel} < s1 ? v0 + {t.panel} : s0;", t.v)
        e.code.line(f"const long k1 = v1 > v0 ? k0 : k0 + {t.chunk} < {k.arg.size} ? k0 + {t.chunk} : 0;", k)
        kept = e.env[k]
        e.env[t.v], e.env[k] = Counter("v1"), Counter("k1")
        found = [base_pointer(e, t, p) for p in t.lanewise if p.packed]
        e.env[k] = kept
        return found

    def _tile(self, variant: Variant, at: Counter, following: list[str]) -> None:
        ahead = following if variant.ahead else ()
        call(self.w, self.t, variant, at, lambda p: self.panels[p], ahead)
