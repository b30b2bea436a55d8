"""THE table of diagnostics: every code, how bad it is, what it means, a text that shows it, and that text mended.

docs/diagnostics.md is made from it (`make docs`). In an example, the diagnostic is on the line after `# here`.
"""

from __future__ import annotations

from typing import NamedTuple

from uopc.uir.error_codes import B12, ERRORS, HERE, I4, M34, Row
from uopc.uir.model import Severity


class CodeInfo(NamedTuple):
    """One kind of diagnostic. `example` is empty where no text of reasonable size shows it, and then `mended` is too.

    Where the checker has quick fixes for it, one of them makes `mended` of `example`.
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    example: str
    mended: str


_DIRECTIVE_ERRORS: tuple[Row, ...] = (
    (
        "bad-directive",
        "a directive that cannot be read",
        "The directive is known, and its text is not what it takes.",
        HERE + "# uir: input 0 = sevens\n" + B12,
        "# uir: input 0 = full 7\n" + B12,
    ),
    (
        "duplicate-directive",
        "a second directive for the same thing",
        "The first directive is the one that counts.",
        "# uir: reduce=leading\n" + HERE + "# uir: reduce=trailing\n" + B12,
        "# uir: reduce=leading\n" + B12,
    ),
    (
        "list-length",
        "data of another length",
        "A list has one number for each element, flat in row-major order.",
        HERE + "# uir: input 0 = [1, 2, 3]\n" + I4,
        "# uir: input 0 = [1, 2, 3, 3]\n" + I4,
    ),
    (
        "list-dtype",
        "data of another dtype",
        "Integer and bool buffers take whole numbers in the range of their dtype.",
        HERE + "# uir: input 0 = [1, 2, 3, 4.5]\n" + I4,
        "# uir: input 0 = [1, 2, 3, 4]\n" + I4,
    ),
    (
        "expect-output",
        "an output that is not there",
        "`expect K` is about output K of the program, counted from 0.",
        HERE + "# uir: expect 1 = [1, 2, 3, 4]\n" + I4,
        "# uir: expect 0 = [1, 2, 3, 4]\n" + I4,
    ),
)

_WARNINGS: tuple[Row, ...] = (
    (
        "version",
        "another version of the format",
        "The header line names a version of the format that is not this one.",
        HERE + "# uop v2\n" + B12,
        "# uop v1\n" + B12,
    ),
    (
        "unknown-directive",
        "no such directive",
        "A comment that starts with `uir:` is a directive: reduce, input, expect or allow.",
        HERE + "# uir: inptu 0 = ones\n" + B12,
        "# uir: input 0 = ones\n" + B12,
    ),
    (
        "unused-slot",
        "data for no buffer",
        "No buffer of the file has this slot.",
        HERE + "# uir: input 7 = ones\n" + B12,
        "# uir: input 0 = ones\n" + B12,
    ),
    (
        "unknown-code",
        "no such diagnostic to switch off",
        "`allow` names codes of warnings and hints; errors cannot be switched off.",
        HERE + "# uir: allow no-ops\n" + B12,
        "# uir: allow no-op\n" + B12,
    ),
    (
        "unused-value",
        "a value that no result needs",
        "The root is the sink, or the last value; this line is not part of it.",
        B12 + HERE + "%1 = neg %0\n%2 = sqrt %0",
        B12 + "%2 = sqrt %0",
    ),
    (
        "uncontracted-product",
        "a sum over a product that is no contraction",
        "One factor does not vary along the summed axis, so it comes out of the sum: this is a product with a row sum."
        " For a matrix product both factors must vary along the axis that is removed.",
        "%0 = buffer 16 : dtype=f32 slot=0\n%1 = buffer 16 : dtype=f32 slot=1\n%2 = reshape %0, (4, 4, 1)\n"
        "%3 = reshape %1, (4, 1, 4)\n"
        "%4 = mul %2, %3\n" + HERE + "%5 = reduce %4 : op=add pop=1",
        "%0 = buffer 16 : dtype=f32 slot=0\n%1 = buffer 16 : dtype=f32 slot=1\n%2 = reshape %0, (4, 1, 4)\n"
        "%1_m = reshape %1, (4, 4)\n%1_t = permute %1_m, (1, 0)\n%3 = reshape %1_t, (1, 4, 4)\n"
        "%4 = mul %2, %3\n%5 = reduce %4 : op=add pop=1",
    ),
    (
        "empty-max",
        "a maximum of nothing",
        "The maximum over an axis of size 0 is the least value of the dtype.",
        "%0 = buffer 0 : dtype=f32 slot=0\n" + HERE + "%1 = reduce %0 : op=max pop=1",
        "%0 = buffer 3 : dtype=f32 slot=0\n%1 = reduce %0 : op=max pop=1",
    ),
    (
        "huge",
        "a run that would be very large",
        "The memory or the number of operations that a run needs is beyond the limit.",
        "%0 = buffer 1 : dtype=f32 slot=0\n%1 = reshape %0, (1, 1)\n%2 = expand %1, (10000000, 10000000)\n"
        + HERE
        + "%3 = reduce %2 : op=add pop=2",
        "%0 = buffer 1 : dtype=f32 slot=0\n%1 = reshape %0, (1, 1)\n%2 = expand %1, (1000, 1000)\n"
        "%3 = reduce %2 : op=add pop=2",
    ),
)

_HINTS: tuple[Row, ...] = (
    (
        "recomputed-reduce",
        "a reduction evaluated many times",
        "An element is computed again in each loop that uses it; `stage` computes it once.",
        M34 + HERE + "%2 = reduce %1 : op=max pop=1\n%3 = buffer 3 : dtype=f32 slot=1\n%4 = stack %2, %3",
        M34 + "%2 = reduce %1 : op=max pop=1\n%2_staged = stage %2\n%3 = buffer 3 : dtype=f32 slot=1\n"
        "%4 = stack %2_staged, %3",
    ),
    (
        "no-op",
        "an operation that changes nothing",
        "The result is the operand itself: a reshape to the same shape, a permute that leaves the axes.",
        B12 + HERE + "%1 = reshape %0, (12,)",
        B12,
    ),
    (
        "unprovable-index",
        "an index that may be outside",
        "Bounds analysis cannot keep the index inside the axis. In a shaped program it is clamped; in a loop"
        " program the run checks it.",
        B12 + "%1 = buffer 1 : dtype=i32 slot=1\n%2 = index %1, 0\n" + HERE + "%3 = index %0, %2",
        B12 + "%1 = buffer 1 : dtype=i32 slot=1\n%2 = index %1, 0\n%2_in = floormod %2, 12\n%3 = index %0, %2_in",
    ),
    (
        "needs-64-bit-index",
        "more elements than 32 bits count",
        "Positions in this value are computed with 64-bit integers, which may take longer. Below 2,147,483,648 elements"
        " they fit 32 bits.",
        HERE + "%0 = buffer 3000000000 : dtype=i8 slot=0\n%1 = shrink %0, ((0, 2),)",
        "%0 = buffer 2000000000 : dtype=i8 slot=0\n%1 = shrink %0, ((0, 2),)",
    ),
)

_TABLE = (
    (Severity.ERROR, (*ERRORS, *_DIRECTIVE_ERRORS)),
    (Severity.WARNING, _WARNINGS),
    (Severity.HINT, _HINTS),
)
CODES: dict[str, CodeInfo] = {
    code: CodeInfo(code, severity, title, explanation, example, mended)
    for severity, rows in _TABLE
    for code, title, explanation, example, mended in rows
}
