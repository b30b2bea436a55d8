"""Kernels over rows: softmax, layer norm, attention and everything else whose stages meet row by row.

One loop over the rows (in blocks of a few where a register tile wants them); inside it the members in order, their
intermediate results in a row of scratch that stays in the cache, or in a register.
"""

from __future__ import annotations

from contextlib import ExitStack

from uopc.fast.contraction import depends_on, pack_panels, tile_calls
from uopc.fast.emit import Counter, Memory
from uopc.fast.group import Group, Member, Workshop, open_loops, readers
from uopc.fast.nest import Nest
from uopc.fast.passes import Member as Lane
from uopc.fast.passes import Shape, Sums, accumulators, emit_pass, same_element, total
from uopc.fast.pieces import pieces
from uopc.fast.straight import straightened
from uopc.fast.totals import in_pieces, write_total
from uopc.fast.turned import write_turned
from uopc.opt import choose
from uopc.render.scalar import bare
from uopc.render.types import C_TYPES
from uopc.symbolic.linear import linear
from uopc.uop import UOp

_CHUNK = 1 << 15  # elements of one thread's piece of a single long loop


def write_rows(w: Workshop) -> None:
    """The whole function body."""
    whole = w.group.members[0]
    if len(w.group.members) == 1:
        whole = straightened(w, whole)
        w.group = Group((whole,), w.group.outer)
    parts = pieces(whole.nest) if len(w.group.members) == 1 and whole.choice.role == "map" else []
    if len(parts) < 2:
        _Rows(w).write()
        return
    for part in parts:
        choice = choose(part, 0, w.opts)
        outer = len(part.dims) - bool(part.dims)
        w.group = Group((Member(part, choice, whole.wanted),), outer)
        if choice.role == "transpose":
            write_turned(w)
        else:
            _Rows(w).write()


