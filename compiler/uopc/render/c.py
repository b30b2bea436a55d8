"""A loop program as one C function: loops, accumulators, loads and stores, one statement a line.

Every line knows the nodes it was written for (`Rendered.lines`): a side table, not comments, that later views read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from uopc.linearize import linearize
from uopc.ops import ALU, AxisType, Ops
from uopc.render.headers import includes
from uopc.render.scalar import Helpers, bare, expression, fits
from uopc.render.types import C_TYPES, constant
from uopc.symbolic import bounds
from uopc.typerules import ParamArg
from uopc.uop import UOp

# Longer expressions get a name: compilers and readers both give up on deep nesting.
_MAX_EXPRESSION = 160
# Cheap enough to be written again inside a loop instead of being named before it.
_CHEAP = frozenset({Ops.ADD, Ops.MUL, Ops.CMPLT, Ops.CMPNE, Ops.AND, Ops.OR, Ops.NOT, Ops.WHERE, Ops.CAST, Ops.NEG})


@dataclass(frozen=True)
class Rendered:
    """C text, the loop-program nodes behind each of its lines, and the accesses that it checks while it runs."""

    source: str
    lines: tuple[tuple[UOp, ...], ...]
    checks: tuple[UOp, ...]


@dataclass
class _Writer:
    """What has been written so far: lines with their nodes, and the C text of every node."""

    name: str
    nodes: list[UOp]
    text: dict[UOp, str] = field(default_factory=dict)
    behind: dict[UOp, tuple[UOp, ...]] = field(default_factory=dict)  # nodes whose text is part of this node's text
    lines: list[tuple[str, tuple[UOp, ...]]] = field(default_factory=list)
    indent: int = 1
    count: int = 0
    helpers: Helpers = field(default_factory=Helpers)
    uses: Counter[UOp] = field(default_factory=Counter)
    inner_use: set[UOp] = field(default_factory=set)
    checks: dict[UOp, int] = field(default_factory=dict)  # checked access -> its number, from 1
    scoped: set[UOp] = field(default_factory=set)  # accumulators that are declared in the loops an AFTER names
    guarded: dict[UOp, UOp] = field(default_factory=dict)
    added: Counter[UOp] = field(default_factory=Counter)  # how often a node is an operand of a sum

    def line(self, text: str, *nodes: UOp) -> None:
        behind = dict.fromkeys(n for u in nodes for n in (u, *self.behind.get(u, ())))
        self.lines.append(("  " * self.indent + text, tuple(behind)))

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"


def render(sink: UOp, name: str, *, check: bool = False) -> Rendered:
    """A loop program (a SINK of stores in loops) as a C function `name`.

    With `check`, loads and stores that bounds analysis cannot keep inside are checked at run time: the function returns
    int, 0 or the number of the failed check. Raises UOpError when the loops cannot be ordered.
    """
    nodes = linearize(sink)
    writer = _Writer(name, nodes)
    unproven = [n for n in nodes if check and not _inside(n)]
    writer.checks = {n: k for k, n in enumerate(unproven, 1)}
    _count_uses(writer)
    for node in nodes:
        _node(writer, node)
    return _assemble(writer)


def function_lines(sink: UOp, name: str, helpers: Helpers) -> list[tuple[str, tuple[UOp, ...]]]:
    """The lines inside the function of a loop program; `helpers` gets the functions that they call."""
    nodes = linearize(sink)
    writer = _Writer(name, nodes, helpers=helpers)
    _count_uses(writer)
    for node in nodes:
        _node(writer, node)
    return writer.lines


def _assemble(w: _Writer) -> Rendered:
    head: list[tuple[str, tuple[UOp, ...]]] = []
    for text in w.helpers.texts.values():
        head += [("", ()), *((t, ()) for t in text.split("\n"))]
    kind = "int" if w.checks else "void"
    lines = [*head, ("", ()), (f"{kind} {w.name}({_parameters(w.nodes)}) {{", ()), *w.lines]
    if w.checks:
        lines.append(("  return 0;", ()))
    lines.append(("}", ()))
    lines = [*((text, ()) for text in includes(t for t, _ in lines)), *lines]
    return Rendered("\n".join(t for t, _ in lines) + "\n", tuple(n for _, n in lines), tuple(w.checks))


def buffers(nodes: list[UOp]) -> tuple[list[UOp], set[UOp]]:
    """(the buffers of a loop program in parameter order: read ones by slot, then written ones; which are written)."""
    found = [n for n in nodes if n.op is Ops.BUFFER]
    written = {base(n.src[0]) for n in nodes if n.op is Ops.STORE}
    return sorted(found, key=lambda b: (b in written, b.arg.slot)), {b for b in written if b.op is Ops.BUFFER}


def base(address: UOp) -> UOp:
    """The BUFFER or ALLOC behind an address."""
    while address.op in (Ops.INDEX, Ops.AFTER, Ops.RESHAPE):
        address = address.src[0]
    return address


def _parameters(nodes: list[UOp]) -> str:
    found, written = buffers(nodes)
    parts = [f"{'' if b in written else 'const '}{C_TYPES[b.dtype]}* restrict data{b.arg.slot}" for b in found]
    return ", ".join(parts) or "void"


# -- which nodes get a name ----------------------------------------------------------------------------------------
def _count_uses(w: _Writer) -> None:
    depth = {n: len(n.ranges) for n in w.nodes}
    for n in w.nodes:
        w.uses.update(n.src)
        if n.op is Ops.ADD:
            w.added.update(n.src)
        w.inner_use.update(s for s in n.src if depth[n] > depth[s])
        if n.op is Ops.AFTER and n.src[0].op is Ops.ALLOC and all(s.op is Ops.RANGE for s in n.src[1:]):
            w.scoped.add(n.src[0])
    written = {base(n.src[0]) for n in w.nodes if n.op is Ops.STORE}
    for n in w.nodes:
        load = guarded_load(n)
        # Memory that the program writes is read where the load stands, not where its value is used.
        if load is not None and w.uses[load] == 1 and base(load.src[0]) not in written:
            w.guarded[load] = n


def guarded_load(n: UOp) -> UOp | None:
    """The load in `where(c, load(buffer[where(c, i, 0)]), other)`: C's ?: does not evaluate it where c is false."""
    if n.op is not Ops.WHERE or n.src[1].op is not Ops.LOAD:
        return None
    index = n.src[1].src[0].src[1]
    conditions = _conjuncts(n.src[0])
    return n.src[1] if index.op is Ops.WHERE and _conjuncts(index.src[0]) <= conditions else None


