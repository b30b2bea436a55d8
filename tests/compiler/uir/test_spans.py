"""Where a diagnostic points: the smallest text that is wrong. « and » in a row mark the place."""

from __future__ import annotations

import pytest
from text_rows import HEAD, ROWS

from uopc.uir import analyze


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
