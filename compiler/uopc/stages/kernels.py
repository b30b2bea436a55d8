"""The fast program's kernels as loop nests: tiles, vectors, threads, and what is computed where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from uopc.analysis.expressions import expression
from uopc.analysis.style import MATH, axis_name
from uopc.fast.group import Group, Member
from uopc.fast.program import Call, FastProgram
from uopc.fast.tile import Part, other_dims
from uopc.ops import Ops
from uopc.opt import Opts, parallel
from uopc.rangeify import Ctx, identity, lower_outputs
from uopc.stages.loops import SIGNS, UPDATES, axis_words, nest_lines, reduced_name
from uopc.stages.text import Line, Namer, Text, laid_out
from uopc.stages.values import Values
from uopc.uir.printer import number_text
from uopc.uop import UOp


def kernels_text(fast: FastProgram, opts: Opts, namer: Namer) -> Text:
    """All kernels in the order in which they are first called."""
    uses = Counter(call.name for call in fast.calls)
    first: dict[str, Call] = {}
    for call in fast.calls:
        first.setdefault(call.name, call)
    lines: list[Line] = []
    for call in first.values():
        lines += [Line("")] if lines else []
        lines.append(_head(call, uses[call.name]))
        group = fast.groups.get(call.name)
        lines += _textbook(call, namer) if group is None else _Kernel(call, group, opts, namer).lines()
        lines += [Line(f"  # {note}") for note in call.plan().words()]
    return laid_out("loops", lines)


def _textbook(call: Call, namer: Namer) -> list[Line]:
    """A kernel that is computed as the textbook does."""
    lines: list[Line] = []
    for stage in call.stages:
        ctx = Ctx()
        loops = lower_outputs([(stage.value, stage.out)], ctx)
        behind = {u: [stage.origin.get(o, stage.node) for o in found] for u, found in ctx.origin.items()}
        lines += [line._replace(text="  " + line.text) for line in nest_lines(loops, behind, namer)]
    return lines


def _head(call: Call, uses: int) -> Line:
    nodes = tuple(s.node for s in call.stages)
    often = f", called {uses} times" if uses > 1 else ""
    stages = len(call.stages)
    return Line(f"kernel {call.name}", f"{stages} stage{'s' * (stages > 1)}{often}", nodes)


class _Kernel:
    def __init__(self, call: Call, group: Group, opts: Opts, namer: Namer) -> None:
        self.call, self.group, self.opts, self.namer = call, group, opts, namer
        self.memory = dict(zip(call.kernel.params, call.buffers))
        self.made = {m.nest.out: s.node for m, s in zip(group.members, call.stages)}
        self.texts: dict[UOp, str] = {}
        self.out: list[Line] = []
        self.depth = 1
        self.outer = group.outer if len(group.members) > 1 else 0
        self.accumulators = sum(bool(m.nest.red) for m in group.members)

    def lines(self) -> list[Line]:
        """The loops in common, and in them every member's own. A kernel of one stage is written by itself."""
        members = self.group.members
        if self.outer:
            common = members[0].nest.dims[: self.outer]
            tiles = [m.choice.tile for m in members if m.choice.tile is not None]
            for m, tile in ((m, m.choice.tile) for m in members if m.choice.tile is not None):
                self._pack(m, (*tile.lanewise, *tile.rowwise) if tile is not None else ())
            rows = max(tiles[0].rows.values()) if tiles else 1
            for r in common:
                step = rows if r is common[-1] else 1
                self._loop(r, members[0], step, f"{step} rows at a time" if step > 1 else "")
            for member in members:
                self.texts.update({mine: self.texts[its] for mine, its in zip(member.nest.dims, common)})
        depth = self.depth
        for number, member in enumerate(members):
            self._member(member, number)
            self.depth = depth
        return self.out

    def line(self, text: str, nodes: Iterable[UOp] = (), note: str = "") -> None:
        origins = dict.fromkeys(o for n in nodes if (o := self.call.origin.get(n)) is not None)
        self.out.append(Line("  " * self.depth + text, note, tuple(origins)))

    # -- loops -----------------------------------------------------------------------------------------------------
    def _loop(self, r: UOp, m: Member, step: int = 1, how: str = "", kind: str = "") -> None:
        letter = self.texts[r] = axis_name([*m.nest.dims, *m.nest.red].index(r))
        words = [self._axis(r, m), how]
        if not self.out and parallel(m.nest, self.opts):
            words.append(f"shared between {self.opts.threads} threads")
        note = f"{kind or r.arg.kind.value:<6}   {', '.join(w for w in words if w)}".rstrip()
        self.line(f"for {letter} < {r.arg.size}" + (f" step {step}" if step > 1 else ""), self._nodes(m), note)
        self.depth += 1

    def _axis(self, r: UOp, m: Member) -> str:
        """What a loop runs over; of several that are one thing, the first says it."""
        name = self._result(m)
        if r in m.nest.red:
            return self._reduction(m) if r is m.nest.red[0] else ""
        axes = [k for k, n in enumerate(m.nest.value.shape) if n != 1]
        sizes = [r.arg.size for r in m.nest.dims]
        if sizes == [m.nest.value.shape[k] for k in axes]:
            return axis_words(m.nest.value, axes[m.nest.dims.index(r)], name)
        if len(sizes) == 1:
            return f"elements of {name}"
        return f"{name} as {' × '.join(map(str, sizes))}" if r is m.nest.dims[0] else ""

    def _reduction(self, m: Member) -> str:
        for u in m.nest.value.toposort():
            if u.op is Ops.REDUCE and u.src[0].shape:
                own, source = self._name(u) or self._result(m), reduced_name(u, self._name)
                return f"{own} = {SIGNS[u.arg[0]]} {source}" if source else f"{own} = {SIGNS[u.arg[0]]}"
        return self._result(m)

    def _name(self, u: UOp) -> str | None:
        origin = self.call.origin.get(u)
        return self.namer.about(origin) if origin is not None else None

    def _result(self, m: Member) -> str:
        return self.namer.about(self.made[m.nest.out]) or "the result"

    def _nodes(self, m: Member) -> tuple[UOp, ...]:
        return (m.nest.value,)

    # -- one member ------------------------------------------------------------------------------------------------
    def _member(self, m: Member, number: int) -> None:
        role = m.choice.role
        if role == "tile":
            self._tile(m, number)
            return
        own = m.own(self.outer)
        wide = f"vectors of {m.choice.width}"
        for r in own:
            if r is m.choice.lane:
                turned = f"blocks of {m.choice.width} × {m.choice.width}, turned in registers"
                self._loop(r, m, m.choice.width, turned if role == "transpose" else wide)
            else:
                self._loop(r, m)
        if not m.nest.red:
            self._store(m, self._writer(m).write(m.nest.body))
            return
        self._reduced(m, number)

    def _reduced(self, m: Member, number: int) -> None:
        acc = self._accumulator(m, number)
        copies = m.choice.copies if m.choice.lane in m.nest.red else 1
        lanes = m.choice.lane is not None and m.choice.width > 1
        shape = f"[{copies}]" if copies > 1 else ""
        note = f"{copies} × {m.choice.width} lanes" if copies > 1 else f"{m.choice.width} lanes" if lanes else ""
        self.line(f"{acc}{shape} = {self._start(m)}", self._nodes(m), note)
        outside = self.depth
        for r in m.nest.red:
            here = r is m.choice.lane
            self._loop(r, m, m.choice.width * copies if here else 1, f"vectors of {m.choice.width}" if here else "")
        self._update(m, acc)
        self.depth = outside
        folded = f"{SIGNS[m.nest.op]} of the lanes of {acc}" if m.nest.op and m.choice.lane in m.nest.red else acc
        self._store(m, folded)

    def _pack(self, m: Member, parts: Iterable[Part]) -> None:
        for part in parts:
            if part.packed:
                text = self._writer(m, packing=True).write(part.node)
                self.line(f"pack {text}", (part.node,), "in the order in which the tile reads it")

    def _tile(self, m: Member, number: int) -> None:
        tile = m.choice.tile
        assert tile is not None
        rows = tile.rows[tile.vectors]
        wide = f"{tile.vectors} vector{'s' * (tile.vectors > 1)} of {tile.width}"
        if self.outer:
            self._loop(tile.v, m, tile.panel, wide, "tile")
        else:  # panel by panel, and in each of them down the rows
            before, after = other_dims(tile)
            self._pack(m, tile.rowwise)
            for r in before:
                self._loop(r, m)
            self._loop(tile.v, m, tile.panel, wide, "tile")
            self._pack(m, tile.lanewise)
            for r in after:
                self._loop(r, m)
            self._loop(tile.u, m, rows, f"{rows} at a time", "tile")
        acc = self._accumulator(m, number)
        held = f"{rows * tile.vectors} vectors in registers"
        self.line(f"{acc}[{rows}][{tile.vectors}] = {self._start(m)}", self._nodes(m), held)
        outside = self.depth
        for r in m.nest.red:
            self._loop(r, m)
        self._update(m, acc)
        self.depth = outside
        self._store(m, acc)

    def _update(self, m: Member, acc: str) -> None:
        assert m.nest.op is not None
        self.line(f"{acc} {UPDATES[m.nest.op]} {self._writer(m).write(m.nest.body)}", self._body(m))

    def _body(self, m: Member) -> Iterator[UOp]:
        yield from m.nest.origin.get(m.nest.body, ())
        yield m.nest.value

    def _start(self, m: Member) -> str:
        assert m.nest.op is not None
        return number_text(identity(m.nest.op, m.nest.wide), m.nest.wide)

    def _accumulator(self, m: Member, number: int) -> str:
        return f"acc{number}" if self.accumulators > 1 else "acc"

    def _store(self, m: Member, value: str) -> None:
        place = expression(m.nest.store, self.texts.get, MATH)
        if m.wanted:
            self.line(f"store {value} at {place} of {self._memory(m.nest.out)}", self._nodes(m))
        else:
            self.line(f"keep {value} as {self._result(m)}[{place}]", self._nodes(m), "in the kernel")

    # -- values ----------------------------------------------------------------------------------------------------
    def _writer(self, m: Member, packing: bool = False) -> Values:
        """Writes values of a member; those that are packed before its loops begin, with letters of their own."""
        own = {r: axis_name(k) for k, r in enumerate((*m.nest.dims, *m.nest.red))} if packing else self.texts

        def leaf(u: UOp) -> str | None:
            if u.op is not Ops.LOAD:
                return own.get(u)
            index = u.src[0].src[1]
            index = index.src[1] if index.op is Ops.WHERE else index  # what stands around it says when it is read
            return f"{self._memory(u.src[0].src[0])}[{expression(index, leaf, MATH)}]"

        return Values(leaf)

    def _memory(self, b: UOp) -> str:
        """A buffer's name in the file, or that of the value it holds."""
        known = self.memory.get(b)
        if known is None:  # a row of scratch inside the kernel
            return self.namer.about(self.made[b]) or "the row before"
        return self.namer.place(known)
