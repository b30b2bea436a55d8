"""THE table of diagnostics: every code, how bad it is, what it means, and a text that shows it.

The reference page is made from it.
In an example, the diagnostic is on the line after `# here`.
"""

from __future__ import annotations

from typing import NamedTuple

from uopc.uir.model import Severity


class CodeInfo(NamedTuple):
    """One kind of diagnostic."""

    code: str
    severity: Severity
    title: str
    explanation: str
    example: str


_B12 = "%0 = buffer 12 : dtype=f32 slot=0\n"
_M34 = _B12 + "%1 = reshape %0, (3, 4)\n"
_I4 = "%0 = buffer 4 : dtype=i32 slot=0\n"
_BOOL = "%0 = buffer 4 : dtype=bool slot=0\n"
_IF = _I4 + "%1 = buffer 4 : dtype=f32 slot=1\n"
_HERE = "# here\n"

# code, title, explanation, example before the line at fault, line at fault, rest
_ERRORS: tuple[tuple[str, str, str, str], ...] = (
    # -- the text of a line
    (
        "syntax",
        "not a statement",
        "A line is `%name = operation operand, ... : key=value ...`, a comment, or blank. The rest of the file is"
        " checked as if the value on this line were known to exist.",
        _HERE + "%0 buffer 12",
    ),
    (
        "bad-character",
        "a character that has no meaning",
        "Outside of comments a statement is made of names, numbers, words and ( ) [ ] , : = only.",
        _B12 + _HERE + "%1 = neg %0 ;",
    ),
    (
        "bad-number",
        "not a number",
        "Numbers are decimal or hexadecimal, with a point and an exponent if need be, or inf, nan, true, false.",
        _B12 + _HERE + "%1 = mul %0, 12abc",
    ),
    ("missing-comma", "a comma is missing", "Operands are separated by commas.", _B12 + _HERE + "%1 = add %0 %0"),
    (
        "unclosed-list",
        "brackets that do not match",
        "Every ( needs its ) and every [ its ].",
        _B12 + _HERE + "%1 = reshape %0, (3, 4",
    ),
    (
        "too-large",
        "more text than is read",
        "A file may have 16 million characters and 500,000 lines, a statement 4 million characters."
        " Larger texts are not analyzed.",
        "",
    ),
    ("too-many-errors", "more errors than are shown", "Only the first 200 errors of a file are listed.", ""),
    # -- arguments
    (
        "unknown-operation",
        "no such operation",
        "The operation is none of the table of operations.",
        _B12 + _HERE + "%1 = multiply %0, %0",
    ),
    (
        "unknown-argument",
        "no such keyword",
        "The operation does not take this keyword.",
        _B12 + _HERE + "%1 = reshape %0, shap=(3, 4)",
    ),
    (
        "unknown-word",
        "no such choice",
        "The keyword takes one of a few words, and this is none of them.",
        _B12 + _HERE + "%1 = reduce %0 : op=min pop=1",
    ),
    (
        "unknown-dtype",
        "no such dtype",
        "The dtypes are bool, i8 to i64, u8 to u64, f16, f32, f64 and void.",
        _HERE + "%0 = buffer 12 : dtype=float slot=0",
    ),
    (
        "missing-argument",
        "an argument is missing",
        "An operand or a keyword that the operation needs was not written.",
        _B12 + _HERE + "%1 = reduce %0 : op=add",
    ),
    (
        "duplicate-argument",
        "an argument is given twice",
        "A keyword stands twice, or says the same as a positional argument; `pop` and `axes` of a reduce"
        " exclude each other.",
        _B12 + _HERE + "%1 = reduce %0 : op=add pop=1 axes=(0,)",
    ),
    (
        "too-many-arguments",
        "an operand too many",
        "The operation takes fewer operands.",
        _B12 + _HERE + "%1 = neg %0, %0",
    ),
    (
        "argument-kind",
        "an argument of another kind",
        "A value, a whole number, a list or a word stands where another of these is wanted.",
        _B12 + _HERE + "%1 = reshape %0, 12",
    ),
    (
        "buffer-shape",
        "a buffer with a shape",
        "Buffers are flat: one number of elements. A reshape gives the elements a shape.",
        _HERE + "%0 = buffer (3, 4) : dtype=f32 slot=0",
    ),
    (
        "number-range",
        "a number that its dtype cannot hold",
        "A number takes the dtype of the values beside it. Integer dtypes hold whole numbers in their range, bool holds"
        " true and false, and no integer is longer than 64 bits.",
        _I4 + _HERE + "%1 = add %0, 0.5",
    ),
    # -- names
    (
        "undefined-value",
        "a value that is not defined",
        "No line of the file defines this name.",
        _B12 + _HERE + "%1 = neg %O",
    ),
    (
        "used-before-definition",
        "a value used before its definition",
        "A value is defined on a line above its uses.",
        _HERE + "%1 = neg %0\n" + _B12.rstrip(),
    ),
    (
        "redefinition",
        "a name defined twice",
        "A name is defined once; the first definition is the one that counts.",
        _B12 + _HERE + "%0 = neg %0",
    ),
    (
        "slot-conflict",
        "two buffers in one slot",
        "A slot number is one memory: every buffer of the slot has the same number of elements and the same dtype.",
        _B12 + _HERE + "%1 = buffer 6 : dtype=f32 slot=0",
    ),
    # -- dtypes
    (
        "dtype-mismatch",
        "two dtypes in one operation",
        "Both sides of an operation have one dtype; a cast converts a value.",
        _IF + _HERE + "%2 = add %0, %1",
    ),
    (
        "bool-arithmetic",
        "arithmetic on truth values",
        "add, sub, neg, floordiv, floormod, shifts and sums are not defined on bool; a cast to an integer makes"
        " numbers of it.",
        _BOOL + _HERE + "%1 = add %0, %0",
    ),
    (
        "needs-integer",
        "an integer is wanted",
        "Divisions with rounding, shifts and bitwise operations take integers.",
        _B12 + _HERE + "%1 = floordiv %0, 2",
    ),
    (
        "needs-float",
        "a float is wanted",
        "recip, exp2, log2, sqrt, sin and trunc take floats.",
        _I4 + _HERE + "%1 = sqrt %0",
    ),
    (
        "needs-bool",
        "a truth value is wanted",
        "`not` and the condition of `where` take bool.",
        _B12 + _HERE + "%1 = not %0",
    ),
    (
        "bitcast-size",
        "a bitcast to another size",
        "A bitcast reads the same bits: both dtypes have the same size.",
        _B12 + _HERE + "%1 = bitcast %0 : dtype=i64",
    ),
    (
        "void-memory",
        "memory of nothing",
        "Memory and constants have an element type.",
        _HERE + "%0 = buffer 12 : dtype=void slot=0",
    ),
    ("void-cast", "a cast to nothing", "A value has an element type.", _B12 + _HERE + "%1 = cast %0 : dtype=void"),
    # -- shapes
    (
        "broadcast",
        "shapes that do not broadcast",
        "Elementwise operations align shapes on the right; on every axis the sizes are equal or one of them is 1.",
        _M34 + "%2 = buffer 3 : dtype=f32 slot=1\n" + _HERE + "%3 = add %1, %2",
    ),
    ("shape-mismatch", "operands of unequal shapes", "Inside the graph both sides of an operation have one shape.", ""),
    (
        "reshape-count",
        "a reshape to another number of elements",
        "A reshape keeps every element: the sizes multiply to the same number.",
        _B12 + _HERE + "%1 = reshape %0, (3, 5)",
    ),
    (
        "negative-size",
        "a negative size",
        "Sizes are 0 or more; -1 does not stand for a free size.",
        _B12 + _HERE + "%1 = reshape %0, (3, -1)",
    ),
    (
        "expand-rank",
        "an expand to another rank",
        "expand keeps the number of axes; a reshape adds axes of size 1.",
        _B12 + _HERE + "%1 = expand %0, (2, 12)",
    ),
    (
        "expand-size",
        "an expand of an axis that is not 1",
        "Only axes of size 1 are repeated.",
        _B12 + _HERE + "%1 = expand %0, (24,)",
    ),
    (
        "permute-order",
        "not a permutation",
        "The order names every axis once.",
        _M34 + _HERE + "%2 = permute %1, (0, 0)",
    ),
    (
        "permute-rank",
        "a permutation of another rank",
        "The order has one entry for each axis.",
        _M34 + _HERE + "%2 = permute %1, (0,)",
    ),
    (
        "shrink-rank",
        "windows for another rank",
        "shrink takes one (begin, end) pair for each axis.",
        _M34 + _HERE + "%2 = shrink %1, ((0, 2),)",
    ),
    (
        "shrink-window",
        "a window outside of its axis",
        "0 <= begin <= end <= size on every axis.",
        _B12 + _HERE + "%1 = shrink %0, ((0, 13),)",
    ),
    (
        "pad-rank",
        "pads for another rank",
        "pad takes one (before, after) pair for each axis.",
        _M34 + _HERE + "%2 = pad %1, ((0, 2),)",
    ),
    (
        "negative-pad",
        "a negative pad",
        "A pad adds zeros; shrink takes elements away.",
        _B12 + _HERE + "%1 = pad %0, ((0, -1),)",
    ),
    (
        "flip-axes",
        "axes that cannot be flipped",
        "The axes are distinct and inside the rank.",
        _M34 + _HERE + "%2 = flip %1, (2,)",
    ),
    ("stack-empty", "a stack of nothing", "stack takes one value or more.", ""),
    (
        "stack-shape",
        "a stack of unequal shapes",
        "All values of a stack have one shape; nothing is broadcast.",
        _M34 + _HERE + "%2 = stack %0, %1",
    ),
    (
        "index-rank",
        "more indices than axes",
        "index takes at most one index for each axis.",
        _B12 + _HERE + "%1 = index %0, 1, 2",
    ),
    (
        "index-type",
        "an index that is no integer scalar",
        "An index is a number or an integer value of shape ().",
        _B12 + _HERE + "%1 = index %0, %0",
    ),
    (
        "index-range",
        "an index outside of its axis",
        "A number used as an index is in 0..size-1.",
        _B12 + _HERE + "%1 = index %0, 12",
    ),
    ("reduce-op", "no such reduction", "Reductions combine with add, max or mul.", ""),
    (
        "reduce-axes",
        "axes that cannot be removed",
        "A reduce removes distinct axes of its operand.",
        _B12 + _HERE + "%1 = reduce %0 : op=add pop=2",
    ),
    # -- memory, loops, effects
    (
        "needs-address",
        "an address is wanted",
        "load and store take the `index` of a buffer or alloc; store also takes a whole buffer.",
        _B12 + _HERE + "%1 = load %0",
    ),
    (
        "store-shape",
        "a store of another shape",
        "The destination and the value have one shape; a reshape of the buffer makes them equal.",
        _M34 + _HERE + "%2 = store %0, %1",
    ),
    (
        "effect-operand",
        "an effect where a value is wanted",
        "store, end, group and sink are effects: they have no value.",
        _B12 + "%1 = store %0, %0\n" + _HERE + "%2 = neg %1",
    ),
    ("after-dep", "after a value", "after waits for effects and for ranges.", _B12 + _HERE + "%1 = after %0, %0"),
    (
        "end-body",
        "the end of a value",
        "end closes loops around an effect.",
        _B12 + "%1 = range 4 : idx=0\n" + _HERE + "%2 = end %0, %1",
    ),
    (
        "end-range",
        "the end of what is no range",
        "end closes ranges.",
        _B12 + "%1 = store %0, %0\n" + _HERE + "%2 = end %1, %0",
    ),
    (
        "unclosed-range",
        "a range that is not closed",
        "Every range is closed by an `end` around everything that uses it.",
        _B12 + _HERE + "%1 = range 12 : idx=0\n%2 = index %0, %1\n%3 = store %2, 0.0\n%4 = sink %3",
    ),
    ("group-value", "a value in a group", "group joins effects.", _B12 + _HERE + "%1 = group %0"),
    (
        "sink-mixed",
        "values and effects in one sink",
        "A sink names outputs or effects, not both.",
        _M34 + "%2 = buffer 12 : dtype=f32 slot=1\n%3 = store %2, %0\n" + _HERE + "%4 = sink %1, %3",
    ),
    ("second-sink", "two sinks", "A program has one sink.", _B12 + "%1 = sink %0\n" + _HERE + "%2 = sink %0"),
    (
        "sink-not-last",
        "a statement after the sink",
        "The sink is the last statement.",
        _B12 + _HERE + "%1 = sink %0\n%2 = neg %0",
    ),
    (
        "call-arity",
        "a call with too few arguments",
        "Every param of the body has an argument, by slot.",
        "%0 = param (4,) : dtype=f32 slot=1\n%1 = neg %0\n%2 = buffer 4 : dtype=f32 slot=0\n"
        + _HERE
        + "%3 = call %1, %2",
    ),
    (
        "call-type",
        "an argument of another type",
        "An argument has the dtype and the shape of its param.",
        "%0 = param (4,) : dtype=f32 slot=0\n%1 = neg %0\n"
        + "%2 = buffer 5 : dtype=f32 slot=0\n"
        + _HERE
        + "%3 = call %1, %2",
    ),
    (
        "free-param",
        "a param that no call replaces",
        "A param is an argument of a function body: the program is what a call makes of it.",
        _HERE + "%0 = param (4,) : dtype=f32 slot=0\n%1 = neg %0",
    ),
    # -- directives
    (
        "bad-directive",
        "a directive that cannot be read",
        "The directive is known, and its text is not what it takes.",
        _HERE + "# uir: input 0 = sevens\n" + _B12,
    ),
    (
        "duplicate-directive",
        "a second directive for the same thing",
        "The first directive is the one that counts.",
        "# uir: reduce=leading\n" + _HERE + "# uir: reduce=trailing\n" + _B12,
    ),
    (
        "list-length",
        "data of another length",
        "A list has one number for each element, flat in row-major order.",
        _HERE + "# uir: input 0 = [1, 2, 3]\n" + _B12,
    ),
    (
        "list-dtype",
        "data of another dtype",
        "Integer and bool buffers take whole numbers in the range of their dtype.",
        _HERE + "# uir: input 0 = [1, 2, 3, 4.5]\n" + _I4,
    ),
    (
        "expect-output",
        "an output that is not there",
        "`expect K` is about output K of the program, counted from 0.",
        _HERE + "# uir: expect 1 = [0]\n" + _B12,
    ),
)

