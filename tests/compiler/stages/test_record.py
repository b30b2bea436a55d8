"""A program stage by stage: every text of it is the program still, and what is said about it is true."""

from __future__ import annotations

import time

import numpy as np
import pytest
from programs import Array, Program, difference, random_program

from uopc import pipeline
from uopc.evaluate import EvaluationTooLarge, evaluate, evaluate_loops
from uopc.opt import Machine
from uopc.pipeline import CompileError, compile_program, fast_opts
from uopc.stages.naming import namer_of
from uopc.stages.record import Record, record
from uopc.stages.text import Namer
from uopc.symbolic import divmod, watch
from uopc.uir import analyze, parse
from uopc.uop import Ops, UOp, buf, param, range_, sink

GEMM = """\
%0 = buffer 65536 : dtype=f32 slot=0
%1 = buffer 65536 : dtype=f32 slot=1
%2 = reshape %0, (256, 1, 256)
%3 = reshape %1, (256, 256)
%4 = permute %3, (1, 0)
%5 = mul %2, %4
%7 = reduce %5 : op=add pop=1
"""


def recorded(text: str, **options: object) -> Record:
    analysis = analyze(text)
    assert analysis.root is not None
    return record(analysis.root, namer_of(analysis), **options)  # type: ignore[arg-type]


def expected(program: Program) -> list[Array]:
    found = evaluate(program.root, program.inputs)
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "fast"])
@pytest.mark.parametrize("first", range(0, 120, 40))
def test_every_stage_that_is_a_program_computes_the_same(plain: bool, first: int) -> None:
    seen = set()
    for seed in range(first, first + 40):
        p = random_program(seed)
        found = record(p.root, Namer({}), plain=plain)
        want = expected(p)
        for stage in found.stages:
            if "uir" not in stage.forms:
                continue
            root = parse(stage.text("uir").text)
            if not pipeline.is_loop_program(root):
                got = expected(p._replace(root=root))
            else:
                try:
                    stored = evaluate_loops(root, p.inputs, steps=300_000)
                except EvaluationTooLarge:
                    continue
                got = [
                    stored[o.slot].reshape(w.shape) if w.size else np.zeros_like(w)
                    for o, w in zip(found.compiled.outputs, want)
                ]
            wrong = [d for w, g, e in zip(want, got, p.errors) if (d := difference(w, g, e))]
            assert not wrong, f"seed {seed}, {stage.name}: {wrong[0]}\n{stage.text('uir').text}"
            seen.add(stage.name)
    assert seen == {"graph", "inlined", "loops", "simplified"} | (set() if plain else {"schedule"})


def test_the_loop_nest_reads_as_a_person_would_write_it() -> None:
    found = recorded(GEMM, plain=True)
    (simplified,) = (s for s in found.stages if s.name == "simplified")
    assert simplified.text("loops").lines == (
        "for i < 256             loop     rows of %7",
        "  for j < 256           loop     columns of %7",
        "    acc = 0.0",
        "    for k < 256         reduce   %7 = Σ %5",
        "      acc += %0[256·i + k] * %1[256·k + j]",
        "    store acc at 256·i + j of buffer 2",
    )


def test_lines_know_the_values_they_are_about() -> None:
    analysis = analyze(GEMM)
    assert analysis.root is not None
    found = record(analysis.root, namer_of(analysis), plain=True)
    text = next(s for s in found.stages if s.name == "simplified").text("loops")
    about = {
        line.strip(): {n for u in nodes for n in analysis.names_of(u)} for line, nodes in zip(text.lines, text.nodes)
    }
    assert about["acc += %0[256·i + k] * %1[256·k + j]"] >= {"5", "7"}
    assert about["acc = 0.0"] == {"7"}


def test_kernels_say_tiles_vectors_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_machine", lambda: Machine(vector=32, registers=16))
    kernels = next(s for s in recorded(GEMM, opts=fast_opts(2)).stages if s.name == "kernels").text().text
    rows = [" ".join(line.split()) for line in kernels.splitlines()]
    # 16 registers of 8 floats: a tile of 6 rows of 2 vectors, by the book.
    assert "for j < 256 step 16 tile columns of %7, 2 vectors of 8, shared between 2 threads" in rows
    assert "for i < 256 step 6 tile rows of %7, 6 at a time" in rows
    assert "acc += %0[256·i + k] * %1[256·k + j]" in rows


