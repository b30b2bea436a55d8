"""The graph: hash-consed nodes whose types are checked when they are made.

Two nodes that are equal are the same object, so equality is identity, a node is a dictionary key for free, and
common subexpressions are shared by construction. Nothing here recurses: a chain of 100,000 nodes is a legal program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar
from weakref import ref

from uopc.dtype import DType, Scalar, const_key, dtypes
from uopc.errors import UOpError
from uopc.ops import ALU, MOVEMENT, AddrSpace, AxisType, Ops
from uopc.typerules import ParamArg, RangeArg, Shape, infer

__all__ = [
    "ALU",
    "MOVEMENT",
    "AddrSpace",
    "AxisType",
    "Ops",
    "ParamArg",
    "RangeArg",
    "Shape",
    "UOp",
    "UOpError",
    "alloc",
    "buf",
    "param",
    "range_",
    "sink",
    "stack",
]

_T = TypeVar("_T")
_NO_RANGES: frozenset[UOp] = frozenset()


_Key = tuple[Ops, tuple["UOp", ...], Any, DType | None]


class _Entry(ref["UOp"]):
    """A node that the table knows as long as somebody uses it."""

    __slots__ = ("key",)
    key: _Key


# What a WeakValueDictionary does, without its calls in Python: every node made or found again passes here.
_nodes: dict[_Key, _Entry] = {}


def _forget(entry: ref[UOp]) -> None:
    key: _Key = entry.key  # type: ignore[attr-defined]  # it is an _Entry; a cast would be a call for each node
    if _nodes.get(key) is entry:
        del _nodes[key]


def forget(name: str) -> None:
    """Every living node forgets what it remembers under `name` (see `UOp.remember`)."""
    for entry in list(_nodes.values()):
        node = entry()
        if node is not None and node._cache is not None:
            node._cache.pop(name, None)


class UOp:
    """One operation on earlier values.

    op: what it does; src: the operands; arg: static data (see `typerules`); dtype, shape, addrspace: its type;
    ranges: the loops it depends on that are not closed below it; digest: a number that orders nodes the same way in
    every process, whatever the hash seed. Raises UOpError when the operands do not fit.
    """

    __slots__ = ("__weakref__", "_cache", "addrspace", "arg", "digest", "dtype", "op", "ranges", "shape", "src")
    op: Ops
    src: tuple[UOp, ...]
    arg: Any
    dtype: DType
    shape: Shape
    addrspace: AddrSpace
    ranges: frozenset[UOp]
    digest: int
    _cache: dict[str, Any] | None

    def __new__(cls, op: Ops, src: tuple[UOp, ...] = (), arg: Any = None, dtype: DType | None = None) -> UOp:
        if op is Ops.CONST:
            dtype = dtype or dtypes.i32
            arg = _checked_const(arg, dtype)
            key: _Key = (op, src, const_key(dtype, arg), dtype)
        else:
            key = (op, src, arg, None)
        entry = _nodes.get(key)
        found = None if entry is None else entry()
        return _new_node(cls, key, op, src, arg, dtype) if found is None else found

    # -- builders: the movement operations -------------------------------------------------------------------------
    def reshape(self, shape: Iterable[int]) -> UOp:
        """The same elements in row-major order as `shape`."""
        return UOp(Ops.RESHAPE, (self,), tuple(shape))

    def expand(self, shape: Iterable[int]) -> UOp:
        """Size-1 axes repeated so that the result has `shape`."""
        return UOp(Ops.EXPAND, (self,), tuple(shape))

    def permute(self, order: Iterable[int]) -> UOp:
        """Axes reordered: result axis k is axis order[k] of this value."""
        return UOp(Ops.PERMUTE, (self,), tuple(int(k) for k in order))

    def shrink(self, bounds: Iterable[tuple[int, int]]) -> UOp:
        """The half-open window (begin, end) of every axis."""
        return UOp(Ops.SHRINK, (self,), tuple((int(b), int(e)) for b, e in bounds))

    def pad(self, pads: Iterable[tuple[int, int]]) -> UOp:
        """(before, after) zeros around every axis."""
        return UOp(Ops.PAD, (self,), tuple((int(b), int(a)) for b, a in pads))

    def flip(self, axes: Iterable[int]) -> UOp:
        """The given axes reversed."""
        return UOp(Ops.FLIP, (self,), tuple(sorted(axes)))

    def reduce(self, op: Ops, n: int) -> UOp:
        """The last n axes combined with ADD, MAX or MUL and removed."""
        return UOp(Ops.REDUCE, (self,), (op, n))

    def stage(self) -> UOp:
        """The same value, computed once into memory."""
        return UOp(Ops.STAGE, (self,))

    # -- builders: memory and loops --------------------------------------------------------------------------------
    def index(self, *idx: UOp | int) -> UOp:
        """Entry (i, ...) of the leading axes; of memory, its address."""
        return UOp(Ops.INDEX, (self, *(UOp.const(i) if isinstance(i, int) else i for i in idx)))

    def load(self) -> UOp:
        """What this address holds."""
        return UOp(Ops.LOAD, (self,))

    def store(self, value: UOp | Scalar) -> UOp:
        """The effect of writing `value` to this address (or whole buffer)."""
        return UOp(Ops.STORE, (self, value if isinstance(value, UOp) else UOp.const(value, self.dtype)))

    def after(self, *deps: UOp) -> UOp:
        """This value, once `deps` are done."""
        return UOp(Ops.AFTER, (self, *deps)) if deps else self

    def end(self, *ranges: UOp) -> UOp:
        """This effect with the loops `ranges` closed around it."""
        return UOp(Ops.END, (self, *ranges)) if ranges else self

    # -- builders: elementwise -------------------------------------------------------------------------------------
    def alu(self, op: Ops, *others: UOp | Scalar) -> UOp:
        """`op` of this value and others; numbers become constants of this value's dtype and shape."""
        return UOp(op, (self, *(self._lift(x) for x in others)))

    def _lift(self, x: UOp | Scalar) -> UOp:
        return x if isinstance(x, UOp) else self.const_like(x)

    def where(self, a: UOp | Scalar, b: UOp | Scalar) -> UOp:
        """a where this condition holds, else b. At least one of them is a value."""
        like = a if isinstance(a, UOp) else b
        if not isinstance(like, UOp):
            raise UOpError("where-constants", "where: one of the branches must be a value")
        return UOp(Ops.WHERE, (self, like._lift(a), like._lift(b)))

    def cast(self, dtype: DType) -> UOp:
        """This value converted to `dtype`."""
        return self if dtype is self.dtype else UOp(Ops.CAST, (self,), dtype)

    def bitcast(self, dtype: DType) -> UOp:
        """This value's bits read as `dtype`, which has the same size."""
        return self if dtype is self.dtype else UOp(Ops.BITCAST, (self,), dtype)

    def const_like(self, value: Scalar) -> UOp:
        """`value` with this value's dtype and shape."""
        c = UOp.const(value, self.dtype)
        if not self.shape:
            return c
        ones = c.reshape((1,) * len(self.shape))
        return ones if ones.shape == self.shape else ones.expand(self.shape)

    @staticmethod
    def const(value: Scalar, dtype: DType = dtypes.i32) -> UOp:
        """A constant of shape (). Raises UOpError when the dtype cannot hold the value."""
        return UOp(Ops.CONST, (), value, dtype)

    def __add__(self, x: UOp | Scalar) -> UOp:
        return self.alu(Ops.ADD, x)

    def __mul__(self, x: UOp | Scalar) -> UOp:
        return self.alu(Ops.MUL, x)

    def __sub__(self, x: UOp | Scalar) -> UOp:
        return self.alu(Ops.ADD, -self._lift(x))

    def __neg__(self) -> UOp:
        # Modulo 2**bits the largest number of an unsigned type is -1.
        return self.alu(Ops.MUL, dtypes.max(self.dtype) if self.dtype.is_unsigned else -1)

    def __floordiv__(self, x: UOp | Scalar) -> UOp:
        return self.alu(Ops.FLOORDIV, x)

    def __mod__(self, x: UOp | Scalar) -> UOp:
        return self.alu(Ops.FLOORMOD, x)

    def __lt__(self, x: UOp | Scalar) -> UOp:
        return self.alu(Ops.CMPLT, x)

    def __radd__(self, x: Scalar) -> UOp:
        return self._lift(x).alu(Ops.ADD, self)

    def __rmul__(self, x: Scalar) -> UOp:
        return self._lift(x).alu(Ops.MUL, self)

    # -- walks and rewrites ----------------------------------------------------------------------------------------
    def toposort(self) -> list[UOp]:
        """Every node this one needs, each once, operands before users, itself last."""
        return toposort((self,))

    def replace(self, op: Ops | None = None, src: tuple[UOp, ...] | None = None, arg: Any = None) -> UOp:
        """This node with another op, operands or arg."""
        new_op = self.op if op is None else op
        new_arg = self.arg if arg is None else arg
        return UOp(new_op, self.src if src is None else src, new_arg, self.dtype if new_op is Ops.CONST else None)

    def substitute(self, mapping: Mapping[UOp, UOp]) -> UOp:
        """This graph with every key of `mapping` replaced by its value, all at once (values are not visited again)."""
        return rewrite((self,), lambda u: mapping.get(u), mapping)[0] if mapping else self

    def cached(self, name: str, compute: Callable[[UOp], Any]) -> Any:
        """compute(self), remembered on the node under `name`. The value must not refer back to this node."""
        if self._cache is None:
            self._cache = {}
        if name not in self._cache:
            self._cache[name] = compute(self)
        return self._cache[name]

    def remember(self, name: str, value: _T) -> _T:
        """`value`, to be found again under `name` as if `cached` had computed it."""
        if self._cache is None:
            self._cache = {}
        self._cache[name] = value
        return value

    def __repr__(self) -> str:
        arg = "" if self.arg is None else f", {self.arg!r}"
        return f"<{self.op.name} {self.dtype}{list(self.shape)}{arg} of {len(self.src)}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("graphs are passed between processes as text (uopc.uir.dump)")