def _conjuncts(c: UOp) -> set[UOp]:
    found, todo = set(), [c]
    while todo:
        n = todo.pop()
        if n.op is Ops.AND:
            todo.extend(n.src)
        else:
            found.add(n)
    return found


def _needs_name(w: _Writer, n: UOp, text: str) -> bool:
    if _is_negative(n) and n.src[1].arg == -1 and w.added[n] == w.uses[n]:
        return False  # every use is a subtraction
    if w.uses[n] > 1:
        return n.op is not Ops.CAST or not text.replace("(", "").isalnum()
    return len(text) > _MAX_EXPRESSION or (n in w.inner_use and n.op not in _CHEAP)


# -- one node ------------------------------------------------------------------------------------------------------
def _node(w: _Writer, n: UOp) -> None:
    rule = _WRITE.get(n.op)
    if rule is not None:
        rule(w, n)
    elif n.op in ALU:
        _alu(w, n)
    elif n.op in (Ops.AFTER, Ops.INDEX):
        w.text[n] = w.text[n.src[0]]


def _const(w: _Writer, n: UOp) -> None:
    text = constant(n.arg, n.dtype)
    w.text[n] = f"({text})" if text.startswith("-") else text


def _alu(w: _Writer, n: UOp) -> None:
    text = _subtraction(w, n) or expression(n, tuple(w.text[s] for s in n.src), w.helpers)
    inside = [s for s in n.src if s.op in ALU or s in w.guarded]
    w.behind[n] = tuple(dict.fromkeys(b for s in inside for b in (s, *w.behind.get(s, ()))))
    if _needs_name(w, n, text):
        name = w.fresh("alu")
        w.line(f"{C_TYPES[n.dtype]} {name} = {bare(text)};", n)
        w.behind[n] = ()
        text = name
    w.text[n] = text


def _subtraction(w: _Writer, n: UOp) -> str | None:
    """a + b * -k as a - b * k: the same number for floats, and for integers where the difference fits."""
    if n.op is not Ops.ADD or n.dtype.bits < 32 or n.dtype.is_unsigned:
        return None
    for a, b in (n.src, n.src[::-1]):
        if _is_negative(b) and not w.text[b].isidentifier() and not _is_negative(a) and _fits(n):
            k = -b.src[1].arg
            minus = w.text[b.src[0]] if k == 1 else f"({w.text[b.src[0]]}*{constant(k, n.dtype)})"
            return f"({w.text[a]}-{minus})"
    return None


