"""Every quick fix leaves a text without the diagnostic it is for, and without new errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from text_rows import HEAD, ROWS

from uopc.evaluate import evaluate
from uopc.uir import CODES, Diagnostic, Fix, Span, analyze, apply_edits, parse
from uopc.uir.drafts import Draft, FixContext
from uopc.uir.report import Reporter

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
    # names and lines
    ("%1 = neg %0\n%2 = add %1, %0\n%0 = buffer 4 : dtype=f32 slot=0  # data\n%3 = sink %2", "used-before-definition",
     "move %0", "%0 = buffer 4 : dtype=f32 slot=0  # data\n%1 = neg %0\n%2 = add %1, %0\n%3 = sink %2"),
    (B4 + "%1 = reduce %0 : op=add pop=1 axes=(0,)", "duplicate-argument", "remove pop", " : op=add axes=(0,)"),
    (B4 + "%1 = reduce %0 : op=add pop=1 axes=(0,)", "duplicate-argument", "remove axes", " : op=add pop=1"),
    (B4 + "%1 = reduce %0 : pop=1 op=add axes=(0,)", "duplicate-argument", "remove pop", "%0 : op=add axes=(0,)"),
    (B4 + "%1 = neg %0\n%2 = sqrt %1\n%3 = add %0, %0\n%4 = add %1, %2\n%5 = neg %3", "unused-value", "2 lines",
     B4 + "%3 = add %0, %0\n%5 = neg %3"),
    # operations that change nothing
    (M34 + "%2 = permute %1, (0, 1)  # why\n%3 = add %2, %2\n%4 = sink %3, %2", "no-op", "use %1",
     M34 + "%3 = add %1, %1\n%4 = sink %3, %1"),
    (B4 + "%1 = neg %0\n%2 = reshape %1, (4,)", "no-op", "remove", B4 + "%1 = neg %0\n"),
    # reductions and indices
    (M34 + "%2 = reduce %1 : op=max axes=(0,) keepdim=true  # peak\n%3 = sub %1, %2", "recomputed-reduce", "stage %2",
     M34 + "%2 = reduce %1 : op=max axes=(0,) keepdim=true  # peak\n%2_staged = stage %2\n%3 = sub %1, %2_staged"),
    ("%0 = buffer 4 : dtype=f32 slot=0\n%1 = buffer 1 : dtype=i64 slot=1\n%2 = index %1, 0\n%3 = index %0, %2",
     "unprovable-index", "wrap %2", "%2_in = floormod %2, 4\n%3 = index %0, %2_in"),
    (M34 + "%2 = index %1, 3, -2", "index-range", "2", "%2 = index %1, 2, -2"),
    (M34 + "%2 = index %1, 2, -9", "index-range", "0", "%2 = index %1, 2, 0"),
    (M34 + "%c = const 5 : dtype=i32\n%2 = index %1, 2, %c", "index-range", "3", "%2 = index %1, 2, 3"),
    # axes, windows, pads, sizes
    (M34 + "%2 = flip %1, (1, 1)", "flip-axes", "(1,)", "%2 = flip %1, (1,)"),
    (M34 + "%2 = flip %1, (-1, 0, 7)", "flip-axes", "(0, 1)", "%2 = flip %1, (0, 1)"),
    (M34 + "%2 = flip %1, axes=2", "flip-axes", "(1,)", "%2 = flip %1, axes=(1,)"),
    (M34 + "%2 = reduce %1 : op=add axes=(1, 1)", "reduce-axes", "(1,)", "%2 = reduce %1 : op=add axes=(1,)"),
    (M34 + "%2 = reshape %1, (2, 2, 3)\n%3 = permute %2, (2, 2, 2)", "permute-order", "(2, 0, 1)",
     "%3 = permute %2, (2, 0, 1)"),
    (M34 + "%2 = permute %1, (1, 2, 0)", "permute-rank", "(1, 0)", "%2 = permute %1, (1, 0)"),
    (M34 + "%2 = shrink %1, ((-1, 5), (6, 7))", "shrink-window", "clip", "%2 = shrink %1, ((0, 3), (4, 4))"),
    (M34 + "%2 = shrink %1, [2, 1, 0, 9]", "shrink-window", "clip", "%2 = shrink %1, [1, 2, 0, 4]"),
    (M34 + "%2 = pad %1, ((-1, 2), (0, -3))", "negative-pad", "change to ((0, 2)", "%2 = pad %1, ((0, 2), (0, 0))"),
    (M34 + "%2 = pad %1, ((-1, 2), (0, -3))", "negative-pad", "shrink %1 first",
     "%1_s = shrink %1, ((1, 3), (0, 1))\n%2 = pad %1_s, ((0, 2), (0, 0))"),
    (M34 + "%2 = pad %1, ((-1, 0), (0, -3))  # less", "negative-pad", "make it a shrink",
     "%2 = shrink %1, ((1, 3), (0, 1))  # less"),
    (B4 + "%1 = expand %0, (4, 3)", "expand-rank", "reshape", "%0_r = reshape %0, (4, 1)\n%1 = expand %0_r, (4, 3)"),
    (B4 + "%1 = expand %0, (4, 4)", "expand-rank", "(1, 4)", "%0_r = reshape %0, (1, 4)\n%1 = expand %0_r, (4, 4)"),
    (B4 + "%1 = expand %0, (4, 4)", "expand-rank", "(4, 1)", "%0_r = reshape %0, (4, 1)\n%1 = expand %0_r, (4, 4)"),
    (B4 + "%1 = expand %0, (1, 4)", "expand-rank", "make it a reshape", "%1 = reshape %0, (1, 4)"),
    (B4 + "%1 = reshape %0, (1, 4)\n%2 = expand %1, (4,)", "expand-rank", "make it a reshape", "%2 = reshape %1, (4,)"),
    (B4 + "%1 = reshape %0, (4, 1)\n%2 = expand %1, (3, 4)", "expand-size", "(1, 4)",
     "%1_r = reshape %1, (1, 4)\n%2 = expand %1_r, (3, 4)"),
    (M34 + "%2 = expand %1, (4, 3)", "expand-size", "make it a reshape", "%2 = reshape %1, (4, 3)"),
    (M34 + "%2 = expand %1, (6, 4)", "expand-size", "repeat",
     "%1_r = reshape %1, (1, 3, 4)\n%1_e = expand %1_r, (2, 3, 4)\n%2 = reshape %1_e, (6, 4)"),
    # sinks and loops
    (B4 + "%1 = sink %0\n%2 = neg %0\n%3 = sink %2, %0", "second-sink", "join", B4 + "%2 = neg %0\n%3 = sink %0, %2"),
    (B4 + "%r = range 4 : idx=0\n%a = index %0, %r\n%s = store %a, 1.0", "unclosed-range", "close %r",
     "%s = store %a, 1.0\n%s_end = end %s, %r"),
    (B4 + "%r = range 2 : idx=0\n%q = range 2 : idx=1\n%2r = mul %r, 2\n%k = add %2r, %q\n%a = index %0, %k\n"
     "%s = store %a, 1.0\n%out = sink %s", "unclosed-range", "close %q",
     "%s_end = end %s, %r, %q\n%out = sink %s_end"),
    (B4 + "%1 = buffer 4 : dtype=f32 slot=1\n%r = range 4 : idx=0\n%a = index %0, %r\n%b = index %1, %r\n"
     "%s = store %a, 1.0\n%t = store %b, 2.0\n%out = sink %s, %t", "unclosed-range", "close %r",
     "%s_all = group %s, %t\n%s_end = end %s_all, %r\n%out = sink %s_end"),
    (B4 + "%r = range 2 : idx=0\n%q = range 2 : idx=1\n%a = index %0, %r\n%s = store %a, 1.0\n%b = index %0, %q\n"
     "%t = store %b, 2.0", "unclosed-range", "close %r",
     "%t = store %b, 2.0\n%s_end = end %s, %r\n%t_end = end %t, %q\n%out = sink %s_end, %t_end"),
    # characters and commas
    (B4 + "%1 = neg %0 ;", "bad-character", "remove it", "%1 = neg %0 "),
    (B4 + "%1 = add %0, %0,", "missing-argument", "comma", "%1 = add %0, %0"),
    (B4 + "%1 = cast %0, : dtype=i32", "missing-argument", "comma", "%1 = cast %0 : dtype=i32"),
    (B4 + "%1 = add %0, , %0", "missing-argument", "comma", "%1 = add %0,  %0"),
    # directives
    (B4 + "# uir: expect 3 = [1, 1, 1, 1]\n%1 = neg %0", "expect-output", "expect 0",
     "# uir: expect 0 = [1, 1, 1, 1]\n"),
    (B4 + "# uir: expect 0 = [1, 1, 1, 1]\n# uir: expect 3 = [1, 1, 1, 1]\n%1 = neg %0", "expect-output", "remove",
     B4 + "# uir: expect 0 = [1, 1, 1, 1]\n%1 = neg %0"),
    ("# uir: input 0 = randn seed=1\n%0 = buffer 4 : dtype=i32 slot=0", "list-dtype", "arange",
     "# uir: input 0 = arange\n"),
    (B4 + "# uir: input 0 = ones\n# uir: input 0 = zeros  # or not\n%1 = neg %0", "duplicate-directive", "remove",
     B4 + "# uir: input 0 = ones\n%1 = neg %0"),
    (B4 + "# uir: input 0 = ones\n%1 = neg %0  # uir: input 0 = zeros", "duplicate-directive", "remove",
     B4 + "# uir: input 0 = ones\n%1 = neg %0"),
    ("# uir: input 0 = [ 1 2, 3, 0x4, 5, 6 ]\n" + B4, "list-length", "cut", "# uir: input 0 = [ 1 2, 3, 0x4 ]\n"),
    ("# uir: input 0 = [1, .5]\n" + B4, "list-length", ".5", "# uir: input 0 = [1, .5, .5, .5]\n"),
    ("# uir: input 0 = [1, 2]\n%0 = buffer 0 : dtype=f32 slot=0", "list-length", "cut", "# uir: input 0 = []\n"),
    (B4 + "# uir: expect = [1, 2, 3, 4] rtol=0.1 shape=(2, 2)\n%1 = neg %0", "list-length", "shape=(4,)",
     "# uir: expect = [1, 2, 3, 4] rtol=0.1 shape=(4,)\n"),
    ("# uir: expect = [1, 2, 3, 4]\n" + M34 + "%2 = reduce %1 : op=add pop=1", "list-length", "leading",
     "# uir: reduce=leading\n# uir: expect = [1, 2, 3, 4]\n"),
]  # fmt: skip

# text, code: no mend is certain
NO_FIX = [
    ("%1 = neg %0\n%0 = neg %1", "used-before-definition"),
    ("%b = neg %a\n" + B4 + "%a = neg %0  # uir: input 0 = ones", "used-before-definition"),
    (B4 + "%1 = neg %0\n%2 = reshape %0, (4,)", "no-op"),
    (B4 + "%1 = reshape %0, (4,)  # uir: input 0 = ones\n%2 = neg %1", "no-op"),
    ("%0 = buffer 300 : dtype=f32 slot=0\n%1 = buffer 1 : dtype=i8 slot=1\n%2 = index %1, 0\n%3 = index %0, %2",
     "unprovable-index"),
    ("%0 = buffer 0 : dtype=f32 slot=0\n%1 = index %0, 3", "index-range"),
    (M34 + "%2 = expand %1, (5, 4)", "expand-size"),
    (B4 + "%1 = store %0, %0\n%2 = sink %0\n%3 = sink %1", "second-sink"),
    (B4 + "%r = range 4 : idx=0\n%a = index %0, %r\n%v = load %a", "unclosed-range"),
    (B4 + "%r = range 2 : idx=0\n%q = range 2 : idx=1\n%a = index %0, %r\n%s = store %a, 1.0\n%2r = mul %r, 2\n"
     "%k = add %2r, %q\n%b = index %0, %k\n%t = store %b, 1.0\n%out = sink %s, %t", "unclosed-range"),
    ("# uir: input 0 = []\n" + B4, "list-length"),
    ("# uir: input 0 = [1]\n%0 = buffer -1 : dtype=f32 slot=0", "list-length"),
    ("# uir: input 0 = [1]\n%0 = buffer 5000 : dtype=f32 slot=0", "list-length"),
    (B4 + "# uir: expect = [1, 2, 3] shape=(3,)\n%1 = neg %0", "list-length"),
]  # fmt: skip

TEXTS = [
    *(path.read_text(encoding="utf-8") for path in CASES),
    *(HEAD + row.replace("«", "").replace("»", "") + "\n" for row, _ in ROWS),
    *(info.example.replace("# here\n", "") for info in CODES.values()),
    *(text for text, *_ in NAMED),
    *(text for text, _ in NO_FIX),
    "# uir: input 0 = [1, 2]\n" + M34 + "%2 = reduce %1 : op=add pop=1",
    "\ufeff%1 = neg %0\n" + B4,
    "%2 = neg %1\n%1 = neg %0\n" + B4,
    M34 + "%2 = reduce %1 : op=add pop=0\n%3 = neg %2",
    M34 + "%2 = cast %1 : dtype=f32\n%3 = reshape %2, (3, 4)\n%4 = add %3, %2",
    B4 + "%1 = reshape %0, (4,)\n%1 = neg %0",
    M34 + "%2 = pad %1, ((-1, 2), (0, -9))",
    M34 + "%2 = pad %1 pads=[-1 2 0 -1]",
    B4 + "%1 = sink %0\n%2 = sink %0\n%3 = sink %0",
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


@pytest.mark.parametrize(("text", "code"), NO_FIX, ids=[f"{c}-{k}" for k, (_, c) in enumerate(NO_FIX)])
def test_no_fix_where_none_is_certain(text: str, code: str) -> None:
    found = [d for d in analyze(text).diagnostics if d.code == code]
    assert found
    assert [f.title for d in found for f in d.fixes] == []


def test_a_stage_that_leaves_the_reduction_recomputed_is_not_offered() -> None:
    """%2 and %b are one value: a stage of %2 alone leaves the loops of %b's users as they are."""
    text = M34 + "%2 = reduce %1 : op=max axes=(0,) keepdim=true\n%b = reduce %1 : op=max axes=(0,) keepdim=true\n"
    for user, fixes in (("%b", 0), ("%2", 1)):
        found = analyze(text + f"%3 = sub %1, %2\n%4 = sub %3, {user}").diagnostics
        assert [len(d.fixes) for d in found if d.code == "recomputed-reduce"] == [fixes]