def test_a_rule_is_counted_as_often_as_it_applies() -> None:
    # One view of a flat buffer: position 3*i + j is taken apart once, by // 1 and by % 6, and both do nothing.
    once = "%0 = buffer 6 : dtype=f32 slot=0\n%x = reshape %0, (2, 3)\n%y = mul %x, %x\n"
    (stage,) = (s for s in recorded(once, plain=True).stages if s.rules)
    rules = {r.name: r for r in stage.rules}
    assert (rules["quotient-by-one"].count, rules["remainder-one-period"].count) == (1, 1)
    assert [(e.before, e.after) for e in rules["quotient-by-one"].examples] == [("(3·i + j) // 1", "3·i + j")]
    assert rules["quotient-by-one"].law == "x // 1 = x"
    # Two buffers of different shape behind one value: twice, at different positions.
    twice = once.replace("mul %x, %x", "mul %x, %z").replace(
        "%y", "%1 = buffer 6 : dtype=f32 slot=1\n%q = reshape %1, (3, 2)\n%z = permute %q, (1, 0)\n%y"
    )
    (stage,) = (s for s in recorded(twice, plain=True).stages if s.rules)
    assert {r.name: r.count for r in stage.rules}["quotient-by-one"] == 2


def test_counts_do_not_depend_on_what_was_compiled_before() -> None:
    text = GEMM.replace("256", "64").replace("65536", "4096")
    first = [s.rules for s in recorded(text).stages]
    compile_program(parse(text), plain=True)
    assert [s.rules for s in recorded(text).stages] == first
    assert any(first)


def test_the_watcher_goes_whatever_happens() -> None:
    with pytest.raises(ZeroDivisionError), watch.recording(), watch.unsimplified():
        raise ZeroDivisionError
    assert watch.recorder is None and not watch.raw
    before = compile_program(parse(GEMM), plain=True).source
    recorded(GEMM, plain=True)
    assert compile_program(parse(GEMM), plain=True).source == before


def test_stages_that_change_nothing_say_so() -> None:
    changed = {s.name: s.to_dict()["changed"] for s in recorded(GEMM, plain=True).stages}
    assert changed == {"graph": None, "inlined": False, "loops": None, "simplified": True, "c": None}
    call = "%p = param (3,) : dtype=f32 slot=0\n%f = mul %p, 2.0\n%b = buffer 3 : dtype=f32 slot=0\n%c = call %f, %b\n"
    (inlined,) = (s for s in recorded(call).stages if s.name == "inlined")
    assert inlined.to_dict()["changed"] is True
    assert "call" not in inlined.text("uir").text


def test_the_schedule_marks_its_cuts_with_their_reasons() -> None:
    softmax = (
        "%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (3, 4)\n"
        "%s = reduce %x : op=add axes=(1,) keepdim=true\n%y = mul %x, %s\n"
    )
    (schedule,) = (s for s in recorded(softmax).stages if s.name == "schedule")
    (line,) = (t for t in schedule.text().lines if " = stage " in t)
    assert line.endswith("# a reduction has loops of its own")
    # The lines that did not change keep their names, so a difference shows the cut and its one reader only.
    assert schedule.changes == (2, 1)


def test_a_loop_program_has_its_loops_from_the_beginning() -> None:
    text = (
        "%i = range 3 : idx=0 kind=loop\n%x = buffer 3 : dtype=f32 slot=0\n%y = buffer 3 : dtype=f32 slot=1\n"
        "%a = index %x, %i\n%b = index %y, %i\n%t = mul %a, 2.0\n%s = store %b, %t\n%e = end %s, %i\n%k = sink %e\n"
    )
    found = recorded(text)
    assert (found.program, [s.name for s in found.stages]) == (
        "loops",
        ["graph", "inlined", "loads", "simplified", "c"],
    )
    assert found.stages[0].text("loops").lines == (
        "for i < 3               loop     %i",
        "  store %x[i] * 2.0 at i of %y",
    )


