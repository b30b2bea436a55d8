"""Every program of tests/cases, through the whole of `uir run`: plain and fast, in its shape, as expected, verified."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from uopc.runtime.arrays import ArrayFile
from uopc.runtime.job import RunOptions, run_job

FOLDER = Path(__file__).parent.parent / "cases"
PROGRAMS = sorted(p for p in FOLDER.glob("*/*.uir") if p.parent.name != "errors")
ERRORS = sorted((FOLDER / "errors").glob("*.uir"))


def scale_cases() -> ModuleType:
    """tests/cases/scale.py, which is a file of data and no package."""
    spec = importlib.util.spec_from_file_location("scale_cases", FOLDER / "scale.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Case = Callable[[], tuple[str, list[np.ndarray], np.ndarray, str]]
SCALE: list[Case] = scale_cases().CASES


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UIR_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def test_they_are_there() -> None:
    assert len(PROGRAMS) >= 70
    assert len(ERRORS) >= 15
    assert len(SCALE) >= 9


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "fast"])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_program(path: Path, plain: bool) -> None:
    text = path.read_text(encoding="utf-8")
    shape = re.search(r"^# shape: (.*)$", text, re.MULTILINE)
    result = run_job(text, path, RunOptions(plain=plain))
    assert result.error is None
    assert (result.ok, result.expect, result.verified) == (True, True, True)
    assert shape is not None
    assert str(result.outputs[-1].array.shape) == shape[1]


@pytest.mark.parametrize("path", ERRORS, ids=lambda p: p.stem)
def test_error(path: Path) -> None:
    """A program with an error is not run, and the result names the line that its `# error:` comment names."""
    text = path.read_text(encoding="utf-8")
    said = re.search(r"^# error: (\d+)", text, re.MULTILINE)
    assert said is not None
    result = run_job(text, path)
    assert (result.ok, result.outputs, result.build_ms) == (False, [], None)
    assert result.line == int(said[1]) - 1


def seconds_used() -> float:
    """CPU time of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "fast"])
@pytest.mark.parametrize("case", SCALE, ids=lambda c: c.__name__)
def test_scale(case: Case, plain: bool, tmp_path: Path) -> None:
    """The value, verified. The limit tells linear from quadratic (that would be hours), not a fast machine from a slow
    one: how time grows is tested as a ratio in test_scale.py."""
    text, inputs, want, about = case()
    files = {}
    for slot, data in enumerate(inputs):
        files[slot] = ArrayFile(tmp_path / f"{slot}.npy")
        np.save(files[slot].path, data)
    began = seconds_used()
    result = run_job(text, tmp_path / "scale.uir", RunOptions(inputs=files, plain=plain, timeout=60))
    took = seconds_used() - began
    assert result.error is None, about
    assert result.verified is not False
    np.testing.assert_array_equal(result.outputs[0].array, want)
    assert took < 60, about
    assert result.build_ms is not None
