"""Contractions: a tile of the result held in vector registers while the reduce loops run.

The body of the reduction is taken apart by two output loops, u (rows of the tile) and v (its lanes): parts that depend
on u only are scalars broadcast along the lanes, parts that depend on v only are vectors shared by all rows. A part can
be packed first: written, in the order in which the tile reads it, into contiguous memory. That absorbs transposition,
im2col and zeros around an image, and keeps power-of-two strides out of the inner loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from uopc.dtype import DType
from uopc.fast.emit import Emitter
from uopc.fast.nest import Nest
from uopc.ops import ALU, Ops
from uopc.symbolic.linear import linear
from uopc.uop import UOp


@dataclass(frozen=True)
class Part:
    """A piece of the body that depends on one of u and v. node: its value; packed: read from a panel."""

    node: UOp
    packed: bool

    @property
    def held(self) -> DType:
        """The dtype it has in a panel."""
        return self.node.dtype


@dataclass(frozen=True)
class Tile:
    """How a contraction is computed: loops u and v, tiles of rows x (vectors * width), its parts.

    mode: "whole" (a tile runs through all steps), "blocked" (through a block of them that fits the caches, both
    operands packed) or "streamed" (the first rows pack what the others read). cut, chunk: a block of steps is `chunk`
    iterations of the reduce loop number `cut` and all of those inside it; blocks: how many blocks of rows there are;
    height: the most rows of one.
    epilogue: an elementwise nest over the same loops that is computed from the tile before it leaves the registers.
    """

    nest: Nest
    u: UOp
    v: UOp
    width: int
    vectors: int
    rows: dict[int, int]  # number of vectors in the panel -> rows of its tiles
    rowwise: tuple[Part, ...]
    lanewise: tuple[Part, ...]
    mode: str = "whole"
    cut: int = 0
    chunk: int = 0
    height: int = 0
    blocks: int = 1
    epilogue: Nest | None = None

    @property
    def result(self) -> Nest:
        """The nest that is written: the contraction, or what is made of each of its elements."""
        return self.epilogue or self.nest

    @property
    def blocked(self) -> bool:
        """Whether a tile adds to what earlier blocks of steps have left in the result."""
        return self.mode != "whole"

    @property
    def loops(self) -> tuple[UOp, ...]:
        """The reduce loops inside a block of steps."""
        return self.nest.red[self.cut :]

    @property
    def panel(self) -> int:
        """Lanes of a whole panel."""
        return self.width * self.vectors

    def panels(self) -> list[tuple[int, int]]:
        """(whole panels, lanes of each), then the narrower last one if there is a rest."""
        n = int(self.v.arg.size)
        found = [(n // self.panel, self.panel)] if n >= self.panel else []
        return found + ([(1, n % self.panel)] if n % self.panel else [])

    def panel_elements(self) -> int:
        """Elements of all packed panels of one lanewise part, the lanes of the last one rounded up to whole vectors."""
        return sum(count * -(-lanes // self.width) * self.width for count, lanes in self.panels()) * self.steps()

    def steps(self) -> int:
        """How often the innermost statement runs for one tile: in a whole block of steps."""
        return prod(int(r.arg.size) for r in self.loops[1:]) * (self.chunk or int(self.loops[0].arg.size))

    @property
    def tall(self) -> int:
        """Rows of a whole panel's tile: as many stand side by side in a packed rowwise part."""
        return self.rows[self.vectors]

    @property
    def unit(self) -> int:
        """Rows of the tallest tile that there is."""
        return max(self.rows[-(-lanes // self.width)] for _, lanes in self.panels())

    def flat(self) -> bool:
        """Whether all loops of a block run through every part that is not packed in one stride: then they are one."""
        return all(self._stride(p) is not None for p in (*self.rowwise, *self.lanewise) if not p.packed)

    def _stride(self, p: Part) -> int | None:
        """Elements between two steps of a part that is read where it is, when that is one number."""
        terms = linear(p.node.src[0].src[1]).terms
        for a, b in zip(self.loops, self.loops[1:]):
            if terms.get(a, 0) != b.arg.size * terms.get(b, 0):
                return None
        return terms.get(self.loops[-1], 0)


def parts_of(nest: Nest, u: UOp, v: UOp) -> tuple[list[UOp], list[UOp]] | None:
    """The maximal pieces of the body that depend on u or neither, and on v but not u; None when a piece needs both."""
    rowwise: dict[UOp, None] = {}
    lanewise: dict[UOp, None] = {}
    seen: set[UOp] = set()
    todo = [nest.body]
    while todo:
        n = todo.pop()
        if n in seen or n.op is Ops.CONST:
            continue
        seen.add(n)
        if u in n.ranges and v in n.ranges:
            if n.op not in ALU:
                return None
            todo.extend(n.src)
        elif v in n.ranges:
            lanewise[n] = None
        elif n.ranges:
            rowwise[n] = None
    return list(rowwise), list(lanewise)


def base_pointer(e: Emitter, t: Tile, p: Part) -> str:
    """Where an unpacked part starts for the tile at the current counters: at the first step of the block."""
    form = linear(p.node.src[0].src[1])
    inside = t.loops[t.blocked :]
    outer = form._replace(terms={r: c for r, c in form.terms.items() if r not in inside})
    return e.address(p.node.src[0].src[0], outer)


def other_dims(t: Tile) -> tuple[list[UOp], list[UOp]]:
    """The output loops besides u and v: those that lanewise parts depend on, and the rest."""
    varies = frozenset().union(*(p.node.ranges for p in t.lanewise))
    rest = [d for d in t.nest.dims if d is not t.u and d is not t.v]
    return [d for d in rest if d in varies], [d for d in rest if d not in varies]


def elements(ranges: Sequence[UOp]) -> int:
    """Iterations of a nest of loops."""
    return prod(r.arg.size for r in ranges)