def test_the_json_has_its_shape() -> None:
    found = recorded(GEMM).to_dict()
    assert list(found) == ["program", "total_ms", "stages"]
    assert [s["name"] for s in found["stages"]] == [
        "graph", "inlined", "schedule", "loops", "simplified", "kernels", "c",
    ]  # fmt: skip
    for stage in found["stages"]:
        assert " ".join(stage) == "name title about ms nodes lines changed added removed rules forms"
        assert all(isinstance(text, str) and text.endswith("\n") for text in stage["forms"].values())
    rule = found["stages"][4]["rules"][0]
    assert list(rule) == ["name", "law", "count", "ms", "examples"]
    assert list(rule["examples"][0]) == ["before", "after"]


def test_a_view_of_many_views_is_not_shown_before_its_rules() -> None:
    x = buf(0, 24).reshape((4, 6))
    for k in range(200):
        x = x.reshape((6, 4) if k % 2 else (3, 8)).permute((1, 0))
    names = [s.name for s in record(x * 1.5, Namer({}), plain=True).stages]
    assert names == ["graph", "inlined", "simplified", "c"]


def test_what_cannot_be_compiled_is_an_error() -> None:
    with pytest.raises(CompileError, match="param"):
        record(param(0, (3,)) * 2.0, Namer({}))
    with pytest.raises(CompileError):
        record(sink(buf(0, 3).index(range_(3, 0)).store(1.0)), Namer({}))


def test_a_value_without_elements_has_stages() -> None:
    empty = buf(0, 0).reshape((0, 3)).reduce(Ops.ADD, 1)
    assert record(empty, Namer({})).stages[-1].name == "c"


def test_the_time_of_a_rule_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that is made slow has nearly all of the time of the rules, and no more than the stage."""
    text = GEMM.replace("256", "64").replace("65536", "4096")
    slow = next(k for k, rule in enumerate(divmod.QUOTIENT_RULES) if rule.name == "quotient-by-one")
    rule = divmod.QUOTIENT_RULES[slow]

    def late(task: divmod.Division) -> UOp | None:
        found = rule.apply(task)
        if found is not None:
            time.sleep(0.03)
        return found

    rules = (*divmod.QUOTIENT_RULES[:slow], rule._replace(apply=late), *divmod.QUOTIENT_RULES[slow + 1 :])
    monkeypatch.setattr(divmod, "QUOTIENT_RULES", rules)
    (stage,) = (s for s in recorded(text, plain=True).stages if s.rules)
    took = {r.name: r.ms for r in stage.rules}
    count = next(r.count for r in stage.rules if r.name == "quotient-by-one")
    assert count and took["quotient-by-one"] >= 30 * count
    assert took["quotient-by-one"] > 2 * (sum(took.values()) - took["quotient-by-one"])
    assert stage.milliseconds is not None and sum(took.values()) <= stage.milliseconds


def test_a_sum_over_other_axes_than_the_last_names_what_it_sums() -> None:
    text = (
        "%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%e = exp2 %m\n%s = reduce %e : op=add axes=(0,)\n"
    )
    for plain in (True, False):
        nest = next(s for s in reversed(recorded(text, plain=plain).stages) if "loops" in s.forms).text("loops").text
        assert "reduce   %s = Σ %e" in nest


def test_rewrites_name_the_buffers_that_are_in_them() -> None:
    text = (
        "%0 = buffer 6 : dtype=f32 slot=0\n%x = reshape %0, (3, 2)\n%p = pad %x, ((0, 3), (0, 0))\n"
        "%s = reshape %p, (2, 3, 2)\n%w = shrink %s, ((0, 2), (0, 3), (1, 2))\n%y = reshape %w, (2, 3)\n"
    )
    shown = [e.before for s in recorded(text).stages for r in s.rules for e in r.examples]
    assert any("buffer0[" in one for one in shown)
    assert not any("<buffer>" in one for one in shown)
