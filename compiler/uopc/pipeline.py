"""The way of a program from a graph to C: inline calls, find the outputs, schedule, lower, render.

Two programs come out of one graph: the plain one is the textbook's, for reading; the fast one is what a run executes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import NamedTuple

from uopc import cpu
from uopc.dtype import DType
from uopc.errors import UOpError
from uopc.fast.program import FastProgram, fast_program
from uopc.indexmap import Index
from uopc.ops import ALU, AddrSpace, Ops
from uopc.opt import Machine, Opts, Sizes
from uopc.plan import Plan
from uopc.rangeify import Ctx, lower_outputs
from uopc.render.c import Rendered, base, buffers, render
from uopc.symbolic import simplify
from uopc.typerules import Shape, is_destination
from uopc.uop import UOp, buf, rewrite, sink, toposort

# Of what is shared by very many values it is enough to name some.
_MOST_ORIGINS = 16


class CompileError(Exception):
    """A graph that cannot be compiled; the message is one sentence for a person."""


@dataclass(frozen=True)
class Arg:
    """One parameter of the C function: a pointer to `size` elements. input: it is read; output: it is written."""

    slot: int
    dtype: DType
    size: int
    output: bool
    input: bool


@dataclass(frozen=True)
class Output:
    """One result: its shape, and the slot that the program gave it (the next free one where it gave none)."""

    slot: int
    dtype: DType
    shape: Shape
    arg: int  # position among Compiled.args


@dataclass(frozen=True)
class Compiled:
    """A program as C.

    source: a complete C file; symbol: the function; args: its parameters in order; outputs in the program's order;
    line_origins: for each C line the nodes of the graph it was written for; checks: accesses checked at run time (then
    the function returns int: 0, or k when checks[k-1] was outside); sink: the loop program; behind: node of it -> nodes
    of the graph (empty for the fast program, which has no one loop program); flags: what the C compiler must be told
    beyond the usual; kernels: what the program is made of; scratch: bytes of memory that it takes while it runs (then
    the function returns int: 0, or -1 when there is no memory); plan: how it is computed and why, in words.
    """

    name: str
    source: str
    symbol: str
    args: tuple[Arg, ...]
    outputs: tuple[Output, ...]
    line_origins: tuple[tuple[UOp, ...], ...]
    checks: tuple[UOp, ...]
    sink: UOp
    behind: Mapping[UOp, list[UOp]]
    flags: tuple[str, ...]
    kernels: tuple[str, ...]
    scratch: int = 0
    plan: Plan = field(default_factory=Plan)

    @property
    def returns(self) -> bool:
        """Whether the function returns int: 0 when all is well."""
        return bool(self.checks) or self.scratch > 0


def operations(root: UOp) -> frozenset[Ops]:
    """Which operations a graph has; one walk, remembered on its root."""
    found: frozenset[Ops] = root.cached("operations", lambda r: frozenset(u.op for u in r.toposort()))
    return found


def is_loop_program(root: UOp) -> bool:
    """Whether a graph is a program of loops (as `lower` gives) rather than of shaped values."""
    found = operations(root)
    if found & {Ops.RANGE, Ops.END, Ops.ALLOC}:
        return True
    return Ops.STORE in found and any(u.op is Ops.STORE and not is_destination(u.src[0]) for u in root.toposort())


def inline_calls(root: UOp) -> UOp:
    """The graph with every call replaced by its body, params by the arguments of their slots."""
    return rewrite((root,), _inlined)[0] if Ops.CALL in operations(root) else root


def _inlined(u: UOp) -> UOp | None:
    return applied(u.src[0], u.src[1:]) if u.op is Ops.CALL else None


def applied(body: UOp, args: Sequence[UOp]) -> UOp:
    """A function body with the arguments in the place of its params. What it calls is to be inlined before, if it is to
    be computed: a function of its own may have params in further slots."""
    params = (u for u in body.toposort() if u.op is Ops.PARAM and u.arg.slot < len(args))
    return body.substitute({p: args[p.arg.slot] for p in params})


def resolve_stores(root: UOp) -> UOp:
    """A shaped graph in which a buffer read after a store to the whole of it is the value that was stored."""
    if Ops.AFTER not in operations(root) or is_loop_program(root):
        return root
    return rewrite((root,), _stored)[0]


def _stored(u: UOp) -> UOp | None:
    if u.op is not Ops.AFTER:
        return None
    for dep in u.src[1:]:
        if dep.op is Ops.STORE and is_destination(u.src[0]) and base(dep.src[0]) is base(u.src[0]):
            return dep.src[1].reshape(u.shape)
    return None


def results(root: UOp) -> list[tuple[UOp, UOp | None]]:
    """The outputs of a shaped program in order: (value, destination buffer or None when the program names none)."""
    roots = root.src if root.op in (Ops.SINK, Ops.GROUP) else (root,)
    found: list[tuple[UOp, UOp | None]] = []
    for r in roots:
        if r.op in (Ops.SINK, Ops.GROUP):
            found += results(r)
        elif r.op is Ops.STORE:
            found.append((r.src[1], base(r.src[0])))
        else:
            found.append((r, None))
    return found


def compile_program(
    root: UOp,
    name: str = "program",
    *,
    plain: bool = False,
    threads: int = 1,
    off: Iterable[str] = (),
    sizes: Sizes | None = None,
) -> Compiled:
    """A graph (shaped values, whole-buffer stores or a loop program) as C. `name` must be a C identifier.

    off: names of transformations (`uopc.opt.SWITCHES`) that the fast program does without; sizes: those that its long
    contractions are cut to, when not the usual.
    Raises CompileError when it cannot be compiled, with the reason.
    """
    try:
        root = inline_calls(root)
        if Ops.PARAM in operations(root):
            slot = next(u.arg.slot for u in root.toposort() if u.op is Ops.PARAM)
            raise CompileError(f"param {slot} has no argument: only a function body that is called can be run")
        if is_loop_program(root):
            origin: dict[UOp, list[UOp]] = {}
            loops = with_loads(with_output(root), origin)
            return loops_c(loops, origin, name)
        program = shaped(root)
        if plain:
            return plain_c(program, name, *lower_shaped(program))
        opts = fast_opts(threads, off, sizes)
        return fast_c(program, name, fast_program(program.pairs, name, opts))
    except UOpError as e:
        raise CompileError(e.message) from e


# -- shaped programs -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Shaped:
    """A shaped program ready to be lowered: its values, the buffer each is written to, and the slot it is known by."""

    values: tuple[UOp, ...]
    targets: tuple[UOp, ...]
    slots: tuple[int, ...]

    @property
    def pairs(self) -> list[tuple[UOp, UOp]]:
        """(value, buffer to write) in the program's order."""
        return list(zip(self.values, self.targets))

    def outputs(self, args: tuple[Arg, ...]) -> tuple[Output, ...]:
        """The results, as they are found among the arguments of the C function."""
        return tuple(
            Output(slot, value.dtype, value.shape, _position(args, out))
            for value, out, slot in zip(self.values, self.targets, self.slots)
        )


