"""Which stages become one kernel: those that meet row by row.

Two stages meet in their outer loops when one reads, in every row, only what the other writes in that row. Then both can
run in one loop over the rows, and what is between them needs one row of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from uopc.fast.epilogue import product_load
from uopc.fast.nest import Nest, nest_of
from uopc.ops import Ops
from uopc.opt import Choice, Opts, choose
from uopc.schedule import Stage
from uopc.symbolic.linear import Linear, form_bounds, linear
from uopc.uop import UOp, buf

ALL_LOOPS = 1 << 20  # outer loops that stay as they are: more than any value has axes
_MOST_STAGES = 12  # of one kernel: compilers take more than proportionally longer for longer functions
_APART = "their rows do not meet: it reads other rows than the one just computed, or one row is too long to keep"
_ROW_BYTES = 1 << 19  # a row of an intermediate result that still is in the cache when it is read


@dataclass(frozen=True)
class View:
    """A stage seen from outside: its natural loops, and where each load of it is in the program's buffers.

    value, out: the stage with its buffers numbered by appearance, the same for stages that are equal but for them.
    """

    stage: Stage
    value: UOp
    out: UOp
    nest: Nest | None
    tile: bool
    panel: int  # bytes of the operand that all rows of a contraction read
    solitary: bool  # it is always a kernel of its own
    buffers: dict[UOp, UOp]  # buffers of the nest -> buffers of the program

    @property
    def sizes(self) -> tuple[int, ...]:
        """Iterations of its output loops."""
        return tuple(r.arg.size for r in self.nest.dims) if self.nest is not None else ()

    def forms(self) -> list[tuple[UOp, Linear]]:
        """(buffer of the program, form of the index) of every load."""
        if self.nest is None:
            return []
        return [(self.buffers[u.src[0].src[0]], linear(u.src[0].src[1])) for u in self.nest.loads()]


@dataclass
class Cluster:
    """A kernel in the making: its stages, and how many outer loops they have in common."""

    views: list[View]
    outer: int
    why: list[str] = field(default_factory=list)
    epilogue: bool = False  # two stages: a contraction, and what is made of each of its elements in registers


class Fuser:
    """Groups stages, in order. Facts about stages that are equal but for their buffers are found once."""

    def __init__(self, opts: Opts) -> None:
        self.opts = opts
        self.known: dict[tuple[UOp, UOp, int], tuple[Nest | None, Choice]] = {}
        self.epilogues: dict[tuple[UOp, UOp, tuple[bool, ...]], bool] = {}

    def clusters(self, stages: Sequence[Stage]) -> list[Cluster]:
        """The kernels of a program in an order in which they can run."""
        found: list[Cluster] = []
        place: dict[UOp, int] = {}
        for stage in stages:
            if not prod(stage.value.shape):
                continue
            view = self.view(stage)
            reads = {b for b in buffers_of(stage.value) if b in place}
            last = max((place[b] for b in reads), default=-1)
            if last < 0 or not self._join(found[last], view):
                found.append(Cluster([view], self._first_outer(view)))
                last = len(found) - 1
            place[stage.out] = last
        return self._epilogues(found)

    def _epilogues(self, clusters: list[Cluster]) -> list[Cluster]:
        """Contractions that only one elementwise stage reads, with that stage: it is computed from the registers."""
        allowed = self.opts.on("epilogue")
        readers: dict[UOp, list[Cluster]] = {}
        for c in clusters:
            for v in c.views:
                for b in buffers_of(v.stage.value):
                    readers.setdefault(b, []).append(c)
        gone: set[int] = set()
        for k, c in enumerate(clusters):
            first = c.views[0]
            users = readers.get(first.stage.out, [])
            if len(users) != 1 or not first.tile:
                continue
            (user,) = users
            second = c.views[1] if user is c and len(c.views) == 2 else user.views[0]
            alone = user is c or len(c.views) == len(user.views) == 1
            if second is first or not alone or not self._is_epilogue(first, second):
                continue
            if not allowed:
                c.why.append("epilogue is switched off: the product is written to memory, and read again")
            elif user is not c:
                user.views.insert(0, first)
                gone.add(k)
            user.epilogue = allowed
        for c in clusters:
            if c.epilogue:
                c.why = ["what is made of each element of the product is computed before it leaves the registers"]
        return [c for k, c in enumerate(clusters) if k not in gone]

    def _is_epilogue(self, first: View, second: View) -> bool:
        if not first.tile or not first.stage.temporary or second.nest is None or second.nest.red:
            return False
        place = tuple(b is first.stage.out for b in buffers_of(second.stage.value))
        key = (first.value, second.value, place)
        if key not in self.epilogues:
            self.epilogues[key] = self._looked_epilogue(first, second)
        return self.epilogues[key]

    def _looked_epilogue(self, first: View, second: View) -> bool:
        (values, outs), _ = canonical([(v.stage.value, v.stage.out) for v in (first, second)])
        nests = [nest_of(value, out, ALL_LOOPS) for value, out in zip(values, outs)]
        if nests[0] is None or nests[1] is None or product_load(nests[0], nests[1]) is None:
            return False
        return choose(nests[0], 0, self.opts).role == "tile"

    def view(self, stage: Stage) -> View:
        """The stage with its natural loops."""
        (value, out), mapping = canonical([(stage.value, stage.out)])
        nest, choice = self._looked(value[0], out[0], ALL_LOOPS)
        solitary = nest is None or choice.role in ("scalar", "across", "columns", "transpose")
        return View(stage, value[0], out[0], nest, choice.role == "tile", _panel_bytes(choice), solitary, mapping)

    def _looked(self, value: UOp, out: UOp, outer: int) -> tuple[Nest | None, Choice]:
        """A nest and how it would be computed inside `outer` common loops (ALL_LOOPS: by itself, loops as they are)."""
        key = (value, out, outer)
        if key not in self.known:
            nest = nest_of(value, out, outer)
            self.known[key] = (nest, choose(nest, outer % ALL_LOOPS, self.opts))
        return self.known[key]

    @staticmethod
    def _first_outer(view: View) -> int:
        if view.nest is None:
            return 0
        n = len(view.nest.dims)
        return max(n - 1, 0) if view.tile or not view.nest.red else n

    # -- joining ---------------------------------------------------------------------------------------------------
    def _join(self, cluster: Cluster, view: View) -> bool:
        refused = self._refused(cluster, view)
        outer = self._common(cluster, view) if refused is None else None
        if outer is not None and not self.opts.on("fuse"):
            refused = "fuse is switched off"
        if refused is not None or outer is None:
            cluster.why.append(f"not joined with the next: {refused or _APART}")
            return False
        cluster.views.append(view)
        cluster.outer = outer
        cluster.why.append(f"joined over {outer} outer loop{'s' * (outer != 1)}: row by row it reads what is there")
        return True

    def _refused(self, cluster: Cluster, view: View) -> str | None:
        """Why a stage is not even tried, in words."""
        if view.solitary or any(v.solitary for v in cluster.views):
            return "one of them is computed by itself (textbook loops, along memory, or turned in blocks)"
        if len(cluster.views) >= _MOST_STAGES:
            return f"a kernel has at most {_MOST_STAGES} stages"
        panels = view.panel + sum(v.panel for v in cluster.views)
        if panels > self.opts.machine.cache + (self.opts.machine.cache >> 1):
            return "all rows read an operand that is larger than the cache"
        return None

    def _common(self, cluster: Cluster, view: View) -> int | None:
        """Most outer loops over which the stage can be computed in one kernel with the cluster."""
        most = min(cluster.outer, len(view.sizes) - view.tile)
        return next((outer for outer in range(most, -1, -1) if self._fits(cluster, view, outer)), None)

    def _fits(self, cluster: Cluster, view: View, outer: int) -> bool:
        members = [*cluster.views, view]
        asked = [view] if outer == cluster.outer and len(cluster.views) > 1 else members  # those in it have been
        if any(v.tile and (outer != len(v.sizes) - 1 or not outer) for v in members):
            return False
        if not outer and any(len(v.sizes) > 1 for v in members):
            return False
        if any(v.sizes[:outer] != view.sizes[:outer] for v in members):
            return False
        if any(prod(v.sizes[outer:]) * v.stage.out.dtype.itemsize > _ROW_BYTES for v in cluster.views):
            return False
        writers = {v.stage.out: v for v in cluster.views}
        for buffer, form in view.forms():
            if buffer in writers and not _same_row(form, view, writers[buffer], outer):
                return False
        return all(self._keeps(v, outer) for v in asked)

    def _keeps(self, v: View, outer: int) -> bool:
        """Whether the stage can still be computed well inside that many common loops."""
        assert v.nest is not None
        _, choice = self._looked(v.nest.value, v.nest.out, outer)
        return choice.role == "tile" if v.tile else choice.role in ("map", "lanes")


def _same_row(form: Linear, reader: View, writer: View, outer: int) -> bool:
    """Whether an index stays, in every row of the reader, in the same row of what the writer writes."""
    assert reader.nest is not None and writer.nest is not None
    rows, there = reader.nest.dims[:outer], linear(writer.nest.store)
    for mine, its in zip(rows, writer.nest.dims[:outer]):
        if form.terms.get(mine, 0) != there.terms.get(its, 0):
            return False
    rest = Linear({t: c for t, c in form.terms.items() if t not in rows}, form.const)
    if any(t.ranges & set(rows) for t in rest.terms):
        return False
    lo, hi = form_bounds(rest)
    return lo >= 0 and hi < prod(writer.sizes[outer:])


def _panel_bytes(choice: Choice) -> int:
    """What all rows of a contraction read."""
    if choice.tile is None:
        return 0
    t = choice.tile
    return t.panel_elements() * max((p.held.itemsize for p in t.lanewise), default=0) * len(t.lanewise)


# -- kernels that are equal but for their buffers ------------------------------------------------------------------
def buffers_of(value: UOp) -> tuple[UOp, ...]:
    """The buffers that a value reads, in the order of the graph."""
    if value.op is Ops.BUFFER:
        return (value,)
    found: tuple[UOp, ...] = value.cached("buffers", lambda v: tuple(u for u in v.toposort() if u.op is Ops.BUFFER))
    return found


def canonical(pairs: Sequence[tuple[UOp, UOp]]) -> tuple[tuple[list[UOp], list[UOp]], dict[UOp, UOp]]:
    """The values and their out buffers with buffers numbered 0, 1, ... by first appearance; and which was which."""
    order: dict[UOp, UOp] = {}
    for value, out in pairs:
        for b in (*buffers_of(value), out):
            if b not in order:
                order[b] = buf(len(order), b.arg.shape[0], b.dtype)
    values = [value.substitute(order) for value, _ in pairs]
    outs = [order[out] for _, out in pairs]
    return (values, outs), {new: old for old, new in order.items()}
