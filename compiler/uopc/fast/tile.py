"""Contractions: a tile of the result held in vector registers while the reduce loops run.

The body of the reduction is taken apart by two output loops, u (rows of the tile) and v (its lanes): parts that depend
on u only are scalars broadcast along the lanes, parts that depend on v only are vectors shared by all rows. A part can
be packed first: written, in the order in which the tile reads it, into contiguous memory. That absorbs transposition,
im2col and zeros around an image, and keeps power-of-two strides out of the inner loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from uopc.dtype import DType
from uopc.fast.emit import Code, Counter, Emitter
from uopc.fast.nest import Nest
from uopc.fast.vectors import Vectors
from uopc.ops import ALU, Ops
from uopc.rangeify import identity
from uopc.render.types import C_TYPES, constant
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
    """How a contraction is computed: loops u and v, tiles of rows x (vectors * width), its parts."""

    nest: Nest
    u: UOp
    v: UOp
    width: int
    vectors: int
    rows: dict[int, int]  # number of vectors in the panel -> rows of its tiles
    rowwise: tuple[Part, ...]
    lanewise: tuple[Part, ...]

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
        """How often the innermost statement runs for one tile."""
        return self.nest.length()


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


# -- the micro-kernel ----------------------------------------------------------------------------------------------
def micro_kernel(t: Tile, name: str, rows: int, lanes: int, vectors: Vectors, ld: int) -> Code:
    """`static void name(a..., b..., c)`: one tile of rows x lanes. `ld`: elements between rows of the result."""
    code = Code(indent=0)
    e = Emitter(code, vectors, {}, width=t.width, active=t.width)
    n = t.nest
    count = -(-lanes // t.width)
    parameters = [f"const {C_TYPES[p.held]}* restrict a{k}" for k, p in enumerate(t.rowwise)]
    parameters += [f"const {C_TYPES[p.held]}* restrict b{k}" for k, p in enumerate(t.lanewise)]
    parameters.append(f"{C_TYPES[n.out.dtype]}* restrict c")
    # Not inlined: in a large function gcc keeps the vectors of the inner loop in memory.
    with code.block(f"static __attribute__((noinline)) void {name}({', '.join(parameters)})", n.value):
        kind, zero = vectors.of(n.wide, t.width), vectors.splat(_start(n), n.wide, t.width)
        for i in range(rows):
            code.line(f"{kind} {', '.join(f'c{i}_{j} = {zero}' for j in range(count))};", n.value)
        _reduce_loops(e, t, rows, lanes, count)
        for i in range(rows):
            for j in range(count):
                active = min(t.width, lanes - j * t.width)
                text = vectors.store(f"c + {i * ld + j * t.width}", f"c{i}_{j}", n.out.dtype, t.width, active)
                code.line(text, n.value)
    return code


def _start(n: Nest) -> str:
    assert n.op is not None
    return constant(identity(n.op, n.wide), n.wide)


def _reduce_loops(e: Emitter, t: Tile, rows: int, lanes: int, count: int) -> None:
    n = t.nest
    for r in (*n.dims, *n.red):
        e.env[r] = Counter(f"k{n.red.index(r)}" if r in n.red else "o")
    opened = []
    for k, r in enumerate(n.red):
        block = e.loop(f"for (long k{k} = 0; k{k} < {r.arg.size}; k{k}++)", r)
        block.__enter__()
        opened.append(block)
    _step(e, t, rows, lanes, count)
    for k, p in enumerate(t.lanewise):
        if p.packed:
            e.code.line(f"b{k} += {count * t.width};", p.node)
    for k, p in enumerate(t.rowwise):
        if p.packed:
            e.code.line(f"a{k} += {rows_packed(t)};", p.node)
    for block in reversed(opened):
        block.__exit__(None, None, None)


def rows_packed(t: Tile) -> int:
    """Rows that stand side by side in a packed rowwise part: those of a whole panel's tile."""
    return max(t.rows.values())


def _step(e: Emitter, t: Tile, rows: int, lanes: int, count: int) -> None:
    """The body for all rows and vectors of the tile."""
    n = t.nest
    for j in range(count):
        for k, p in enumerate(t.lanewise):
            e.env[t.v] = Counter("", j * t.width)
            active = t.width if p.packed else min(t.width, lanes - j * t.width)
            _lanewise(e, t, p, k, j, active)
    for i in range(rows):
        e.env[t.u] = Counter("", i)
        for k, p in enumerate(t.rowwise):
            _rowwise(e, t, p, k, i)
        for j in range(count):
            e.env[t.v] = Counter("", j * t.width)
            with e.lanes(t.v, t.width, t.width):
                _accumulate(e, n, f"c{i}_{j}")


