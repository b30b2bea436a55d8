"""Where a diagnostic points: the smallest text that is wrong. « and » in a row mark the place."""

from __future__ import annotations

import pytest

from uopc.uir import analyze

HEAD = (
    "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n%i = buffer 4 : dtype=i32 slot=1\n"
    "%b = buffer 4 : dtype=bool slot=2\n%r = range 4 : idx=0\n%p = param (4,) : dtype=f32 slot=0\n%q = neg %p\n"
)

ROWS = [
    ("%9 = reshape %1, «(3, 5)»", "reshape-count"),
    ("%9 = reshape %1 shape=«[3 5]»", "reshape-count"),
    ("%9 = reshape %0, (3, «-4»)", "negative-size"),
    ("%9 = expand %1, (3, «5»)", "expand-size"),
    ("%9 = expand %1, «(3,)»", "expand-rank"),
    ("%9 = permute %1, (0, «0»)", "permute-order"),
    ("%9 = permute %1, («2», 0)", "permute-order"),
    ("%9 = permute %1, «(0, 1, 2)»", "permute-rank"),
    ("%9 = shrink %1, ((0, «4»), (0, 4))", "shrink-window"),
    ("%9 = shrink %1, ((«-1», 3), (0, 4))", "shrink-window"),
    ("%9 = shrink %1, («(2, 1)», (0, 4))", "shrink-window"),
    ("%9 = shrink %1 bounds=[0 3 1 «5»]", "shrink-window"),
    ("%9 = shrink %1, «((0, 3),)»", "shrink-rank"),
    ("%9 = pad %1, ((0, 0), («-1», 0))", "negative-pad"),
    ("%9 = pad %1 pads=[0 0 1 «-2»]", "negative-pad"),
    ("%9 = pad %1, «((0, 0),)»", "pad-rank"),
    ("%9 = flip %1, (1, «2»)", "flip-axes"),
    ("%9 = flip %1, (1, «1»)", "flip-axes"),
    ("%9 = add %1, «%i»", "dtype-mismatch"),  # shapes fit, (4,) against (3, 4)
    ("%9 = cmplt %0, «%1»", "broadcast"),
    ("%9 = where %b, %1, «%0»", "broadcast"),
    ("%9 = where «%i», %1, %1", "needs-bool"),
    ("%9 = where %b, %1, «%i»", "dtype-mismatch"),
    ("%9 = stack %i, %i, «%b»", "dtype-mismatch"),
    ("%9 = index %1, 0, «4»", "index-range"),
    ("%9 = index %1, «-1»", "index-range"),
    ("%9 = index %1, 0, 0, «0»", "index-rank"),
    ("%9 = index %1, «%i»", "index-type"),
    ("%9 = reduce %1 : op=add pop=«3»", "reduce-axes"),
    ("%9 = reduce %1 : op=add axes=(0, «2»)", "reduce-axes"),
    ("%9 = reduce %1 : op=«min» pop=1", "unknown-word"),
    ("%9 = reduce %1 : op=add pop=«one»", "argument-kind"),
    ("%9 = reduce %1 : op=add pop=1 «axes=(0,)»", "duplicate-argument"),
    ("%9 = «reduce» %1 : op=add", "missing-argument"),
    ("%9 = reduce «%b» : op=add pop=1", "bool-arithmetic"),
    ("%9 = cast %1 : dtype=«float»", "unknown-dtype"),
    ("%9 = cast %1 : «dtyp»=f32", "unknown-argument"),
    ("%9 = cast %1 : dtype=«void»", "void-cast"),
    ("%9 = bitcast %1 : dtype=«f64»", "bitcast-size"),
    ("%9 = «frob» %1", "unknown-operation"),
    ("%9 = add «%nope», %1", "undefined-value"),
    ("%9 = add «%9», %1", "used-before-definition"),
    ("«%1» = neg %0", "redefinition"),
    ("%9 = add %1, %1, «%1»", "too-many-arguments"),
    ("%9 = neg %1, «%1, %1»", "too-many-arguments"),
    ("%9 = «add» %1", "missing-argument"),
    ("%9 = add %1, «(3, 4)»", "argument-kind"),
    ("%9 = reshape %1, «12»", "argument-kind"),
    ("%9 = reshape %1, (3, «x»)", "syntax"),
    ("%9 = reshape %1, (3, «4.0»)", "argument-kind"),
    ("%9 = reshape %1, (3, «%0»)", "argument-kind"),
    ("%9 = shrink %1, («(0, 3, 1)», (0, 4))", "argument-kind"),
    ("%9 = shrink %1, «(0, 3, 0)»", "argument-kind"),
    ("%9 = mul %i, «0.5»", "number-range"),
    ("%9 = const «300» : dtype=i8", "number-range"),
    ("%9 = mul %1, «1.2.3»", "bad-number"),
    ("%9 = mul %1, «0x»", "bad-number"),
    ("%9 = mul %1, «+»", "bad-character"),
    ("%9 = mul %1 «%0»", "missing-comma"),
    ("%9 = mul %1«,»", "missing-argument"),
    ("%9 = mul «,» %1, %1", "missing-argument"),
    ("%9 = mul %1, «;»", "bad-character"),
    ("%9 = mul %1, «é»", "bad-character"),
    ("%9 = mul %1, «%»", "syntax"),
    ("%9 = reshape %1, «(»3, 4", "unclosed-list"),
    ("%9 = reshape %1, (3, 4«]»", "unclosed-list"),
    ("%9 = cast %1 : «dtype»", "syntax"),
    ("%9 = cast %1 : dtype«=»", "syntax"),
    ("%9 = cast %1 : «%1»", "syntax"),
    ("%9 = cast %1 : dtype=f32 «dtype=f64»", "duplicate-argument"),
    ("%9 «:» add %1", "syntax"),
    ("%9 «=»", "syntax"),
    ("«%9»", "syntax"),
    ("«hello» world", "syntax"),
    ("%9 = «3»", "syntax"),
    ("%9 = buffer «(3, 4)» : dtype=f32 slot=7", "buffer-shape"),
    ("%9 = buffer «5» : dtype=f32 slot=0", "slot-conflict"),
    ("%9 = buffer 12 : dtype=«i32» slot=0", "slot-conflict"),
    ("%9 = buffer «-1» : dtype=f32 slot=7", "negative-size"),
    ("%9 = buffer 1 : dtype=f32 slot=«-7»", "argument-kind"),
    ("%9 = «buffer» 12 : dtype=f32", "missing-argument"),
    ("%9 = load «%1»", "needs-address"),
    ("%9 = store %0, «%1»", "store-shape"),
    ("%9 = store «%1», 1.5", "store-shape"),
    ("%9 = after %1, «%0»", "after-dep"),
    ("%9 = end «%0», %r", "end-body"),
    ("%9 = group «%0»", "group-value"),
    ("%9 = range 4 : idx=1 kind=«lop»", "unknown-word"),
    ("%9 = call %q, «%i»", "call-type"),
    ("%9 = «call» %q", "call-arity"),
]