def _checked_const(value: Any, dtype: DType) -> Scalar:
    if not isinstance(value, (bool, int, float)):
        value = value.item()  # a NumPy scalar
    if not dtypes.holds(dtype, value):
        raise UOpError("const-range", f"{value} cannot be written as {dtype}", ("arg",))
    return dtypes.round(dtype, value)


def _new_node(cls: type[UOp], key: _Key, op: Ops, src: tuple[UOp, ...], arg: Any, dtype: DType | None) -> UOp:
    kind, shape, space = infer(op, src, arg) if op is not Ops.CONST else (dtype, (), AddrSpace.NONE)
    self = object.__new__(cls)
    self.op, self.src, self.arg = op, src, arg
    self.dtype, self.shape, self.addrspace = kind or dtypes.void, shape, space
    self._cache = None
    self.ranges = _open_ranges(self)
    self.digest = hash((_CODES[op], 0 if arg is None else _code(arg), *[s.digest for s in src]))
    entry = _nodes[key] = _Entry(self, _forget)
    entry.key = key
    return self


_NAN_CODE = 0x7FF8
_CODES: dict[Any, int] = {x: k for k, x in enumerate((*Ops, *AxisType, *dtypes.all))}


def _code(arg: Any) -> Any:
    """`arg` as numbers, whose hash does not depend on the process (as that of text and of nan does)."""
    if isinstance(arg, tuple):
        return tuple(_code(a) for a in arg)
    if isinstance(arg, (int, float)):
        return arg if arg == arg else _NAN_CODE
    return _CODES.get(arg, -1)


