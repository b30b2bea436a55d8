"""After any edit the incremental state equals an analysis from scratch."""

from __future__ import annotations

import random
import time

import pytest
from text_edits import CASES, PIECES, chain, edited, shown

from uopc.uir import analyze


@pytest.mark.parametrize("seed", range(60))
def test_random_edits_of_pieces(seed: int) -> None:
    rng = random.Random(seed)
    lines = rng.choices(PIECES, k=rng.randrange(30))
    analysis = analyze("\n".join(lines))
    for _ in range(40):
        lines = edited(lines, rng)
        text = "\n".join(lines)
        analysis = analyze(text, analysis)
        assert shown(analysis) == shown(analyze(text)), text


@pytest.mark.parametrize("seed", range(20))
def test_random_edits_of_cases(seed: int) -> None:
    rng = random.Random(seed)
    lines = rng.choice(CASES).read_text(encoding="utf-8").splitlines()[:60]
    analysis = analyze("\n".join(lines))
    for _ in range(25):
        lines = edited(lines, rng)
        text = "\n".join(lines)
        analysis = analyze(text, analysis)
        assert shown(analysis) == shown(analyze(text)), text


def test_a_directive_behind_a_statement_is_judged_whether_or_not_its_operands_are_known() -> None:
    lines = ["%0 = buffer 4 : dtype=f32 slot=0", "%1 = neg %0", "%2 = neg %1  # uir: nothing = 1"]
    sound = analyze("\n".join(lines))
    assert [(d.line, d.code) for d in sound.diagnostics] == [(2, "unknown-directive")]
    broken = "\n".join([lines[0], "%1 = neg %q", lines[2]])
    for text in (broken, broken.replace("\n%1", "\n\n%1")):
        assert shown(analyze(text, sound)) == shown(analyze(text))
        assert [d.code for d in analyze(text).diagnostics] == ["undefined-value", "unknown-directive"]


def test_the_snapshot_before_an_edit_stays_what_it_was() -> None:
    text = "\n".join(PIECES)
    before = analyze(text)
    said = shown(before)
    rng = random.Random(1)
    after, lines = before, text.split("\n")
    for _ in range(50):
        lines = edited(lines, rng)
        after = analyze("\n".join(lines), after)
    assert shown(before) == said


def test_unchanged_lines_keep_their_objects() -> None:
    lines = chain(200)
    before = analyze("\n".join(lines))
    lines[150] += " # said"
    after = analyze("\n".join(lines), before)
    assert all(before.statements[k] is after.statements[k] for k in range(201) if k != 150)
    assert before.root is after.root


def test_an_edit_costs_what_it_changes() -> None:
    """Evaluations, not time: one edited comment evaluates one line; one edited value evaluates what needs it."""
    from uopc.uir import state as state_module

    evaluated = []
    real = state_module.State.evaluate

    def counting(self: object, item: object, resolve: object) -> object:
        evaluated.append(item)
        return real(self, item, resolve)  # type: ignore[arg-type]

    lines = chain(1000)
    before = analyze("\n".join(lines))
    state_module.State.evaluate = counting  # type: ignore[method-assign, assignment]
    try:
        lines[500] += "  # said"
        middle = analyze("\n".join(lines), before)
        assert len(evaluated) == 1
        evaluated.clear()
        lines[990] = lines[990].replace("%989", "%988")
        middle = analyze("\n".join(lines), middle)
        assert len(evaluated) == 11
        evaluated.clear()
        lines.insert(3, "")
        analyze("\n".join(lines), middle)
        assert len(evaluated) == 1
    finally:
        state_module.State.evaluate = real  # type: ignore[method-assign]


def test_ten_thousand_lines() -> None:
    """Generous limits for slow machines; the measured figures are in the benchmarks."""
    lines = chain(10_000)
    start = time.process_time()
    analysis = analyze("\n".join(lines))
    scratch = time.process_time() - start
    best = 1.0
    for k in range(3):
        lines[5000] += f" # {k}"
        text = "\n".join(lines)
        start = time.process_time()
        analysis = analyze(text, analysis)
        best = min(best, time.process_time() - start)
    assert scratch < 4
    assert best < 0.08
    assert best < scratch / 5
