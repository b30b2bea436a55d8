"""One statement with known operands to its graph node: constants, broadcasting, sugar.

Every function here is pure: the same arguments give the same node, which is what lets a result be kept while its
operands stay the same objects. What does not fit raises UOpError, whose `at` names the argument at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

from uopc.broadcast import broadcast_shape, broadcast_to
from uopc.dtype import DType, Scalar, dtypes
from uopc.errors import UOpError
from uopc.ops import ALIASES, OPS, REDUCE_OPS, AxisType, Ops
from uopc.typerules import ParamArg, RangeArg, infer
from uopc.uir.bind import INT_MAX, INT_MIN, Bound
from uopc.uir.model import Number
from uopc.uop import UOp


class Owner(NamedTuple):
    """The first buffer (or alloc) of a slot: later ones of the slot must agree with it."""

    name: str
    n: int
    dtype: DType


class Around(NamedTuple):
    """What a statement's meaning depends on besides its operands."""

    name: str  # of the statement
    leading: bool  # the directive reduce=leading
    owner: Owner | None  # of the statement's slot, when it is not the statement itself


Source: TypeAlias = "Sequence[UOp]"
Build = Callable[[Bound, Source, Around], UOp]


def elaborate(bound: Bound, known: Sequence[UOp | None], around: Around) -> UOp:
    """The node of a statement. `known` has a node for every operand that is a value and None for every number."""
    src = _with_numbers(bound, known) if bound.has_number else known
    return _BUILD[bound.plan.spec.name](bound, src, around)  # type: ignore[arg-type]


# -- numbers as operands --------------------------------------------------------------------------------------------
def literal_dtype(values: Sequence[Scalar]) -> DType:
    """The dtype of numbers that stand alone: bool, f32 if one is no integer, else i32, or i64 if one does not fit."""
    if any(isinstance(v, float) for v in values):
        return dtypes.f32
    if all(isinstance(v, bool) for v in values):
        return dtypes.bool
    return dtypes.i32 if all(dtypes.holds(dtypes.i32, v) for v in values) else dtypes.i64


def literal(value: Scalar, dtype: DType, where: tuple[str | int, ...], text: str | None = None) -> UOp:
    """A constant as written. Raises UOpError("number-range") when the dtype cannot hold it."""
    shown = text or str(value)
    if isinstance(value, int) and not INT_MIN <= value <= INT_MAX:
        raise UOpError("number-range", f"{shown} is beyond 64 bits", where)
    if not dtypes.holds(dtype, value):
        if isinstance(value, float) and not value.is_integer():
            raise UOpError("number-range", f"{shown} cannot be written as {dtype}, which holds whole numbers", where)
        bounds = f"{dtypes.min(dtype):,}..{dtypes.max(dtype):,}" if dtype.is_int else "true and false"
        raise UOpError("number-range", f"{shown} cannot be written as {dtype}, which holds {bounds}", where)
    return UOp(Ops.CONST, (), value, dtype)


def _with_numbers(bound: Bound, known: Sequence[UOp | None]) -> Sequence[UOp]:
    a = known[0]
    if len(known) == 2 and a is not None and a.dtype.bits and bound.plan.values_only == 2:  # nearly always
        number = bound.values[1]
        assert isinstance(number, Number)
        return a, literal(number.value, a.dtype, ("src", 1), number.text)
    kinds = number_dtypes(
        bound.plan.spec.name, known, [v.value if isinstance(v, Number) else None for v in bound.values]
    )
    src = []
    for k, (value, u) in enumerate(zip(bound.values, known)):
        if u is None:
            assert isinstance(value, Number)
            u = literal(value.value, kinds[k], ("src", k), value.text)
        src.append(u)
    return src


def number_dtypes(op: str, known: Sequence[UOp | None], numbers: Sequence[Scalar | None]) -> list[DType]:
    """The dtype of a number at each operand of `op`: that of the first value beside it, with op's exceptions."""
    start = {"where": 1, "index": 1}.get(op, 0)
    first = next((u.dtype for u in known[start:] if u is not None), None)
    written = [v for v in numbers[start:] if v is not None]
    common = first if first is not None and first is not dtypes.void else literal_dtype(written)
    kinds = [common] * len(known)
    if op == "where":
        kinds[0] = dtypes.bool
    elif op == "index":
        kinds[0] = literal_dtype([v for v in numbers[:1] if v is not None])
        kinds[1:] = [literal_dtype([v]) if v is not None else dtypes.i32 for v in numbers[1:]]
    elif op == "call" and known[0] is not None:
        _param_dtypes(known[0], kinds)
    return kinds


def _param_dtypes(body: UOp, kinds: list[DType]) -> None:
    for p in body.toposort():
        if p.op is Ops.PARAM and p.arg.slot + 1 < len(kinds):
            kinds[p.arg.slot + 1] = p.dtype


# -- builders -------------------------------------------------------------------------------------------------------
def _aligned(src: Source) -> tuple[UOp, ...]:
    """Operands broadcast to one shape."""
    shape = src[0].shape
    for s in src:
        if s.shape is not shape and s.shape != shape:
            break
    else:
        return tuple(src)
    shapes = {s.shape for s in src if s.shape}
    common = shapes.pop() if len(shapes) == 1 else broadcast_shape(*(s.shape for s in src))
    return tuple(broadcast_to(s, common) for s in src)


def _elementwise(op: Ops) -> Build:
    def build(bound: Bound, src: Source, around: Around) -> UOp:
        return UOp(op, _aligned(src))

    return build


def _direct(op: Ops) -> Build:
    def build(bound: Bound, src: Source, around: Around) -> UOp:
        return UOp(op, tuple(src))

    return build