_WARNINGS: tuple[tuple[str, str, str, str], ...] = (
    (
        "version",
        "another version of the format",
        "The header line names a version of the format that is not this one.",
        _HERE + "# uop v2\n" + _B12,
    ),
    (
        "unknown-directive",
        "no such directive",
        "A comment that starts with `uir:` is a directive: reduce, input, expect or allow.",
        _HERE + "# uir: inptu 0 = ones\n" + _B12,
    ),
    (
        "unused-slot",
        "data for no buffer",
        "No buffer of the file has this slot.",
        _HERE + "# uir: input 7 = ones\n" + _B12,
    ),
    (
        "unknown-code",
        "no such diagnostic to switch off",
        "`allow` names codes of warnings and hints; errors cannot be switched off.",
        _HERE + "# uir: allow no-ops\n" + _B12,
    ),
    (
        "unused-value",
        "a value that no result needs",
        "The root is the sink, or the last value; this line is not part of it.",
        _B12 + _HERE + "%1 = neg %0\n%2 = sqrt %0",
    ),
    (
        "uncontracted-product",
        "a sum over a product that is no contraction",
        "One factor does not vary along the summed axis, so it comes out of the sum: this is a product with a row sum."
        " For a matrix product both factors must vary along the axis that is removed.",
        "%0 = buffer 16 : dtype=f32 slot=0\n%1 = buffer 16 : dtype=f32 slot=1\n%2 = reshape %0, (4, 4, 1)\n"
        "%3 = reshape %1, (4, 1, 4)\n"
        "%4 = mul %2, %3\n" + _HERE + "%5 = reduce %4 : op=add pop=1",
    ),
    (
        "empty-max",
        "a maximum of nothing",
        "The maximum over an axis of size 0 is the least value of the dtype.",
        "%0 = buffer 0 : dtype=f32 slot=0\n" + _HERE + "%1 = reduce %0 : op=max pop=1",
    ),
    (
        "huge",
        "a run that would be very large",
        "The memory or the number of operations that a run needs is beyond the limit.",
        "",
    ),
)

