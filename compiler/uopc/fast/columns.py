"""Reductions down columns: rows are read one after the other, and every lane adds up its own column.

The result itself is the accumulator: a piece of it that stays in the first-level cache, to which a few rows are added
at a time.
"""

from __future__ import annotations

from contextlib import ExitStack

from uopc.fast.emit import Counter
from uopc.fast.group import Workshop, open_loops
from uopc.fast.nest import Nest
from uopc.ops import Ops
from uopc.rangeify import identity
from uopc.render.types import constant
from uopc.symbolic.linear import linear
from uopc.uop import UOp

_CHUNK = 4096  # elements of the result that are worked on at a time
_ROWS = 8  # rows added at a time
_SHORT_BYTES = 4096  # of a row: such rows, one behind the other, are one stream that the CPU fetches ahead


def write_columns(w: Workshop) -> None:
    """The whole function body."""
    _Columns(w).write()


class _Columns:
    def __init__(self, w: Workshop) -> None:
        self.w, self.e = w, w.emitter
        member = w.group.members[0]
        self.n: Nest = member.nest
        assert member.choice.lane is not None
        self.lane: UOp = member.choice.lane
        self.width = member.choice.width
        # Rows of the outermost reduce loop are added together when there is only that one to walk.
        self.step = max(self.n.red, key=lambda r: r.arg.size)
        self.others = [r for r in self.n.red if r is not self.step]
        self.together = 1 if self._one_stream() else _ROWS

    def write(self) -> None:
        w, e = self.w, self.e
        size = self.lane.arg.size
        # Every column is summed in one order whatever the pieces: there may be as many as there are threads.
        most = _CHUNK if w.threads == 1 else min(_CHUNK, -(-size // w.threads // 64) * 64)
        rest = size % most
        outer = [d for d in self.n.dims if d is not self.lane]
        with ExitStack() as stack:
            w.pragma(len(outer) + 1)
            open_loops(e, stack, outer)
            stack.enter_context(e.loop(f"for (long c = 0; c < {size}; c += {most})", self.lane))
            if size < most:
                self._chunk(size)
            elif not rest:
                self._chunk(most)
            else:
                with e.loop(f"if (c + {most} <= {size})", self.lane):
                    self._chunk(most)
                with e.loop("else", self.lane):
                    self._chunk(rest)

    def _one_stream(self) -> bool:
        """Whether the rows are short and lie one behind the other."""
        forms = [linear(u.src[0].src[1]).terms for u in self.n.loads() if self.lane in u.ranges]
        size = self.lane.arg.size
        return size * self.n.wide.itemsize <= _SHORT_BYTES and all(f.get(self.step) == size for f in forms)

    def _chunk(self, length: int) -> None:
        e, n, size = self.e, self.n, self.step.arg.size
        assert n.op is not None
        start = e.vectors.splat(constant(identity(n.op, n.wide), n.wide), n.wide, self.width)
        self._lanes(length, lambda: e.store(n.out, n.store, start, n.out.dtype, n.value))
        with ExitStack() as stack:
            open_loops(e, stack, self.others, "k")
            rows = self.together
            if size >= rows:
                with e.loop(f"for (long k = 0; k < {size // rows * rows}; k += {rows})", self.step):
                    self._rows(length, Counter("k"), rows)
            if size % rows:
                self._rows(length, Counter("", size // rows * rows), size % rows)

    def _rows(self, length: int, at: Counter, count: int) -> None:
        for k in range(count):
            self.e.env[self.step] = Counter(at.name, at.plus + k)
            self.e.env[self.lane] = Counter("c")
            self.e.prepare((self.n.body,), self.lane)
        self._lanes(length, lambda: self._add(at, count))

    def _add(self, at: Counter, count: int) -> None:
        e, n = self.e, self.n
        assert n.op is not None
        values = []
        for k in range(count):
            e.env[self.step] = Counter(at.name, at.plus + k)
            if n.op is Ops.ADD and n.wide.is_float and n.body.op is Ops.MUL:
                values.append((e.vector(n.body.src[0]), e.vector(n.body.src[1])))
            else:
                values.append((e.vector(n.body), ""))
        old = e.code.fresh("v")
        kind = e.vectors.of(n.wide, e.width)
        text = e.vectors.load(e.address(n.out, linear(n.store)), n.out.dtype, e.width, e.active)
        e.code.line(f"{kind} {old} = {text};", n.value)
        total = old
        if values[0][1]:
            for a, b in values:
                total = f"{e.vectors.fused(n.wide, e.width)}({a}, {b}, {total})"
        else:
            total = values[0][0]
            for a, _ in values[1:]:
                total = e.vectors.combine(n.op, n.wide, e.width, total, a)
            total = e.vectors.combine(n.op, n.wide, e.width, old, total)
        e.store(n.out, n.store, total, n.out.dtype, n.value)

    def _lanes(self, length: int, body: object) -> None:
        e, w = self.e, self.width
        assert callable(body)
        main = length // w * w
        if main:
            with e.loop(f"for (long j = c; j < c + {main}; j += {w})", self.lane):
                e.env[self.lane] = Counter("j")
                with e.lanes(self.lane, w, w):
                    body()
        if length - main:
            with e.loop("", self.lane):
                e.env[self.lane] = Counter("c", main)
                with e.lanes(self.lane, w, length - main):
                    body()
