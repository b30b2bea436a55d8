"""What a step does, in one phrase: "keeps rows 1..2, columns 0..2 of %2"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uopc.analysis.names import Names, called, constant_text
from uopc.analysis.style import counted, elements, grouped
from uopc.typerules import Shape
from uopc.uop import Ops, UOp

MAX_NAMED = 4  # operands that are named in a phrase

_PHRASES = {
    Ops.ADD: "the sum of {0} and {1}",
    Ops.MUL: "the product of {0} and {1}",
    Ops.MAX: "the larger of {0} and {1}",
    Ops.CMPLT: "whether {0} is less than {1}",
    Ops.CMPNE: "whether {0} differs from {1}",
    Ops.FLOORDIV: "{0} divided by {1}, rounded down",
    Ops.FLOORMOD: "the remainder of {0} divided by {1}",
    Ops.AND: "{0} and {1}, bit by bit",
    Ops.OR: "{0} or {1}, bit by bit",
    Ops.XOR: "{0} exclusive or {1}, bit by bit",
    Ops.SHL: "{0} shifted left by {1}",
    Ops.SHR: "{0} shifted right by {1}",
    Ops.NEG: "the negative of {0}",
    Ops.RECIP: "one over {0}",
    Ops.EXP2: "two to the power {0}",
    Ops.LOG2: "the logarithm of {0} to base two",
    Ops.SQRT: "the square root of {0}",
    Ops.SIN: "the sine of {0}",
    Ops.TRUNC: "the whole part of {0}",
    Ops.NOT: "true where {0} is false",
    Ops.WHERE: "{1} where {0} holds, else {2}",
    Ops.STAGE: "computes {0} once and keeps it in memory",
    Ops.LOAD: "reads memory at {0}",
    Ops.STORE: "writes {1} to {0}",
    Ops.AFTER: "{0}, once what follows it is done",
}
_REDUCING = {Ops.ADD: "sums", Ops.MAX: "takes the maximum of", Ops.MUL: "multiplies"}


def summary(u: UOp, names: Names) -> str:
    """The phrase for a node's step."""
    writer = _WRITERS.get(u.op)
    if writer is not None:
        return writer(u, names)
    phrase = _PHRASES.get(u.op)
    return phrase.format(*(called(s, names) for s in u.src)) if phrase else u.op.value


def axis_word(k: int, rank: int) -> str:
    """What axis k of a value is called when several of its entries are meant."""
    if rank == 1:
        return "elements"
    return ("rows", "columns")[k] if rank == 2 else f"axis {k}"


def _reshape(u: UOp, names: Names) -> str:
    old, new = u.src[0].shape, u.shape
    x = called(u.src[0], names)
    if len(new) == 1 and len(old) > 1:
        return f"flattens {x} into {counted(elements(new), 'element')}, row by row"
    if tuple(n for n in old if n != 1) == tuple(n for n in new if n != 1) and old != new:
        verb = "adds" if len(new) > len(old) else "removes" if len(new) < len(old) else "moves"
        return f"{verb} axes of size 1: {old} becomes {new}"
    return f"reads {x} in row-major order as {new}"


def _expand(u: UOp, names: Names) -> str:
    grown = [(k, n) for k, (o, n) in enumerate(zip(u.src[0].shape, u.shape)) if o != n]
    x = called(u.src[0], names)
    if not grown:
        return f"is {x} itself"
    return f"repeats {x} " + ", ".join(f"{grouped(n)} times along axis {k}" for k, n in grown)


def _permute(u: UOp, names: Names) -> str:
    x = called(u.src[0], names)
    return (
        f"transposes {x}" if u.arg == (1, 0) else f"reorders the axes of {x}: {_listed(u.arg)} become {_axes(u.shape)}"
    )


def _axes(shape: Shape) -> str:
    return _listed(range(len(shape)))


def _listed(items: Sequence[int]) -> str:
    return ", ".join(map(str, items))


def _shrink(u: UOp, names: Names) -> str:
    rank = len(u.shape)
    parts = []
    for k, (b, e) in enumerate(u.arg):
        word = axis_word(k, rank)
        window = "none" if b == e else str(b) if e == b + 1 else f"{b}..{e - 1}"
        parts.append(f"no {word}" if b == e and rank <= 2 else f"{word} {window}")
    return f"keeps {', '.join(parts)} of {called(u.src[0], names)}" if parts else f"is {called(u.src[0], names)} itself"


