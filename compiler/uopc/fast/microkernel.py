"""The innermost function of a contraction: a tile of the result in vector registers while a block of steps runs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import NamedTuple

from uopc.fast.emit import Code, Counter, Emitter
from uopc.fast.epilogue import others, product_load
from uopc.fast.nest import Nest
from uopc.fast.passes import add_vector
from uopc.fast.tile import Part, Tile
from uopc.fast.vectors import Vectors
from uopc.rangeify import identity
from uopc.render.types import C_TYPES, constant
from uopc.symbolic.linear import linear
from uopc.uop import UOp

_LINE = 64  # bytes
_UNROLLED = 4  # steps in a row without a test of the counter


class Variant(NamedTuple):
    """One function of a tile: its size; packs: it reads the packed lanewise parts where they are and packs them on the
    way; ahead: it has the cache fetch the lines of the next panel."""

    rows: int
    lanes: int
    packs: bool = False
    ahead: bool = False

    def suffix(self) -> str:
        """For the function's name."""
        return f"{self.rows}x{self.lanes}{'_packing' * self.packs}{'_ahead' * self.ahead}"


def micro_kernel(t: Tile, name: str, v: Variant, vectors: Vectors, ld: int) -> Code:
    """`static void name(a..., b..., [q...], [n...], c, [steps, more])`. `ld`: elements between rows of the result.

    a, b: the parts of rows and lanes; q: where panels are packed; n: what comes next; more: earlier blocks of steps
    have left something in c.
    """
    return _MicroKernel(t, v, vectors, ld).write(name)


