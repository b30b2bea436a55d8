"""Everything that hover and `uir explain` say about one value of a file."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from uopc.analysis.cost import evaluations_in
from uopc.analysis.equation import subtrahend
from uopc.analysis.explanation import Explanation, Layout, Reduction, User
from uopc.analysis.expressions import expression, loop_letter
from uopc.analysis.index_map import index_map, is_tensor_step
from uopc.analysis.lints import findings
from uopc.analysis.names import Names, called
from uopc.analysis.strides import as_strided, is_contiguous, reason
from uopc.analysis.style import ASCII, MATH, Style, grouped, type_text
from uopc.analysis.summary import reduced_axes, summary
from uopc.analysis.trace import trace
from uopc.indexmap import valid
from uopc.ops import ALIASES, OPS
from uopc.uop import MOVEMENT, Ops, UOp, range_

if TYPE_CHECKING:
    from uopc.uir import Analysis, Near

    Source = Analysis | Near

MAX_LISTED = 12  # users and equal values that are listed
MAX_STEPS = 32  # movement operations that are followed to find strides
MAX_INNER = 4096  # operands of a line, and nodes that it is made of


def explain(analysis: Source, name: str, style: Style = MATH, *, traced: bool = False) -> Explanation:
    """What is known about the value `name` (with or without %). Raises KeyError when no line defines it."""
    bare = name.removeprefix("%")
    value = analysis.values[bare]
    known = _unknown(analysis, bare) if value.uop is None else _known(analysis, bare, value.uop, style, traced)
    lines = list(dict.fromkeys(line for line, _ in value.uses))
    users = tuple(User(f"%{analysis.statements[line].name}", line) for line in lines[:MAX_LISTED])
    return Explanation(
        name=f"%{bare}",
        line=value.line,
        op=value.statement.op,
        used_by=users,
        more_users=len(lines) - len(users),
        **known,
    )


def explain_json(analysis: Analysis, name: str) -> dict[str, Any]:
    """The object that `uir explain --json` prints and `uir/explain` answers with. Raises KeyError as `explain` does."""
    return explain(analysis, name, ASCII, traced=True).to_dict()


def naming(analysis: Source, own: str | None = None) -> Names:
    """The names a file gives to nodes.

    Seen from the line of `own`, its operands go by the names they have there, and what the line itself is made of (the
    permute in a `reduce axes=`) has none, although another line may define the same.
    """
    local = {} if own is None else _local_names(analysis, own)

    def name(u: UOp) -> str | None:
        if u in local:
            return local[u]
        found = analysis.names_of(u)
        return f"%{found[0]}" if found else None

    return name


def _local_names(analysis: Source, own: str) -> dict[UOp, str | None]:
    value = analysis.values[own]
    if value.uop is None:
        return {}
    local: dict[UOp, str | None] = {}
    for other in _operand_names(value.statement.operands):
        u = analysis.values[other].uop
        if u is not None:
            local[u] = f"%{other}"
    stack = list(value.uop.src)
    while stack and len(local) < MAX_INNER:
        u = stack.pop()
        if u not in local:
            local[u] = None
            stack.extend(u.src)
    local[value.uop] = f"%{own}"
    return local


# -- a known value -------------------------------------------------------------------------------------------------
def _known(analysis: Source, bare: str, u: UOp, style: Style, traced: bool) -> dict[str, Any]:
    names = naming(analysis, bare)
    op = analysis.values[bare].statement.op
    step = u.src[0] if op == "reduce" and u.op is Ops.RESHAPE else u  # keepdim is a reshape around the reduction
    found: dict[str, Any] = {
        "type": type_text(u),
        "summary": _summary(u, step, op, names),
        "zero": _zero(u, style),
        "same_as": tuple(f"%{n}" for n in analysis.names_of(u)[: MAX_LISTED + 1] if n != bare),
        "notes": tuple(f.text(names) for f in findings(step)),
        "trace": tuple(trace(u, names, style)) if traced else (),
    }
    if step.op is Ops.REDUCE:
        found["reduction"] = _reduction(analysis, step, names)
    if u.op is Ops.CALL:
        return found | _substituted(u, names, style)
    return found | _mapped(u, names, style, step.op in MOVEMENT) if is_tensor_step(u) else found


def _substituted(u: UOp, names: Names, style: Style) -> dict[str, Any]:
    """The index map of a call: that of its body with the arguments in the place of the params."""
    from uopc.pipeline import applied  # only a call needs it

    if len(u.src[0].toposort()) > MAX_INNER:
        return {}
    body = applied(u.src[0], u.src[1:])
    return _mapped(body, lambda x: names(u if x is body else x), style, False) if is_tensor_step(body) else {}


def _mapped(u: UOp, names: Names, style: Style, moves: bool) -> dict[str, Any]:
    """The index map of a tensor value, and its layout in memory."""
    mapped = index_map(u, names)
    strided = as_strided(u, MAX_STEPS)
    return {
        "equation": mapped.equation(style),
        "places": mapped.places(style) if u.op is not Ops.BUFFER else (),
        "reads": mapped.counts() if u.op is not Ops.BUFFER else (),
        "layout": Layout(strided[1], strided[2], is_contiguous(strided)) if strided else None,
        "why_not_strided": reason(u, names) if strided is None and moves else "",
    }


def _summary(u: UOp, step: UOp, op: str, names: Names) -> str:
    subtracted = subtrahend(u, names) if op == "sub" else None
    if subtracted is not None:
        return f"{called(u.src[0], names)} minus {called(subtracted, names)}"
    text = summary(step, names)
    return f"{text}, leaving size 1" if step is not u else text


def _zero(u: UOp, style: Style) -> str:
    """Where a pad is zero."""
    guard = valid(u, tuple(range_(n, k) for k, n in enumerate(u.shape))) if u.op is Ops.PAD else None
    return "" if guard is None else f"0 unless {expression(guard, loop_letter, style)}"


def _reduction(analysis: Source, u: UOp, names: Names) -> Reduction:
    axes, below = reduced_axes(u, names)
    removed = tuple((k, below.shape[k]) for k in axes)
    steps = 2 if below.op is Ops.MUL else 1  # a contraction multiplies and adds
    sizes = [*u.shape, *(n for _, n in removed)]
    factors = [str(steps)] * (steps > 1) + [grouped(n) for n in sizes]
    return Reduction(
        axes=removed,
        elements=prod(u.shape),
        operations=steps * prod(sizes),
        formula="·".join(factors) if len(factors) > 1 else "",
        evaluations=_evaluations(analysis, u),
    )


def _evaluations(analysis: Source, u: UOp) -> int | None:
    root = analysis.root
    return evaluations_in(root, u) if root is not None and analysis.kind == "shaped" else None


# -- an unknown value ----------------------------------------------------------------------------------------------
def _unknown(analysis: Source, bare: str) -> dict[str, Any]:
    """What the operation does and what its operands are; and why the value itself is not known."""
    statement = analysis.values[bare].statement
    spec = OPS.get(ALIASES.get(statement.op, statement.op))
    operands = [(n, analysis.values[n].uop) for n in _operand_names(statement.operands) if n in analysis.values]
    return {
        "type": "",
        "summary": spec.doc if spec is not None else "",
        "notes": tuple(f"%{n} is {type_text(u)}" for n, u in dict(operands).items() if u is not None),
        "unknown": _why_unknown(analysis, bare),
    }


def _why_unknown(analysis: Source, bare: str) -> str:
    """The first error of the value's own line, or the operand that is itself unknown."""
    value = analysis.values[bare]
    for d in analysis.diagnostics:
        if d.line == value.line and d.severity.value == "error":
            return f"its definition has an error: {d.message}"
    for other in _operand_names(value.statement.operands):
        found = analysis.values.get(other)
        if found is not None and found.uop is None:
            return f"it is made from %{other}, which is unknown (line {found.line + 1})"
    return "its definition is not complete"


def _operand_names(operands: Any) -> Iterator[str]:
    """The names among the operands; numbers and groups have none."""
    return (o.name for o in operands if hasattr(o, "name"))
