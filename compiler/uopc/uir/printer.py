"""A graph as text: `parse(dump(root)) is root`.

Constants are written as operands where the checker's inference gives the same dtype back, elsewhere on lines of their
own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from uopc.broadcast import broadcast_shape, broadcast_to
from uopc.dtype import DType, Scalar, dtypes
from uopc.errors import UOpError
from uopc.ops import ALU, MOVEMENT, Ops
from uopc.uir.elaborate import number_dtypes
from uopc.uop import UOp

# Operands of these are names only: what they do is about the value, not about its number.
_NAMES_ONLY = frozenset({Ops.SINK, Ops.GROUP, Ops.END, Ops.AFTER, Ops.LOAD, Ops.CALL})
_BROADCASTING = ALU - {Ops.CAST, Ops.BITCAST}
_ROUND_DIGITS = {16: (5,), 32: (6, 7, 8, 9), 64: (15, 16, 17)}


def dump(root: UOp) -> str:
    """The program whose root is `root`, in the chapter's syntax. Raises ValueError on a node that has no text."""
    names: dict[UOp, str] = {}
    return "".join(f"{text}\n" for text, _ in dump_lines(root, lambda u: names.setdefault(u, f"%{len(names)}")))


def dump_lines(root: UOp, name: Callable[[UOp], str], order: Sequence[UOp] | None = None) -> list[tuple[str, UOp]]:
    """The lines of that program with their nodes; `name` gives each node its own name (with %), in order.

    order: another than the graph's own, with operands before their users and the root last.
    """
    order = root.toposort() if order is None else order
    numbers = {u: _inline(u) for u in order if u.src}
    needed = _needed(order, numbers)
    lines = []
    for u in order:
        if u in needed:
            operands = [text if text is not None else name(s) for s, text in zip(u.src, numbers.get(u, ()))]
            lines.append((f"{name(u)} = {statement_text(u, operands)}", u))
    return lines


def _needed(order: Sequence[UOp], numbers: dict[UOp, list[str | None]]) -> set[UOp]:
    """The nodes that get a line: the root, and every operand that is not written as a number."""
    needed = {order[-1]}
    for u in reversed(order):
        if u in needed:
            needed.update(s for s, text in zip(u.src, numbers.get(u, ())) if text is None)
    return needed


# -- constants as operands ------------------------------------------------------------------------------------------
def _inline(u: UOp) -> list[str | None]:
    """For each operand the number to write for it, None where a name is needed."""
    consts: list[UOp | None] = [None] * len(u.src)
    if u.op not in _NAMES_ONLY:
        consts = [_constant(s, u.op) for s in u.src]
    for _ in range(3):
        wrong = next((k for k, c in enumerate(consts) if c is not None and not _comes_back(u, consts, k)), None)
        if wrong is None:
            return [None if c is None else number_text(c.arg, c.dtype) for c in consts]
        consts[wrong] = None
    return [None] * len(u.src)


def _constant(s: UOp, op: Ops) -> UOp | None:
    """The constant that an operand is, perhaps broadcast as elementwise operations do it."""
    c = s
    if op in _BROADCASTING and c.op is Ops.EXPAND:
        c = c.src[0]
    if op in _BROADCASTING and c.op is Ops.RESHAPE:
        c = c.src[0]
    if c.op is not Ops.CONST:
        return None
    return c if broadcast_to(c, s.shape) is s else None


def _comes_back(u: UOp, consts: list[UOp | None], k: int) -> bool:
    """Whether the checker makes the same node of the number at operand k."""
    known = [s if c is None else None for s, c in zip(u.src, consts)]
    values = [None if c is None else c.arg for c in consts]
    c = consts[k]
    assert c is not None
    if number_dtypes(u.op.value, known, values)[k] is not c.dtype:
        return False
    if u.op not in _BROADCASTING:
        return True
    try:
        return broadcast_shape(*(s.shape if s is not None else () for s in known)) == u.shape
    except UOpError:
        return False


def number_text(value: Scalar, dtype: DType) -> str:
    """A constant as the language writes it: the shortest text that gives the same bits in its dtype."""
    if dtype.is_bool:
        return "true" if value else "false"
    if not dtype.is_float:
        return str(int(value))
    if value != value or value in (float("inf"), float("-inf")):
        return repr(float(value))
    for digits in _ROUND_DIGITS[dtype.bits]:
        text = f"{value:.{digits}g}"
        if dtypes.round(dtype, float(text)) == value:
            break
    else:
        text = repr(float(value))
    return text if any(c in text for c in ".e") else text + ".0"


# -- statements -----------------------------------------------------------------------------------------------------
def statement_text(u: UOp, operands: list[str]) -> str:
    """`operation operands : keywords` of one node."""
    if u.op is Ops.ASSUME:
        raise ValueError("a node that exists only inside the lowering has no text")
    positional, keywords = _ARGUMENTS.get(u.op, _no_arguments)(u.arg, u)
    items = [*operands, *positional]
    head = f"{u.op.value} {', '.join(items)}" if items else u.op.value
    return f"{head} : {keywords}" if keywords else head


_Arguments = Callable[[Any, UOp], tuple[list[str], str]]


def _no_arguments(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [], ""


def _movement(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [str(arg)], ""


def _memory(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [str(arg.shape[0])], f"dtype={arg.dtype} slot={arg.slot}"


def _param(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [str(arg.shape)], f"dtype={arg.dtype} slot={arg.slot}"


def _range(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [str(arg.size)], f"idx={arg.idx} kind={arg.kind.value}"


def _const(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [number_text(arg, u.dtype)], f"dtype={u.dtype}"


def _reduce(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [], f"op={arg[0].value} pop={arg[1]}"


def _cast(arg: Any, u: UOp) -> tuple[list[str], str]:
    return [], f"dtype={arg}"


_ARGUMENTS: dict[Ops, _Arguments] = {
    **dict.fromkeys(MOVEMENT, _movement),
    **dict.fromkeys((Ops.BUFFER, Ops.ALLOC), _memory),
    **dict.fromkeys((Ops.CAST, Ops.BITCAST), _cast),
    Ops.PARAM: _param,
    Ops.RANGE: _range,
    Ops.CONST: _const,
    Ops.REDUCE: _reduce,
}