class _MicroKernel:
    def __init__(self, t: Tile, v: Variant, vectors: Vectors, ld: int) -> None:
        self.t, self.v, self.ld = t, v, ld
        self.code = Code(indent=0)
        self.e = Emitter(self.code, vectors, {}, width=t.width, active=t.width)
        self.count = -(-v.lanes // t.width)
        self.flat = t.flat() and not v.packs and not v.ahead
        self.beside = others(t.nest, t.epilogue) if t.epilogue is not None else []
        self.packed = [k for k, p in enumerate(t.lanewise) if p.packed]

    def write(self, name: str) -> Code:
        """The function."""
        e, t, n = self.e, self.t, self.t.nest
        assert n.op is not None
        # Not inlined: in a large function gcc keeps the vectors of the inner loop in memory.
        head = f"static __attribute__((noinline)) void {name}({', '.join(self._parameters())})"
        with self.code.block(head, n.value):
            kind = e.vectors.of(n.wide, t.width)
            zero = e.vectors.splat(constant(identity(n.op, n.wide), n.wide), n.wide, t.width)
            for i in range(self.v.rows):
                names = ", ".join(f"c{i}_{j} = {zero}" for j in range(self.count))
                self.code.line(f"{kind} {names};", n.value)
            if t.blocked:
                self._fetch_result()
            self._loops()
            self._finish()
        return self.code

    def _fetch_result(self) -> None:
        """The lines of the result on their way while the steps run; a row need not begin where a line does."""
        last = self.v.lanes - 1
        lanes = [*range(0, last, _LINE // self.t.nest.out.dtype.itemsize), last]
        for i in range(self.v.rows):
            for j in lanes:
                self.code.line(f"__builtin_prefetch(c + {i * self.ld + j}, 1);", self.t.nest.value)

    def _parameters(self) -> list[str]:
        t = self.t
        found = [f"const {C_TYPES[p.held]}* restrict a{k}" for k, p in enumerate(t.rowwise)]
        found += [f"const {C_TYPES[p.held]}* restrict b{k}" for k, p in enumerate(t.lanewise)]
        if self.v.packs:
            found += [f"{C_TYPES[t.lanewise[k].held]}* restrict q{k}" for k in self.packed]
        if self.v.ahead:
            found += [f"const {C_TYPES[t.lanewise[k].held]}* n{k}" for k in self.packed]
        found += [f"const {C_TYPES[n.dtype]}* e{k}" for k, n in enumerate(self.beside)]
        found.append(f"{C_TYPES[t.result.out.dtype]}* restrict c")
        return found + ["long steps", "int more"] * t.blocked + ["int last"] * (t.blocked and bool(t.epilogue))

    # -- the loops -------------------------------------------------------------------------------------------------
    def _loops(self) -> None:
        e, t = self.e, self.t
        for r in (*t.nest.dims, *t.nest.red):
            e.env[r] = Counter("o")
        first, inside = t.loops[0], t.steps() // (t.chunk or t.loops[0].arg.size)
        with ExitStack() as stack:
            if self.flat:
                e.code.line(f"#pragma GCC unroll {_UNROLLED}", *t.loops)
                end = ("steps" if inside == 1 else f"steps*{inside}") if t.blocked else str(t.steps())
                stack.enter_context(e.loop(f"for (long k = 0; k < {end}; k++)", *t.loops))
            else:
                for k, r in enumerate(t.loops):
                    end = "steps" if t.blocked and r is first else r.arg.size
                    stack.enter_context(e.loop(f"for (long k{k} = 0; k{k} < {end}; k{k}++)", r))
            self._step()
            self._advance()

    def _advance(self) -> None:
        """Packed parts to the next step."""
        t = self.t
        for k in self.packed:
            name = f"q{k}" if self.v.packs else f"b{k}"
            self.code.line(f"{name} += {self.count * t.width};", t.lanewise[k].node)
        for k, p in enumerate(t.rowwise):
            if p.packed:
                self.code.line(f"a{k} += {t.tall};", p.node)

    def _step(self) -> None:
        """The body for all rows and vectors of the tile."""
        e, t = self.e, self.t
        for j in range(self.count):
            e.env[t.v] = Counter("", j * t.width)
            for k, p in enumerate(t.lanewise):
                self._lanewise(p, k, j)
        for i in range(self.v.rows):
            e.env[t.u] = Counter("", i)
            for k, p in enumerate(t.rowwise):
                self._rowwise(p, k, i)
            for j in range(self.count):
                e.env[t.v] = Counter("", j * t.width)
                with e.lanes(t.v, t.width, t.width):
                    add_vector(e, t.nest, f"c{i}_{j}", t.width)

    def _lanewise(self, p: Part, k: int, j: int) -> None:
        e, t = self.e, self.t
        first = j * t.width
        here = p.packed and not self.v.packs
        at = f"b{k} + {first}" if here else self._offset(f"b{k}", p, first)
        active = t.width if here else min(t.width, self.v.lanes - first)
        if p.packed and self.v.ahead and first * p.held.itemsize % _LINE == 0:
            # The line of the last of these elements: that of the first came with the panel before.
            last = min(self.v.lanes, first + _LINE // p.held.itemsize) - 1
            self.code.line(f"__builtin_prefetch({self._offset(f'n{k}', p, last)}, 0, 2);", p.node)
        with e.lanes(t.v, t.width, t.width):
            name = e.code.fresh("b_")
            text = e.vectors.load(at, p.held, t.width, active)
            e.code.line(f"{e.vectors.of(p.held, t.width)} {name} = {text};", p.node)
            e.remember(p.node, name)
            if p.packed and self.v.packs:
                e.code.line(e.vectors.store(f"q{k} + {first}", name, p.held, t.width, t.width), p.node)

    def _rowwise(self, p: Part, k: int, i: int) -> None:
        e, t = self.e, self.t
        block, row = divmod(i, t.tall)
        at = f"a{k}[{block * t.tall * t.steps() + row}]"
        if not p.packed:
            at = f"*({self._offset(f'a{k}', p, i * linear(p.node.src[0].src[1]).terms.get(t.u, 0))})"
        with e.lanes(t.v, t.width, t.width):
            name = e.code.fresh("a_")
            e.code.line(f"{C_TYPES[p.held]} {name} = {at};", p.node)
            e.remember(p.node, name)

    def _offset(self, pointer: str, p: Part, plus: int) -> str:
        """An element of a part that is read where it is, at the current step."""
        terms = linear(p.node.src[0].src[1]).terms
        counters = {"k": self.t.loops[-1]} if self.flat else {f"k{k}": r for k, r in enumerate(self.t.loops)}
        parts = [pointer]
        for name, r in counters.items():
            c = terms.get(r, 0)
            if c:
                parts.append(f"{name}*{c}" if c != 1 else name)
        if plus:
            parts.append(str(plus))
        return " + ".join(parts)

    # -- the result ------------------------------------------------------------------------------------------------
    def _finish(self) -> None:
        e, t, n = self.e, self.t, self.t.nest
        cells = [(i, j) for i in range(self.v.rows) for j in range(self.count)]
        if t.blocked:
            with e.loop("if (more)", n.value):
                for i, j in cells:
                    old = e.vectors.load(self._at(i, j), n.out.dtype, t.width, self._active(j))
                    self.code.line(f"c{i}_{j} = {self._combined(old, f'c{i}_{j}')};", n.value)
        if t.epilogue is not None:
            with e.loop("if (last)" if t.blocked else "", t.epilogue.value):
                for i, j in cells:
                    self._epilogue(t.epilogue, i, j)
                if t.blocked:
                    self.code.line("return;", n.value)
            if not t.blocked:
                return
        for i, j in cells:
            text = e.vectors.store(self._at(i, j), f"c{i}_{j}", n.out.dtype, t.width, self._active(j))
            self.code.line(text, n.value)

    def _epilogue(self, epilogue: Nest, i: int, j: int) -> None:
        """One vector of the result made of c{i}_{j}."""
        e, t, active = self.e, self.t, self._active(j)
        product = product_load(t.nest, epilogue)
        assert product is not None
        with e.loop("", epilogue.value), e.lanes(t.v, t.width, active):
            e.env[t.u], e.env[t.v] = Counter("", i), Counter("", j * t.width)
            e.remember(product, f"c{i}_{j}")
            for k, load in enumerate(self.beside):
                self._beside(k, load, i, j)
            text = e.vector(epilogue.body)
            self.code.line(e.vectors.store(self._at(i, j), text, epilogue.out.dtype, t.width, active), epilogue.value)

    def _beside(self, k: int, load: UOp, i: int, j: int) -> None:
        """Something else that the epilogue reads: a vector, or one element for all lanes."""
        e, t = self.e, self.t
        terms = linear(load.src[0].src[1]).terms
        at = f"e{k} + {i * terms.get(t.u, 0)}"
        name = e.code.fresh("e_")
        if t.v in terms:
            text = e.vectors.load(f"{at} + {j * t.width}", load.dtype, t.width, self._active(j))
            self.code.line(f"{e.vectors.of(load.dtype, t.width)} {name} = {text};", load)
        else:
            self.code.line(f"{C_TYPES[load.dtype]} {name} = *({at});", load)
        e.remember(load, name)

    def _combined(self, old: str, new: str) -> str:
        n = self.t.nest
        assert n.op is not None
        return self.e.vectors.combine(n.op, n.wide, self.t.width, old, new)

    def _at(self, i: int, j: int) -> str:
        return f"c + {i * self.ld + j * self.t.width}"

    def _active(self, j: int) -> int:
        return min(self.t.width, self.v.lanes - j * self.t.width)
