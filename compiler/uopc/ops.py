"""THE table of operations: the parser, the checker, completion, hover and the reference page all read it.

To add an operation: an `Ops` member in `opcodes.py` and an `OpSpec` row here, its type rule in `typerules.py`, its
meaning in `evaluate`, and its C in `render/scalar.py` (elementwise) or its index map in `indexmap.py` (movement).
Then `make docs` writes its entry in docs/reference.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from uopc.opcodes import ALU as ALU
from uopc.opcodes import ARITHMETIC as ARITHMETIC
from uopc.opcodes import BINARY as BINARY
from uopc.opcodes import BITWISE as BITWISE
from uopc.opcodes import COMPARE as COMPARE
from uopc.opcodes import EFFECTS as EFFECTS
from uopc.opcodes import MOVEMENT as MOVEMENT
from uopc.opcodes import REDUCE_OPS as REDUCE_OPS
from uopc.opcodes import SHIFT as SHIFT
from uopc.opcodes import UNARY as UNARY
from uopc.opcodes import AddrSpace as AddrSpace
from uopc.opcodes import AxisType as AxisType
from uopc.opcodes import Ops as Ops


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
    """One row of the language's table of operations.

    index_map: the element of the result at the index tuple i, as a formula. example: a complete program, with the data
    of its buffers and what it must give as directives; the tests run it.
    """

    name: str
    op: Ops | None  # None: sugar that the elaborator writes with other operations
    group: str
    params: tuple[Param, ...]
    doc: str
    rule: str
    index_map: str
    example: str


# -- arguments ------------------------------------------------------------------------------------------------------
def _value(name: str, doc: str = "") -> Param:
    return Param(name, "value", doc=doc)


def _int(name: str, doc: str) -> Param:
    return Param(name, "int", doc=doc)


def _keyword(name: str, kind: str, doc: str, optional: bool = False, words: tuple[str, ...] = ()) -> Param:
    return Param(name, kind, keyword_only=True, optional=optional, doc=doc, words=words)


_A, _B, _X = _value("a"), _value("b"), _value("x")
_N = _int("n", "number of elements")
_SIZES = Param("shape", "shape", doc="sizes of the result")
_DTYPE = _keyword("dtype", "dtype", "element type of the result")
_SLOT = _keyword("slot", "int", "number of the buffer among the program's arguments")
_KINDS = tuple(k.value for k in AxisType)


# -- examples -------------------------------------------------------------------------------------------------------
def _program(want: str, *lines: str, given: tuple[str, ...] = ()) -> str:
    """A program that gives `want`; given: what is in each of its buffers, by slot."""
    head = [f"# uir: input {slot} = {data}" for slot, data in enumerate(given)] + [f"# uir: expect = {want}"]
    return "\n".join([*head, *lines]) + "\n"


def _of_one(statement: str, data: str, want: str, dtype: str = "f32") -> str:
    """`statement` makes %1 of the buffer %0, which holds `data`."""
    return _program(want, _buffer(0, data, dtype), statement, given=(data,))


def _of_two(statement: str, a: str, b: str, want: str, dtype: str = "f32") -> str:
    """`statement` makes %2 of the buffers %0 and %1."""
    return _program(want, _buffer(0, a, dtype), _buffer(1, b, dtype), statement, given=(a, b))


def _of_matrix(statement: str, want: str) -> str:
    """`statement` makes %2 of %1, the rows 1 2 3 and 4 5 6."""
    data = "[1, 2, 3, 4, 5, 6]"
    return _program(want, _buffer(0, data, "f32"), "%1 = reshape %0, (2, 3)", statement, given=(data,))


def _buffer(slot: int, data: str, dtype: str) -> str:
    return f"%{slot} = buffer {data.count(',') + 1} : dtype={dtype} slot={slot}"


# -- rows -----------------------------------------------------------------------------------------------------------
def _binary(name: str, op: Ops | None, doc: str, rule: str, formula: str, example: str) -> OpSpec:
    return OpSpec(name, op, "elementwise", (_A, _B), doc, rule, formula, example)


def _unary(name: str, op: Ops, doc: str, rule: str, formula: str, example: str) -> OpSpec:
    return OpSpec(name, op, "elementwise", (_A,), doc, rule, formula, example)


_NUMBERS = "a and b are numbers of one dtype, not bool, which the result has; shapes broadcast"
_SAME = "a and b have one dtype, which the result has; shapes broadcast"
_TO_BOOL = "a and b have one dtype; shapes broadcast; the result is bool"
_INTS = "a and b are integers of one dtype, which the result has; shapes broadcast"
_BITS = "a and b are integers or bool, of one dtype, which the result has; shapes broadcast"
_FLOAT = "a is a float; the result has its shape and dtype"

_MEMORY = (
    OpSpec(
        "buffer", Ops.BUFFER, "memory", (_N, _DTYPE, _SLOT),
        "Memory of the program: an input, or the place of an output. It is flat; `reshape` gives it axes.",
        "shape (n,); the same slot is the same buffer, so its n and dtype are the same everywhere",
        "buffer[i]",
        _program("[0, 1, 2, 3]", "%0 = buffer 4 : dtype=f32 slot=0", given=("arange",)),
    ),
    OpSpec(
        "const", Ops.CONST, "memory", (Param("value", "number"), _DTYPE),
        "One constant. A number among the operands of another operation is one too.",
        "shape (); the dtype must be able to hold the value",
        "value",
        _program("[3.5]", "%0 = const 3.5 : dtype=f32"),
    ),
    OpSpec(
        "param", Ops.PARAM, "memory",
        (Param("shape", "shape", doc="its sizes"), _DTYPE, _keyword("slot", "int", "which argument of `call`")),
        "An argument of a function body, which `call` replaces.",
        "the given shape and dtype",
        "argument[i]",
        _program(
            "[1, 4, 9]", "%p = param (3,) : dtype=f32 slot=0", "%square = mul %p, %p",
            "%0 = buffer 3 : dtype=f32 slot=0", "%1 = call %square, %0", given=("[1, 2, 3]",),
        ),
    ),
)  # fmt: skip

_ELEMENTWISE = (
    _binary(
        "add", Ops.ADD, "Sum; integers wrap.", _NUMBERS, "a[i] + b[i]",
        _of_two("%2 = add %0, %1", "[1, 2, 3]", "[10, 20, 30]", "[11, 22, 33]"),
    ),
    _binary(
        "sub", None, "Difference, written for a + b * -1; integers wrap.", _NUMBERS, "a[i] + b[i] * -1",
        _of_two("%2 = sub %0, %1", "[1, 2, 3]", "[10, 20, 30]", "[-9, -18, -27]"),
    ),
    _binary(
        "mul", Ops.MUL, "Product; integers wrap, on bool it is and.", _SAME, "a[i] * b[i]",
        _of_two("%2 = mul %0, %1", "[1, 2, 3]", "[10, 20, 30]", "[10, 40, 90]"),
    ),
    _binary(
        "max", Ops.MAX, "The larger one; NaN if either is, on bool it is or.", _SAME, "max(a[i], b[i])",
        _of_one("%1 = max %0, 0.0", "[-1.5, 0.5, nan]", "[0, 0.5, nan]"),
    ),
    _binary(
        "cmplt", Ops.CMPLT, "Whether a is less than b; false with NaN, and false is less than true.",
        _TO_BOOL, "a[i] < b[i]",
        _of_two("%2 = cmplt %0, %1", "[1, 2, nan]", "[2, 2, 2]", "[true, false, false]"),
    ),
    _binary(
        "cmpne", Ops.CMPNE, "Whether a differs from b; true with NaN, on bool it is xor.", _TO_BOOL, "a[i] != b[i]",
        _of_two("%2 = cmpne %0, %1", "[1, 2, nan]", "[2, 2, nan]", "[true, false, true]"),
    ),
    _binary(
        "floordiv", Ops.FLOORDIV, "Quotient rounded toward minus infinity; by zero it is 0.",
        _INTS, "floor(a[i] / b[i])",
        _of_two("%2 = floordiv %0, %1", "[7, -7, 7]", "[2, 2, 0]", "[3, -4, 0]", "i32"),
    ),
    _binary(
        "floormod", Ops.FLOORMOD, "What floordiv leaves, with the sign of b; by zero it is 0.",
        _INTS, "a[i] - b[i] * floor(a[i] / b[i])",
        _of_two("%2 = floormod %0, %1", "[7, -7, 7]", "[2, 2, 0]", "[1, 1, 0]", "i32"),
    ),
    _binary(
        "and", Ops.AND, "And of each bit.", _BITS, "a[i] & b[i]",
        _of_one("%1 = and %0, 12", "[10, 5, -1]", "[8, 4, 12]", "i32"),
    ),
    _binary(
        "or", Ops.OR, "Or of each bit.", _BITS, "a[i] | b[i]",
        _of_one("%1 = or %0, 12", "[10, 5, -1]", "[14, 13, -1]", "i32"),
    ),
    _binary(
        "xor", Ops.XOR, "Exclusive or of each bit.", _BITS, "a[i] ^ b[i]",
        _of_one("%1 = xor %0, 12", "[10, 5, -1]", "[6, 9, -13]", "i32"),
    ),
    _binary(
        "shl", Ops.SHL, "Shift left; by the width or more, or by a negative amount, it is 0.", _INTS, "a[i] << b[i]",
        _of_two("%2 = shl %0, %1", "[1, 3, 1]", "[4, 1, 32]", "[16, 6, 0]", "i32"),
    ),
    _binary(
        "shr", Ops.SHR,
        "Shift right, which repeats the sign of signed integers; by the width or more, or by a negative amount,"
        " only the sign is left: 0 or -1.",
        _INTS, "a[i] >> b[i]",
        _of_two("%2 = shr %0, %1", "[16, -5, -5]", "[2, 1, 32]", "[4, -3, -1]", "i32"),
    ),
    _unary(
        "neg", Ops.NEG, "The negative; integers wrap.", "a is a number, not bool; the result has its shape and dtype",
        "-a[i]", _of_one("%1 = neg %0", "[1, -2, 3]", "[-1, 2, -3]"),
    ),
    _unary(
        "recip", Ops.RECIP, "One over a.", _FLOAT, "1 / a[i]",
        _of_one("%1 = recip %0", "[2, -4, 0]", "[0.5, -0.25, inf]"),
    ),
    _unary(
        "exp2", Ops.EXP2, "Two to the power a.", _FLOAT, "2 ** a[i]",
        _of_one("%1 = exp2 %0", "[3, 0, -1]", "[8, 1, 0.5]"),
    ),
    _unary(
        "log2", Ops.LOG2, "Logarithm to base two.", _FLOAT, "log2(a[i])",
        _of_one("%1 = log2 %0", "[8, 1, 0, -1]", "[3, 0, -inf, nan]"),
    ),
    _unary(
        "sqrt", Ops.SQRT, "Square root.", _FLOAT, "sqrt(a[i])",
        _of_one("%1 = sqrt %0", "[9, 0.25, -1]", "[3, 0.5, nan]"),
    ),
    _unary(
        "sin", Ops.SIN, "Sine of an angle in radians.", _FLOAT, "sin(a[i])",
        _of_one("%1 = sin %0", "[0, 1.5707964, -1.5707964]", "[0, 1, -1]"),
    ),
    _unary(
        "trunc", Ops.TRUNC, "The whole part: rounded toward zero.", _FLOAT, "trunc(a[i])",
        _of_one("%1 = trunc %0", "[2.75, -2.75, 0.5]", "[2, -2, 0]"),
    ),
    _unary(
        "not", Ops.NOT, "Logical not.", "a is bool; the result has its shape", "not a[i]",
        _of_one("%1 = not %0", "[true, false]", "[false, true]", "bool"),
    ),
    OpSpec(
        "where", Ops.WHERE, "elementwise", (_value("c", "condition"), _A, _B),
        "a where the condition holds, else b; both are evaluated.",
        "c is bool, a and b have one dtype, which the result has; all three shapes broadcast",
        "c[i] ? a[i] : b[i]",
        _program(
            "[1, 0, 3]", "%0 = buffer 3 : dtype=f32 slot=0", "%1 = cmplt %0, 0.0", "%2 = where %1, 0.0, %0",
            given=("[1, -2, 3]",),
        ),
    ),
    OpSpec(
        "cast", Ops.CAST, "elementwise", (_A, _DTYPE),
        "The value in another dtype. To bool: whether it differs from 0. Float to integer: without the fraction, held"
        " at the least and greatest value, 0 for NaN. Integer to integer wraps; all else rounds to nearest.",
        "same shape, the given dtype",
        "(dtype) a[i]",
        _of_one("%1 = cast %0 : dtype=i8", "[2.9, -2.9, 300, nan]", "[2, -2, 127, 0]"),
    ),
    OpSpec(
        "bitcast", Ops.BITCAST, "elementwise", (_A, _DTYPE),
        "The same bits, read as another dtype.",
        "same shape; the given dtype has as many bits as that of a",
        "the bits of a[i]",
        _of_one("%1 = bitcast %0 : dtype=u32", "[1, -0.0]", "[1065353216, 2147483648]"),
    ),
)  # fmt: skip

_MOVEMENT = (
    OpSpec(
        "reshape", Ops.RESHAPE, "movement", (_X, _SIZES),
        "The same elements in row-major order, under another shape.",
        "sizes >= 0 whose product is the number of elements of x",
        "x[j] where j is at the same place among x's elements as i among the result's",
        _program(
            "[1, 2, 3, 4, 5, 6] shape=(2, 3)", "%0 = buffer 6 : dtype=f32 slot=0", "%1 = reshape %0, (2, 3)",
            given=("[1, 2, 3, 4, 5, 6]",),
        ),
    ),
    OpSpec(
        "expand", Ops.EXPAND, "movement", (_X, _SIZES),
        "Repeats axes of size 1.",
        "as many sizes as x has axes; an axis of size 1 may become any size, the others stay",
        "x[j] where j[k] = 0 on the axes that are repeated, and i[k] elsewhere",
        _program(
            "[1, 1, 1, 2, 2, 2] shape=(2, 3)", "%0 = buffer 2 : dtype=f32 slot=0", "%1 = reshape %0, (2, 1)",
            "%2 = expand %1, (2, 3)", given=("[1, 2]",),
        ),
    ),
    OpSpec(
        "permute", Ops.PERMUTE, "movement", (_X, Param("order", "order", doc="the input axis of each output axis")),
        "Reorders axes: axis k of the result is axis order[k] of x. The transpose of a matrix is (1, 0).",
        "order names each of the axes 0..rank-1 once",
        "x[j] where j[order[k]] = i[k]",
        _of_matrix("%2 = permute %1, (1, 0)", "[1, 4, 2, 5, 3, 6] shape=(3, 2)"),
    ),
    OpSpec(
        "shrink", Ops.SHRINK, "movement", (_X, Param("bounds", "bounds", doc="the window on each axis")),
        "A window: on each axis the positions from begin up to, not including, end.",
        "0 <= begin <= end <= size on every axis; the result's sizes are end - begin",
        "x[j] where j[k] = i[k] + begin[k]",
        _of_matrix("%2 = shrink %1, ((0, 2), (1, 3))", "[2, 3, 5, 6] shape=(2, 2)"),
    ),
    OpSpec(
        "pad", Ops.PAD, "movement", (_X, Param("pads", "pads", doc="how many zeros on each axis")),
        "Zeros around x.",
        "before and after >= 0 on every axis; the result's sizes are before + size + after",
        "x[j] where j[k] = i[k] - before[k], if that is inside of x, else 0",
        _of_matrix("%2 = pad %1, ((0, 0), (1, 1))", "[0, 1, 2, 3, 0, 0, 4, 5, 6, 0] shape=(2, 5)"),
    ),
    OpSpec(
        "flip", Ops.FLIP, "movement", (_X, Param("axes", "axes", doc="the axes to reverse")),
        "Reverses axes.",
        "distinct axes of 0..rank-1; the shape stays",
        "x[j] where j[k] = size[k] - 1 - i[k] on the reversed axes, and i[k] elsewhere",
        _of_matrix("%2 = flip %1, (1,)", "[3, 2, 1, 6, 5, 4] shape=(2, 3)"),
    ),
    OpSpec(
        "stack", Ops.STACK, "movement", (Param("a", "values"),),
        "Values one above the other, along a new first axis.",
        "one value or more, all of one shape and dtype; the result has shape (count, ...)",
        "a_k[j] where k = i[0] and j is the rest of i",
        _of_two("%2 = stack %0, %1", "[1, 2, 3]", "[4, 5, 6]", "[1, 2, 3, 4, 5, 6] shape=(2, 3)"),
    ),
    OpSpec(
        "index", Ops.INDEX, "movement", (_X, Param("p", "values", doc="a position on each of the first axes")),
        "The entry at these positions of the first axes. Of memory it is an address for `load`, `store` and `after`.",
        "positions are numbers or integer values of shape (); each removes an axis; a number is inside of its axis",
        "x[p..., i...]",
        _of_matrix("%2 = index %1, 1", "[4, 5, 6]"),
    ),
)  # fmt: skip

_REDUCE = (
    OpSpec(
        "reduce", Ops.REDUCE, "reduce",
        (
            _X,
            _keyword("op", "word", "how elements are combined", words=tuple(REDUCE_OPS)),
            _keyword("pop", "int", "how many axes are removed: the last ones, or under `reduce=leading` the first",
                     optional=True),
            _keyword("axes", "axes", "which axes are removed, by position", optional=True),
            _keyword("keepdim", "bool", "leave the removed axes with size 1", optional=True),
        ),
        "Combines the elements along some axes and removes these axes. Of nothing: add gives 0, mul 1, max the least"
        " value.",
        "exactly one of pop and axes; add is not defined on bool; the result has x's dtype",
        "the sum (maximum, product) of x[j] where j runs over all that agree with i on the axes that stay",
        _of_matrix("%2 = reduce %1 : op=add pop=1", "[6, 15]"),
    ),
    OpSpec(
        "stage", Ops.STAGE, "reduce", (_X,),
        "The same value, computed once into memory before it is used.",
        "shape and dtype of x",
        "x[i]",
        _program(
            "[0.5, 0.25, 0.25]", "%0 = buffer 3 : dtype=f32 slot=0", "%1 = reduce %0 : op=add axes=(0,) keepdim=true",
            "%2 = recip %1", "%3 = stage %2", "%4 = mul %0, %3", given=("[4, 2, 2]",),
        ),
    ),
)  # fmt: skip

_LOOP = (
    OpSpec(
        "range", Ops.RANGE, "loop",
        (
            _int("n", "number of rounds"),
            _keyword("idx", "int", "number of the loop, its own"),
            _keyword("kind", "word", "how the loop is run", optional=True, words=_KINDS),
        ),
        "A loop counter, from 0 to n - 1.",
        "i32 of shape (); an `end` closes it",
        "",
        _program(
            "[0, 1, 4, 9]", "%y = buffer 4 : dtype=i32 slot=0", "%i = range 4 : idx=0 kind=loop", "%v = mul %i, %i",
            "%to = index %y, %i", "%put = store %to, %v", "%done = end %put, %i", "%all = sink %done",
        ),
    ),
    OpSpec(
        "alloc", Ops.ALLOC, "loop", (_N, _DTYPE, _keyword("slot", "int", "number of this memory", optional=True)),
        "Memory of the loops themselves, such as an accumulator.",
        "shape (n,)",
        "alloc[i]",
        _program(
            "[10]", "%x = buffer 4 : dtype=f32 slot=0", "%y = buffer 1 : dtype=f32 slot=1",
            "%acc = alloc 1 : dtype=f32 slot=0", "%a = index %acc, 0", "%zero = store %a, 0.0",
            "%k = range 4 : idx=0 kind=reduce", "%inside = after %acc, %zero, %k", "%b = index %inside, 0",
            "%sum = load %b", "%from = index %x, %k", "%v = load %from", "%new = add %sum, %v",
            "%put = store %b, %new", "%done = end %put, %k", "%later = after %acc, %done", "%c = index %later, 0",
            "%total = load %c", "%to = index %y, 0", "%write = store %to, %total", "%all = sink %write",
            given=("[1, 2, 3, 4]",),
        ),
    ),
    OpSpec(
        "load", Ops.LOAD, "loop", (_value("address", "an index of memory"),),
        "Reads one element of memory.",
        "shape () and the dtype of the memory",
        "memory[address]",
        _program(
            "[2, 4, 6, 8]", "%x = buffer 4 : dtype=f32 slot=0", "%y = buffer 4 : dtype=f32 slot=1",
            "%i = range 4 : idx=0 kind=loop", "%from = index %x, %i", "%v = load %from", "%twice = mul %v, 2.0",
            "%to = index %y, %i", "%put = store %to, %twice", "%done = end %put, %i", "%all = sink %done",
            given=("[1, 2, 3, 4]",),
        ),
    ),
    OpSpec(
        "store", Ops.STORE, "loop", (_value("address", "an index of memory, or a whole buffer"), _value("value")),
        "Writes memory. With a whole buffer, or a reshape of one, it gives an output of a shaped program a slot.",
        "the value has the dtype and the shape of the destination",
        "",
        _program(
            "[10, 20, 30]", "%0 = buffer 3 : dtype=f32 slot=0", "%1 = buffer 3 : dtype=f32 slot=5",
            "%2 = mul %0, 10.0", "%3 = store %1, %2", "%4 = sink %3", given=("[1, 2, 3]",),
        ),
    ),
    OpSpec(
        "after", Ops.AFTER, "loop", (_X, Param("deps", "effects", doc="effects, or ranges")),
        "x, once the effects are done; with ranges, x inside of these loops. There is no other order than this one.",
        "shape and dtype of x",
        "x[i]",
        _program(
            "[3]", "%y = buffer 1 : dtype=f32 slot=0", "%a = index %y, 0", "%first = store %a, 1.0",
            "%later = after %y, %first", "%b = index %later, 0", "%v = load %b", "%more = add %v, 2.0",
            "%second = store %b, %more", "%all = sink %second",
        ),
    ),
    OpSpec(
        "end", Ops.END, "loop", (_value("body", "an effect"), Param("ranges", "values", doc="the loops it closes")),
        "Closes loops around an effect: it is done in every round of them.",
        "body is an effect, the rest are ranges",
        "",
        _program(
            "[0, 1, 2, 10, 11, 12]", "%y = buffer 6 : dtype=i32 slot=0", "%i = range 2 : idx=0 kind=loop",
            "%j = range 3 : idx=1 kind=loop", "%row = mul %i, 3", "%at = add %row, %j", "%to = index %y, %at",
            "%tens = mul %i, 10", "%v = add %tens, %j", "%put = store %to, %v", "%done = end %put, %i, %j",
            "%all = sink %done",
        ),
    ),
    OpSpec(
        "sink", Ops.SINK, "loop", (Param("effects", "effects", doc="effects, or the values that are the outputs"),),
        "The root of a program that has several outputs, or of one that is made of effects. It is the last statement.",
        "effects, or values, not both",
        "",
        _program(
            "[6]", "# uir: expect 1 = [3]", "%0 = buffer 3 : dtype=f32 slot=0", "%1 = reduce %0 : op=add pop=1",
            "%2 = reduce %0 : op=max pop=1", "%3 = sink %1, %2", given=("[1, 2, 3]",),
        ),
    ),
    OpSpec(
        "group", Ops.GROUP, "loop", (Param("effects", "effects"),),
        "Several effects as one, such as the two stores of a loop's body.",
        "effects",
        "",
        _program(
            "[0, 1, 2]", "# uir: expect 1 = [0, -1, -2]", "%y = buffer 3 : dtype=i32 slot=0",
            "%z = buffer 3 : dtype=i32 slot=1", "%i = range 3 : idx=0 kind=loop", "%a = index %y, %i",
            "%b = index %z, %i", "%n = neg %i", "%put = store %a, %i", "%also = store %b, %n",
            "%both = group %put, %also", "%done = end %both, %i", "%all = sink %done",
        ),
    ),
    OpSpec(
        "call", Ops.CALL, "loop",
        (_value("body", "a value made of params"), Param("args", "values", doc="the values for its params, by slot")),
        "The body with its params replaced by the arguments.",
        "each argument has the shape and dtype of its param; the result has those of the body",
        "body[i]",
        _program(
            "[5, 25, 125]", "%x = param (3,) : dtype=f32 slot=0", "%y = param (3,) : dtype=f32 slot=1",
            "%xx = mul %x, %x", "%yy = mul %y, %y", "%norm = add %xx, %yy", "%0 = buffer 3 : dtype=f32 slot=0",
            "%1 = buffer 3 : dtype=f32 slot=1", "%2 = call %norm, %0, %1", given=("[1, 3, 5]", "[2, 4, 10]"),
        ),
    ),
)  # fmt: skip

OPS: dict[str, OpSpec] = {row.name: row for row in (*_MEMORY, *_ELEMENTWISE, *_MOVEMENT, *_REDUCE, *_LOOP)}
ALIASES: dict[str, str] = {"div": "floordiv", "mod": "floormod"}
