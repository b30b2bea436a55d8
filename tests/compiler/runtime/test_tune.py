"""Tuning: the search takes what is measured to be faster and nothing else; what it found is remembered and used."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from uopc.documentation.transformations import product
from uopc.opt import Sizes
from uopc.runtime import tune as tuning
from uopc.runtime.errors import RunError
from uopc.runtime.execute import Execution, execute
from uopc.runtime.job import Prepared, RunOptions, prepare, run_job
from uopc.runtime.library import build_library
from uopc.runtime.tune import Search, tune
from uopc.runtime.tuned import Tuned, as_run, forget, remember, remembered
from uopc.uir import analyze, parse

LONG = product(128, 128, 1024)  # long enough to be computed in blocks of steps
Times = Callable[[str], float]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UIR_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def program() -> Prepared:
    return prepare(analyze(LONG), Path())


def searched(program: Prepared, monkeypatch: pytest.MonkeyPatch, ms: Times, **options: float) -> Search:
    """A search in which every variant gives what the usual one does, in the milliseconds that its C deserves."""
    c = tuning.compile_program(program.root)
    real = execute(build_library(c.source, c.flags).path, c.symbol, c.args, program.inputs, checked=c.returns)
    monkeypatch.setattr(tuning, "build_library", lambda source, *_, **__: SimpleNamespace(path=source))
    monkeypatch.setattr(tuning, "execute", lambda source, *_, **__: Execution(real.outputs, ms(source), 0))
    return tune(program, **options)


def c_of(program: Prepared, tuned: Tuned) -> str:
    return tuning.compile_program(program.root, off=tuned.off, sizes=tuned.sizes).source


def test_the_fastest_step_is_taken_and_then_the_next(program: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    small, both = Tuned(sizes=Sizes(panel=11 << 10)), Tuned(sizes=Sizes(panel=11 << 10, rows=48))
    times = {c_of(program, small): 6.0, c_of(program, both): 4.0, c_of(program, Tuned(sizes=Sizes(rows=48))): 8.0}
    assert len(times) == 3
    found = searched(program, monkeypatch, lambda source: times.get(source, 10.0))
    assert (found.best.off, found.best.sizes) == (both.off, both.sizes)
    assert (found.before, found.after, found.best.gain) == (10.0, 4.0, 2.5)
    assert str(found.best) == "panels of 11,264 bytes, blocks of 48 rows"


def test_what_is_not_clearly_faster_is_left(program: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = c_of(program, Tuned())
    found = searched(program, monkeypatch, lambda source: 10.0 if source == usual else 9.9)
    assert found.best == Tuned() and found.tries and found.before == found.after


def test_other_values_are_refused_however_fast(program: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, right = c_of(program, Tuned()), tuning._outputs

    def outputs(variant: tuning._Variant, run: Execution) -> list[np.ndarray]:
        return [out if variant.compiled.source == usual else -1 - out for out in right(variant, run)]

    monkeypatch.setattr(tuning, "_outputs", outputs)
    found = searched(program, monkeypatch, lambda source: 10.0 if source == usual else 1.0)
    assert found.best == Tuned() and found.tries
    assert all("gives other values: element [0, 0] is" in tried.refused for tried in found.tries)


def test_a_search_ends_in_time(program: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    found = searched(program, monkeypatch, lambda source: 10.0, seconds=0.0)
    assert found.out_of_time and not found.tries


def test_variants_that_make_the_same_c_are_not_measured(program: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    found = searched(program, monkeypatch, lambda source: 10.0)
    sources = [c_of(program, tried.tuned) for tried in found.tries]
    assert len(set(sources)) == len(sources) and c_of(program, Tuned()) not in sources


def test_a_program_that_does_not_run_is_not_tuned() -> None:
    with pytest.raises(RunError, match="line 2"):
        prepare(analyze("%0 = buffer 4 : dtype=f32 slot=0\n%1 = reshape %0, (3,)\n"), Path())


# -- what was found ------------------------------------------------------------------------------------------------
FOUND = Tuned(("pack",), Sizes(panel=11 << 10), 1.5)


def test_a_run_does_as_was_found(program: Prepared) -> None:
    root = parse(LONG)
    before = as_run(root, "p").source
    remember(root, 1, FOUND)
    assert remembered(root, 1) == FOUND
    assert remembered(root, 2) is None, "found with one thread"
    assert as_run(root, "p").source == tuning.compile_program(root, "p", off=FOUND.off, sizes=FOUND.sizes).source
    assert as_run(root, "p").source != before
    assert as_run(root, "p", off=("tile",)).source == tuning.compile_program(root, "p", off=("tile",)).source
    result = run_job(LONG, Path())
    assert result.ok and result.verified
    assert "as tuned for this machine: without pack, panels of 11,264 bytes" in result.notes
    assert not run_job(LONG, Path(), RunOptions(plain=True)).notes
    assert forget(root, 1) and not forget(root, 1)
    assert as_run(root, "p").source == before and not run_job(LONG, Path()).notes


@pytest.mark.parametrize(
    "damage",
    [
        "", "[]", "{", '{"off": ["nothing"]}', "null",
        json.dumps({"off": ["no such"], "sizes": asdict(Sizes()), "gain": 2}),
        json.dumps({"off": [], "sizes": {"panel": 0, "rows": 96, "stream": 1}, "gain": 2}),
        json.dumps({"off": [], "sizes": {"panel": 1}, "gain": 2}),
    ],
)  # fmt: skip
def test_a_damaged_memory_is_none(cache: Path, damage: str) -> None:
    root = parse(LONG)
    remember(root, 1, FOUND)
    (path,) = (cache / "tuned").iterdir()
    path.write_text(damage)
    assert remembered(root, 1) is None
    assert as_run(root, "p").source == tuning.compile_program(root, "p").source


def test_a_cache_that_cannot_be_written_is_no_error(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    remember(parse(LONG), 1, FOUND)
    assert remembered(parse(LONG), 1) is None
