"""THE table of operations: the parser, the checker, completion, hover and the reference page all read it.

To add an operation: an `Ops` member and an `OpSpec` row here, its type rule in `typerules.py`, its meaning in
`evaluate`, and its C in `render/scalar.py` (elementwise) or its index map in `indexmap.py` (movement).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Ops(Enum):
    """Operation of a graph node."""

    BUFFER = "buffer"
    CONST = "const"
    PARAM = "param"
    ADD = "add"
    MUL = "mul"
    MAX = "max"
    CMPLT = "cmplt"
    CMPNE = "cmpne"
    FLOORDIV = "floordiv"
    FLOORMOD = "floormod"
    AND = "and"
    OR = "or"
    XOR = "xor"
    SHL = "shl"
    SHR = "shr"
    NEG = "neg"
    RECIP = "recip"
    EXP2 = "exp2"
    LOG2 = "log2"
    SQRT = "sqrt"
    SIN = "sin"
    TRUNC = "trunc"
    NOT = "not"
    WHERE = "where"
    CAST = "cast"
    BITCAST = "bitcast"
    RESHAPE = "reshape"
    EXPAND = "expand"
    PERMUTE = "permute"
    SHRINK = "shrink"
    PAD = "pad"
    FLIP = "flip"
    STACK = "stack"
    INDEX = "index"
    REDUCE = "reduce"
    STAGE = "stage"
    RANGE = "range"
    ALLOC = "alloc"
    LOAD = "load"
    STORE = "store"
    AFTER = "after"
    END = "end"
    SINK = "sink"
    GROUP = "group"
    CALL = "call"
    # Only between rangeify and the end of lowering: an index that a pad's guard keeps inside (see rangeify).
    ASSUME = "assume"

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python call on every dictionary access

    def __repr__(self) -> str:
        return f"Ops.{self.name}"


class AxisType(Enum):
    """How a loop is mapped onto the machine."""

    LOOP = "loop"
    REDUCE = "reduce"
    THREAD = "thread"
    UPCAST = "upcast"
    UNROLL = "unroll"
    GLOBAL = "global"
    LOCAL = "local"

    def __lt__(self, other: AxisType) -> bool:
        return self.value < other.value


class AddrSpace(Enum):
    """Where a value lives: nowhere (a pure value), global memory, or registers and local memory."""

    NONE = "none"
    GLOBAL = "global"
    LOCAL = "local"


UNARY = frozenset({Ops.NEG, Ops.RECIP, Ops.EXP2, Ops.LOG2, Ops.SQRT, Ops.SIN, Ops.TRUNC, Ops.NOT})
COMPARE = frozenset({Ops.CMPLT, Ops.CMPNE})
ARITHMETIC = frozenset({Ops.ADD, Ops.MUL, Ops.MAX, Ops.FLOORDIV, Ops.FLOORMOD})
BITWISE = frozenset({Ops.AND, Ops.OR, Ops.XOR})
SHIFT = frozenset({Ops.SHL, Ops.SHR})
BINARY = ARITHMETIC | COMPARE | BITWISE | SHIFT
ALU = UNARY | BINARY | {Ops.WHERE, Ops.CAST, Ops.BITCAST}
MOVEMENT = frozenset({Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE, Ops.SHRINK, Ops.PAD, Ops.FLIP})
EFFECTS = frozenset({Ops.STORE, Ops.END, Ops.SINK, Ops.GROUP})
REDUCE_OPS = {"add": Ops.ADD, "max": Ops.MAX, "mul": Ops.MUL}


@dataclass(frozen=True)
class Param:
    """One argument of an operation in the text.

    kind: "value", "values" (any number), "effects" (any number of effects), "int", "number", "shape", "order",
    "bounds", "pads", "axes", "word", "dtype" or "bool". `keyword_only`: it is never positional.
    """

    name: str
    kind: str
    keyword_only: bool = False
    optional: bool = False
    doc: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpSpec:
    """One row of the language's table of operations."""

    name: str
    op: Ops | None  # None: sugar that the elaborator writes with other operations
    group: str
    params: tuple[Param, ...]
    doc: str
    rule: str
    index_map: str = ""
    example: str = ""


def _value(name: str, doc: str = "") -> Param:
    return Param(name, "value", doc=doc)