def shaped(root: UOp) -> Shaped:
    """What a shaped graph without calls computes, and where to. Raises CompileError."""
    root = resolve_stores(root)
    found = results(root)
    targets = _targets(found, root)
    slots = tuple((to if to is not None else out).arg.slot for (_, to), out in zip(found, targets))
    return Shaped(tuple(value for value, _ in found), tuple(targets), slots)


def lower_shaped(program: Shaped) -> tuple[UOp, dict[UOp, list[UOp]]]:
    """The textbook loops, and for their nodes those of the graph that they come from."""
    ctx = Ctx()
    return lower_outputs(program.pairs, ctx), ctx.origin


def plain_c(program: Shaped, name: str, loops: UOp, origin: dict[UOp, list[UOp]]) -> Compiled:
    """The textbook program as C, from its loops."""
    rendered = render(loops, name)
    args = _args(loops)
    return _compiled(name, rendered, args, program.outputs(args), loops, origin)


class Loops(NamedTuple):
    """The textbook loop program of a shaped graph, and where it came from.

    outputs: (value, the buffer it is written to); made_for: node -> the graph nodes it was made for; origin: the same
    for every node, through those that use it; places: node -> (value, index) of the elements of the graph that it is.
    """

    sink: UOp
    outputs: tuple[tuple[UOp, UOp], ...]
    made_for: dict[UOp, list[UOp]]
    origin: dict[UOp, list[UOp]]
    places: dict[UOp, list[tuple[UOp, Index]]]


