"""A run that dies is told with the line it died in. The C is spoilt by hand, as a fault of ours would spoil it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from uopc import pipeline
from uopc.runtime import job
from uopc.runtime.crash import telling
from uopc.runtime.job import RunOptions, run_job

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is known there, and said")

TEXT = """\
%0 = buffer 64 : dtype=f32 slot=0
%x = reshape %0, (8, 8)
%s = reduce %x : op=add pop=1

%w = sin %s
%y = reshape %w, (8, 1)
"""
LOOPS = (Path(__file__).resolve().parents[3] / "examples" / "row_sum_loops.uir").read_text(encoding="utf-8")
DEATHS = {
    "a segmentation fault": "*(volatile int*)16 = 1;",
    "an arithmetic trap": "raise(8);",
    "its own abort": "__builtin_abort();",
    "an illegal instruction": "__builtin_trap();",
}


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    """A job remembers the last programs' C; here the same program becomes another C each time."""
    job._lowered.cache_clear()
    yield
    job._lowered.cache_clear()


def spoil(monkeypatch: pytest.MonkeyPatch, place: str, harm: str) -> None:
    """From now on, what is compiled does `harm` in front of the first line of C that holds `place`."""
    whole = pipeline.compile_program

    def spoilt(*args: Any, **options: Any) -> pipeline.Compiled:
        compiled = whole(*args, **options)
        lines = compiled.source.split("\n")
        at = next(k for k, line in enumerate(lines) if place in line and line.startswith("  "))
        lines[at] = f"  {harm} {lines[at].strip()}"
        lines[0] = "#include <signal.h>"
        return dataclasses.replace(compiled, source="\n".join(lines))

    monkeypatch.setattr(pipeline, "compile_program", spoilt)


@pytest.mark.parametrize("words", DEATHS)
def test_the_line_of_a_crash_is_told(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "sin", DEATHS[words])
    result = run_job(TEXT, tmp_path / "a.uir", RunOptions(plain=True))
    assert result.error is not None and words in result.error
    assert (result.ok, result.line) == (False, 4)
    assert result.error.startswith("line 5: %w: stopped by ")


def test_a_crash_in_a_loop_program_and_in_the_fast_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "val1+val2", DEATHS["a segmentation fault"])
    lines = LOOPS.splitlines()
    result = run_job(LOOPS, tmp_path / "a.uir")
    assert result.line is not None and lines[result.line].startswith(("%new", "%put", "%sum"))
    monkeypatch.undo()
    job._lowered.cache_clear()
    spoil(monkeypatch, "sin", DEATHS["a segmentation fault"])
    assert run_job(TEXT, tmp_path / "a.uir").line == 4


def test_where_the_time_goes_is_told_when_it_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "sin", "for (volatile int k = 0; k >= 0;) {}")
    result = run_job(TEXT, tmp_path / "a.uir", RunOptions(timeout=1.0))
    assert result.error == "line 5: %w: took longer than 1 s (raise --timeout)"


def test_a_death_that_does_not_come_again_has_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It dies where no line of the file is: before the first one."""
    marker = tmp_path / "marker"
    spoil(monkeypatch, "for (", f'if (mkdir("{marker}", 0777) == 0) __builtin_trap();')
    before = pipeline.compile_program
    monkeypatch.setattr(
        pipeline, "compile_program",
        lambda *a, **o: dataclasses.replace(c := before(*a, **o), source="#include <sys/stat.h>\n" + c.source),
    )  # fmt: skip
    result = run_job(TEXT, tmp_path / "a.uir", RunOptions(plain=True))
    assert result.error is not None and result.error.startswith("stopped by an illegal instruction")
    assert result.line is None


def test_what_is_too_large_is_told_at_its_line(tmp_path: Path) -> None:
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = buffer 1000000000000 : dtype=f32 slot=1\n%2 = shrink %1, ((0, 4))\n"
    result = run_job(text.replace("((0, 4))", "((0, 4),)") + "%3 = add %0, %2\n", tmp_path / "a.uir")
    assert result.error is not None and "too large to run" in result.error
    assert result.line == 1


def test_lines_that_begin_no_statement_are_left_alone() -> None:
    source = "int f(int x) {\n  if (x)\n    x = 1;\n  else\n    x = 2;\n  for (;;) {\n    break;\n  }\n  return x;\n}"
    told = telling(source, [((),)] * 10, Path("/tmp/a"))
    at = [k for k in range(1, 11) if f"*uir_at = {k};" in told]
    assert at == [2, 6, 7, 9]