def _with_argument(op: Ops, name: str) -> Build:
    def build(bound: Bound, src: Source, around: Around) -> UOp:
        return UOp(op, tuple(src), bound.args[name])

    return build


def _sub(bound: Bound, src: Source, around: Around) -> UOp:
    """a + b * -1, checked first so that errors speak of sub."""
    a, b = src
    for k, s in enumerate(src):
        if s.dtype is dtypes.void:
            raise UOpError("effect-operand", "sub needs values, and this operand is an effect", ("src", k))
    broadcast_shape(a.shape, b.shape)
    if a.dtype is not b.dtype:
        message = f"sub of {a.dtype} and {b.dtype}: both sides must have one dtype (insert a cast)"
        raise UOpError("dtype-mismatch", message, ("src", 1))
    if a.dtype.is_bool:
        raise UOpError("bool-arithmetic", "sub is not defined on bool (cast to an integer first)", ("src", 0))
    # The all-ones pattern is -1 in two's complement, also where the dtype has no sign.
    minus_one = UOp(Ops.CONST, (), dtypes.max(b.dtype) if b.dtype.is_unsigned else -1, b.dtype)
    return UOp(Ops.ADD, _aligned([a, UOp(Ops.MUL, _aligned([b, minus_one]))]))


def _flip(bound: Bound, src: Source, around: Around) -> UOp:
    axes = bound.args["axes"]
    infer(Ops.FLIP, src, axes)  # in the order written, so that an error points at the right entry
    return src[0].flip(axes)


def _reduce(bound: Bound, src: Source, around: Around) -> UOp:
    x, rank = src[0], len(src[0].shape)
    op = REDUCE_OPS[bound.args["op"]]
    if "axes" in bound.args:
        removed = _checked_axes(bound.args["axes"], x)
    else:
        n = bound.args["pop"]
        infer(Ops.REDUCE, src, (op, n))
        removed = range(n) if around.leading else range(rank - n, rank)
    kept = [k for k in range(rank) if k not in set(removed)]
    order = (*kept, *removed)
    moved = x if order == tuple(range(rank)) else x.permute(order)
    result = moved.reduce(op, len(removed))
    if not bound.args.get("keepdim") or not removed:
        return result
    return result.reshape(1 if k in set(removed) else n for k, n in enumerate(x.shape))


def _checked_axes(axes: tuple[int, ...], x: UOp) -> Sequence[int]:
    seen: set[int] = set()
    for i, k in enumerate(axes):
        head = f"REDUCE axes {axes} of {x.shape}"
        if not 0 <= k < len(x.shape):
            there = f"axes are 0..{len(x.shape) - 1}" if x.shape else "a scalar has none"
            raise UOpError("reduce-axes", f"{head}: there is no axis {k}, {there}", ("attr", "axes", i))
        if k in seen:
            raise UOpError("reduce-axes", f"{head}: axis {k} stands twice", ("attr", "axes", i))
        seen.add(k)
    return sorted(axes)


def _memory(op: Ops) -> Build:
    def build(bound: Bound, src: Source, around: Around) -> UOp:
        n, dtype = bound.args["n"], bound.args["dtype"]
        _agree(op, n, dtype, bound.args.get("slot"), around.owner)
        # Memory without a number of its own is numbered by its name, which no other value has.
        slot = bound.args.get("slot", (1 << 16) + crc32(around.name.encode()))
        return UOp(op, (), ParamArg(slot, dtype, (n,)))

    return build


def _agree(op: Ops, n: int, dtype: DType, slot: Any, owner: Owner | None) -> None:
    if owner is None:
        return
    head = f"slot {slot} is already the {op.value} %{owner.name} of {owner.n:,} {owner.dtype}"
    if owner.n != n:
        raise UOpError("slot-conflict", f"{head}, it cannot have {n:,} elements here", ("arg",))
    if owner.dtype is not dtype:
        raise UOpError("slot-conflict", f"{head}, it cannot be {dtype} here", ("attr", "dtype"))


def _param(bound: Bound, src: Source, around: Around) -> UOp:
    return UOp(Ops.PARAM, (), ParamArg(bound.args["slot"], bound.args["dtype"], bound.args["shape"]))


def _const(bound: Bound, src: Source, around: Around) -> UOp:
    if bound.args["dtype"] is dtypes.void:
        raise UOpError("void-memory", "const of void: a constant needs an element type", ("attr", "dtype"))
    place = bound.places["value"]
    return literal(
        bound.args["value"], bound.args["dtype"], ("arg",), place.text if isinstance(place, Number) else None
    )


def _range(bound: Bound, src: Source, around: Around) -> UOp:
    return UOp(Ops.RANGE, (), RangeArg(bound.args["idx"], AxisType(bound.args.get("kind", "loop")), bound.args["n"]))


def _after(bound: Bound, src: Source, around: Around) -> UOp:
    return src[0].after(*src[1:])


_SPECIAL: dict[str, Build] = {
    "sub": _sub, "flip": _flip, "reduce": _reduce, "param": _param, "const": _const, "range": _range, "after": _after,
    "buffer": _memory(Ops.BUFFER), "alloc": _memory(Ops.ALLOC),
}  # fmt: skip


def _builder(name: str) -> Build:
    spec = OPS[name]
    if name in _SPECIAL:
        return _SPECIAL[name]
    assert spec.op is not None
    static = [p.name for p in spec.params if p.kind not in ("value", "values", "effects")]
    if static:
        return _with_argument(spec.op, static[0])
    return _elementwise(spec.op) if spec.group == "elementwise" else _direct(spec.op)


_BUILD: dict[str, Build] = {name: _builder(name) for name in OPS}
_BUILD.update({alias: _BUILD[name] for alias, name in ALIASES.items()})
