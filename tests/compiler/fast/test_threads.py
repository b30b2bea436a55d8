"""Two threads change no bit: every example and every case gives what it gives on one, however short its loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from uopc.runtime.job import RunOptions, run_job

ROOT = Path(__file__).parents[3]
FILES = [
    *sorted((ROOT / "examples").glob("*.uir")),
    *sorted(p for p in (ROOT / "tests" / "cases").glob("*/*.uir") if p.parent.name != "errors"),
]


def test_they_are_there() -> None:
    assert len(FILES) > 80


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_two_threads_give_the_same_bits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uopc.opt._PARALLEL_WORK", 2)
    one, two = (run_job(path.read_text(encoding="utf-8"), path, RunOptions(verify=False, threads=n)) for n in (1, 2))
    assert (one.error, two.error) == (None, None)
    assert [o.array.tobytes() for o in one.outputs] == [o.array.tobytes() for o in two.outputs]