def _accumulate(e: Emitter, n: Nest, acc: str) -> None:
    from uopc.fast.passes import add_vector

    add_vector(e, n, acc, e.width)


def _lanewise(e: Emitter, t: Tile, p: Part, k: int, j: int, active: int) -> None:
    at = f"b{k} + {j * t.width}" if p.packed else _offset(f"b{k}", t, p, j * t.width)
    text = e.vectors.load(at, p.held, t.width, active)
    with e.lanes(t.v, t.width, t.width):
        name = e.code.fresh("b_")
        e.code.line(f"{e.vectors.of(p.held, t.width)} {name} = {text};", p.node)
        e.remember(p.node, name)


def _rowwise(e: Emitter, t: Tile, p: Part, k: int, i: int) -> None:
    if p.packed:
        at = f"a{k}[{i}]"
    else:
        stride = linear(p.node.src[0].src[1]).terms.get(t.u, 0)
        at = f"*({_offset(f'a{k}', t, p, i * stride)})"
    with e.lanes(t.v, t.width, t.width):
        name = e.code.fresh("a_")
        e.code.line(f"{C_TYPES[p.held]} {name} = {at};", p.node)
        e.remember(p.node, name)


def _offset(pointer: str, t: Tile, p: Part, plus: int) -> str:
    form = linear(p.node.src[0].src[1])
    parts = [pointer]
    for k, r in enumerate(t.nest.red):
        c = form.terms.get(r, 0)
        if c:
            parts.append(f"k{k}*{c}" if c != 1 else f"k{k}")
    if plus:
        parts.append(str(plus))
    return " + ".join(parts)


# -- packing -------------------------------------------------------------------------------------------------------
def pack_lanes(e: Emitter, t: Tile, p: Part, panel: str, first: Counter, lanes: int) -> None:
    """Statements that write panels of `lanes` lanes in all: in each, for every step, its lanes side by side, and zeros
    behind the last one of a panel that is not whole vectors wide."""
    inner, outer = t.nest.red[-1], t.nest.red[:-1]
    form = linear(p.node.src[0].src[1]) if p.node.op is Ops.LOAD else None
    across = form is not None and form.terms.get(inner) == 1 and form.terms.get(t.v) != 1
    with _loops(e, outer):
        step = "".join(f"q{k}*{_inside(t, r)} + " for k, r in enumerate(outer)) + "q"
        (_pack_across if across else _pack_along)(e, t, p, panel, step, first, lanes)


def _pack_along(e: Emitter, t: Tile, p: Part, panel: str, step: str, first: Counter, lanes: int) -> None:
    """Row after row, all panels at once: a row's lines and pages are touched once."""
    inner, steps = t.nest.red[-1], t.steps()
    with e.loop(f"for (long q = 0; q < {inner.arg.size}; q++)", inner):
        e.env[inner] = Counter("q")
        for j in range(0, lanes, t.width):
            start, wide = _panel_of(t, j, lanes)
            e.env[t.v] = Counter(first.name, first.plus + j)
            with e.lanes(t.v, t.width, min(t.width, lanes - j)):
                text = e.vector(p.node)
            to = f"{panel} + ({step})*{wide} + {start * steps + j - start}"
            e.code.line(e.vectors.store(to, text, p.held, t.width, t.width), p.node)


