"""Type rules: from the types of the operands to the type of the result, one pure function per operation.

Messages name the sizes that were asked for, in the words of the course where it has them, then the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from uopc.dtype import DType, dtypes
from uopc.errors import UOpError
from uopc.ops import ARITHMETIC, BITWISE, COMPARE, EFFECTS, SHIFT, UNARY, AddrSpace, AxisType, Ops

if TYPE_CHECKING:
    from uopc.uop import UOp

Shape = tuple[int, ...]
Type = tuple[DType, Shape, AddrSpace]
_MAX_RANGE_I32 = (1 << 31) - 1


class ParamArg(NamedTuple):
    """Which memory or parameter a BUFFER, ALLOC or PARAM is, and its type."""

    slot: int
    dtype: DType
    shape: Shape


class RangeArg(NamedTuple):
    """Number, kind and iteration count of a loop; loops with smaller numbers are further out."""

    idx: int
    kind: AxisType
    size: int


def _fail(code: str, message: str, *at: str | int) -> None:
    raise UOpError(code, message, at)


def _value(dtype: DType, shape: Shape) -> Type:
    return dtype, shape, AddrSpace.NONE


_PLURALS = {"axis": "axes", "entry": "entries"}


def count(noun: str, n: int) -> str:
    """`n` things in words, digits grouped: "1 axis", "2 axes", "1,024 elements"."""
    return f"{n:,} {noun if n == 1 else _PLURALS.get(noun, noun + 's')}"


# -- memory --------------------------------------------------------------------------------------------------------
def _memory(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    if any(n < 0 for n in arg.shape):
        _fail("negative-size", f"{op.value} of {arg.shape}: a size must not be negative", "arg")
    if arg.dtype is dtypes.void:
        _fail("void-memory", f"{op.value} of void: memory needs an element type", "attr", "dtype")
    space = {Ops.BUFFER: AddrSpace.GLOBAL, Ops.ALLOC: AddrSpace.LOCAL}.get(op, AddrSpace.NONE)
    return arg.dtype, arg.shape, space


# -- elementwise ---------------------------------------------------------------------------------------------------
_NOT_ON_BOOL = {
    Ops.ADD: "add",
    Ops.FLOORDIV: "floordiv",
    Ops.FLOORMOD: "floormod",
    Ops.SHL: "shl",
    Ops.SHR: "shr",
    Ops.NEG: "neg",
}


def _elementwise(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    dtype = _binary(src, op) if len(src) == 2 else _where(src, op) if op is Ops.WHERE else _unary(src, op)
    shape = src[0].shape
    for k, s in enumerate(src):
        if s.shape is not shape and s.shape != shape:
            _fail("shape-mismatch", f"{op.name}: shape mismatch {shape} vs {s.shape} (broadcast with EXPAND)", "src", k)
    return _value(dtype, shape)


def _needs_value(src: Sequence[UOp], op: Ops) -> None:
    for k, s in enumerate(src):
        if s.dtype is dtypes.void:
            _fail("effect-operand", f"{op.value} needs values, and this operand is an effect", "src", k)


def _binary(src: Sequence[UOp], op: Ops) -> DType:
    a, b = src
    d = a.dtype
    if d is dtypes.void or d is not b.dtype:
        _needs_value(src, op)
        both = f"{op.value} of {d} and {b.dtype}"
        _fail("dtype-mismatch", f"{both}: both sides must have one dtype (insert a cast)", "src", 1)
    if not d.is_float or op not in _ON_FLOATS:
        _check_domain(op, d)
    return dtypes.bool if op in COMPARE else d


# What most nodes are: nothing further to check.
_ON_FLOATS = frozenset({Ops.ADD, Ops.MUL, Ops.MAX}) | COMPARE
_INTEGER_ONLY = SHIFT | {Ops.FLOORDIV, Ops.FLOORMOD}


def _check_domain(op: Ops, d: DType) -> None:
    if d.is_bool and op in _NOT_ON_BOOL:
        _fail("bool-arithmetic", f"{op.value} is not defined on bool (cast to an integer first)", "src", 0)
    if op in _INTEGER_ONLY and not d.is_int:
        _fail("needs-integer", f"{op.value} takes integers, not {d}", "src", 0)
    if op in BITWISE and d.is_float:
        _fail("needs-integer", f"{op.value} takes integers or bool, not {d}", "src", 0)


_FLOAT_ONLY = UNARY - {Ops.NEG, Ops.NOT}


def _unary(src: Sequence[UOp], op: Ops) -> DType:
    _needs_value(src, op)
    d = src[0].dtype
    if op in _FLOAT_ONLY and not d.is_float:
        _fail("needs-float", f"{op.value} takes a float, not {d}", "src", 0)
    if op is Ops.NOT and not d.is_bool:
        _fail("needs-bool", f"not takes bool, not {d}", "src", 0)
    _check_domain(op, d)
    return d


def _where(src: Sequence[UOp], op: Ops) -> DType:
    _needs_value(src, op)
    c, a, b = src
    if not c.dtype.is_bool:
        _fail("needs-bool", f"the condition of where must be bool, not {c.dtype}", "src", 0)
    if a.dtype is not b.dtype:
        _fail(
            "dtype-mismatch",
            f"where between {a.dtype} and {b.dtype}: both branches must have one dtype (insert a cast)",
            "src",
            2,
        )
    return a.dtype


def _cast(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    _needs_value(src, op)
    if arg is dtypes.void:
        _fail("void-cast", f"{op.value} to void: a value needs an element type", "attr", "dtype")
    if op is Ops.BITCAST and src[0].dtype.bits != arg.bits:
        _fail(
            "bitcast-size",
            f"bitcast of {src[0].dtype} to {arg}: {count('bit', src[0].dtype.bits)} cannot be read as {arg.bits}",
            "attr",
            "dtype",
        )
    return _value(arg, src[0].shape)


# -- movement ------------------------------------------------------------------------------------------------------
def _tensor(src: Sequence[UOp], op: Ops) -> Shape:
    _needs_value(src[:1], op)
    return src[0].shape


def _moved(src: Sequence[UOp], shape: Shape) -> Type:
    # A reshape of a whole buffer may still be the destination of a store; every other view is a value.
    return src[0].dtype, shape, AddrSpace.NONE


def _no_negative(arg: Shape, op: Ops) -> None:
    for i, n in enumerate(arg):
        if n < 0:
            _fail("negative-size", f"{op.name} to {arg}: a size must not be negative", "arg", i)


def _reshape(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    shape = _tensor(src, op)
    _no_negative(arg, op)
    if prod(arg) != prod(shape):
        _fail(
            "reshape-count",
            f"RESHAPE {shape} -> {arg}: {count('element', prod(shape))} cannot become {prod(arg):,}",
            "arg",
        )
    return src[0].dtype, arg, src[0].addrspace if src[0].op in (Ops.BUFFER, Ops.RESHAPE) else AddrSpace.NONE


def _expand(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    shape = _tensor(src, op)
    head = f"EXPAND {shape} -> {arg}"
    if len(arg) != len(shape):
        _fail(
            "expand-rank",
            f"{head}: rank {len(shape)} cannot become rank {len(arg)}, expand keeps the number of axes (reshape first)",
            "arg",
        )
    _no_negative(arg, op)
    for i, (old, new) in enumerate(zip(shape, arg)):
        if old not in (1, new):
            _fail("expand-size", f"{head}: axis {i} is {old} and cannot become {new}, only size 1 grows", "arg", i)
    return _moved(src, arg)


def _permute(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    shape = _tensor(src, op)
    head = f"PERMUTE {arg} of {shape}"
    if len(arg) != len(shape):
        _fail("permute-rank", f"{head}: {count('entry', len(arg))} for {count('axis', len(shape))}", "arg")
    _distinct_axes(arg, len(shape), head, "permute-order")
    return _moved(src, tuple(shape[k] for k in arg))


def _distinct_axes(axes: Shape, rank: int, head: str, code: str) -> None:
    seen: set[int] = set()
    for i, k in enumerate(axes):
        if not 0 <= k < rank:
            _fail(
                code,
                f"{head}: there is no axis {k}, axes are 0..{rank - 1}" if rank else f"{head}: a scalar has no axes",
                "arg",
                i,
            )
        if k in seen:
            _fail(code, f"{head}: axis {k} stands twice", "arg", i)
        seen.add(k)


def _pairs(shape: Shape, arg: Any, head: str, code: str) -> None:
    if len(arg) != len(shape):
        _fail(code, f"{head}: {count('pair', len(arg))} for {count('axis', len(shape))}", "arg")


def _shrink(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    shape = _tensor(src, op)
    head = f"SHRINK {arg} of {shape}"
    _pairs(shape, arg, head, "shrink-rank")
    for i, ((b, e), n) in enumerate(zip(arg, shape)):
        if b < 0:
            _fail("shrink-window", f"{head}: the window of axis {i} starts at {b}, before the axis", "arg", i, 0)
        if e > n:
            _fail("shrink-window", f"{head}: the window of axis {i} ends at {e}, the axis at {n}", "arg", i, 1)
        if e < b:
            _fail("shrink-window", f"{head}: the window of axis {i} ends at {e}, before it starts at {b}", "arg", i)
    return _moved(src, tuple(e - b for b, e in arg))


def _pad(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    shape = _tensor(src, op)
    head = f"PAD {arg} of {shape}"
    _pairs(shape, arg, head, "pad-rank")
    for i, pair in enumerate(arg):
        for j, n in enumerate(pair):
            if n < 0:
                _fail("negative-pad", f"{head}: a pad must not be negative (shrink removes elements)", "arg", i, j)
    return _moved(src, tuple(b + n + a for (b, a), n in zip(arg, shape)))


def _flip(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    shape = _tensor(src, op)
    _distinct_axes(arg, len(shape), f"FLIP {arg} of {shape}", "flip-axes")
    return _moved(src, shape)


def _stack(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    if not src:
        _fail("stack-empty", "stack needs at least one value")
    _needs_value(src, op)
    first = src[0]
    for k, s in enumerate(src):
        if s.dtype is not first.dtype:
            _fail(
                "dtype-mismatch",
                f"stack of {first.dtype} and {s.dtype}: all values must have one dtype (insert a cast)",
                "src",
                k,
            )
        if s.shape != first.shape:
            _fail("stack-shape", f"stack of {first.shape} and {s.shape}: all values must have one shape", "src", k)
    return _value(first.dtype, (len(src), *first.shape))


def _index(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    base, idx = src[0], src[1:]
    shape = _tensor(src, op)
    if len(idx) > len(shape):
        _fail(
            "index-rank",
            f"index of {shape} by {count('entry', len(idx))}: it has {count('axis', len(shape))}",
            "src",
            len(shape) + 1,
        )
    for k, i in enumerate(idx):
        if not i.dtype.is_int or i.shape != ():
            _fail("index-type", f"an index must be an integer scalar, not {i.dtype}{list(i.shape)}", "src", k + 1)
        if i.op is Ops.CONST and not 0 <= i.arg < shape[k]:
            _fail(
                "index-range",
                f"index {i.arg} is outside axis {k} of {shape}: 0..{shape[k] - 1} are inside"
                if shape[k]
                else f"index {i.arg} is outside axis {k} of {shape}, which has no entries",
                "src",
                k + 1,
            )
    return base.dtype, shape[len(idx) :], base.addrspace


def _reduce(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    shape = _tensor(src, op)
    how, n = arg
    d = src[0].dtype
    if how not in (Ops.ADD, Ops.MAX, Ops.MUL):
        _fail("reduce-op", f"reduce by {how.value}: there are add, max and mul", "attr", "op")
    if not 0 <= n <= len(shape):
        _fail("reduce-axes", f"REDUCE {n} of {shape}: it has {count('axis', len(shape))} to remove", "attr", "pop")
    if d.is_bool and how is Ops.ADD:
        _fail("bool-arithmetic", "reduce add is not defined on bool (cast to an integer first)", "src", 0)
    return _value(d, shape[: len(shape) - n])


def _same(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    return _value(src[0].dtype, _tensor(src, op))


# -- loops and effects ---------------------------------------------------------------------------------------------
def _range(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    if arg.size < 0:
        _fail("negative-size", f"range of {arg.size}: a size must not be negative", "arg")
    return _value(dtypes.i32 if arg.size <= _MAX_RANGE_I32 else dtypes.i64, ())


def is_address(u: UOp) -> bool:
    """Whether a value is one element of memory: what load and store take."""
    base = u.src[0] if u.op is Ops.AFTER else u
    return base.op is Ops.INDEX and base.addrspace is not AddrSpace.NONE and base.shape == ()


def is_destination(u: UOp) -> bool:
    """Whether a value is a whole buffer or a reshape of one: what a store to an output takes."""
    while u.op is Ops.RESHAPE:
        u = u.src[0]
    return u.op is Ops.BUFFER


def _load(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    if not is_address(src[0]):
        _fail("needs-address", "load takes an address: the index of a buffer or alloc", "src", 0)
    return _value(src[0].dtype, ())


def _store(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    to, value = src
    _needs_value((value,), op) if value.dtype is not dtypes.void else _fail(
        "effect-operand", "store needs a value, not an effect", "src", 1
    )
    if not is_address(to) and not is_destination(to):
        _fail("needs-address", "store takes an address or a whole buffer as its destination", "src", 0)
    if to.dtype is not value.dtype:
        _fail(
            "dtype-mismatch",
            f"store of {value.dtype} into {to.dtype}: they must be one dtype (insert a cast)",
            "src",
            1,
        )
    if to.shape != value.shape:
        _fail(
            "store-shape",
            f"store of {value.shape} into {to.shape}: the shapes must be equal (reshape the destination)",
            "src",
            1,
        )
    return _value(dtypes.void, ())


def _after(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    for k, dep in enumerate(src[1:], 1):
        if dep.dtype is not dtypes.void and dep.op is not Ops.RANGE:
            _fail("after-dep", "after waits for effects and ranges, and this operand is a value", "src", k)
    return src[0].dtype, src[0].shape, src[0].addrspace


def _end(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    if src[0].dtype is not dtypes.void:
        _fail("end-body", "end closes loops around an effect, and this body is a value", "src", 0)
    for k, r in enumerate(src[1:], 1):
        if r.op is not Ops.RANGE:
            _fail("end-range", "end closes ranges, and this operand is none", "src", k)
    return _value(dtypes.void, ())


def _sink(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    effects = [s.op in EFFECTS for s in src]
    if op is Ops.GROUP and not all(effects):
        _fail("group-value", "group joins effects, and this operand is a value", "src", effects.index(False))
    if any(effects) and not all(effects):
        _fail("sink-mixed", "a sink names values or effects, not both", "src", effects.index(not effects[0]))
    return _value(dtypes.void, ())


def _call(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    body, args = src[0], src[1:]
    for p in params_of(body):
        k = p.arg.slot
        if not 0 <= k < len(args):
            _fail("call-arity", f"call with {count('argument', len(args))}: the body uses param {k}")
        if args[k].dtype is not p.dtype or args[k].shape != p.shape:
            got, want = f"{args[k].dtype}{list(args[k].shape)}", f"{p.dtype}{list(p.shape)}"
            _fail("call-type", f"argument {k} is {got}, the param is {want}", "src", k + 1)
    return _value(body.dtype, body.shape)


def params_of(body: UOp) -> list[UOp]:
    """The params of a function body by slot; those of a function that it calls are that function's own."""
    seen: set[UOp] = set()
    todo = [body]
    while todo:
        u = todo.pop()
        if u not in seen:
            seen.add(u)
            todo.extend(u.src[1:] if u.op is Ops.CALL else u.src)
    return sorted((u for u in seen if u.op is Ops.PARAM), key=lambda u: int(u.arg.slot))