_A, _B = _value("a"), _value("b")
_X = _value("x")
_DTYPE = Param("dtype", "dtype", keyword_only=True, doc="element type of the result")
_SLOT = Param("slot", "int", keyword_only=True, doc="number of the buffer among the program's arguments")
_OPT_SLOT = Param("slot", "int", keyword_only=True, optional=True, doc="number of this memory")
_KINDS = tuple(k.value for k in AxisType)


def _binary(name: str, op: Ops | None, doc: str, rule: str, formula: str, example: str) -> OpSpec:
    return OpSpec(name, op, "elementwise", (_A, _B), doc, rule, formula, example)


def _unary(name: str, op: Ops, doc: str, rule: str, formula: str, example: str) -> OpSpec:
    return OpSpec(name, op, "elementwise", (_A,), doc, rule, formula, example)


_SAME = "both sides of one dtype, shapes broadcast"
_INTS = "integers of one dtype, shapes broadcast"
_FLOATS = "a float; same shape and dtype"

_ROWS: tuple[OpSpec, ...] = (
    OpSpec(
        "buffer",
        Ops.BUFFER,
        "memory",
        (Param("n", "int", doc="number of elements"), _DTYPE, _SLOT),
        "Global memory: an input of the program, flat.",
        "shape (n,); the same slot is the same buffer",
        "",
        "%0 = buffer 12 : dtype=f32 slot=0",
    ),
    OpSpec(
        "const",
        Ops.CONST,
        "memory",
        (Param("value", "number"), _DTYPE),
        "One constant.",
        "shape (); the dtype must hold the value",
        "",
        "%0 = const 0.5 : dtype=f32",
    ),
    OpSpec(
        "param",
        Ops.PARAM,
        "memory",
        (Param("shape", "shape"), _DTYPE, _SLOT),
        "An argument of a function body, replaced by `call`.",
        "the given shape and dtype",
        "",
        "%0 = param (2, 3) : dtype=f32 slot=0",
    ),
    _binary("add", Ops.ADD, "Sum; integers wrap.", _SAME + "; not bool", "a[i] + b[i]", "%2 = add %0, %1"),
    _binary(
        "sub",
        None,
        "Difference: a + b * -1; integers wrap.",
        _SAME + "; not bool",
        "a[i] + b[i] * -1",
        "%2 = sub %0, %1",
    ),
    _binary("mul", Ops.MUL, "Product; integers wrap, on bool it is and.", _SAME, "a[i] * b[i]", "%2 = mul %0, %1"),
    _binary(
        "max",
        Ops.MAX,
        "The larger one; NaN if either is, on bool it is or.",
        _SAME,
        "max(a[i], b[i])",
        "%2 = max %0, 0.0",
    ),
    _binary(
        "cmplt",
        Ops.CMPLT,
        "Whether a is less than b; false with NaN.",
        _SAME + "; gives bool",
        "a[i] < b[i]",
        "%2 = cmplt %0, %1",
    ),
    _binary(
        "cmpne",
        Ops.CMPNE,
        "Whether a differs from b; true with NaN, on bool it is xor.",
        _SAME + "; gives bool",
        "a[i] != b[i]",
        "%2 = cmpne %0, %1",
    ),
    _binary(
        "floordiv",
        Ops.FLOORDIV,
        "Quotient rounded toward minus infinity; by zero it is 0.",
        _INTS,
        "floor(a[i] / b[i])",
        "%2 = floordiv %0, 4",
    ),
    _binary(
        "floormod",
        Ops.FLOORMOD,
        "Remainder with the sign of b; by zero it is 0.",
        _INTS,
        "a[i] - b[i] * floor(a[i] / b[i])",
        "%2 = floormod %0, 4",
    ),
    _binary(
        "and",
        Ops.AND,
        "Bitwise and.",
        "integers or bool of one dtype, shapes broadcast",
        "a[i] & b[i]",
        "%2 = and %0, %1",
    ),
    _binary(
        "or", Ops.OR, "Bitwise or.", "integers or bool of one dtype, shapes broadcast", "a[i] | b[i]", "%2 = or %0, %1"
    ),
    _binary(
        "xor",
        Ops.XOR,
        "Bitwise exclusive or.",
        "integers or bool of one dtype, shapes broadcast",
        "a[i] ^ b[i]",
        "%2 = xor %0, %1",
    ),
    _binary(
        "shl",
        Ops.SHL,
        "Shift left; by the width or more, or by a negative amount, it is 0.",
        _INTS,
        "a[i] << b[i]",
        "%2 = shl %0, 3",
    ),
    _binary(
        "shr",
        Ops.SHR,
        "Shift right, arithmetic on signed; by the width or more it is the sign's fill.",
        _INTS,
        "a[i] >> b[i]",
        "%2 = shr %0, 3",
    ),
    _unary("neg", Ops.NEG, "The negative; integers wrap.", "a number; same shape and dtype", "-a[i]", "%1 = neg %0"),
    _unary("recip", Ops.RECIP, "One over a.", _FLOATS, "1 / a[i]", "%1 = recip %0"),
    _unary("exp2", Ops.EXP2, "Two to the power a.", _FLOATS, "2 ** a[i]", "%1 = exp2 %0"),
    _unary("log2", Ops.LOG2, "Logarithm to base two.", _FLOATS, "log2(a[i])", "%1 = log2 %0"),
    _unary("sqrt", Ops.SQRT, "Square root.", _FLOATS, "sqrt(a[i])", "%1 = sqrt %0"),
    _unary("sin", Ops.SIN, "Sine of a in radians.", _FLOATS, "sin(a[i])", "%1 = sin %0"),
    _unary("trunc", Ops.TRUNC, "The whole part, toward zero.", _FLOATS, "trunc(a[i])", "%1 = trunc %0"),
    _unary("not", Ops.NOT, "Logical not.", "bool; same shape", "not a[i]", "%1 = not %0"),
    OpSpec(
        "where",
        Ops.WHERE,
        "elementwise",
        (_value("c", "condition, bool"), _A, _B),
        "a where the condition holds, else b; both are evaluated.",
        "c is bool; a and b of one dtype; shapes broadcast",
        "c[i] ? a[i] : b[i]",
        "%3 = where %0, %1, 0.0",
    ),
    OpSpec(
        "cast",
        Ops.CAST,
        "elementwise",
        (_A, _DTYPE),
        "The value in another dtype: to bool it is `!= 0`, float to integer truncates and saturates, integers wrap.",
        "same shape, the given dtype",
        "(dtype) a[i]",
        "%1 = cast %0 : dtype=i32",
    ),
    OpSpec(
        "bitcast",
        Ops.BITCAST,
        "elementwise",
        (_A, _DTYPE),
        "The same bits read as another dtype.",
        "same shape; both dtypes of one size",
        "bits of a[i]",
        "%1 = bitcast %0 : dtype=u32",
    ),
    OpSpec(
        "reshape",
        Ops.RESHAPE,
        "movement",
        (_X, Param("shape", "shape", doc="sizes of the result")),
        "The same elements in row-major order, in another shape.",
        "same element count; sizes >= 0",
        "x[unravel(ravel(i, shape), x.shape)]",
        "%1 = reshape %0, (3, 4)",
    ),
    OpSpec(
        "expand",
        Ops.EXPAND,
        "movement",
        (_X, Param("shape", "shape", doc="sizes of the result")),
        "Repeats axes of size 1.",
        "same rank; a size-1 axis may become any size",
        "x[i, with 0 on expanded axes]",
        "%1 = expand %0, (3, 4)",
    ),
    OpSpec(
        "permute",
        Ops.PERMUTE,
        "movement",
        (_X, Param("order", "order", doc="input axis of each output axis")),
        "Reorders axes: output axis k is input axis order[k].",
        "a permutation of 0..rank-1",
        "x[j] where j[order[k]] = i[k]",
        "%1 = permute %0, (1, 0)",
    ),
    OpSpec(
        "shrink",
        Ops.SHRINK,
        "movement",
        (_X, Param("bounds", "bounds", doc="(begin, end) of each axis")),
        "A half-open window on each axis.",
        "0 <= begin <= end <= size on every axis",
        "x[i + begin]",
        "%1 = shrink %0, ((1, 3), (0, 3))",
    ),
    OpSpec(
        "pad",
        Ops.PAD,
        "movement",
        (_X, Param("pads", "pads", doc="(before, after) of each axis")),
        "Zeros around the value.",
        "before and after >= 0; sizes grow by both",
        "x[i - before] where inside, else 0",
        "%1 = pad %0, ((1, 2), (0, 0))",
    ),
    OpSpec(
        "flip",
        Ops.FLIP,
        "movement",
        (_X, Param("axes", "axes", doc="axes to reverse")),
        "Reverses axes.",
        "distinct axes of 0..rank-1",
        "x[size - 1 - i on flipped axes]",
        "%1 = flip %0, (0,)",
    ),
    OpSpec(
        "stack",
        Ops.STACK,
        "movement",
        (Param("a", "values"),),
        "Values side by side along a new leading axis.",
        "same shapes and dtypes; shape (count, ...)",
        "a_k[rest] for i = (k, rest)",
        "%2 = stack %0, %1",
    ),
    OpSpec(
        "index",
        Ops.INDEX,
        "movement",
        (_X, Param("i", "values", doc="integer scalars, one per popped axis")),
        "Selects entries of the leading axes; of memory it is an address for load, store and after.",
        "integer scalars; pops one leading axis each; a number must be inside",
        "x[i..., rest]",
        "%2 = index %0, 3",
    ),
    OpSpec(
        "reduce",
        Ops.REDUCE,
        "reduce",
        (
            _X,
            Param("op", "word", keyword_only=True, doc="how elements are combined", words=tuple(REDUCE_OPS)),
            Param("pop", "int", keyword_only=True, optional=True, doc="how many axes are removed"),
            Param("axes", "axes", keyword_only=True, optional=True, doc="which axes are removed"),
            Param("keepdim", "bool", keyword_only=True, optional=True, doc="leave removed axes with size 1"),
        ),
        "Combines all elements along axes and removes them.",
        "op add, max or mul; exactly one of pop and axes",
        "sum (max, product) over the removed axes",
        "%1 = reduce %0 : op=add pop=1",
    ),
    OpSpec(
        "stage",
        Ops.STAGE,
        "reduce",
        (_X,),
        "The same value, computed once into memory.",
        "same shape and dtype",
        "x[i]",
        "%1 = stage %0",
    ),
    OpSpec(
        "range",
        Ops.RANGE,
        "loop",
        (
            Param("n", "int", doc="number of iterations"),
            Param("idx", "int", keyword_only=True, doc="number of the loop"),
            Param("kind", "word", keyword_only=True, optional=True, doc="how the loop is run", words=_KINDS),
        ),
        "A loop counter from 0 to n-1.",
        "i32, shape ()",
        "",
        "%0 = range 16 : idx=0 kind=loop",
    ),
    OpSpec(
        "alloc",
        Ops.ALLOC,
        "loop",
        (Param("n", "int", doc="number of elements"), _DTYPE, _OPT_SLOT),
        "Register or local memory.",
        "shape (n,)",
        "",
        "%0 = alloc 1 : dtype=f32 slot=0",
    ),
    OpSpec(
        "load",
        Ops.LOAD,
        "loop",
        (_value("address", "an index of memory"),),
        "Reads memory.",
        "shape () and the memory's dtype",
        "",
        "%2 = load %1",
    ),
    OpSpec(
        "store",
        Ops.STORE,
        "loop",
        (_value("address", "an index of memory, or a whole buffer"), _value("value")),
        "Writes memory; with a whole buffer (or a reshape of one) it names an output.",
        "value of the destination's dtype and shape",
        "",
        "%3 = store %1, %2",
    ),
    OpSpec(
        "after",
        Ops.AFTER,
        "loop",
        (_X, Param("deps", "effects")),
        "x, once the effects are done; with ranges, x inside these loops.",
        "type of x",
        "x[i]",
        "%4 = after %0, %3",
    ),
    OpSpec(
        "end",
        Ops.END,
        "loop",
        (_value("body", "an effect"), Param("ranges", "values")),
        "Closes loops around an effect.",
        "body is an effect, the rest are ranges",
        "",
        "%5 = end %4, %0",
    ),
    OpSpec(
        "sink",
        Ops.SINK,
        "loop",
        (Param("effects", "effects"),),
        "One root for several effects or outputs.",
        "effects, or values, not both",
        "",
        "%6 = sink %5",
    ),
    OpSpec(
        "group",
        Ops.GROUP,
        "loop",
        (Param("effects", "effects"),),
        "Several effects as one.",
        "effects",
        "",
        "%6 = group %4, %5",
    ),
    OpSpec(
        "call",
        Ops.CALL,
        "loop",
        (_value("body"), Param("args", "values")),
        "The body with its params replaced by the arguments, by slot.",
        "arguments of the params' shapes and dtypes",
        "body[i]",
        "%3 = call %2, %0, %1",
    ),
)

OPS: dict[str, OpSpec] = {row.name: row for row in _ROWS}
ALIASES: dict[str, str] = {"div": "floordiv", "mod": "floormod"}
