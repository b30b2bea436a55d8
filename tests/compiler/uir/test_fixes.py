"""Every quick fix leaves a text without the diagnostic it is for, and without new errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from text_rows import HEAD, ROWS

from uopc.uir import CODES, Diagnostic, analyze, apply_edits

CASES = sorted((Path(__file__).parents[2] / "cases" / "errors").glob("*.uir"))
B4 = "%0 = buffer 4 : dtype=f32 slot=0\n"
M34 = "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n"

# text, code, the texts one of which must be in the file after the first fix (or that named by its title)
NAMED = [
    (M34 + "%2 = reshape %1, (3, 5)", "reshape-count", "(3, 4)", "%2 = reshape %1, (3, 4)"),
    (M34 + "%2 = reshape %1, (-1, 2)", "negative-size", "6", "%2 = reshape %1, (6, 2)"),
    (M34 + "%i = buffer 4 : dtype=i32 slot=1\n%2 = add %1, %i", "dtype-mismatch", "cast %i to f32",
     "%i_f32 = cast %i : dtype=f32\n%2 = add %1, %i_f32"),
    (M34 + "%2 = buffer 3 : dtype=f32 slot=1\n%3 = add %1, %2", "broadcast", "reshape %2 to (3, 1)",
     "%2_r = reshape %2, (3, 1)\n%3 = add %1, %2_r"),
    (M34 + "%2 = permute %1, (1, 0)\n%3 = add %1, %2", "broadcast", "transpose %2 by (1, 0)",
     "%2_t = permute %2, (1, 0)\n%3 = add %1, %2_t"),
    (M34 + "%2 = permute %1, (0, 0)", "permute-order", "(0, 1)", "%2 = permute %1, (0, 1)"),
    (M34 + "%2 = permute %1, (2, 1)", "permute-order", "(1, 0)", "%2 = permute %1, (1, 0)"),
    (M34 + "%2 = permute %1, (-1, 0)", "permute-order", "(1, 0)", "%2 = permute %1, (1, 0)"),
    ("%0 = buffer (3, 4) : dtype=f32 slot=0  # data\n%1 = neg %0", "buffer-shape", "flat",
     "%0_flat = buffer 12 : dtype=f32 slot=0  # data\n%0 = reshape %0_flat, (3, 4)\n%1 = neg %0"),
    (B4 + "%1 = multiply %0, %0", "unknown-operation", "mul", "%1 = mul %0, %0"),
    (B4 + "%1 = maxx %0, %0", "unknown-operation", "max", "%1 = max %0, %0"),
    (B4 + "%sum = neg %0\n%2 = neg %smu", "undefined-value", "%sum", "%2 = neg %sum"),
    (B4 + "%1 = reshape %0 shap=[2 2]", "unknown-argument", "shape", "%1 = reshape %0 shape=[2 2]"),
    (B4 + "%1 = neg %0\n%2 = sqrt %0", "unused-value", "remove", B4 + "%2 = sqrt %0"),
    (B4 + "%1 = add %0 %0", "missing-comma", "comma", "%1 = add %0, %0"),
    (B4 + "%1 = cast %0 : dtype=float32", "unknown-dtype", "f32", "dtype=f32"),
    ("%0 = buffer 4 : dtype=f32\n%1 = neg %0", "missing-argument", "slot=0", "%0 = buffer 4 : dtype=f32 slot=0"),
    (B4 + "%1 = buffer 5 : dtype=f32 slot=0\n%2 = sink %0, %1", "slot-conflict", "slot=1",
     "%1 = buffer 5 : dtype=f32 slot=1"),
    (B4 + "%1 = sink %0\n%2 = neg %0", "sink-not-last", "move", "%2 = neg %0\n%1 = sink %0"),
    (M34 + "%2 = reduce %1 : op=add pop=1\n%3 = buffer 4 : dtype=f32 slot=1\n%4 = add %2, %3", "broadcast", "leading",
     "# uir: reduce=leading\n%0"),
    ("# uop v1\r\n# uir: reduce=trailing\r\n" + M34.replace("\n", "\r\n") + "%2 = reduce %1 : op=add pop=1\r\n"
     "%3 = reshape %2, (4,)", "reshape-count", "leading", "# uop v1\r\n# uir: reduce=leading\r\n%0"),
    ("%0 = buffer 16 : dtype=f32 slot=0\n%1 = buffer 16 : dtype=f32 slot=1\n%2 = reshape %0, (4, 4, 1)\n"
     "%3 = reshape %1, (4, 1, 4)\n%4 = mul %2, %3\n%5 = reduce %4 : op=add pop=1", "uncontracted-product", "A @ B",
     "%2 = reshape %0, (4, 1, 4)\n"),
    ("%0 = buffer 16 : dtype=f32 slot=0\n%1 = buffer 16 : dtype=f32 slot=1\n%2 = reshape %0, (4, 4, 1)\n"
     "%3 = reshape %1, (4, 1, 4)\n%4 = mul %2, %3\n%5 = reduce %4 : op=add pop=1", "uncontracted-product", "leading",
     "# uir: reduce=leading\n"),
]  # fmt: skip

TEXTS = [
    *(path.read_text(encoding="utf-8") for path in CASES),
    *(HEAD + row.replace("«", "").replace("»", "") + "\n" for row, _ in ROWS),
    *(info.example.replace("# here\n", "") for info in CODES.values()),
    *(text for text, *_ in NAMED),
    "# uir: allow no-ops\n" + B4,
    "# uir: inptu 0 = ones\n" + B4,
    "# uir: input 7 = ones\n" + B4,
    "# uir: input 0 = oness\n" + B4,
    "# uir: input 0 = [1, 2\n" + B4,
    "# uir: reduce=leadin\n" + B4,
    "# uop v3\n" + B4,
    "%0 buffer 4 : dtype=f32 slot=0",
    "0 = buffer 4 : dtype=f32 slot=0",
    B4 + "%i = buffer 4 : dtype=i32 slot=1\n%1 = where %i, %0, %i",
    B4 + "%i = buffer 4 : dtype=i32 slot=1\n%1 = stack %i, %0, %i",
    B4 + "%i = buffer 4 : dtype=i32 slot=1\n%1 = store %0, %i",
    "%i = buffer 4 : dtype=i32 slot=1\n%1 = mul %i, 0.5",
    "%i = buffer 4 : dtype=bool slot=1\n%1 = shl %i, %i",
    "%b = buffer 4 : dtype=bool slot=1\n%1 = reduce %b : op=add pop=1",
    "%1 = sqrt 2\n",
    M34 + "%2 = stack %1, %1, %1\n%3 = permute %2, (0, 1)",
    M34 + "%2 = shrink %1, ((0, 2),)",
    M34 + "%2 = pad %1, ((0, 2),)",
    M34 + "%2 = flip %1, (-1,)",
    M34 + "%2 = reduce %1 : op=add axes=(-1,)",
    M34 + "%2 = index %1, -1",
    M34 + "%2 = expand %0, (2, 12)",
    M34 + "%2 = buffer 12 : dtype=f32 slot=1\n%3 = store %2, %1",
    M34 + "%2 = shrink %1 bounds=[2 1 0 4]",
]


def count_errors(text: str) -> int:
    return len(analyze(text).errors)


@pytest.mark.parametrize("text", list(dict.fromkeys(TEXTS)))
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_every_fix_mends(text: str, eol: str) -> None:
    text = text.replace("\r\n", "\n").replace("\n", eol)
    before = analyze(text)
    for diagnostic in before.diagnostics:
        for fix in diagnostic.fixes:
            after = apply_edits(text, fix.edits)
            assert "\n" not in after.replace("\r\n", "") or eol not in text or eol == "\n", fix.title
            left = analyze(after).diagnostics
            same = sum(_same(d, diagnostic) for d in left)
            assert same < sum(_same(d, diagnostic) for d in before.diagnostics), (fix.title, after)
            assert count_errors(after) <= len(before.errors), (fix.title, after)


def _same(a: Diagnostic, b: Diagnostic) -> bool:
    return (a.code, a.message) == (b.code, b.message)


@pytest.mark.parametrize(("text", "code", "title", "want"), NAMED, ids=[f"{c}-{t}" for _, c, t, _ in NAMED])
def test_named_fix(text: str, code: str, title: str, want: str) -> None:
    fixes = [f for d in analyze(text).diagnostics if d.code == code for f in d.fixes if title in f.title]
    assert fixes, [(d.code, [f.title for f in d.fixes]) for d in analyze(text).diagnostics]
    assert want in apply_edits(text, fixes[0].edits)