def textbook_loops(root: UOp) -> Loops:
    """The loop program of a shaped graph with, for each of its nodes, the elements of values that it computes.

    Raises CompileError.
    """
    try:
        program, ctx = shaped(inline_calls(root)), Ctx()
        loops = lower_outputs(program.pairs, ctx)
    except UOpError as e:
        raise CompileError(e.message) from e
    places: dict[UOp, list[tuple[UOp, Index]]] = {}
    for (value, index), node in ctx.memo.items():
        places.setdefault(simplify(ctx.moved.get(node, node)), []).append((value, index))
    return Loops(loops, tuple(program.pairs), ctx.origin, _inherited(loops, ctx.origin), places)


def _targets(found: list[tuple[UOp, UOp | None]], root: UOp) -> list[UOp]:
    """The buffer each output is written to: the program's own where nothing reads it, else one under a free slot."""
    reads = {u.arg.slot for u in toposort(value for value, _ in found) if u.op is Ops.BUFFER}
    used = {u.arg.slot for u in root.toposort() if u.op is Ops.BUFFER}
    given = [to for _, to in found if to is not None]
    if len({to.arg.slot for to in given}) < len(given):
        raise CompileError("two stores write the same buffer: give each output a slot of its own")
    free = max(used, default=-1) + 1
    targets = []
    for value, to in found:
        slot = free if to is None or to.arg.slot in reads else to.arg.slot
        free += slot == free
        # Of an output without elements one is declared, which the loops never reach.
        targets.append(buf(slot, max(prod(value.shape), 1), value.dtype))
    return targets


# -- the fast program ----------------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def _machine() -> Machine:
    """The vectors of this computer's CPU. The source is right on any other, and only slower."""
    words = cpu.features()
    if "avx512f" in words:
        return Machine(vector=64, registers=32)
    return Machine(vector=32, registers=16) if "avx2" in words else Machine(vector=16, registers=16)


def fast_opts(threads: int = 1, off: Iterable[str] = (), sizes: Sizes | None = None) -> Opts:
    """What the fast program may use on this machine."""
    return Opts(frozenset(off), max(1, threads), _machine(), sizes or Sizes())


def fast_c(program: Shaped, name: str, fast: FastProgram) -> Compiled:
    """The fast program as C."""
    read = {u for u in toposort(program.values) if u.op is Ops.BUFFER}
    args = tuple(Arg(b.arg.slot, b.dtype, b.arg.shape[0], b in fast.written, b in read) for b in fast.params)
    threads = ("-fopenmp",) if any("#pragma omp" in line for line in fast.lines) else ()
    flags = " ".join(("-O2 -std=gnu11 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math", *threads))
    banner = f"// cc {flags} -shared -fPIC {name}.c -o {name}.so -lm"
    return Compiled(
        name=name,
        source="\n".join((banner, *fast.lines)) + "\n",
        symbol=name,
        args=args,
        outputs=program.outputs(args),
        line_origins=((), *fast.origins),
        checks=(),
        sink=sink(*program.values),
        behind={},
        flags=threads,
        kernels=fast.kernels,
        scratch=fast.scratch,
        plan=fast.plan,
    )


# -- loop programs -------------------------------------------------------------------------------------------------
def with_output(root: UOp) -> UOp:
    """A loop program that ends in a value with that value as an output of its own."""
    if not root.dtype.bits:
        return root
    free = max((u.arg.slot for u in root.toposort() if u.op is Ops.BUFFER), default=-1) + 1
    return sink(buf(free, 1, root.dtype).index(0).store(root))


def loops_c(loops: UOp, origin: dict[UOp, list[UOp]], name: str) -> Compiled:
    """A loop program with its loads (see `with_loads`) as C."""
    rendered = render(loops, name, check=True)
    args = _args(loops)
    outputs = (Output(a.slot, a.dtype, (a.size,), k) for k, a in enumerate(args) if a.output)
    return _compiled(name, rendered, args, tuple(sorted(outputs, key=lambda o: o.slot)), loops, origin)