def _assume(src: Sequence[UOp], arg: Any, op: Ops) -> Type:
    return _value(src[0].dtype, ())


Rule = Callable[["Sequence[UOp]", Any, Ops], Type]
_RULES: dict[Ops, Rule] = {
    **dict.fromkeys((Ops.BUFFER, Ops.ALLOC, Ops.PARAM), _memory),
    **dict.fromkeys(ARITHMETIC | COMPARE | BITWISE | SHIFT | UNARY | {Ops.WHERE}, _elementwise),
    Ops.CAST: _cast,
    Ops.BITCAST: _cast,
    Ops.RESHAPE: _reshape,
    Ops.EXPAND: _expand,
    Ops.PERMUTE: _permute,
    Ops.SHRINK: _shrink,
    Ops.PAD: _pad,
    Ops.FLIP: _flip,
    Ops.STACK: _stack,
    Ops.INDEX: _index,
    Ops.REDUCE: _reduce,
    Ops.STAGE: _same,
    Ops.RANGE: _range,
    Ops.LOAD: _load,
    Ops.STORE: _store,
    Ops.AFTER: _after,
    Ops.END: _end,
    Ops.SINK: _sink,
    Ops.GROUP: _sink,
    Ops.CALL: _call,
    Ops.ASSUME: _assume,
}


def infer(op: Ops, src: Sequence[UOp], arg: Any) -> Type:
    """(dtype, shape, address space) of `op` of `src` with `arg`. Raises UOpError when they do not fit."""
    return _RULES[op](src, arg, op)
