"""A loop program as the loop nest that a person would write: axes, sizes, kinds, and what is computed where.

A line for each loop (`for k < 256`, and beside it `reduce   %7 = Σ %5`), for each accumulator's start and update
(`acc += %0[256·i + k] * %1[256·k + j]`), for each store, and for values that are used several times or are long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from uopc.analysis.expressions import expression
from uopc.analysis.style import MATH, axis_name
from uopc.linearize import linearize
from uopc.ops import ALU, MOVEMENT, Ops
from uopc.render.c import base, guarded_load
from uopc.stages.text import Line, Namer, Text, laid_out
from uopc.stages.values import Values, subtrahend
from uopc.uir.printer import number_text
from uopc.uop import UOp

Behind = Mapping[UOp, Iterable[UOp]]

SIGNS = {Ops.ADD: "Σ", Ops.MUL: "Π", Ops.MAX: "max"}
UPDATES = {Ops.ADD: "+=", Ops.MUL: "*=", Ops.MAX: "max="}
_AXES = {1: ("elements",), 2: ("rows", "columns")}
_TURNS = frozenset({Ops.RESHAPE, Ops.PERMUTE, Ops.FLIP})  # all of the elements, each once
_MOST_NODES = 64  # whose places are looked up for one line
_LONG = 64  # a value whose text is longer gets a line of its own


def loops_text(program: UOp, behind: Behind, namer: Namer) -> Text:
    """The nest of a loop program. behind: its nodes -> the nodes of the graph that they come from."""
    return laid_out("loops", nest_lines(program, behind, namer))


def nest_lines(program: UOp, behind: Behind, namer: Namer) -> list[Line]:
    """Its lines, before they are laid out."""
    return _Nest(program, behind, namer).lines()


def axis_words(value: UOp, axis: int, name: str) -> str:
    """An axis of a value: `rows of %7`."""
    words = _AXES.get(len(value.shape))
    return f"{words[axis]} of {name}" if words else f"axis {axis} of {name}"


def reduction_words(u: UOp, names: Callable[[UOp], str | None]) -> str:
    """What a reduction is: `%7 = Σ %5`."""
    sign = SIGNS[u.arg[0]]
    own, source = names(u), reduced_name(u, names)
    what = f"{sign} {source}" if source else f"a {'sum' if sign == 'Σ' else 'product' if sign == 'Π' else 'maximum'}"
    return f"{own} = {what}" if own else what


def reduced_name(u: UOp, names: Callable[[UOp], str | None]) -> str | None:
    """The name of what a reduction runs over, maybe turned on the way there."""
    below = u.src[0]
    while (name := names(below)) is None and below.op in _TURNS:
        below = below.src[0]
    return name


class _Nest:
    def __init__(self, program: UOp, behind: Behind, namer: Namer) -> None:
        self.behind, self.namer = behind, namer
        self.order = linearize(program)
        self.uses: Counter[UOp] = Counter()
        for u in self.order:
            self.uses.update(u.src)
        self.stored = {u.src[1] for u in self.order if u.op is Ops.STORE}
        self.written = {base(u.src[0]) for u in self.order if u.op is Ops.STORE}
        self.accumulators = sum(u.op is Ops.ALLOC for u in self.order)
        self.guarded = {load for u in self.order if (load := guarded_load(u)) is not None}
        self.texts: dict[UOp, str] = {}
        self.values = Values(self._leaf)
        self.out: list[Line] = []
        self.open: list[UOp] = []
        self.axes = self._axes()
        self.taken: Counter[str] = Counter()

    def lines(self) -> list[Line]:
        """The whole nest."""
        for u in self.order:
            if u.op is Ops.RANGE:
                self._range(u)
            elif u.op is Ops.END:
                del self.open[len(self.open) - len(u.src) + 1 :]
            elif u.op is Ops.STORE:
                self._store(u)
            elif u.op in (Ops.LOAD, *ALU):
                self._named(u)
        return self.out

    def line(self, text: str, *nodes: UOp, note: str = "") -> None:
        origins = dict.fromkeys(o for n in nodes for o in self.behind.get(n, ()))
        self.out.append(Line("  " * len(self.open) + text, note, tuple(origins)))

    # -- loops -----------------------------------------------------------------------------------------------------
    def _range(self, r: UOp) -> None:
        letter = axis_name(len(self.open))
        self.line(f"for {letter} < {r.arg.size}", r, note=f"{r.arg.kind.value:<6}   {self._what(r)}".rstrip())
        self.texts[r] = letter
        self.open.append(r)

    def _what(self, r: UOp) -> str:
        reduced = next((o for o in self.behind.get(r, ()) if o.op is Ops.REDUCE), None)
        if r in self.axes:
            return self.axes[r]
        if reduced is not None:
            if len(self.open) and reduced in self.behind.get(self.open[-1], ()) and self.open[-1] not in self.axes:
                return ""  # the loop around it says it
            return reduction_words(reduced, self.namer.about)
        own = next((self.namer.known(o) for o in self.behind.get(r, ()) if o.op is Ops.RANGE), None)
        return own or ""

    def _axes(self) -> dict[UOp, str]:
        """What the output loops run over: the axes of a value, those of one element left out."""
        found = {}
        for end in self.order:
            if end.op is not Ops.END:
                continue
            loops = sorted(end.src[1:], key=lambda r: r.arg.idx)
            stores = [u for u in (end.src[0], *end.src[0].src) if u.op is Ops.STORE and base(u.src[0]).op is Ops.BUFFER]
            values = [o for u in stores for o in self.behind.get(u, ()) if o.shape and o.op is not Ops.BUFFER]
            for value in values[:1]:
                axes = [k for k, n in enumerate(value.shape) if n != 1]
                if [value.shape[k] for k in axes] == [r.arg.size for r in loops]:
                    name = self.namer.about(value) or "the result"
                    found.update({r: axis_words(value, k, name) for r, k in zip(loops, axes)})
        return found

    # -- what is computed ------------------------------------------------------------------------------------------
    def _named(self, u: UOp) -> None:
        """A line of its own for what is used several times, and for what is read before it is overwritten."""
        if u.op is Ops.LOAD:
            if base(u.src[0]) in self.written and base(u.src[0]).op is Ops.BUFFER:
                self._define(u)
            return
        if not u.dtype.is_float or u.op is Ops.CAST or subtrahend(u) is not None:
            return
        if self.uses[u] == 1 and u in self.stored:
            return
        if self.uses[u] > 1 or len(self.values.write(u)) > _LONG:
            self._define(u)

    def _define(self, u: UOp) -> None:
        text = self.values.write(u)
        self.values.texts.pop(u, None)
        name = next((n for o in self.behind.get(u, ()) if o.op not in MOVEMENT and (n := self.namer.about(o))), None)
        stem = name or "t"
        self.taken[stem] += 1
        again = self.taken[stem]
        shown = f"t{again}" if name is None else name if again == 1 else f"{name}({again})"
        self.line(f"{shown} = {text}", *self._inline(u))
        self.texts[u] = shown

    def _leaf(self, u: UOp) -> str | None:
        if u in self.texts:
            return self.texts[u]
        if u.op is Ops.LOAD:
            return self._place(u.src[0], u in self.guarded)
        if u.op is Ops.INDEX and u.shape == () and base(u).op in (Ops.BUFFER, Ops.ALLOC):
            return self._place(u)
        return None

    def _place(self, address: UOp, guarded: bool = False) -> str:
        """An element of memory: `%0[4·i + j]`, `acc`."""
        memory = base(address)
        if memory.op is Ops.ALLOC and memory.shape == (1,):
            return self._accumulator(memory)
        name = self._accumulator(memory) if memory.op is Ops.ALLOC else self.namer.place(memory)
        return f"{name}[{self._index(address, guarded)}]"

    def _index(self, address: UOp, guarded: bool = False) -> str:
        while address.op is Ops.AFTER:
            address = address.src[0]
        inside = (i.src[1] if guarded else i for i in address.src[1:])  # what stands around it says when it is read
        return ", ".join(expression(i, self._leaf, MATH) for i in inside)

    def _accumulator(self, memory: UOp) -> str:
        return f"acc{memory.arg.slot}" if self.accumulators > 1 else "acc"

    # -- stores ----------------------------------------------------------------------------------------------------
    def _store(self, u: UOp) -> None:
        address, value = u.src
        memory = base(address)
        if memory.op is Ops.ALLOC:
            self.line(self._update(self._place(address), memory, value), u, *self._inline(value))
            return
        where = f"at {self._index(address)} of " if len(address.src) > 1 or address.op is Ops.AFTER else "in "
        self.line(f"store {self.values.write(value)} {where}{self.namer.place(memory)}", u, *self._inline(value))

    def _inline(self, value: UOp) -> list[UOp]:
        """The nodes whose text is part of this line: down to loads, and to what has a line of its own."""
        found: dict[UOp, None] = {}
        todo = [value]
        while todo and len(found) < _MOST_NODES:
            u = todo.pop()
            if u in found or (u in self.texts and u is not value):
                continue
            found[u] = None
            todo += u.src if u.op in ALU else ()
        return list(found)

    def _update(self, place: str, memory: UOp, value: UOp) -> str:
        if value.op in UPDATES and value not in self.texts:
            first = value.src[0]
            if first.op is Ops.LOAD and base(first.src[0]) is memory:
                return f"{place} {UPDATES[value.op]} {self.values.write(value.src[1])}"
        text = number_text(value.arg, value.dtype) if value.op is Ops.CONST else self.values.write(value)
        return f"{place} = {text}"