def _pad(u: UOp, names: Names) -> str:
    parts = [f"axis {k}: {b} before, {a} after" for k, (b, a) in enumerate(u.arg) if (b, a) != (0, 0)]
    x = called(u.src[0], names)
    return f"puts zeros around {x} ({'; '.join(parts)})" if parts else f"is {x} itself"


def _flip(u: UOp, names: Names) -> str:
    x = called(u.src[0], names)
    which = " and ".join(f"axis {k}" for k in u.arg)
    return f"reverses {which} of {x}" if u.arg else f"is {x} itself"


def _stack(u: UOp, names: Names) -> str:
    shown = ", ".join(called(s, names) for s in u.src[:MAX_NAMED])
    more = f" and {counted(len(u.src) - MAX_NAMED, 'other')}" if len(u.src) > MAX_NAMED else ""
    return f"puts {counted(len(u.src), 'value')} side by side along a new axis 0: {shown}{more}"


def _index(u: UOp, names: Names) -> str:
    entries = ", ".join(called(i, names) for i in u.src[1:])
    what = "entry" if len(u.src) == 2 else "entries"
    return f"takes {what} {entries} of {called(u.src[0], names)}" if entries else f"is {called(u.src[0], names)} itself"


def _reduce(u: UOp, names: Names) -> str:
    axes, below = reduced_axes(u, names)
    if not axes:
        return f"is {called(below, names)} itself"
    over = " and ".join(f"axis {k} ({counted(below.shape[k], 'entry')})" for k in axes)
    return f"{_REDUCING[u.arg[0]]} {called(below, names)} over {over}"


def reduced_axes(u: UOp, names: Names) -> tuple[tuple[int, ...], UOp]:
    """The axes a REDUCE removes, as axes of the value a person wrote, and that value: the permute that brings them to
    the end is not in the text."""
    x = u.src[0]
    order = tuple(range(len(x.shape)))
    while x.op is Ops.PERMUTE and names(x) is None:
        order = tuple(x.arg[k] for k in order)
        x = x.src[0]
    return tuple(sorted(order[len(u.shape) :])), x


def _memory(u: UOp, names: Names) -> str:
    what = "input buffer" if u.op is Ops.BUFFER else "local memory"
    n = elements(u.shape)
    return f"{what} {u.arg.slot}: {counted(n, 'element')}, {counted(n * u.dtype.itemsize, 'byte')}"


def _range(u: UOp, names: Names) -> str:
    last = f"0 to {grouped(u.arg.size - 1)}" if u.arg.size else "nothing"
    return f"counts {last} ({u.arg.kind.value} loop {u.arg.idx})"


def _end(u: UOp, names: Names) -> str:
    loops = ", ".join(called(r, names) for r in u.src[1:])
    return f"closes {loops} around {called(u.src[0], names)}"


def _several(u: UOp, names: Names) -> str:
    shown = ", ".join(called(s, names) for s in u.src[:MAX_NAMED])
    more = f" and {counted(len(u.src) - MAX_NAMED, 'other')}" if len(u.src) > MAX_NAMED else ""
    return f"joins {shown}{more}" if u.src else "joins nothing"


def _call(u: UOp, names: Names) -> str:
    arguments = ", ".join(called(s, names) for s in u.src[1:])
    return f"is {called(u.src[0], names)} with its params replaced by {arguments}" if arguments else "is its body"


_WRITERS: dict[Ops, Callable[[UOp, Names], str]] = {
    Ops.RESHAPE: _reshape,
    Ops.EXPAND: _expand,
    Ops.PERMUTE: _permute,
    Ops.SHRINK: _shrink,
    Ops.PAD: _pad,
    Ops.FLIP: _flip,
    Ops.STACK: _stack,
    Ops.INDEX: _index,
    Ops.REDUCE: _reduce,
    Ops.BUFFER: _memory,
    Ops.ALLOC: _memory,
    Ops.PARAM: lambda u, _: f"argument {u.arg.slot} of a function body",
    Ops.CONST: lambda u, _: f"the constant {constant_text(u)}",
    Ops.CAST: lambda u, names: f"{called(u.src[0], names)} converted from {u.src[0].dtype} to {u.dtype}",
    Ops.BITCAST: lambda u, names: f"the bits of {called(u.src[0], names)} read as {u.dtype}",
    Ops.RANGE: _range,
    Ops.END: _end,
    Ops.SINK: _several,
    Ops.GROUP: _several,
    Ops.CALL: _call,
}
