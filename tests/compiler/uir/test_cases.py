"""Every file of tests/cases: what it says about itself in its comments holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from uopc.uir import analyze, dump, parse
from uopc.uir import format as format_text

CASES = Path(__file__).parents[2] / "cases"
FILES = sorted(CASES.glob("*/*.uir"))
WRONG = [f for f in FILES if f.parent.name == "errors"]
RIGHT = [f for f in FILES if f.parent.name != "errors"]


def test_the_cases_are_there() -> None:
    assert len(WRONG) >= 16
    assert len(RIGHT) >= 84


@pytest.mark.parametrize("path", WRONG, ids=lambda p: p.stem)
def test_error_at_the_stated_line_and_only_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    stated = re.search(r"^# error: (\d+)", text, re.MULTILINE)
    assert stated is not None
    assert [d.line + 1 for d in analyze(text).errors] == [int(stated.group(1))]


@pytest.mark.parametrize("path", RIGHT, ids=lambda p: p.stem)
def test_no_errors_and_round_trips(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    analysis = analyze(text)
    assert analysis.errors == ()
    assert analysis.root is not None
    assert parse(dump(analysis.root)) is analysis.root
    laid_out = format_text(text)
    assert parse(laid_out) is analysis.root
    assert format_text(laid_out) == laid_out
    shape = re.search(r"^# shape: (.*)$", text, re.MULTILINE)
    if shape:
        assert str(analysis.root.shape) == shape.group(1)