class _Rows:
    def __init__(self, w: Workshop) -> None:
        self.w = w
        self.group: Group = w.group
        self.outer = w.group.outer
        self.dims = w.group.members[0].nest.dims[: self.outer]
        self.tiles = [m for m in w.group.members if m.choice.role == "tile"]
        self.rows = next((max(m.choice.tile.rows.values()) for m in self.tiles if m.choice.tile is not None), 1)
        self.readers = readers(w.group)
        self.scratch: dict[UOp, str] = {}
        self.scalars: list[tuple[Nest, str]] = []

    # -- the loops over rows ---------------------------------------------------------------------------------------
    def write(self) -> None:
        w, e = self.w, self.w.emitter
        runs = self._runs()
        self._plan_scratch(runs)
        if not self.outer and (self._chunked() or self._total()):
            return
        head = self.dims[:-1] if self.rows > 1 else self.dims
        varying = any(m.choice.tile is not None and depends_on(m.choice.tile, self.dims) for m in self.tiles)
        with ExitStack() as stack:
            if varying:
                open_loops(e, stack, head)
                head = ()
            for m in self.tiles:
                assert m.choice.tile is not None
                pack_panels(w, m.choice.tile)
            w.pragma(len(head) + (self.rows > 1))
            open_loops(e, stack, head)
            if self.rows > 1:
                last = self.dims[-1]
                step = f"for (long i = 0; i < {last.arg.size}; i += {self.rows})"
                stack.enter_context(e.loop(step, last))
            self._declare_scratch()
            for run in runs:
                self._run(run)

    def _chunked(self) -> bool:
        """One long elementwise loop without rows: pieces of fixed size for the threads."""
        w, e = self.w, self.w.emitter
        lanes = [self._lane(m) for m in self.group.members]
        if w.threads == 1 or any(x is None or x.reduces for x in lanes):
            return False
        members = [x for x in lanes if x is not None]
        n = members[0].lane.arg.size
        if any(x.lane.arg.size != n for x in members) or n < 2 * _CHUNK or self.scratch:
            return False
        shape = _shape(list(self.group.members))
        whole = n // _CHUNK * _CHUNK
        w.pragma()
        with e.loop(f"for (long c = 0; c < {whole}; c += {_CHUNK})", members[0].lane):
            emit_pass(e, members, shape, Counter("c"), _CHUNK, {})
        if n - whole:
            with e.loop("", members[0].lane):
                emit_pass(e, members, shape, Counter("", whole), n - whole, {})
        return True

    def _total(self) -> bool:
        """Everything reduced to one element: pieces of fixed size for the threads."""
        (m, *others) = self.group.members
        if others or not in_pieces(m):
            return False
        self._scalar(m, write_total(self.w, m))
        return True

    # -- scratch ---------------------------------------------------------------------------------------------------
    def _runs(self) -> list[list[Member]]:
        """Members between tiles; a tile is a run of its own."""
        runs: list[list[Member]] = []
        for m in self.group.members:
            if runs and m.choice.role != "tile" and runs[-1][0].choice.role != "tile":
                runs[-1].append(m)
            else:
                runs.append([m])
        return runs

    def _plan_scratch(self, runs: list[list[Member]]) -> None:
        for run in runs:
            for m in run:
                if m.wanted or not self._needs_memory(m, run):
                    continue
                size = self.rows * m.row(self.outer) * m.nest.out.dtype.itemsize
                offset = self.w.reserve(size, shared=False)
                self.scratch[m.nest.out] = (
                    f"{C_TYPES[m.nest.out.dtype]}* restrict t{m.nest.out.arg.slot} = (void*)(own + {offset});"
                )

    def _needs_memory(self, m: Member, run: list[Member]) -> bool:
        """Whether anybody reads the result from memory: not a row's only element in the same run."""
        users = self.readers.get(m.nest.out, [])
        if any(u not in run for u in users):
            return True
        if m.row(self.outer) == 1:
            return False
        mine = next(p for p in self._passes(run) if m in p)
        return any(u not in mine for u in users)

    def _declare_scratch(self) -> None:
        if not self.scratch:
            return
        e = self.w.emitter
        e.code.line(f"char* const own = {self.w.own_scratch()};")
        for text in self.scratch.values():
            e.code.line(text)
        for m in self.group.members:
            if m.nest.out in self.scratch:
                e.memory[m.nest.out] = Memory(f"t{m.nest.out.arg.slot}", frozenset(self.dims))

    # -- runs ------------------------------------------------------------------------------------------------------
    def _run(self, run: list[Member]) -> None:
        e = self.w.emitter
        if run[0].choice.role == "tile":
            self._tile_run(run[0])
            return
        if self.rows == 1:
            self._members(run)
            return
        last = self.dims[-1]
        count = (
            f"({last.arg.size} - i < {self.rows} ? {last.arg.size} - i : {self.rows})"
            if last.arg.size % self.rows
            else str(self.rows)
        )
        kept = dict(e.memory)
        with e.loop(f"for (long r = 0; r < {count}; r++)", last):
            name = f"i{last.arg.idx}"
            e.code.line(f"const long {name} = i + r;", last)
            e.env[last] = Counter(name)
            for m in self.group.members:
                if m.nest.out in self.scratch:
                    e.memory[m.nest.out] = Memory(
                        f"t{m.nest.out.arg.slot} + r*{m.row(self.outer)}", frozenset(self.dims)
                    )
            self._members(run)
        e.memory.update(kept)

    def _tile_run(self, m: Member) -> None:
        w, e, last = self.w, self.w.emitter, self.dims[-1]
        assert m.choice.tile is not None
        e.env[last] = Counter("i")
        rest = last.arg.size % self.rows
        if not rest:
            tile_calls(w, m.choice.tile, self.rows)
            return
        with e.loop(f"if (i + {self.rows} <= {last.arg.size})", last):
            tile_calls(w, m.choice.tile, self.rows)
        with e.loop("else", last):
            tile_calls(w, m.choice.tile, rest)

    def _members(self, run: list[Member]) -> None:
        self.scalars = []
        for group in self._passes(run):
            self._reuse_scalars(group)
            lanes = [self._lane(m) for m in group]
            if len(group) > 1 or (lanes[0] is not None and self._simple(group[0])):
                self._pass(group, [x for x in lanes if x is not None])
            elif lanes[0] is None:
                self._element(group[0])
            else:
                self._nested(group[0], lanes[0])

    def _lane(self, m: Member) -> Lane | None:
        if m.choice.lane is None:
            return None
        return Lane(m.nest, m.choice.lane, m.wanted or m.nest.out in self.scratch)

    def _simple(self, m: Member) -> bool:
        """Whether its only loop inside the rows is the one along the lanes."""
        return (*m.own(self.outer), *m.nest.red) == (m.choice.lane,)

    def _passes(self, run: list[Member]) -> list[list[Member]]:
        """Neighbours that one loop along the lanes can compute together."""
        found: list[list[Member]] = []
        for m in run:
            if found and self._joins(found[-1], m):
                found[-1].append(m)
            else:
                found.append([m])
        return found

    def _joins(self, group: list[Member], m: Member) -> bool:
        if not (self._simple(m) and all(self._simple(g) for g in group)) or not self.w.opts.on("fuse"):
            return False
        lane = m.choice.lane
        assert lane is not None
        if group[0].choice.lane is None or group[0].choice.lane.arg.size != lane.arg.size:
            return False
        writers = {g.nest.out: g for g in group}
        for load in m.nest.loads():
            g = writers.get(load.src[0].src[0])
            if g is None:
                continue
            there = self._lane(g)
            if there is None or there.reduces or not same_element(load, lane, there):
                return False
        return True

    # -- one pass --------------------------------------------------------------------------------------------------
    def _pass(self, group: list[Member], lanes: list[Lane]) -> None:
        e, shape = self.w.emitter, _shape(group)
        sums: Sums = {x.nest.out: accumulators(e, x.nest, shape) for x in lanes if x.reduces}
        emit_pass(e, lanes, shape, Counter("", 0), lanes[0].lane.arg.size, sums)
        for m in group:
            if m.nest.out in sums:
                self._scalar(m, total(e, m.nest, sums[m.nest.out], shape.width))

    def _element(self, m: Member) -> None:
        """A map without a loop: one element a row."""
        e = self.w.emitter
        with ExitStack() as stack:
            open_loops(e, stack, m.own(self.outer))
            self._scalar(m, e.value(m.nest.body))

    def _scalar(self, m: Member, text: str) -> None:
        """The single element of a row: stored where it is wanted, and kept in a variable."""
        e, d = self.w.emitter, m.nest.out.dtype
        name = e.code.fresh("x")
        e.code.line(f"const {C_TYPES[d]} {name} = {bare(text)};", m.nest.value)
        if m.wanted or m.nest.out in self.scratch:
            e.store(m.nest.out, m.nest.store, name, d, m.nest.value)
        if not m.own(self.outer):
            self.scalars.append((m.nest, name))

    def _reuse_scalars(self, group: list[Member]) -> None:
        for m in group:
            for load in m.nest.loads():
                for nest, name in self.scalars:
                    if load.src[0].src[0] is nest.out and linear(load.src[0].src[1]) == linear(nest.store):
                        self.w.emitter.remember(load, name)

    def _nested(self, m: Member, lane: Lane) -> None:
        """Loops of its own around the one along the lanes."""
        e, shape = self.w.emitter, _shape([m])
        own = [r for r in m.own(self.outer) if r is not lane.lane]
        with ExitStack() as stack:
            open_loops(e, stack, own)
            if not lane.reduces:
                emit_pass(e, [lane], shape, Counter("", 0), lane.lane.arg.size, {})
                return
            sums: Sums = {m.nest.out: accumulators(e, m.nest, shape)}
            with ExitStack() as inner:
                open_loops(e, inner, [r for r in m.nest.red if r is not lane.lane], "k")
                emit_pass(e, [lane], shape, Counter("", 0), lane.lane.arg.size, sums)
            self._scalar(m, total(e, m.nest, sums[m.nest.out], shape.width))


def _shape(group: list[Member]) -> Shape:
    return Shape(min(m.choice.width for m in group), max(m.choice.copies for m in group))