def _is_negative(b: UOp) -> bool:
    if b.op is not Ops.MUL or b.src[1].op is not Ops.CONST:
        return False
    return bool(b.src[1].arg == -1 if b.dtype.is_float else b.src[1].arg < 0) and _fits(b)


def _fits(n: UOp) -> bool:
    return n.dtype.is_float or fits(n)


def _address(w: _Writer, address: UOp, guarded: bool = False) -> str:
    index = address
    while index.op is Ops.AFTER:
        index = index.src[0]
    memory = base(index)
    if memory.op is Ops.ALLOC and memory.shape == (1,):
        return w.text[memory]
    i = index.src[1] if len(index.src) > 1 else None
    if i is None:
        return f"{w.text[memory]}[0]"
    return f"{w.text[memory]}[{bare(w.text[i.src[1]] if guarded else w.text[i])}]"


def _arithmetic(address: UOp) -> tuple[UOp, ...]:
    """What is computed in an address (a counter by itself belongs to its loop)."""
    while address.op is Ops.AFTER:
        address = address.src[0]
    return tuple(i for i in address.src[1:2] if i.op is not Ops.RANGE)


def _load(w: _Writer, n: UOp) -> None:
    _check(w, n)
    if n in w.guarded:
        w.text[n] = _address(w, n.src[0], guarded=True)
        w.behind[n] = (n,)
        return
    name = w.fresh("val")
    w.line(f"{C_TYPES[n.dtype]} {name} = {_address(w, n.src[0])};", n, *_arithmetic(n.src[0]))
    w.text[n] = name


def _store(w: _Writer, n: UOp) -> None:
    _check(w, n)
    w.line(f"{_address(w, n.src[0])} = {bare(w.text[n.src[1]])};", n, n.src[1], *_arithmetic(n.src[0]))


def _inside(n: UOp) -> bool:
    """Whether a load or store is provably within its memory (everything else is)."""
    if n.op not in (Ops.LOAD, Ops.STORE):
        return True
    index = n.src[0]
    while index.op is Ops.AFTER:
        index = index.src[0]
    return all(lo >= 0 and hi < size for (lo, hi), size in zip(map(bounds, index.src[1:]), base(index).shape))


def _check(w: _Writer, n: UOp) -> None:
    if not w.checks or _inside(n):
        return
    index = n.src[0]
    while index.op is Ops.AFTER:
        index = index.src[0]
    i, size = w.text[index.src[1]], base(index).shape[0]
    w.line(f"if ({i} < 0 || {i} >= {size}) return {w.checks[n]};", n)


def _alloc(w: _Writer, n: UOp) -> None:
    w.text[n] = f"acc{n.arg.slot}"
    if n not in w.scoped:
        _declare(w, n)


def _declare(w: _Writer, n: UOp) -> None:
    size = "" if n.shape == (1,) else f"[{n.shape[0]}]"
    w.line(f"{C_TYPES[n.dtype]} {w.text[n]}{size};", n)


def _range(w: _Writer, n: UOp) -> None:
    name = w.text[n] = f"ridx{n.arg.idx}"
    if n.arg.kind is AxisType.THREAD and not w.checks:
        w.line("#pragma omp parallel for", n)
    w.line(f"for ({C_TYPES[n.dtype]} {name} = 0; {name} < {n.arg.size}; {name}++) {{", n)
    w.indent += 1


def _end(w: _Writer, n: UOp) -> None:
    for _ in n.src[1:]:
        w.indent -= 1
        w.line("}", n)


def _buffer(w: _Writer, n: UOp) -> None:
    arg: ParamArg = n.arg
    w.text[n] = f"data{arg.slot}"


def _after(w: _Writer, n: UOp) -> None:
    w.text[n] = w.text[n.src[0]]
    # The first AFTER of an accumulator says in which loops it lives: there it is declared.
    memory = n.src[0]
    if memory in w.scoped and all(s.op is Ops.RANGE for s in n.src[1:]):
        w.scoped.discard(memory)
        _declare(w, memory)


_WRITE = {
    Ops.CONST: _const,
    Ops.LOAD: _load,
    Ops.STORE: _store,
    Ops.ALLOC: _alloc,
    Ops.RANGE: _range,
    Ops.END: _end,
    Ops.BUFFER: _buffer,
    Ops.AFTER: _after,
}
