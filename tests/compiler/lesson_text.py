"""Programs in the lesson's syntax: keyword arguments in brackets, no colon, and reductions over the leading axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uopc.ops import Ops
from uopc.uop import UOp


def lesson_text(root: UOp) -> str:
    """A program with the value of `root`. Each reduction of last axes becomes a permute and one of leading axes."""
    names: dict[UOp, str] = {}
    lines = ["# uir: reduce=leading"]
    for u in root.toposort():
        names[u] = f"%v{len(names)}"
        operands = [names[s] for s in u.src]
        if u.op is Ops.REDUCE:
            rank, n = len(u.src[0].shape), u.arg[1]
            order = [*range(rank - n, rank), *range(rank - n)]
            lines.append(f"{names[u]}.t = permute {operands[0]} order={_list(order)}")
            operands = [f"{names[u]}.t"]
        lines.append(f"{names[u]} = {u.op.value} {', '.join(operands)} {_arguments(u)}".rstrip())
    return "\n".join(lines) + "\n"


def _arguments(u: UOp) -> str:
    if u.op is Ops.BUFFER:
        return f"n={u.arg.shape[0]} dtype={u.dtype} slot={u.arg.slot}"
    if u.op is Ops.CONST:
        return f"value={_number(u.arg)} dtype={u.dtype}"
    if u.op in (Ops.CAST, Ops.BITCAST):
        return f"dtype={u.arg}"
    if u.op is Ops.REDUCE:
        return f"op={u.arg[0].value} pop={u.arg[1]}"
    keyword = _KEYWORDS.get(u.op)
    return f"{keyword}={_list(u.arg)}" if keyword else ""


_KEYWORDS = {
    Ops.RESHAPE: "shape",
    Ops.EXPAND: "shape",
    Ops.PERMUTE: "order",
    Ops.SHRINK: "bounds",
    Ops.PAD: "pads",
    Ops.FLIP: "axes",
}


def _number(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _list(items: Sequence[Any]) -> str:
    return f"[{' '.join(_list(i) if isinstance(i, tuple) else str(i) for i in items)}]"
