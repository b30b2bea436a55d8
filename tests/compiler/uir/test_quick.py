"""A quick analysis is right about errors and types, and `settle` makes it equal to an analysis from scratch."""

from __future__ import annotations

import random
import time

import pytest
from text_edits import CASES, PIECES, chain, edited, shown

from uopc.uir import Analysis, Superseded, analyze, settle


def program(rng: random.Random, n: int) -> list[str]:
    """Lines of which most are fine: values of shape (4, 4), or (4,) after a reduction and put back."""
    lines = ["%a = buffer 16 : dtype=f32 slot=0", "%v0 = reshape %a, (4, 4)"]
    for k in range(1, n):
        lines.append(f"%v{k} = {step(rng, k)}")
    return lines


def step(rng: random.Random, k: int) -> str:
    """An operation on values above line k + 1; a few do not fit."""
    x, y = (f"%v{max(0, k - 1 - rng.randrange(4))}" for _ in range(2))
    fits = [
        f"add {x}, {y}",
        f"mul {x}, {y}",
        f"mul {x}, {rng.randrange(4)}.5",
        f"max {x}, {rng.randrange(3)}.0",
        f"sub {x}, {y}",
        f"permute {x}, (1, 0)",
        f"expand {x}, (4, 4)",
        f"flip {x}, (0,)",
        f"stage {x}",
        f"shrink {x}, ((0, 4), (0, 4))",
        f"pad {x}, ((0, 0), (0, 0))",
    ]
    other = [f"reduce {x} : op=add pop=1", f"reshape {x}, (16,)", f"cast {x} : dtype=i32", f"index {x}, 1", "const 3"]
    return rng.choice(other if rng.random() < 0.04 else fits)


def small_edit(lines: list[str], before: dict[int, str], rng: random.Random) -> list[str]:
    """One edit as a person makes them: another number, operand or operation; a line broken, or mended."""
    lines = list(lines)
    at = rng.randrange(1, len(lines))
    if before and rng.random() < 0.7:
        at, lines[at] = before.popitem()
        return lines
    kind = rng.random()
    if kind < 0.2:
        before[at] = lines[at]
        lines[at] = rng.choice([lines[at] + " (", lines[at][:-2], lines[at].replace("%", "$"), "%v1 = nothing"])
    elif kind < 0.4:
        before.clear()
        lines.insert(at, f"%w{rng.randrange(999)} = {step(rng, at)}")
    else:
        name = lines[at].partition(" =")[0]
        lines[at] = f"{name} = {step(rng, max(1, at - 1))}"
    return lines


def types(a: Analysis) -> list[object]:
    """Name, line, dtype and shape of every value."""
    return [(name, v.line, v.uop and (v.uop.dtype, v.uop.shape, v.uop.ranges)) for name, v in a.values.items()]


def follow(texts: list[str], rng: random.Random) -> int:
    """Goes from text to text by quick analyses, settled now and then; gives how often there was something to settle."""
    quick = analyze(texts[0])
    unsettled = 0
    for text in texts:
        quick = analyze(text, quick, quick=True)
        scratch = analyze(text)
        assert quick.errors == scratch.errors, text
        assert types(quick) == types(scratch), text
        assert quick.kind == scratch.kind and quick.has_errors == scratch.has_errors, text
        whole = settle(quick)
        assert whole.settled and shown(whole) == shown(scratch), text
        unsettled += not quick.settled
        if rng.random() < 0.3:
            quick = whole
        elif rng.random() < 0.1:
            quick = analyze(text, quick)
            assert shown(quick) == shown(scratch), text
    return unsettled


@pytest.mark.parametrize("first", range(0, 40, 8))
def test_small_edits(first: int) -> None:
    unsettled = 0
    for seed in range(first, first + 8):
        rng = random.Random(seed)
        lines, before, texts = program(rng, 25), {}, []
        for _ in range(30):
            texts.append("\n".join(lines))
            lines = small_edit(lines, before, rng)
        unsettled += follow(texts, rng)
    assert unsettled > 20


@pytest.mark.parametrize("seed", range(20))
def test_any_edits(seed: int) -> None:
    """Of programs with loops, functions, directives."""
    rng = random.Random(seed)
    case = rng.choice(CASES).read_text(encoding="utf-8").splitlines()[:60]
    lines, texts = rng.choice([case, rng.choices(PIECES, k=20)]), []
    for _ in range(25):
        lines = edited(lines, rng)
        texts.append("\n".join(lines))
    follow(texts, rng)


def test_a_param_that_a_call_needs_is_seen_at_once() -> None:
    body = "%p = param (4,) : dtype=f32 slot=0\n%q = neg %p\n%r = exp2 %q\n"
    text = body + "%0 = buffer 4 : dtype=f32 slot=0\n%1 = call %r, %0\n"
    after = text.replace("slot=0\n%q", "slot=1\n%q")
    assert not analyze(text).has_errors
    assert [d.code for d in analyze(after, analyze(text), quick=True).errors] == ["call-arity"]


def test_a_hint_names_the_value_that_was_edited() -> None:
    """The hint of the last line is about a node that the edit replaced."""
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = mul %0, 2.5\n%2 = add %1, %0\n%3 = reshape %2, (4,)\n"
    quick = analyze(text.replace("2.5", "3.5"), analyze(text), quick=True)
    assert not quick.settled
    assert [d.message for d in quick.diagnostics] == ["this changes nothing: %2 has shape (4,) already"]
    assert quick.diagnostics == settle(quick).diagnostics


def test_settling_stops_when_nobody_wants_it() -> None:
    text = "\n".join(chain(2000))
    quick = analyze(text.replace("mul %1, 3", "mul %1, 5"), analyze(text), quick=True)
    asked = []

    def stop() -> bool:
        asked.append(None)
        return len(asked) > 100

    with pytest.raises(Superseded):
        settle(quick, stop)
    assert len(asked) == 101
    assert shown(settle(quick)) == shown(analyze(quick.text))


def test_an_edit_in_the_middle_of_ten_thousand_lines_does_not_look_at_what_depends_on_it() -> None:
    """Ratios of processor time: a value edited, a line broken, a line mended."""
    lines = chain(10_000)
    scratch, start = _timed(lambda: analyze("\n".join(lines)))
    analysis = start
    good, times = lines[5000], {}
    for what, line in (("edit", good.replace("-1000", "-7")), ("break", good + " ("), ("mend", good), ("again", good)):
        lines[5000] = line
        text = "\n".join(lines)
        times[what], analysis = _timed(lambda text=text, analysis=analysis: analyze(text, analysis, quick=True))
    assert not analysis.has_errors
    assert times["edit"] < scratch / 20, times
    assert times["break"] < scratch / 6, times
    assert times["mend"] < scratch / 20, times


def _timed(work: object) -> tuple[float, Analysis]:
    """Processor time, the least of three."""
    best, result = 99.0, None
    for _ in range(3):
        start = time.process_time()
        result = work()  # type: ignore[operator]
        best = min(best, time.process_time() - start)
    assert result is not None
    return best, result