def with_loads(root: UOp, origin: dict[UOp, list[UOp]]) -> UOp:
    """A loop program, simplified, with a LOAD wherever an elementwise operation or a store reads memory by itself.

    `origin` is filled: node of the result -> the nodes of `root` it came from.
    """
    loaded: dict[UOp, UOp] = {}
    for u in root.toposort():
        src = tuple(_read(loaded[s]) if _reads(u, k) else loaded[s] for k, s in enumerate(u.src))
        loaded[u] = u if src == u.src else u.replace(src=src)
    for u, new in loaded.items():
        origin.setdefault(simplify(new), []).append(u)
    return simplify(loaded[root])


def _reads(u: UOp, k: int) -> bool:
    """Whether operand k of `u` is read as a value (and not as an address)."""
    return u.op in ALU or (u.op is Ops.STORE and k == 1) or (u.op is Ops.INDEX and k > 0)


def _read(s: UOp) -> UOp:
    inner = s
    while inner.op is Ops.AFTER:
        inner = inner.src[0]
    return s.load() if inner.op is Ops.INDEX and s.addrspace is not AddrSpace.NONE and s.shape == () else s


# -- the C file ----------------------------------------------------------------------------------------------------
# A sum of floats is added in its order. gcc 12 vectorizes the loads of such a loop all the same, which gains nothing,
# and takes the wrong elements where they are read in pairs backwards (a flipped axis of 2 inside an axis of 3).
IN_ORDER = ("-fno-tree-loop-vectorize",)


def _accumulates(nodes: list[UOp]) -> bool:
    """Whether a loop program keeps floats in memory that it reads again."""
    read, written = ({base(n.src[0]) for n in nodes if n.op is op} for op in (Ops.LOAD, Ops.STORE))
    return any(b.dtype.is_float for b in read & written)


def _args(program: UOp) -> tuple[Arg, ...]:
    nodes = program.toposort()
    found, written = buffers(nodes)
    read = {base(n.src[0]) for n in nodes if n.op is Ops.LOAD}
    return tuple(Arg(b.arg.slot, b.dtype, b.shape[0], b in written, b in read) for b in found)


def _position(args: tuple[Arg, ...], out: UOp) -> int:
    return next(k for k, a in enumerate(args) if a.slot == out.arg.slot)


def _compiled(
    name: str,
    rendered: Rendered,
    args: tuple[Arg, ...],
    outputs: tuple[Output, ...],
    program: UOp,
    origin: dict[UOp, list[UOp]],
) -> Compiled:
    flags = IN_ORDER if _accumulates(program.toposort()) else ()
    banner = (
        f"// cc {' '.join(('-O2 -std=gnu11 -ffp-contract=off', *flags))} -shared -fPIC {name}.c -o {name}.so -lm",
    )
    known = _inherited(program, origin)
    lines = tuple(_origins(nodes, known) for nodes in rendered.lines)
    return Compiled(
        name=name,
        source="\n".join(banner) + "\n" + rendered.source,
        symbol=name,
        args=args,
        outputs=outputs,
        line_origins=((),) * len(banner) + lines,
        checks=tuple(next(iter(origin.get(n, [n]))) for n in rendered.checks),
        sink=program,
        behind=known,
        flags=flags,
        kernels=(name,),
    )


def _inherited(program: UOp, origin: dict[UOp, list[UOp]]) -> dict[UOp, list[UOp]]:
    """`origin` for every node of a loop program: what was made on the way (part of an index, a guard, the declaration
    of an accumulator) comes from where those come from that use it."""
    known = dict(origin)
    for u in reversed(program.toposort()):
        sources = known.get(u, ())
        for s in u.src:
            if s not in origin:
                mine = known.setdefault(s, [])
                mine += [x for x in sources[:_MOST_ORIGINS] if x not in mine][: _MOST_ORIGINS - len(mine)]
    return known


def _origins(nodes: Iterable[UOp], origin: dict[UOp, list[UOp]]) -> tuple[UOp, ...]:
    return tuple(dict.fromkeys(source for n in nodes for source in origin.get(n, ())))