def _open_ranges(u: UOp) -> frozenset[UOp]:
    """The loops a node is in: those of its operands, less those an END closes. Shares operands' sets."""
    if u.op is Ops.RANGE:
        return frozenset((u,))
    found = _NO_RANGES
    for s in u.src if u.op is not Ops.END else u.src[:1]:
        if s.ranges and s.ranges is not found:
            found = found | s.ranges if found else s.ranges
    if u.op is Ops.END:
        return found - frozenset(u.src[1:])
    return found


def toposort(roots: Iterable[UOp]) -> list[UOp]:
    """Every node the roots need, each once, operands before users."""
    done: dict[UOp, None] = {}
    stack = list(roots)[::-1]
    while stack:
        node = stack[-1]
        waiting = [s for s in node.src if s not in done] if node not in done else None
        if waiting:
            waiting.reverse()
            stack += waiting
        else:
            stack.pop()
            done[node] = None
    return list(done)


def rewrite(
    roots: tuple[UOp, ...], rule: Callable[[UOp], UOp | None], stop: Mapping[UOp, UOp] | None = None
) -> tuple[UOp, ...]:
    """The graphs with `rule` applied to every node, operands first; None keeps the node.

    Keys of `stop` stand for their values and are not entered.
    """
    new: dict[UOp, UOp] = dict(stop or {})
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        node, expanded = stack.pop()
        if node in new:
            continue
        if not expanded:
            stack.append((node, True))
            stack.extend((s, False) for s in reversed(node.src) if s not in new)
            continue
        src = tuple(new[s] for s in node.src)
        moved = node if src == node.src else node.replace(src=src)
        ruled = rule(moved)
        new[node] = moved if ruled is None else ruled
    return tuple(new[r] for r in roots)


# -- constructors that are not methods -----------------------------------------------------------------------------
def buf(slot: int, n: int, dtype: DType = dtypes.f32) -> UOp:
    """Global memory number `slot` of n elements, shape (n,)."""
    return UOp(Ops.BUFFER, (), ParamArg(slot, dtype, (n,)))


def alloc(slot: int, n: int, dtype: DType = dtypes.f32) -> UOp:
    """Register or local memory number `slot` of n elements, shape (n,)."""
    return UOp(Ops.ALLOC, (), ParamArg(slot, dtype, (n,)))


def param(slot: int, shape: Iterable[int], dtype: DType = dtypes.f32) -> UOp:
    """Argument number `slot` of a function body."""
    return UOp(Ops.PARAM, (), ParamArg(slot, dtype, tuple(shape)))


def range_(n: int, idx: int, kind: AxisType = AxisType.LOOP) -> UOp:
    """Loop counter number `idx`, from 0 to n-1; i32, or i64 when n does not fit."""
    return UOp(Ops.RANGE, (), RangeArg(idx, kind, n))


def sink(*effects: UOp) -> UOp:
    """One root for several effects or outputs."""
    return UOp(Ops.SINK, effects)


def stack(*values: UOp) -> UOp:
    """Values of one shape side by side along a new leading axis."""
    return UOp(Ops.STACK, values)
