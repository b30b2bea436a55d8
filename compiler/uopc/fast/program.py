"""A shaped program as fast C: its kernels, the memory between them, and the function that calls them in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from uopc.fast.across import write_across
from uopc.fast.columns import write_columns
from uopc.fast.contraction import write_contraction
from uopc.fast.emit import Code
from uopc.fast.fuse import ALL_LOOPS, Cluster, Fuser, buffers_of, canonical
from uopc.fast.group import Group, Kernel, Member, Workshop
from uopc.fast.memory import Arena
from uopc.fast.nest import nest_of
from uopc.fast.rows import write_rows
from uopc.fast.turned import write_turned
from uopc.fast.vectors import Vectors
from uopc.ops import Ops
from uopc.opt import SWITCHES, Choice, Opts, choose
from uopc.plan import KernelPlan, Plan, StagePlan
from uopc.rangeify import Ctx, lower_outputs
from uopc.render.c import function_lines
from uopc.render.headers import includes
from uopc.render.scalar import Helpers
from uopc.render.types import C_TYPES
from uopc.schedule import Stage, cut
from uopc.uop import UOp

_WRITERS = {
    "across": write_across,
    "columns": write_columns,
    "tile": write_contraction,
    "transpose": write_turned,
}


@dataclass(frozen=True)
class _Notes:
    """What the plan says about a kernel as a whole, and how each of its stages is computed."""

    kernel: list[str]
    stages: list[tuple[str, ...]]


@dataclass
class Call:
    """One kernel at work: the function, the buffers it is given, and which stages it computes."""

    name: str
    kernel: Kernel
    buffers: list[UOp]
    stages: list[Stage]
    back: list[dict[UOp, list[UOp]]]  # lowered node -> nodes of the kernel's own graph, per member
    origin: dict[UOp, UOp]  # nodes of the kernel's own graph -> nodes of the program
    notes: _Notes

    def plan(self) -> KernelPlan:
        """The call in words."""
        stages = (StagePlan(s.node, s.why, tuple(how)) for s, how in zip(self.stages, self.notes.stages))
        return KernelPlan(self.name, tuple(stages), tuple(dict.fromkeys(self.notes.kernel)))


@dataclass
class FastProgram:
    """The C file and what is known about it. scratch: bytes that it takes while it runs (then it returns int, -1 when
    there is no memory). calls: the kernels at work, in order; groups: what each is made of."""

    lines: list[str]
    origins: list[tuple[UOp, ...]]
    params: list[UOp]
    written: frozenset[UOp]
    scratch: int
    kernels: tuple[str, ...]
    plan: Plan
    calls: tuple[Call, ...] = ()
    groups: dict[str, Group] = field(default_factory=dict)  # by kernel, of those that are not the textbook's loops


def fast_program(outputs: Iterable[tuple[UOp, UOp]], name: str, opts: Opts) -> FastProgram:
    """The program that computes `outputs`, (value, buffer) pairs, as one C function `name`."""
    wanted = list(outputs)
    stages = cut(wanted)
    return _Writer(stages, [out for _, out in wanted], name, opts).program()


@dataclass(frozen=True)
class _Known:
    """A kernel that was written, for all calls that differ only in their buffers. nodes: its own graph, per stage."""

    name: str
    kernel: Kernel
    back: list[dict[UOp, list[UOp]]]
    notes: _Notes
    nodes: list[list[UOp]]


@dataclass
class _Writer:
    stages: list[Stage]
    outs: list[UOp]
    name: str
    opts: Opts
    helpers: Helpers = field(default_factory=Helpers)
    texts: dict[tuple[str, ...], str] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    known: dict[object, _Known] = field(default_factory=dict)

    def program(self) -> FastProgram:
        clusters = Fuser(self.opts).clusters(self.stages)
        readers: dict[UOp, set[int]] = {}
        for k, c in enumerate(clusters):
            for v in c.views:
                for b in buffers_of(v.stage.value):
                    readers.setdefault(b, set()).add(k)
        calls = [self._call(c, k, readers) for k, c in enumerate(clusters)]
        return _Assembly(calls, self).assemble()

    # -- one kernel ------------------------------------------------------------------------------------------------
    def _call(self, c: Cluster, k: int, readers: dict[UOp, set[int]]) -> Call:
        order: dict[UOp, int] = {}
        shared = []
        for v in c.views:
            its = (*buffers_of(v.stage.value), v.stage.out)
            shared.append((v.value, v.out, tuple(order.setdefault(b, len(order)) for b in its)))
        wanted = tuple(not v.stage.temporary or bool(readers.get(v.stage.out, set()) - {k}) for v in c.views)
        key = (tuple(shared), wanted, c.outer, c.epilogue)
        if key not in self.known:
            (values, outs), _ = canonical([(v.stage.value, v.stage.out) for v in c.views])
            made = self._kernel(f"{self.name}_k{len(self.known)}", c, values, outs, wanted)
            self.known[key] = _Known(*made, nodes=[value.toposort() for value in values])
        known, programs = self.known[key], list(order)
        origin: dict[UOp, UOp] = {}
        for v, nodes in zip(c.views, known.nodes):
            for mine, its_own in zip(nodes, v.stage.value.toposort()):
                origin.setdefault(mine, v.stage.origin.get(its_own, v.stage.node))
            origin.setdefault(nodes[-1], v.stage.node)
        buffers = [programs[b.arg.slot] for b in known.kernel.params]
        return Call(known.name, known.kernel, buffers, [v.stage for v in c.views], known.back, origin, known.notes)

    def _kernel(
        self, name: str, c: Cluster, values: list[UOp], outs: list[UOp], wanted: tuple[bool, ...]
    ) -> tuple[str, Kernel, list[dict[UOp, list[UOp]]], _Notes]:
        notes = _Notes(list(c.why), [])
        if len(values) == 1:
            nest = nest_of(values[0], outs[0])
            choice = choose(nest, 0, self.opts)
            notes.stages.append(choice.why)
            if nest is None or choice.role == "scalar":
                return name, *self._plain(name, values[0], outs[0]), notes
            outer = len(nest.dims) - (choice.role == "map" and bool(nest.dims))
            group = Group((Member(nest, choice, True),), outer)
        elif c.epilogue:
            group = self._with_epilogue(values, outs, notes.stages)
        else:
            group = self._group(c, values, outs, wanted, notes.stages)
        self.groups[name] = group
        kernel = self._write(name, group)
        notes.kernel.extend(self._shared_words(kernel))
        return name, kernel, [dict(m.nest.origin) for m in group.members], notes

    def _with_epilogue(self, values: list[UOp], outs: list[UOp], notes: list[tuple[str, ...]]) -> Group:
        """A contraction and what is made of each of its elements, over the loops that they have in common."""
        nest, epilogue = (nest_of(value, out, ALL_LOOPS) for value, out in zip(values, outs))
        assert nest is not None and epilogue is not None
        choice = choose(nest, 0, self.opts)
        assert choice.tile is not None
        notes += [choice.why, ()]
        choice = replace(choice, tile=replace(choice.tile, epilogue=epilogue))
        return Group((Member(nest, choice, False), Member(epilogue, Choice("map"), True)), 0)

    def _shared_words(self, kernel: Kernel) -> list[str]:
        """What the plan says about threads, when there are several."""
        if self.opts.threads == 1 or not self.opts.on("threads"):
            return []
        if any("#pragma omp parallel" in text for code in kernel.code for text, _ in code.lines):
            return [f"outer loops are shared between {self.opts.threads} threads"]
        return ["one thread: there is too little to share"]

    def _group(
        self, c: Cluster, values: list[UOp], outs: list[UOp], wanted: tuple[bool, ...], notes: list[tuple[str, ...]]
    ) -> Group:
        members = []
        for value, out, want in zip(values, outs, wanted):
            nest = nest_of(value, out, c.outer)
            choice: Choice = choose(nest, c.outer, self.opts)
            assert nest is not None
            notes.append(choice.why)
            members.append(Member(nest, choice, want))
        return Group(tuple(members), c.outer)

    def _write(self, name: str, group: Group) -> Kernel:
        wanted = [m.nest.out for m in group.members if m.wanted]
        inside = {m.nest.out for m in group.members if not m.wanted}
        reads = {u.src[0].src[0] for m in group.members for u in m.nest.loads()}
        params = sorted((reads | set(wanted)) - inside, key=lambda b: b.arg.slot)
        w = Workshop(name, group, self.opts, Vectors(self.helpers), params, texts=self.texts)
        tile = group.members[0].choice.tile
        single = len(group.members) == 1 or (tile is not None and tile.epilogue is not None)
        writer = _WRITERS.get(group.members[0].choice.role, write_rows) if single else write_rows
        writer(w)
        return w.finish(frozenset(wanted))

    def _plain(self, name: str, value: UOp, out: UOp) -> tuple[Kernel, list[dict[UOp, list[UOp]]]]:
        """The textbook loops as a kernel."""
        ctx = Ctx()
        sink = lower_outputs([(value, out)], ctx)
        params = [u for u in sink.toposort() if u.op is Ops.BUFFER]
        code = Code()
        code.lines = function_lines(sink, name, self.helpers)
        w = Workshop(name, Group((), 0), self.opts, Vectors(self.helpers), sorted(params, key=lambda b: b.arg.slot))
        w.code.lines = code.lines
        return w.finish(frozenset((out,))), [ctx.origin]


# -- the file ------------------------------------------------------------------------------------------------------
_HUGE = 1 << 20  # bytes of scratch memory from which huge pages are asked for: as in _TAKE
_TAKE = """
// Scratch memory, kept from one call to the next; a second call at the same time gets its own. Its size is in front.
static char* uir_kept;
static void uir_free(char* p) {
#ifdef _WIN32
  if (p) _aligned_free(p);
#else
  free(p);
#endif
}
static char* uir_take(size_t size) {
  char* p = __atomic_exchange_n(&uir_kept, (char*)0, __ATOMIC_ACQUIRE);
  if (p && *(size_t*)p >= size) return p + 64;
  uir_free(p);
#ifdef _WIN32
  p = _aligned_malloc(size + 64, 64);
#else
  void* found = 0;
  const int huge = size >= (1 << 20);
  const size_t whole = huge ? (size + 64 + (1 << 21) - 1) >> 21 << 21 : size + 64;
  if (posix_memalign(&found, huge ? 1 << 21 : 64, whole)) return 0;
  p = found;
#ifdef MADV_HUGEPAGE
  if (huge) madvise(p, whole, MADV_HUGEPAGE);
#endif
#endif
  if (!p) return 0;
  *(size_t*)p = size;
  return p + 64;
}
static void uir_give(char* p) { uir_free(__atomic_exchange_n(&uir_kept, p - 64, __ATOMIC_RELEASE)); }"""


class _Assembly:
    """Lines and their origins, in the order of the file."""

    def __init__(self, calls: Sequence[Call], writer: _Writer) -> None:
        self.calls, self.writer = calls, writer
        self.lines: list[str] = []
        self.origins: list[tuple[UOp, ...]] = []
        used = {b for c in calls for b in c.buffers}
        self.written = frozenset(
            b for c in calls for b, mine in zip(c.buffers, c.kernel.params) if mine in c.kernel.written
        )
        self.temporary = {s.out for c in calls for s in c.stages if s.temporary}
        params = (used - self.temporary) | set(writer.outs)
        self.written |= set(writer.outs)
        self.params = sorted(params, key=lambda b: (b in self.written, b.arg.slot))

    def line(self, text: str, origin: tuple[UOp, ...] = ()) -> None:
        """One line of the file."""
        self.lines.append(text)
        self.origins.append(origin)

    def assemble(self) -> FastProgram:
        w = self.writer
        arena = Arena([(c.buffers, [s.out for s in c.stages]) for c in self.calls], self.temporary)
        threads = w.opts.threads
        inner = max((c.kernel.shared + c.kernel.private * threads for c in self.calls), default=0)
        scratch = arena.size + inner
        self._head(scratch)
        self._kernels()
        self._main(arena, scratch)
        needed = includes(self.lines)
        self.lines[:0] = needed
        self.origins[:0] = [()] * len(needed)
        names = tuple(dict.fromkeys(c.name for c in self.calls))
        return FastProgram(
            lines=self.lines,
            origins=self.origins,
            params=self.params,
            written=self.written,
            scratch=scratch,
            kernels=names,
            plan=self._plan(arena.size),
            calls=tuple(self.calls),
            groups=w.groups,
        )

    def _head(self, scratch: int) -> None:
        if scratch:
            self.line("#include <stdlib.h>")
            pages = ("__linux__", "sys/mman.h") if scratch >= _HUGE else None
            for system, header in filter(None, (pages, ("_WIN32", "malloc.h"))):
                for text in (f"#ifdef {system}", f"#include <{header}>", "#endif"):
                    self.line(text)
            for text in _TAKE.split("\n"):
                self.line(text)
        for text in self.writer.helpers.texts.values():
            self.line("")
            for part in text.split("\n"):
                self.line(part)

    def _kernels(self) -> None:
        users: dict[str, list[Call]] = {}
        for c in self.calls:
            users.setdefault(c.name, []).append(c)
        for same in users.values():
            self.line("")
            for code in same[0].kernel.code:
                for text, nodes in code.lines:
                    self.line(text, _origins(nodes, same))

    def _main(self, arena: Arena, scratch: int) -> None:
        w = self.writer
        parts = [
            f"{'' if b in self.written else 'const '}{C_TYPES[b.dtype]}* restrict data{b.arg.slot}" for b in self.params
        ]
        self.line("")
        self.line(f"{'int' if scratch else 'void'} {w.name}({', '.join(parts) or 'void'}) {{")
        if scratch:
            self.line(f"  char* const memory = uir_take({scratch});")
            self.line("  if (!memory) return -1;")
        for c in self.calls:
            args = [
                f"({C_TYPES[b.dtype]}*)(memory + {arena.offsets[b]})" if b in self.temporary else f"data{b.arg.slot}"
                for b in c.buffers
            ]
            if c.kernel.shared or c.kernel.private:
                args.append(f"memory + {arena.size}")
            self.line(f"  {c.name}({', '.join(args)});", tuple(dict.fromkeys(s.node for s in c.stages)))
        if scratch:
            self.line("  uir_give(memory);")
            self.line("  return 0;")
        self.line("}")

    def _plan(self, scratch: int) -> Plan:
        off = tuple(name for name in SWITCHES if not self.writer.opts.on(name))
        return Plan(off, tuple(c.plan() for c in self.calls), scratch)


def _origins(nodes: tuple[UOp, ...], calls: list[Call]) -> tuple[UOp, ...]:
    found: dict[UOp, None] = {}
    for c in calls:
        for n in nodes:
            sources = [s for back in c.back for s in back.get(n, ())] or [n]
            for s in sources:
                if s in c.origin:
                    found[c.origin[s]] = None
    return tuple(found)