X = np.arange(1, 13, dtype=np.float32).reshape(3, 4)

# text that X is the input of, a word of the fix's title, what the mended program gives
MEANT = [
    (M34 + "%2 = expand %1, (6, 8)", "repeat", np.tile(X, (2, 2))),
    (M34 + "%2 = expand %0, (2, 12)", "(1, 12)", np.stack([X.ravel()] * 2)),
    (M34 + "%2 = pad %1, ((-1, 2), (0, -3))", "shrink %1 first", np.pad(X[1:, :1], ((0, 2), (0, 0)))),
    (M34 + "%2 = pad %1, ((-1, 0), (0, -3))", "make it a shrink", X[1:, :1]),
    (M34 + "%2 = shrink %1, ((-4, 2), (1, 9))", "clip", X[0:2, 1:4]),
    (M34 + "%2 = flip %1, (1, 1)", "(1,)", X[:, ::-1]),
    (M34 + "%2 = permute %1, (0, 1)\n%3 = sub %2, 1.0", "remove", X - 1),
    (M34 + "%2 = reduce %1 : op=max axes=(0,) keepdim=true\n%3 = sub %1, %2", "stage", X - X.max(0)),
    ("%r = range 12 : idx=0\n" + M34.partition("\n")[0] + "\n%a = index %0, %r\n%s = store %a, 5.0\n%e = sink %s",
     "close", np.full(12, 5, np.float32)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "title", "want"), MEANT, ids=lambda v: str(v)[-24:])
