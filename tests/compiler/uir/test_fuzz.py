"""Soups of tokens: analyze, format and dump never raise anything but ParseError, and what holds for programs holds."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from uopc.ops import OPS
from uopc.uir import CODES, analyze, apply_edits, bind, dump, lines, parse, scan
from uopc.uir import format as format_text
from uopc.uir.lines import parse_line
from uopc.uir.source import split_lines

# Separated by |, since some of them are or hold blanks.
_PIECES = """
div|mod|%0|%1|%2|%3|%x|%a.b|=|=|,|,|:|(|)|[|]|()|(12,)|3|-1|0|12|0.5|1e400|inf|nan|true|0x1p3|+|..|é|\0|😀|% |\t|(3, 4)
[2 6]|((0, 1), (0, 2))|shape=[3,4]|dtype=f32|dtype=i32|dtype=bool|slot=0|slot=1|idx=0|kind=loop|op=add|pop=1|axes=(0,)
keepdim=true|#|# uir:|input|expect|reduce=leading|allow|file|"a"|randn|seed=1|99999999999999999999
"""
WORDS = [*OPS, *_PIECES.strip("\n").replace("\n", "|").split("|")]


def soup(rng: random.Random) -> str:
    """Lines that begin like statements or directives and go on at random."""
    lines = []
    for k in range(rng.randrange(1, 12)):
        head = rng.choice(
            [f"%{k} = {rng.choice(list(OPS))} ", f"%{k} = ", "# uir: ", "", f"%{k} = buffer 12 : dtype=f32 slot={k}"]
        )
        lines.append(head + rng.choice(["", " ", ", "]).join(rng.choices(WORDS, k=rng.randrange(7))))
    return rng.choice(["\n", "\r\n", "\r"]).join(lines)


@pytest.mark.parametrize("seed", range(40))
def test_soup(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        text = soup(rng)
        analysis = analyze(text)
        for d in analysis.diagnostics:
            assert d.code in CODES
            assert 0 <= d.line < len(analysis.lines)
            assert 0 <= d.span.start <= d.span.end <= len(analysis.lines[d.line])
            for fix in d.fixes:
                analyze(apply_edits(text, fix.edits))
        laid_out = format_text(text)
        assert format_text(laid_out) == laid_out
        assert [(d.code, d.message) for d in analyze(laid_out).diagnostics] == [
            (d.code, d.message) for d in analysis.diagnostics
        ]
        if analysis.root is not None:
            assert parse(dump(analysis.root)) is analysis.root
            assert parse(laid_out) is analysis.root
        for value in analysis.values.values():
            assert all(analysis.lines[k][s.start + 1 : s.end] == value.name for k, s in value.uses)


@pytest.mark.parametrize("seed", range(10))
def test_the_fast_ways_of_reading_a_line_read_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    cases = rng.sample(sorted((Path(__file__).parents[2] / "cases").glob("*/*.uir")), 12)
    texts = [line for path in cases for line in path.read_text(encoding="utf-8").splitlines()[:80]]
    texts += [line for _ in range(100) for line in split_lines(soup(rng))]
    quick = [parse_line(text) for text in texts]
    monkeypatch.setattr(scan, "SIMPLE", re.compile(r"(?!)"))
    monkeypatch.setattr(lines, "well_formed", lambda text, tokens: None)
    monkeypatch.setattr(bind, "_fitting", lambda st, plan: None)
    slow = [parse_line(text) for text in texts]
    for a, b in zip(quick, slow):
        assert (a.statement, a.name, a.refs, a.uses, a.comment) == (b.statement, b.name, b.refs, b.uses, b.comment), (
            a.text
        )
        assert [d[:4] for d in a.drafts] == [d[:4] for d in b.drafts]
        assert a.bound == b.bound
    assert sum(a.bound is not None for a in quick) > 20
