"""After any edit the incremental state equals an analysis from scratch."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from uopc.uir import Analysis, analyze

CASES = sorted((Path(__file__).parents[2] / "cases").glob("*/*.uir"))

PIECES = """
%0 = buffer 12 : dtype=f32 slot=0
%0 = buffer 12 : dtype=i32 slot=0
%1 = reshape %0, (3, 4)
%1 = reshape %0 shape=[4 3]
%2 = permute %1, (1, 0)
%2 = reduce %1 : op=add pop=1
%3 = add %1, %2
%3 = mul %1, 2.5
%4 = sub %3, %1
%4 = stack %3, %3
%5 = buffer 12 : dtype=f32 slot=1
%5 = buffer 12 : dtype=f32 slot=0
%5 = buffer 6 : dtype=f32 slot=0
%6 = sink %4
%6 = store %5, %0
%7 = range 4 : idx=0
%8 = index %0, %7
%9 = store %8, 1
%10 = end %9, %7
%11 = neg %12
%12 = neg %11
# uir: reduce=leading
# uir: reduce=trailing
# uir: input 0 = [1, 2, 3]
# uir: allow unused-value no-op
# note
%3 = add %1 %2
%2 =
%0 = neg %0
%13 = add %4, %nope
%p = param (12,) : dtype=f32 slot=0
%q = neg %p
%r = call %q, %0
%5 = alloc 4 : dtype=f32
# uir: expect = [1]
""".strip().split("\n")
PIECES.extend(["", "\ufeff%0 = buffer 12 : dtype=f32 slot=0"])


def shown(a: Analysis) -> tuple[object, ...]:
    """Everything an analysis says."""
    values = [(n, v.line, v.uop, v.uses) for n, v in a.values.items()]
    return (
        a.lines,
        a.diagnostics,
        a.root,
        a.kind,
        a.outputs,
        a.has_errors,
        a.directives,
        values,
        list(a.statements.items()),
    )


def edited(lines: list[str], rng: random.Random) -> list[str]:
    """The lines after one random edit: of a line, of several, of a part of a line, or a move."""
    lines = list(lines) or [""]
    at = rng.randrange(len(lines))
    kind = rng.randrange(7)
    if kind == 0:
        lines.insert(at, rng.choice(PIECES))
    elif kind == 1:
        del lines[at]
    elif kind == 2:
        lines[at] = rng.choice(PIECES)
    elif kind == 3 and lines[at]:
        k = rng.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:k] + rng.choice(["", " ", "1", "%", ",", "x", "("]) + lines[at][k + rng.randrange(2) :]
    elif kind == 4:
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif kind == 5:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at : at + rng.randrange(4)] = rng.choices(PIECES, k=rng.randrange(4))
    return lines


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


def chain(n: int) -> list[str]:
    """A chain of n elementwise operations."""
    ops = (("add", 7), ("mul", 3), ("max", -1000), ("floormod", 1009))
    return ["%0 = buffer 3 : dtype=i32 slot=0"] + [
        f"%{k + 1} = {ops[k % 4][0]} %{k}, {ops[k % 4][1]}" for k in range(n)
    ]


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
