"""The rows of THE table of diagnostics (`codes.py`) that are errors."""

from __future__ import annotations

B12 = "%0 = buffer 12 : dtype=f32 slot=0\n"
M34 = B12 + "%1 = reshape %0, (3, 4)\n"
I4 = "%0 = buffer 4 : dtype=i32 slot=0\n"
BOOL = "%0 = buffer 4 : dtype=bool slot=0\n"
IF = I4 + "%1 = buffer 4 : dtype=f32 slot=1\n"
HERE = "# here\n"

# A program that shows a code, and what it is about: code, title, explanation, example, the example mended.
Row = tuple[str, str, str, str, str]

ERRORS: tuple[Row, ...] = (
    # -- the text of a line
    (
        "syntax",
        "not a statement",
        "A line is `%name = operation operand, ... : key=value ...`, a comment, or blank. The rest of the file is"
        " checked as if the value on this line were known to exist.",
        HERE + "%0 buffer 12 : dtype=f32 slot=0",
        "%0 = buffer 12 : dtype=f32 slot=0",
    ),
    (
        "bad-character",
        "a character that has no meaning",
        "Outside of comments a statement is made of names, numbers, words and ( ) [ ] , : = only.",
        B12 + HERE + "%1 = neg %0 ;",
        B12 + "%1 = neg %0",
    ),
    (
        "bad-number",
        "not a number",
        "Numbers are decimal or hexadecimal, with a point and an exponent if need be, or inf, nan, true, false.",
        B12 + HERE + "%1 = mul %0, 12abc",
        B12 + "%1 = mul %0, 12.0",
    ),
    (
        "missing-comma",
        "a comma is missing",
        "Operands are separated by commas.",
        B12 + HERE + "%1 = add %0 %0",
        B12 + "%1 = add %0, %0",
    ),
    (
        "unclosed-list",
        "brackets that do not match",
        "Every ( needs its ) and every [ its ].",
        B12 + HERE + "%1 = reshape %0, (3, 4",
        B12 + "%1 = reshape %0, (3, 4)",
    ),
    (
        "too-large",
        "more text than is read",
        "A file may have 16 million characters and 250,000 lines, a statement 4 million characters."
        " Larger texts are not analyzed.",
        "",
        "",
    ),
    ("too-many-errors", "more errors than are shown", "Only the first 200 errors of a file are listed.", "", ""),
    # -- arguments
    (
        "unknown-operation",
        "no such operation",
        "The operation is none of the table of operations.",
        B12 + HERE + "%1 = multiply %0, %0",
        B12 + "%1 = mul %0, %0",
    ),
    (
        "unknown-argument",
        "no such keyword",
        "The operation does not take this keyword.",
        B12 + HERE + "%1 = reshape %0, shap=(3, 4)",
        B12 + "%1 = reshape %0, shape=(3, 4)",
    ),
    (
        "unknown-word",
        "no such choice",
        "The keyword takes one of a few words, and this is none of them.",
        B12 + HERE + "%1 = reduce %0 : op=min pop=1",
        B12 + "%n = neg %0\n%m = reduce %n : op=max pop=1\n%1 = neg %m",
    ),
    (
        "unknown-dtype",
        "no such dtype",
        "The dtypes are bool, i8 to i64, u8 to u64, f16, f32, f64 and void.",
        HERE + "%0 = buffer 12 : dtype=float slot=0",
        "%0 = buffer 12 : dtype=f32 slot=0",
    ),
    (
        "missing-argument",
        "an argument is missing",
        "An operand or a keyword that the operation needs was not written.",
        B12 + HERE + "%1 = reduce %0 : op=add",
        B12 + "%1 = reduce %0 : op=add pop=1",
    ),
    (
        "duplicate-argument",
        "an argument is given twice",
        "A keyword stands twice, or says the same as a positional argument; `pop` and `axes` of a reduce"
        " exclude each other.",
        B12 + HERE + "%1 = reduce %0 : op=add pop=1 axes=(0,)",
        B12 + "%1 = reduce %0 : op=add axes=(0,)",
    ),
    (
        "too-many-arguments",
        "an operand too many",
        "The operation takes fewer operands.",
        B12 + HERE + "%1 = neg %0, %0",
        B12 + "%1 = neg %0",
    ),
    (
        "argument-kind",
        "an argument of another kind",
        "A value, a whole number, a list or a word stands where another of these is wanted.",
        M34 + HERE + "%2 = reshape %1, 12",
        M34 + "%2 = reshape %1, (12,)",
    ),
    (
        "buffer-shape",
        "a buffer with a shape",
        "Buffers are flat: one number of elements. A reshape gives the elements a shape.",
        HERE + "%0 = buffer (3, 4) : dtype=f32 slot=0",
        "%0_flat = buffer 12 : dtype=f32 slot=0\n%0 = reshape %0_flat, (3, 4)",
    ),
    (
        "number-range",
        "a number that its dtype cannot hold",
        "A number takes the dtype of the values beside it. Integer dtypes hold whole numbers in their range, bool holds"
        " true and false, and no integer is longer than 64 bits.",
        I4 + HERE + "%1 = add %0, 0.5",
        I4 + "%0_f32 = cast %0 : dtype=f32\n%1 = add %0_f32, 0.5",
    ),
    # -- names
    (
        "undefined-value",
        "a value that is not defined",
        "No line of the file defines this name.",
        B12 + HERE + "%1 = neg %O",
        B12 + "%1 = neg %0",
    ),
    (
        "used-before-definition",
        "a value used before its definition",
        "A value is defined on a line above its uses.",
        HERE + "%1 = neg %0\n" + B12.rstrip(),
        B12 + "%1 = neg %0",
    ),
    (
        "redefinition",
        "a name defined twice",
        "A name is defined once; the first definition is the one that counts.",
        B12 + HERE + "%0 = neg %0",
        B12 + "%0_2 = neg %0",
    ),
    (
        "slot-conflict",
        "two buffers in one slot",
        "A slot number is one memory: every buffer of the slot has the same number of elements and the same dtype.",
        B12 + HERE + "%1 = buffer 6 : dtype=f32 slot=0\n%2 = sink %0, %1",
        B12 + "%1 = buffer 6 : dtype=f32 slot=1\n%2 = sink %0, %1",
    ),
    # -- dtypes
    (
        "dtype-mismatch",
        "two dtypes in one operation",
        "Both sides of an operation have one dtype; a cast converts a value.",
        IF + HERE + "%2 = add %0, %1",
        IF + "%0_f32 = cast %0 : dtype=f32\n%2 = add %0_f32, %1",
    ),
    (
        "bool-arithmetic",
        "arithmetic on truth values",
        "add, sub, neg, floordiv, floormod, shifts and sums are not defined on bool; a cast to an integer makes"
        " numbers of it.",
        BOOL + HERE + "%1 = add %0, %0",
        BOOL + "%0_i32 = cast %0 : dtype=i32\n%1 = add %0_i32, %0_i32",
    ),
    (
        "needs-integer",
        "an integer is wanted",
        "Divisions with rounding, shifts and bitwise operations take integers.",
        B12 + HERE + "%1 = floordiv %0, 2",
        B12 + "%0_i32 = cast %0 : dtype=i32\n%1 = floordiv %0_i32, 2",
    ),
    (
        "needs-float",
        "a float is wanted",
        "recip, exp2, log2, sqrt, sin and trunc take floats.",
        I4 + HERE + "%1 = sqrt %0",
        I4 + "%0_f32 = cast %0 : dtype=f32\n%1 = sqrt %0_f32",
    ),
    (
        "needs-bool",
        "a truth value is wanted",
        "`not` and the condition of `where` take bool.",
        B12 + HERE + "%1 = not %0",
        B12 + "%0_bool = cast %0 : dtype=bool\n%1 = not %0_bool",
    ),
    (
        "bitcast-size",
        "a bitcast to another size",
        "A bitcast reads the same bits: both dtypes have the same size.",
        B12 + HERE + "%1 = bitcast %0 : dtype=i64",
        B12 + "%1 = bitcast %0 : dtype=i32",
    ),
    (
        "void-memory",
        "memory of nothing",
        "Memory and constants have an element type.",
        HERE + "%0 = buffer 12 : dtype=void slot=0",
        B12,
    ),
    (
        "void-cast",
        "a cast to nothing",
        "A value has an element type.",
        B12 + HERE + "%1 = cast %0 : dtype=void",
        B12 + "%1 = cast %0 : dtype=f64",
    ),
    # -- shapes
    (
        "broadcast",
        "shapes that do not broadcast",
        "Elementwise operations align shapes on the right; on every axis the sizes are equal or one of them is 1.",
        M34 + "%2 = buffer 3 : dtype=f32 slot=1\n" + HERE + "%3 = add %1, %2",
        M34 + "%2 = buffer 3 : dtype=f32 slot=1\n%2_r = reshape %2, (3, 1)\n%3 = add %1, %2_r",
    ),
    (
        "shape-mismatch",
        "operands of unequal shapes",
        "Inside the graph both sides of an operation have one shape. Only a graph built in Python can be so.",
        "",
        "",
    ),
    (
        "reshape-count",
        "a reshape to another number of elements",
        "A reshape keeps every element: the sizes multiply to the same number.",
        B12 + HERE + "%1 = reshape %0, (3, 5)",
        B12 + "%1 = reshape %0, (3, 4)",
    ),
    (
        "negative-size",
        "a negative size",
        "Sizes are 0 or more; -1 does not stand for a free size.",
        B12 + HERE + "%1 = reshape %0, (3, -1)",
        B12 + "%1 = reshape %0, (3, 4)",
    ),
    (
        "expand-rank",
        "an expand to another rank",
        "expand keeps the number of axes; a reshape adds axes of size 1.",
        B12 + HERE + "%1 = expand %0, (2, 12)",
        B12 + "%0_r = reshape %0, (1, 12)\n%1 = expand %0_r, (2, 12)",
    ),
    (
        "expand-size",
        "an expand of an axis that is not 1",
        "Only axes of size 1 are repeated.",
        B12 + HERE + "%1 = expand %0, (24,)",
        B12 + "%0_r = reshape %0, (1, 12)\n%0_e = expand %0_r, (2, 12)\n%1 = reshape %0_e, (24,)",
    ),
    (
        "permute-order",
        "not a permutation",
        "The order names every axis once.",
        B12 + "%1 = reshape %0, (2, 2, 3)\n" + HERE + "%2 = permute %1, (1, 0, 0)",
        B12 + "%1 = reshape %0, (2, 2, 3)\n%2 = permute %1, (1, 0, 2)",
    ),
    (
        "permute-rank",
        "a permutation of another rank",
        "The order has one entry for each axis.",
        B12 + "%1 = reshape %0, (2, 2, 3)\n" + HERE + "%2 = permute %1, (1, 0)",
        B12 + "%1 = reshape %0, (2, 2, 3)\n%2 = permute %1, (1, 0, 2)",
    ),
    (
        "shrink-rank",
        "windows for another rank",
        "shrink takes one (begin, end) pair for each axis.",
        M34 + HERE + "%2 = shrink %1, ((0, 2),)",
        M34 + "%2 = shrink %1, ((0, 2), (0, 4))",
    ),
    (
        "shrink-window",
        "a window outside of its axis",
        "0 <= begin <= end <= size on every axis.",
        B12 + HERE + "%1 = shrink %0, ((2, 13),)",
        B12 + "%1 = shrink %0, ((2, 12),)",
    ),
    (
        "pad-rank",
        "pads for another rank",
        "pad takes one (before, after) pair for each axis.",
        M34 + HERE + "%2 = pad %1, ((0, 2),)",
        M34 + "%2 = pad %1, ((0, 2), (0, 0))",
    ),
    (
        "negative-pad",
        "a negative pad",
        "A pad adds zeros; shrink takes elements away.",
        B12 + HERE + "%1 = pad %0, ((2, -1),)",
        B12 + "%1 = pad %0, ((2, 0),)",
    ),
    (
        "flip-axes",
        "axes that cannot be flipped",
        "The axes are distinct and inside the rank.",
        M34 + HERE + "%2 = flip %1, (2,)",
        M34 + "%2 = flip %1, (1,)",
    ),
    (
        "stack-empty",
        "a stack of nothing",
        "stack takes one value or more. Only a graph built in Python can be so.",
        "",
        "",
    ),
    (
        "stack-shape",
        "a stack of unequal shapes",
        "All values of a stack have one shape; nothing is broadcast.",
        M34 + HERE + "%2 = stack %0, %1",
        M34 + "%2 = stack %1, %1",
    ),
    (
        "index-rank",
        "more indices than axes",
        "index takes at most one index for each axis.",
        B12 + HERE + "%1 = index %0, 1, 2",
        M34 + "%2 = index %1, 1, 2",
    ),
    (
        "index-type",
        "an index that is no integer scalar",
        "An index is a number or an integer value of shape ().",
        B12 + HERE + "%1 = index %0, %0",
        B12 + "%1 = index %0, 3",
    ),
    (
        "index-range",
        "an index outside of its axis",
        "A number used as an index is in 0..size-1.",
        B12 + HERE + "%1 = index %0, 12",
        B12 + "%1 = index %0, 11",
    ),
    (
        "reduce-op",
        "no such reduction",
        "Reductions combine with add, max or mul. Only a graph built in Python can be so.",
        "",
        "",
    ),
    (
        "reduce-axes",
        "axes that cannot be removed",
        "A reduce removes distinct axes of its operand.",
        B12 + HERE + "%1 = reduce %0 : op=add pop=2",
        B12 + "%1 = reduce %0 : op=add pop=1",
    ),
    # -- memory, loops, effects
    (
        "needs-address",
        "an address is wanted",
        "load and store take the `index` of a buffer or alloc; store also takes a whole buffer.",
        B12 + HERE + "%1 = load %0",
        B12 + "%a = index %0, 3\n%1 = load %a",
    ),
    (
        "store-shape",
        "a store of another shape",
        "The destination and the value have one shape; a reshape of the buffer makes them equal.",
        M34 + HERE + "%2 = store %0, %1",
        M34 + "%0_r = reshape %0, (3, 4)\n%2 = store %0_r, %1",
    ),
    (
        "effect-operand",
        "an effect where a value is wanted",
        "store, end, group and sink are effects: they have no value.",
        B12 + "%1 = store %0, %0\n" + HERE + "%2 = neg %1",
        B12 + "%1 = neg %0\n%2 = store %0, %1",
    ),
    (
        "after-dep",
        "after a value",
        "after waits for effects and for ranges.",
        B12 + HERE + "%1 = after %0, %0",
        B12 + "%a = index %0, 0\n%s = store %a, 1.0\n%1 = after %0, %s",
    ),
    (
        "end-body",
        "the end of a value",
        "end closes loops around an effect.",
        B12 + "%1 = range 4 : idx=0\n" + HERE + "%2 = end %0, %1",
        B12 + "%1 = range 4 : idx=0\n%a = index %0, %1\n%s = store %a, 0.0\n%2 = end %s, %1",
    ),
    (
        "end-range",
        "the end of what is no range",
        "end closes ranges.",
        B12 + "%1 = store %0, %0\n" + HERE + "%2 = end %1, %0",
        B12 + "%r = range 4 : idx=0\n%a = index %0, %r\n%1 = store %a, 0.0\n%2 = end %1, %r",
    ),
    (
        "unclosed-range",
        "a range that is not closed",
        "Every range is closed by an `end` around everything that uses it.",
        B12 + HERE + "%1 = range 12 : idx=0\n%2 = index %0, %1\n%3 = store %2, 0.0\n%4 = sink %3",
        B12 + "%1 = range 12 : idx=0\n%2 = index %0, %1\n%3 = store %2, 0.0\n%3_end = end %3, %1\n%4 = sink %3_end",
    ),
    (
        "group-value",
        "a value in a group",
        "group joins effects.",
        B12 + HERE + "%1 = group %0",
        B12 + "%a = index %0, 0\n%s = store %a, 1.0\n%1 = group %s",
    ),
    (
        "sink-mixed",
        "values and effects in one sink",
        "A sink names outputs or effects, not both.",
        M34 + "%2 = buffer 12 : dtype=f32 slot=1\n%3 = store %2, %0\n" + HERE + "%4 = sink %1, %3",
        M34 + "%4 = sink %1, %0",
    ),
    (
        "second-sink",
        "two sinks",
        "A program has one sink.",
        B12 + "%1 = sink %0\n" + HERE + "%2 = sink %0",
        B12 + "%1 = sink %0",
    ),
    (
        "sink-not-last",
        "a statement after the sink",
        "The sink is the last statement.",
        B12 + HERE + "%1 = sink %0\n%2 = neg %0",
        B12 + "%2 = neg %0\n%1 = sink %0",
    ),
    (
        "call-arity",
        "a call with too few arguments",
        "Every param of the body has an argument, by slot.",
        "%0 = param (4,) : dtype=f32 slot=1\n%1 = neg %0\n%2 = buffer 4 : dtype=f32 slot=0\n"
        + HERE
        + "%3 = call %1, %2",
        "%0 = param (4,) : dtype=f32 slot=0\n%1 = neg %0\n%2 = buffer 4 : dtype=f32 slot=0\n%3 = call %1, %2",
    ),
    (
        "call-type",
        "an argument of another type",
        "An argument has the dtype and the shape of its param.",
        "%0 = param (4,) : dtype=f32 slot=0\n%1 = neg %0\n"
        + "%2 = buffer 5 : dtype=f32 slot=0\n"
        + HERE
        + "%3 = call %1, %2",
        "%0 = param (4,) : dtype=f32 slot=0\n%1 = neg %0\n%2 = buffer 4 : dtype=f32 slot=0\n%3 = call %1, %2",
    ),
    (
        "free-param",
        "a param that no call replaces",
        "A param is an argument of a function body: the program is what a call makes of it.",
        HERE + "%0 = param (4,) : dtype=f32 slot=0\n%1 = neg %0",
        "%0 = param (4,) : dtype=f32 slot=0\n%1 = neg %0\n%2 = buffer 4 : dtype=f32 slot=0\n%3 = call %1, %2",
    ),
)