@pytest.mark.parametrize(("row", "code"), ROWS, ids=[r for r, _ in ROWS])
def test_span(row: str, code: str) -> None:
    start, end = row.index("«"), row.index("»") - 1
    text = HEAD + row.replace("«", "").replace("»", "") + "  # a comment\n"
    found = [(d.code, tuple(d.span)) for d in analyze(text).errors if d.line == 7]
    if code == "store-shape" and row.startswith("%9 = store «%1»"):
        start, end = row.index("1.5") - 2, row.index("1.5") + 1  # the value is what does not fit
    assert found == [(code, (start, end))]


def test_related_places_are_the_definitions_of_the_operands() -> None:
    diagnostic = analyze(HEAD + "%9 = reshape %1, (3, 5)\n").errors[-1]
    assert [(r.line, tuple(r.span), r.message) for r in diagnostic.related] == [(1, (0, 2), "%1 has shape (3, 4)")]


def test_columns_are_code_points() -> None:
    text = "%0 = buffer 12 : dtype=f32 slot=0  # 😀\n%1 = neg %x # 😀😀 %y\n"
    assert tuple(analyze(text).errors[0].span) == (9, 11)


def test_byte_order_mark_is_skipped_and_counted() -> None:
    analysis = analyze("\ufeff%0 = neg %x\n")
    assert [(d.code, tuple(d.span)) for d in analysis.errors] == [("undefined-value", (10, 12))]


def test_header_of_another_version_is_a_warning() -> None:
    text = "# uop v2 something\n%0 = buffer 4 : dtype=f32 slot=0\n"
    assert [(d.code, d.severity.value, tuple(d.span)) for d in analyze(text).diagnostics] == [
        ("version", "warning", (6, 8))
    ]
    assert analyze(text.replace("v2", "v1")).diagnostics == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    analysis = analyze(f"%0 = buffer 4 : dtype=f32 slot=0{end}{end}%1 = neg %x{end}")
    assert [(d.line, d.code) for d in analysis.errors] == [(2, "undefined-value")]
    assert len(analysis.lines) == 4


def test_other_separators_do_not_end_a_line() -> None:
    for c in "\x0b\x0c\x1c\x85\u2028\u2029":
        analysis = analyze(f"# a{c}b\n%1 = neg %x\n")
        assert [d.line for d in analysis.errors] == [1]