def test_mended_program_gives_what_was_meant(text: str, title: str, want: np.ndarray[Any, Any]) -> None:
    (fix,) = [f for d in analyze(text).diagnostics for f in d.fixes if title in f.title]
    root = parse(apply_edits(text, fix.edits))
    np.testing.assert_array_equal(evaluate(root, {0: X.ravel().copy()}), want)


def test_a_reduction_without_elements_is_not_recomputed() -> None:
    text = "# uir: reduce=leading\n%0 = buffer 0 : dtype=f32 slot=0\n%1 = reshape %0, (2, 0)\n"
    assert analyze(text + "%2 = reduce %1 : op=max pop=1").diagnostics == ()


def test_fixes_are_made_when_they_are_looked_at() -> None:
    (diagnostic,) = analyze(B4 + "%1 = neg %O").diagnostics
    asked: list[int] = []

    def make(context: FixContext, line: int) -> Fix | None:
        asked.append(line)
        return Fix("nothing", ()) if line == 7 else None

    reporter = Reporter(analyze(B4).state)
    drafts = [(line, Draft(Span(0, 1), "no-op", "said", makers=(make,))) for line in (0, 7)]
    other, found = reporter.diagnostics(drafts, frozenset(), B4)
    assert asked == []
    assert list(found.fixes) == [Fix("nothing", ())] == list(found.fixes)
    assert (asked, len(other.fixes), found.fixes == other.fixes) == ([7, 0], 0, False)
    assert diagnostic.fixes == tuple(diagnostic.fixes) != ()
