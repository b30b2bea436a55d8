"""Choosing how each kernel is computed: a cost model of a few comparisons, and the reasons for what it chose.

`choose(nest, outer, machine, off)` describes one nest. Everything a kernel writer does follows from its `Choice`; names
in `off` switch transformations off one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import gcd, prod

from uopc.dtype import DType, dtypes
from uopc.fast.nest import Nest
from uopc.fast.tile import Part, Tile, parts_of
from uopc.ops import Ops
from uopc.symbolic.linear import linear
from uopc.uop import UOp

# Every transformation that can be switched off, with what it does.
SWITCHES: dict[str, str] = {
    "epilogue": "what is made of each element of a product is computed before it leaves the registers",
    "fuse": "kernels over the same rows become one loop over rows",
    "vector": "loops along neighbouring elements are written with vectors",
    "tile": "contractions keep a tile of the result in registers",
    "pack": "operands of a contraction are copied into the order in which the tile reads them",
    "block": "long contractions run in blocks of steps that fit the caches, both operands packed",
    "stream": "an operand that few rows read is packed by the first of them while the next lines are fetched",
    "columns": "sums down columns run along rows, and sums over several axes along memory",
    "copies": "several vectors side by side hide the latency of a sum",
    "transpose": "a copy that crosses rows and columns goes through square blocks in registers",
    "threads": "outer loops are shared between threads",
}

_PANEL_PAGES = 64  # pages of an operand that a tile can walk down without packing: what the first-level TLB holds
_REUSED = 128  # rows from which packing costs so little that half of them are too many
_FAR = 256  # bytes between two steps of a row that still share a cache line often enough
_MIN_LENGTH = 4
_L1, _LINE, _WAYS = 32 << 10, 64, 8  # a first-level cache: its bytes, bytes of a line, lines of a set
_MANY_ROWS = 96  # rows from which packing both operands costs little
_FAR_BYTES = 3 << 19  # an operand that the second-level cache does not hold
_PIECE, _LONG_PIECE = 256, 32 << 10  # bytes along the lanes: worth a sum of its own; long enough to start from anew
_SHARED, _COPY_BYTES = 16, 1 << 20  # results that share a copy, and what stays in the caches while they read it
_PARALLEL_WORK = 1 << 15  # element operations from which a second thread pays


def ceildiv(a: int, b: int) -> int:
    """a / b, rounded up."""
    return -(-a // b)


@dataclass(frozen=True)
class Machine:
    """What the cost model knows about the CPU: bytes of a vector, vector registers, bytes of the second-level cache."""

    vector: int = 32
    registers: int = 16
    cache: int = 1 << 20

    def width(self, d: DType) -> int:
        """Lanes of a vector of dtype d (bool and f16 are computed in 32-bit lanes)."""
        return max(4, self.vector // max(4, d.itemsize))


@dataclass(frozen=True)
class Sizes:
    """How much of a long contraction is worked on at a time.

    panel: bytes of a packed panel, which stays in the first-level cache while blocks of packed rows run past; rows: how
    many are packed together, with their steps a part of the second-level cache; stream: bytes of a panel that the first
    of few rows pack, which stays in the first-level cache until the last of them read it.
    """

    panel: int = 22 << 10
    rows: int = 96
    stream: int = 8 << 10


@dataclass(frozen=True)
class Opts:
    """What the user asks for: switched-off transformations, threads, and sizes other than the usual."""

    off: frozenset[str] = frozenset()
    threads: int = 1
    machine: Machine = field(default_factory=Machine)
    sizes: Sizes = field(default_factory=Sizes)

    def __post_init__(self) -> None:
        unknown = self.off - SWITCHES.keys()
        if unknown:
            raise ValueError(
                f"there is no transformation {', '.join(sorted(unknown))}: there are {', '.join(SWITCHES)}"
            )

    def on(self, name: str) -> bool:
        """Whether a transformation may be used."""
        return name not in self.off


@dataclass(frozen=True)
class Choice:
    """How one nest is computed.

    role: "scalar" (the textbook loops), "map" (elementwise along lanes), "lanes" (a reduction along lanes), "columns"
    (a reduction down columns, lanes along rows), "across" (a reduction along lanes, in the order of memory), "tile" (a
    contraction in registers), "transpose"; lane: the loop along the lanes; width, copies: lanes and vectors side by
    side; tile: the tile; straight: operands that would be gathered are copied first; why: the reasons, of both kinds.
    """

    role: str
    lane: UOp | None = None
    width: int = 1
    copies: int = 1
    tile: Tile | None = None
    why: tuple[str, ...] = ()
    straight: bool = False


def choose(nest: Nest | None, outer: int, opts: Opts) -> Choice:
    """The choice for a nest whose first `outer` output loops belong to the kernel around it; its reasons name the
    switched-off transformations that would have been applied."""
    choice = _chosen(nest, outer, opts)
    missed = tuple(
        f"switched off here: {name} ({SWITCHES[name]})"
        for name in SWITCHES
        if name in opts.off and _missed(name, choice, nest, outer, opts)
    )
    return replace(choice, why=(*choice.why, *missed)) if missed else choice


def _missed(name: str, choice: Choice, nest: Nest | None, outer: int, opts: Opts) -> bool:
    """Whether a switched-off transformation, allowed again, would change the choice."""
    allowed = replace(opts, off=opts.off - {name})
    if name == "threads":
        return nest is not None and parallel(nest, allowed)
    return replace(_chosen(nest, outer, allowed), why=()) != replace(choice, why=())


def _chosen(nest: Nest | None, outer: int, opts: Opts) -> Choice:
    if nest is None:
        return Choice("scalar", why=("its loops do not form one nest: computed as the textbook does",))
    if not opts.on("vector"):
        return Choice("scalar", why=("vectors are switched off",))
    if not nest.red:
        return _map(nest, outer, opts)
    tile, why = _tile(nest, outer, opts)
    if tile is not None:
        return Choice("tile", tile.v, tile.width, tile.vectors, tile, why)
    return _reduction(nest, outer, opts, why)


# -- elementwise ---------------------------------------------------------------------------------------------------
def _widest(nest: Nest, opts: Opts) -> int:
    """Lanes such that the widest value of the nest fills a vector."""
    kinds = [u.dtype for u in nest.loads()] + [nest.out.dtype, nest.body.dtype]
    return min(opts.machine.width(d) for d in kinds)


def _narrowed(width: int, n: int) -> int:
    while width > 4 and width // 2 >= n:  # gcc 12 miscompiles integer vectors of 8 bytes
        width //= 2
    return width


def _map(nest: Nest, outer: int, opts: Opts) -> Choice:
    own = nest.dims[outer:]
    if not own:
        return Choice("map", None, why=("one element a row",))
    lane = own[-1]
    if linear(nest.store).terms.get(lane) != 1:
        return Choice("map", None, why=("elements that are written far from each other: one at a time",))
    width = _narrowed(_widest(nest, opts), lane.arg.size)
    crossed = crossing(nest, lane, own[:-1])
    if crossed is not None and opts.on("transpose"):
        why = (f"read down columns: blocks of {width} x {width} are turned in registers",)
        return Choice("transpose", lane, width, 1, why=why)
    return Choice("map", lane, width, 1, why=(f"{width} neighbours along the last axis at a time",))


def crossing(nest: Nest, lane: UOp, others: tuple[UOp, ...]) -> UOp | None:
    """The loop along which the loads are contiguous where they are not along the lanes; None when there is none."""
    if nest.body.op is not Ops.LOAD or nest.body.dtype.bits not in (32, 64):
        return None
    form = linear(nest.body.src[0].src[1])
    if form.terms.get(lane) == 1 or any(t.op is not Ops.RANGE for t in form.terms):
        return None
    return next((d for d in others if form.terms.get(d) == 1 and d.arg.size >= 8 and lane.arg.size >= 8), None)


# -- reductions ----------------------------------------------------------------------------------------------------
_WORDS = {Ops.ADD: "sum", Ops.MUL: "product", Ops.MAX: "maximum"}


def _contiguous(nest: Nest, lane: UOp) -> bool:
    """Whether every load that varies along the lanes reads neighbours."""
    for u in nest.loads():
        form = linear(u.src[0].src[1])
        if lane in u.ranges and (
            form.terms.get(lane) != 1 or any(lane in t.ranges for t in form.terms if t is not lane)
        ):
            return False
    return True


def _reduction(nest: Nest, outer: int, opts: Opts, why: tuple[str, ...]) -> Choice:
    own, width = nest.dims[outer:], _widest(nest, opts)
    lane = max(
        nest.red, key=lambda r: (_contiguous(nest, r) and lane_reads(nest, r), min(r.arg.size, width), r.arg.idx)
    )
    down = own[-1] if own else None
    if down is not None and opts.on("columns") and nest.out.dtype is nest.wide and down.arg.size >= 4:
        reads = _contiguous(nest, down) and lane_reads(nest, down)
        if reads and not (_contiguous(nest, lane) and lane.arg.size >= width):
            text = "rows are read one after the other and added lane by lane: down a column every step is far away"
            return Choice("columns", down, _narrowed(width, down.arg.size), 1, why=(*why, text))
    copies = 4 if opts.on("copies") and lane.arg.size >= 8 * width else 1
    if not outer and opts.on("columns") and planes(nest, lane):
        text = "memory is walked in its order: the pieces of one result lie far from each other"
        return Choice("across", lane, _narrowed(width, lane.arg.size), copies, why=(*why, text))
    straight = not outer and opts.on("pack") and bool(gathered(nest, lane))
    if straight:
        why = (*why, "an operand whose neighbours lie far apart is copied first: many results read it")
    word = _WORDS[nest.op] if nest.op is not None else "result"
    text = f"{copies} {word}s of {width} lanes each along the reduced axis"
    text = text if copies > 1 else f"a {word} of {width} lanes"
    return Choice("lanes", lane, _narrowed(width, lane.arg.size), copies, straight=straight, why=(*why, text))


def planes(nest: Nest, lane: UOp) -> list[UOp]:
    """The reduce loops that take longer steps through memory than the innermost output loop, when the pieces along the
    lanes are so short, and so many, that they should be read in the order of memory; else none."""
    loads = nest.loads()
    if len(loads) != 1 or not nest.dims or nest.out.dtype is not nest.wide:
        return []
    strides = linear(loads[0].src[0].src[1]).terms
    step = strides.get(nest.dims[-1], 0)
    size = loads[0].dtype.itemsize
    if strides.get(lane) != 1 or not lane.arg.size <= step or not _PIECE <= lane.arg.size * size <= _LONG_PIECE:
        return []
    if nest.size() * nest.length() * size < _FAR_BYTES:
        return []
    return [r for r in nest.red if r is not lane and strides.get(r, 0) > step]


def gathered(nest: Nest, lane: UOp) -> list[UOp]:
    """Loads whose neighbours along the lanes lie apart, and that so many elements of the result share that a copy of
    them pays."""
    found = []
    for u in nest.loads():
        form = linear(u.src[0].src[1])
        if form.terms.get(lane, 0) in (0, 1) or any(t.op is not Ops.RANGE for t in form.terms):
            continue
        shared = prod(d.arg.size for d in nest.dims if d not in u.ranges)
        size = prod(r.arg.size for r in u.ranges) * u.dtype.itemsize
        if shared >= _SHARED and size <= _COPY_BYTES:
            found.append(u)
    return found


def lane_reads(nest: Nest, lane: UOp) -> bool:
    """Whether any load varies along the loop."""
    return any(lane in u.ranges for u in nest.loads())


# -- contractions --------------------------------------------------------------------------------------------------
def _tile(nest: Nest, outer: int, opts: Opts) -> tuple[Tile | None, tuple[str, ...]]:
    if not opts.on("tile"):
        return None, ("register tiles are switched off",)
    if not nest.dims or nest.length() < _MIN_LENGTH or nest.wide.bits < 32:
        return None, ()
    v = nest.dims[-1]
    width = opts.machine.width(nest.wide)
    if (outer and outer != len(nest.dims) - 1) or v.arg.size < width // 2:
        return None, ()
    best: tuple[tuple[int, int], UOp, list[UOp], list[UOp]] | None = None
    for u in nest.dims[:-1] if not outer else nest.dims[outer - 1 : outer]:
        found = parts_of(nest, u, v)
        if found is None or not _reuses(found, nest, u):
            continue
        rank = (min(u.arg.size, 8), nest.dims.index(u))
        if best is None or rank > best[0]:
            best = (rank, u, *found)
    if best is None:
        return None, ("no operand is used again by neighbouring elements: no register tile",)
    return _tiled(nest, outer, opts, best[1], v, best[2], best[3])


def _reuses(found: tuple[list[UOp], list[UOp]], nest: Nest, u: UOp) -> bool:
    red = set(nest.red)
    rowwise, lanewise = found
    return any(u in n.ranges and n.ranges & red for n in rowwise) and any(n.ranges & red for n in lanewise)


def _tiled(
    nest: Nest, outer: int, opts: Opts, u: UOp, v: UOp, rowwise: list[UOp], lanewise: list[UOp]
) -> tuple[Tile | None, tuple[str, ...]]:
    width = opts.machine.width(nest.wide)
    vectors = max(1, min(2, -(-v.arg.size // width)))
    a = tuple(Part(n, _pack_rows(n, nest, u, opts)) for n in rowwise)
    b = tuple(Part(n, _pack_lanes(n, nest, u, v, opts)) for n in lanewise)
    if not opts.on("pack") and any(p.packed and not _plain(p.node) for p in (*a, *b)):
        return None, ("an operand would have to be packed, and packing is switched off",)
    big = opts.machine.registers >= 32
    rows = {1: 14 if big else 12, 2: 8 if big else 6}
    if outer:  # all tiles of a kernel over rows step through the same blocks of rows, and read them where they are
        if any(p.packed and not _plain(p.node) for p in a):
            return None, ("an operand of the product is computed for every tile: no register tile",)
        a = tuple(replace(p, packed=False) for p in a)
        rows = dict.fromkeys(rows, rows[2])
    tile = Tile(nest, u, v, width, vectors, rows, a, b)
    why = [f"a tile of {rows[vectors]} x {vectors * width} results stays in registers while the sum runs"]
    if not outer:
        tile = _streamed(tile, opts) or _blocked(tile, opts) or tile
        why += _mode_words(tile, opts)
    why += [_packed_words("lanes", p) for p in tile.lanewise if p.packed]
    why += [_packed_words("rows", p) for p in tile.rowwise if p.packed]
    why += ["an operand is read where it is: contiguous, and near enough" for p in tile.lanewise if not p.packed]
    return tile, tuple(why)


def _mode_words(t: Tile, opts: Opts) -> list[str]:
    if t.mode == "blocked":
        return [f"blocks of {t.steps()} steps and {t.height} rows stay in the caches"]
    if t.mode == "streamed":
        return [f"few rows: the first tile packs what it reads, {t.steps()} steps at a time; the second fetches ahead"]
    if _long(t):
        names = [name for name in ("pack", "block") if not opts.on(name)]
        return [f"not in blocks of steps: {' and '.join(names) + ' is switched off' if names else 'too few rows'}"]
    return []


def _long(t: Tile) -> bool:
    """Whether a panel of all steps is larger than the first-level cache."""
    return t.steps() * _step_bytes(t) > _L1


def _step_bytes(t: Tile) -> int:
    """Bytes of one step of a panel."""
    return t.panel * max(1, sum(p.held.itemsize for p in t.lanewise))


def _blocked(t: Tile, opts: Opts) -> Tile | None:
    """Blocks of steps with both operands packed: of long contractions, and where rows must be packed anyway."""
    forced = any(p.packed for p in t.rowwise)
    adds = opts.on("block") and t.nest.out.dtype is t.nest.wide  # to what earlier blocks left in the result
    if not forced and not (opts.on("pack") and adds and _long(t) and t.u.arg.size >= _MANY_ROWS):
        return None
    a = tuple(replace(p, packed=True) if t.u in p.node.ranges else p for p in t.rowwise)
    b = tuple(replace(p, packed=True) for p in t.lanewise)
    limit = opts.sizes.panel // _step_bytes(t) if adds else t.steps()
    rows = {n: 2 * t.tall if n < t.vectors else t.tall for n in t.rows}
    return _cut(replace(t, rowwise=a, lanewise=b, rows=rows), limit, "blocked", opts, opts.threads)


def _cut(t: Tile, limit: int, mode: str, opts: Opts, threads: int = 1) -> Tile:
    """The tile in blocks of at most `limit` steps, of about equal size, and blocks of rows that differ by one tile at
    most."""
    cut, inside = len(t.nest.red) - 1, 1
    while cut and inside * t.nest.red[cut].arg.size * 2 <= limit:
        inside *= t.nest.red[cut].arg.size
        cut -= 1
    size = t.nest.red[cut].arg.size
    chunk = ceildiv(size, ceildiv(size, max(1, limit // inside)))
    tiles = ceildiv(t.u.arg.size, t.unit)
    count = ceildiv(t.u.arg.size, opts.sizes.rows)
    if tiles >= 2 * threads:  # as much for every thread
        count = min(ceildiv(count, threads) * threads, tiles)
    return replace(t, mode=mode, cut=cut, chunk=chunk, height=ceildiv(tiles, count) * t.unit, blocks=count)


def _streamed(t: Tile, opts: Opts) -> Tile | None:
    """Few rows, and an operand that lies far away row by row: packed while the first tile reads it."""
    rows, size = t.u.arg.size, t.v.arg.size
    if not (opts.on("pack") and opts.on("stream")) or rows < 2 or size < 2 * t.panel:
        return None
    if t.nest.out.dtype is not t.nest.wide or any(p.packed for p in t.rowwise):
        return None
    if not all(_plain(p.node) and linear(p.node.src[0].src[1]).terms.get(t.v) == 1 for p in t.lanewise):
        return None
    far = t.steps() * size * sum(p.held.itemsize for p in t.lanewise)
    varies = frozenset().union(*(p.node.ranges for p in t.lanewise))
    if rows >= _MANY_ROWS or far < _FAR_BYTES or any(d not in varies for d in t.nest.dims if d not in (t.u, t.v)):
        return None
    b = tuple(replace(p, packed=True) for p in t.lanewise)
    tall = min(t.tall, ceildiv(rows, ceildiv(rows, t.tall)))
    few = replace(t, lanewise=b, rows=dict.fromkeys(t.rows, tall))
    return _cut(few, opts.sizes.stream // _step_bytes(t), "streamed", opts)


def _packed_words(which: str, p: Part) -> str:
    what = "an operand" if _plain(p.node) else "a computed operand"
    return f"{what} of the {which} is packed into the order in which the tile reads it"


def _plain(n: UOp) -> bool:
    return n.op is Ops.LOAD and all(t.op is Ops.RANGE for t in linear(n.src[0].src[1]).terms)


def _pack_lanes(n: UOp, nest: Nest, u: UOp, v: UOp, opts: Opts) -> bool:
    if not _plain(n) or n.dtype in (dtypes.f16, dtypes.bool):
        return True
    form = linear(n.src[0].src[1])
    if form.terms.get(v, 0) != 1:
        return True
    if not opts.on("pack") or u.arg.size < 16:
        return False
    pages = 1
    for r in nest.red:
        span = abs(form.terms.get(r, 0)) * n.dtype.itemsize
        pages *= r.arg.size if span >= 4096 else max(1, r.arg.size * span // 4096)
    if u.arg.size >= _REUSED and _crowded(form.terms, nest, n.dtype.itemsize):
        return True
    return pages >= (_PANEL_PAGES if u.arg.size < _REUSED else _PANEL_PAGES // 2)


def _crowded(strides: Mapping[UOp, int], nest: Nest, itemsize: int) -> bool:
    """Whether the lines of a panel fall into so few sets of the first-level cache that they drive each other out."""
    step = abs(strides.get(nest.red[-1], 0)) * itemsize
    if step < 2 * _LINE or step % _LINE:
        return False
    sets = _L1 // _LINE // _WAYS
    return int(nest.red[-1].arg.size) > sets // gcd(step // _LINE, sets) * _WAYS


def _pack_rows(n: UOp, nest: Nest, u: UOp, opts: Opts) -> bool:
    if not _plain(n):
        return True
    if not opts.on("pack"):
        return False
    form = linear(n.src[0].src[1])
    step = abs(form.terms.get(nest.red[-1], 0)) * n.dtype.itemsize
    return step >= _FAR and nest.length() >= 64 and u in n.ranges


def parallel(nest: Nest, opts: Opts) -> bool:
    """Whether the work of a nest is worth a second thread."""
    return opts.threads > 1 and opts.on("threads") and nest.size() * max(1, nest.length()) >= _PARALLEL_WORK
