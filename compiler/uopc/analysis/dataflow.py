"""What computes what: the values of a file as a graph to be drawn, with the kernels that the fast program makes.

One node a statement, one edge an operand. Index arithmetic (numbers that end in addresses only) is marked as such, so
that a drawing can fold it away.
"""

from __future__ import annotations

from dataclasses import dataclass

from uopc.fast.program import FastProgram, fast_program
from uopc.ops import ALU, MOVEMENT, Ops
from uopc.pipeline import CompileError, fast_opts, inline_calls, is_loop_program, shaped
from uopc.uir import Analysis, Ref, Statement, Value
from uopc.uop import UOp, UOpError

_MOST_DETAIL = 40  # characters of a node's arguments


@dataclass(frozen=True)
class FlowNode:
    """A value. role: input, constant, view, compute, reduce, memory (addresses, loads, stores) or order (ranges, ends,
    sinks); kernel: the kernel that computes it first, by position, None for what none computes; index: it is index
    arithmetic; output: the program gives it."""

    name: str
    op: str
    detail: str
    line: int
    dtype: str
    shape: tuple[int, ...]
    role: str
    kernel: int | None
    index: bool
    output: bool


@dataclass(frozen=True)
class FlowEdge:
    """`target` reads `source`, both positions among the nodes, in the order of the operands."""

    source: int
    target: int


@dataclass(frozen=True)
class FlowKernel:
    """A function of the fast program: its name, and the types of what it computes."""

    name: str
    about: str


@dataclass(frozen=True)
class DataFlow:
    """The graph of a file. message: why there are no kernels, where there are none."""

    nodes: tuple[FlowNode, ...]
    edges: tuple[FlowEdge, ...]
    kernels: tuple[FlowKernel, ...]
    message: str = ""


def data_flow(analysis: Analysis, name: str = "program") -> DataFlow:
    """The graph of every statement that is known, even where others are broken; kernels, named after the
    function `name`, only for a program without errors. Linear in statements, apart from compiling it."""
    values = [v for v in analysis.values.values() if v.uop is not None]
    place = {v.name: k for k, v in enumerate(values)}
    edges = tuple(
        FlowEdge(place[name], k) for k, v in enumerate(values) for name in _operands(v.statement) if name in place
    )
    calls, kernels, message = _kernels(analysis, name)
    index = _index_arithmetic(values, edges)
    outputs = {o.name for o in analysis.outputs}
    nodes = tuple(_node(analysis, v, calls, k in index, v.name in outputs) for k, v in enumerate(values))
    return DataFlow(nodes, edges, kernels, message)


def _operands(statement: Statement) -> list[str]:
    return [o.name for o in statement.operands if isinstance(o, Ref)]


def _node(analysis: Analysis, value: Value, calls: dict[UOp, int], index: bool, output: bool) -> FlowNode:
    u = value.uop
    assert u is not None
    role = "reduce" if value.statement.op == "reduce" else _role(u)
    kernel = None if role in ("input", "constant", "order") else calls.get(_computed(u))
    st = value.statement
    detail = _detail(analysis.lines[value.line], st)
    return FlowNode(value.name, st.op, detail, value.line, str(u.dtype), u.shape, role, kernel, index, output)


def _computed(u: UOp) -> UOp:
    """What a stage and what comes after a store stand for."""
    while u.op in (Ops.STAGE, Ops.AFTER):
        u = u.src[0]
    return u


def _detail(text: str, st: Statement) -> str:
    """The arguments as they are written, without the operands that are values."""
    spans = [o.span for o in st.operands if not isinstance(o, Ref)]
    words = [text[s.start : s.end] for s in spans]
    words += [text[a.name_span.start : a.span.end] for a in st.attrs.values()]
    shown = " ".join(words)
    return shown if len(shown) <= _MOST_DETAIL else shown[: _MOST_DETAIL - 1] + "…"


def _role(u: UOp) -> str:
    if u.op in (Ops.BUFFER, Ops.PARAM, Ops.ALLOC):
        return "input"
    if u.op is Ops.CONST:
        return "constant"
    if u.op in MOVEMENT or u.op is Ops.STACK:
        return "view"
    if u.op is Ops.REDUCE:
        return "reduce"
    if u.op in ALU or u.op in (Ops.CAST, Ops.BITCAST, Ops.CALL, Ops.STAGE):
        return "compute"
    return "memory" if u.op in (Ops.INDEX, Ops.LOAD, Ops.STORE, Ops.AFTER) else "order"


# -- index arithmetic ----------------------------------------------------------------------------------------------
def _index_arithmetic(values: list[Value], edges: tuple[FlowEdge, ...]) -> set[int]:
    """The nodes whose every reader takes them as an index, or is index arithmetic itself."""
    readers: list[list[int]] = [[] for _ in values]
    for e in edges:
        readers[e.source].append(e.target)
    found: set[int] = set()
    for k in range(len(values) - 1, -1, -1):
        u = values[k].uop
        assert u is not None
        number = u.shape == () and not u.dtype.is_float and (u.op in ALU or u.op in (Ops.CAST, Ops.CONST))
        if number and readers[k] and all(_as_index(values[r], u) or r in found for r in readers[k]):
            found.add(k)
    return found


def _as_index(reader: Value, u: UOp) -> bool:
    r = reader.uop
    return r is not None and r.op is Ops.INDEX and u in r.src[1:] and u is not r.src[0]


# -- kernels -------------------------------------------------------------------------------------------------------
def _kernels(analysis: Analysis, name: str) -> tuple[dict[UOp, int], tuple[FlowKernel, ...], str]:
    """Which call computes a node first, and the calls in their order."""
    root = analysis.root
    if root is None:
        return {}, (), "the file has errors" if analysis.has_errors else ""
    try:
        root = inline_calls(root)
        if is_loop_program(root):
            return {}, (), "a loop program is run as it is written"
        made = fast_program(shaped(root).pairs, name, fast_opts())
    except (CompileError, UOpError) as error:
        return {}, (), str(error)
    return _owners(made), tuple(FlowKernel(c.name, _about(made, k)) for k, c in enumerate(made.calls)), ""


def _owners(made: FastProgram) -> dict[UOp, int]:
    owners: dict[UOp, int] = {}
    for k, call in enumerate(made.calls):
        for stage in call.stages:
            for node in stage.value.toposort():
                owners.setdefault(stage.origin.get(node, node), k)
            owners.setdefault(stage.node, k)
    return owners


def _about(made: FastProgram, k: int) -> str:
    """The types of what a kernel computes, each once."""
    types = (f"{s.out.dtype}[{', '.join(map(str, s.value.shape))}]" for s in made.calls[k].stages)
    return ", ".join(dict.fromkeys(types))
