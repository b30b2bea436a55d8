"""Scalar expressions of a lowered stage as C statements: for one element, or for W neighbours along one loop.

An `Emitter` knows what every loop counter is in C, which counter runs along the lanes, and where every buffer is. A
node that does not mention the lane counter is a C scalar; the others are vectors. A load is contiguous, or gathered
lane by lane when its index is not the lane counter plus something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from uopc.dtype import DType
from uopc.fast.alu import vector_alu
from uopc.fast.vectors import Vectors
from uopc.ops import ALU, Ops
from uopc.render.scalar import bare, expression
from uopc.render.types import C_TYPES, constant
from uopc.symbolic.linear import Linear, linear
from uopc.uop import UOp


class Counter(NamedTuple):
    """What a loop counter is in C: a variable (or none) plus a number."""

    name: str
    plus: int = 0

    def text(self) -> str:
        """As a C expression."""
        if not self.name:
            return str(self.plus)
        return f"({self.name} + {self.plus})" if self.plus else self.name


@dataclass(frozen=True)
class Memory:
    """Where a buffer is: a pointer, and the loop counters that the pointer already stands at."""

    pointer: str
    without: frozenset[UOp] = frozenset()


@dataclass
class Code:
    """Lines of C, each with the lowered nodes that it was written for."""

    lines: list[tuple[str, tuple[UOp, ...]]] = field(default_factory=list)
    indent: int = 1
    count: int = 0

    def line(self, text: str, *nodes: UOp) -> None:
        """One more line at the current depth."""
        self.lines.append(("  " * self.indent + text, nodes))

    def fresh(self, stem: str) -> str:
        """A name that nothing else in this function has."""
        self.count += 1
        return f"{stem}{self.count}"

    @contextmanager
    def block(self, head: str, *nodes: UOp) -> Iterator[None]:
        """What is written inside stands in a block after `head`."""
        self.line(head + " {" if head else "{", *nodes)
        self.indent += 1
        yield
        self.indent -= 1
        self.line("}", *nodes)


@dataclass
class Emitter:
    """See the module. `lane`: the counter along the lanes; `width`: their number; `active`: how many of them count."""

    code: Code
    vectors: Vectors
    memory: dict[UOp, Memory]
    env: dict[UOp, Counter] = field(default_factory=dict)
    lane: UOp | None = None
    width: int = 1
    active: int = 1
    scopes: list[dict[object, str]] = field(default_factory=lambda: [{}])
    known: dict[UOp, str] = field(default_factory=dict)  # loads that a vector in this loop already holds
    at: str = "0"  # the lane that is being computed alone

    # -- scopes ----------------------------------------------------------------------------------------------------
    @contextmanager
    def loop(self, head: str, *nodes: UOp) -> Iterator[None]:
        """A block in C; names made inside it are forgotten after it."""
        self.scopes.append({})
        with self.code.block(head, *nodes):
            yield
        self.scopes.pop()

    @contextmanager
    def lanes(self, lane: UOp | None, width: int, active: int) -> Iterator[None]:
        """Vectors of `width` along `lane`, of which `active` lanes count."""
        before = self.lane, self.width, self.active
        self.lane, self.width, self.active = lane, width, active
        yield
        self.lane, self.width, self.active = before

    def _key(self, u: UOp) -> object:
        if not u.ranges:
            return u
        wide = (self.width, self.active) if self.lane in u.ranges else 0
        return u, wide, tuple(self.env[r] for r in sorted(u.ranges, key=lambda r: r.arg.idx))

    def _found(self, u: UOp) -> str | None:
        key = self._key(u)
        for scope in reversed(self.scopes):
            if key in scope:
                return scope[key]
        return None

    def remember(self, u: UOp, text: str) -> str:
        """From now on, in this scope, the node is this C text."""
        self.scopes[-1][self._key(u)] = text
        return text

    # -- values ----------------------------------------------------------------------------------------------------
    def is_vector(self, u: UOp) -> bool:
        """Whether the node differs between lanes."""
        return self.lane is not None and self.lane in u.ranges

    def value(self, u: UOp) -> str:
        """The node as C text: a scalar, or a vector when it differs between lanes. Writes what it needs first."""
        found = self._found(u)
        if found is not None:
            return found
        todo = [u]
        while todo:
            node = todo[-1]
            if self._found(node) is not None:
                todo.pop()
                continue
            waiting = [s for s in self._needs(node) if self._found(s) is None]
            if waiting:
                todo.extend(waiting)
                continue
            todo.pop()
            self.remember(node, self._write(node))
        found = self._found(u)
        assert found is not None
        return found

    def vector(self, u: UOp) -> str:
        """The node as a vector, a uniform one in every lane."""
        text = self.value(u)
        return text if self.is_vector(u) else self.vectors.splat(text, u.dtype, self.width)

    def prepare(self, roots: Iterable[UOp], lane: UOp) -> None:
        """Write now, outside the loop over `lane`, everything that does not depend on it."""
        seen: set[UOp] = set()
        todo = list(roots)
        while todo:
            u = todo.pop()
            if u in seen:
                continue
            seen.add(u)
            if lane not in u.ranges:
                if u.op is not Ops.CONST and u.op is not Ops.RANGE:
                    self.value(u)
            elif u.op is Ops.LOAD:
                todo.extend(t for t in linear(u.src[0].src[1]).terms if t.op is not Ops.RANGE)
            elif not self._guarded(u):
                todo.extend(u.src)
            else:
                todo.extend((u.src[0], u.src[2]))

    def _needs(self, u: UOp) -> tuple[UOp, ...]:
        if u.op is Ops.LOAD:
            return self._index_needs(u)
        if self._guarded(u):
            return u.src[0], u.src[2]
        return u.src if u.op in ALU else ()

    def _index_needs(self, load: UOp) -> tuple[UOp, ...]:
        form = self._form(load)
        if self.is_vector(load) and not self._affine(form):
            return ()
        return tuple(t for t in form.terms if t.op is not Ops.RANGE)

    def _write(self, u: UOp) -> str:
        if u.op is Ops.CONST:
            text = constant(u.arg, u.dtype)
            return f"({text})" if text.startswith("-") else text
        if u.op is Ops.RANGE:
            return self._counter(u)
        if u.op is Ops.LOAD:
            return self._load(u)
        if not self.is_vector(u):
            return self._scalar(u)
        if self._guarded(u):
            return self._guarded_load(u)
        text = vector_alu(u, self)
        return self._named(self.vectors.of(u.dtype, self.width), "v", text, u)

    def _named(self, kind: str, stem: str, text: str, u: UOp) -> str:
        name = self.code.fresh(stem)
        self.code.line(f"{kind} {name} = {bare(text)};", u)
        return name

    def _counter(self, u: UOp) -> str:
        counter = self.env[u]
        if not self.is_vector(u):
            return counter.text()
        base = self.vectors.splat(counter.text(), u.dtype, self.width)
        return self._named(
            self.vectors.of(u.dtype, self.width), "v", f"{base} + {self.vectors.iota(u.dtype, self.width)}", u
        )

    def _scalar(self, u: UOp) -> str:
        text = expression(u, tuple(self.value(s) for s in u.src), self.vectors.helpers)
        if len(text) < 48 and u.dtype.is_int and all(s.op in (Ops.CONST, Ops.RANGE) for s in u.src):
            return text
        return self._named(C_TYPES[u.dtype], "s", text, u)

    # -- memory ----------------------------------------------------------------------------------------------------
    def _form(self, load: UOp) -> Linear:
        index = load.src[0].src[1]
        return linear(index)

    def _affine(self, form: Linear) -> bool:
        lane = self.lane
        if lane is None:
            return True
        return form.terms.get(lane) == 1 and not any(lane in t.ranges for t in form.terms if t is not lane)

    def address(self, buffer: UOp, form: Linear) -> str:
        """Pointer to the element that a form names (at lane 0)."""
        where = self.memory[buffer]
        plus, parts = form.const, []
        for t, c in form.terms.items():
            if t in where.without:
                continue
            if t.op is Ops.RANGE:
                counter = self.env[t]
                plus += c * counter.plus
                if counter.name:
                    parts.append(counter.name if c == 1 else f"{counter.name}*{c}")
            else:
                parts.append(self.value(t) if c == 1 else f"(long){self.value(t)}*{c}")
        text = " + ".join(parts)
        if plus or not text:
            text = f"{text} {'+' if plus > 0 else '-'} {abs(plus)}" if text else str(plus)
        return where.pointer if text == "0" else f"{where.pointer} + {text}"

    def _load(self, u: UOp) -> str:
        known = self.known.get(u)
        if known is not None:
            return known if self.is_vector(u) else self.vectors.lane(known, u.dtype, self.at)
        buffer, form = u.src[0].src[0], self._form(u)
        if not self.is_vector(u):
            pointer = self.address(buffer, form)
            return self._named(C_TYPES[u.dtype], "s", f"*({pointer})", u)
        if not self._affine(form):
            return self.gathered(u)
        text = self.vectors.load(self.address(buffer, form), u.dtype, self.width, self.active)
        return self._named(self.vectors.of(u.dtype, self.width), "v", text, u)

    def _guarded(self, u: UOp) -> bool:
        """Whether this is `where(c, load(buffer[where(c, i, 0)]), other)` with a guard that all lanes share."""
        if u.op is not Ops.WHERE or u.src[1].op is not Ops.LOAD or not self.is_vector(u.src[1]):
            return False
        index = u.src[1].src[0].src[1]
        if index.op is not Ops.WHERE or index.src[0] is not u.src[0] or self.is_vector(u.src[0]):
            return False
        return self._affine(linear(index.src[1]))

    def _guarded_load(self, u: UOp) -> str:
        guard, load, other = u.src
        pointer = self.address(load.src[0].src[0], linear(load.src[0].src[1].src[1]))
        text = self.vectors.load(pointer, u.dtype, self.width, self.active)
        kind = self.vectors.of(u.dtype, self.width)
        return self._named(kind, "v", f"{self.value(guard)} ? ({kind}){text} : {self.vector(other)}", u)

    def gathered(self, u: UOp) -> str:
        """A node computed one lane after the other."""
        kind = self.vectors.of(u.dtype, self.width)
        name, lane = self.code.fresh("v"), self.lane
        assert lane is not None
        counter = self.env[lane]
        self.code.line(f"{kind} {name} = {{}};", u)
        k = self.code.fresh("l")
        base = f"{counter.name} + {k}" if counter.name else k
        active = self.active
        with self.loop(f"for (long {k} = 0; {k} < {active}; {k}++)", u), self.lanes(None, 1, 1):
            at = self.code.fresh("at")
            self.code.line(f"const long {at} = {base};", u)
            self.env[lane], self.at = Counter(at, counter.plus), k
            text = self.value(u)
            self.env[lane] = counter
            self.code.line(f"{name}[{k}] = {lane_text(text, u.dtype)};", u)
        return name

    def store(self, buffer: UOp, index: UOp, value: str, d: DType, *nodes: UOp) -> None:
        """Write a scalar or a vector (when the index runs along the lanes) to memory."""
        pointer = self.address(buffer, linear(index))
        if self.is_vector(index):
            self.code.line(self.vectors.store(pointer, value, d, self.width, self.active), *nodes)
        else:
            self.code.line(f"*({pointer}) = {bare(value)};", *nodes)


def lane_text(text: str, d: DType) -> str:
    """A scalar as what a lane holds."""
    return f"-(int){text}" if d.is_bool else f"(float){text}" if d.bits == 16 and d.is_float else text