_HINTS: tuple[tuple[str, str, str, str], ...] = (
    (
        "recomputed-reduce",
        "a reduction evaluated many times",
        "An element is computed again in each loop that uses it; `stage` computes it once.",
        _M34 + _HERE + "%2 = reduce %1 : op=max pop=1\n%3 = buffer 3 : dtype=f32 slot=1\n%4 = stack %2, %3",
    ),
    (
        "no-op",
        "an operation that changes nothing",
        "The result is the operand itself.",
        _B12 + _HERE + "%1 = reshape %0, (12,)",
    ),
    (
        "unprovable-index",
        "an index that may be outside",
        "Bounds analysis cannot keep the index inside the axis. In a shaped program it is clamped; in a loop"
        " program the run checks it.",
        _B12 + "%1 = buffer 1 : dtype=i32 slot=1\n%2 = index %1, 0\n" + _HERE + "%3 = index %0, %2",
    ),
    (
        "needs-64-bit-index",
        "more elements than 32 bits count",
        "Positions in this value are computed with 64-bit integers.",
        "",
    ),
)

CODES: dict[str, CodeInfo] = {
    code: CodeInfo(code, severity, title, explanation, example)
    for severity, rows in ((Severity.ERROR, _ERRORS), (Severity.WARNING, _WARNINGS), (Severity.HINT, _HINTS))
    for code, title, explanation, example in rows
}