def _panel_of(t: Tile, j: int, lanes: int) -> tuple[int, int]:
    """(first lane, lanes of a step) of the panel that lane j of a stripe is in."""
    start = j // t.panel * t.panel
    return start, -(-min(t.panel, lanes - start) // t.width) * t.width


def _pack_across(e: Emitter, t: Tile, p: Part, panel: str, step: str, first: Counter, lanes: int) -> None:
    """A part that is contiguous along the reduce loop: blocks of 16 steps, so that whole cache lines are read."""
    inner, steps = t.nest.red[-1], t.steps()
    size, kind = inner.arg.size, C_TYPES[p.held]
    for start in range(0, lanes, t.panel):
        count, wide = min(t.panel, lanes - start), _panel_of(t, start, lanes)[1]
        to = e.code.fresh("p")
        e.code.line(f"{kind}* {to} = {panel} + {start * steps};", p.node)
        with e.loop(f"for (long s = 0; s < {size}; s += 16)", inner):
            e.code.line(f"const long end = s + 16 < {size} ? s + 16 : {size};", inner)
            with e.loop(f"for (long x = 0; x < {count}; x++)", t.v):
                e.code.line(f"const long y = {Counter(first.name, first.plus + start).text()} + x;", t.v)
                e.env[t.v], e.env[inner] = Counter("y"), Counter("q")
                with e.loop("for (long q = s; q < end; q++)", inner):
                    e.code.line(f"{to}[({step})*{wide} + x] = {e.value(p.node)};", p.node)
        if count < wide:
            rest = f"for (long x = {count}; x < {wide}; x++) {to}[({step})*{wide} + x] = 0;"
            e.code.line(f"for (long q = 0; q < {size}; q++) {rest}", p.node)


def pack_rows(e: Emitter, t: Tile, p: Part, block: str, rows: int, share: Callable[[], None]) -> None:
    """Statements that write all rows of a part, `rows` side by side for every step, block after block.

    Steps come in chunks: the lines of a chunk are read by block after block while they are in the cache.
    """
    size, wide, steps = t.u.arg.size, rows_packed(t), t.steps()
    inner, outer = t.nest.red[-1], t.nest.red[:-1]
    share()
    chunk = f"for (long s = 0; s < {inner.arg.size}; s += 16)"
    with e.loop(chunk, inner), _loops(e, outer):
        e.code.line(f"const long end = s + 16 < {inner.arg.size} ? s + 16 : {inner.arg.size};", inner)
        before = "".join(f"q{k}*{_inside(t, r)} + " for k, r in enumerate(outer))
        with e.loop(f"for (long g = 0; g < {-(-size // rows)}; g++)", t.u):
            most = f"{size} - g*{rows} < {rows} ? {size} - g*{rows} : {rows}"
            e.code.line(f"const long most = {most if size % rows else rows};", p.node)
            e.env[inner], e.env[t.u] = Counter("q"), Counter("y")
            with e.loop("for (long q = s; q < end; q++)", inner):
                at = e.code.fresh("p")
                e.code.line(f"{C_TYPES[p.held]}* {at} = {block} + g*{steps * wide} + ({before}q)*{wide};", p.node)
                with e.loop("for (long x = 0; x < most; x++)", t.u):
                    e.code.line(f"const long y = g*{rows} + x;", t.u)
                    e.code.line(f"{at}[x] = {e.value(p.node)};", p.node)


def _inside(t: Tile, r: UOp) -> int:
    """Steps between two iterations of a reduce loop."""
    red = t.nest.red
    return prod(x.arg.size for x in red[red.index(r) + 1 :])


class _loops:
    """Nested loops q0, q1, ... over the given counters."""

    def __init__(self, e: Emitter, ranges: Sequence[UOp]) -> None:
        self.e, self.ranges = e, ranges
        self.open: list[object] = []

    def __enter__(self) -> None:
        for k, r in enumerate(self.ranges):
            block = self.e.loop(f"for (long q{k} = 0; q{k} < {r.arg.size}; q{k}++)", r)
            block.__enter__()
            self.open.append(block)
            self.e.env[r] = Counter(f"q{k}")

    def __exit__(self, *error: object) -> None:
        for block in reversed(self.open):
            block.__exit__(None, None, None)  # type: ignore[attr-defined]


def base_pointer(e: Emitter, t: Tile, p: Part) -> str:
    """Where an unpacked part starts for the tile at the current counters: its address with the reduce loops at 0."""
    form = linear(p.node.src[0].src[1])
    outer = form._replace(terms={r: c for r, c in form.terms.items() if r not in t.nest.red})
    return e.address(p.node.src[0].src[0], outer)


def other_dims(t: Tile) -> tuple[list[UOp], list[UOp]]:
    """The output loops besides u and v: those that lanewise parts depend on, and the rest."""
    varies = frozenset().union(*(p.node.ranges for p in t.lanewise))
    rest = [d for d in t.nest.dims if d is not t.u and d is not t.v]
    return [d for d in rest if d in varies], [d for d in rest if d not in varies]


def elements(ranges: Sequence[UOp]) -> int:
    """Iterations of a nest of loops."""
    return prod(r.arg.size for r in ranges)
