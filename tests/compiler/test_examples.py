"""Every example checks without an error, runs, agrees with the reference and with what NumPy says it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from uopc.runtime.job import RunOptions, run_job
from uopc.uir import analyze, format

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(EXAMPLES.glob("*.uir"))
WARNS = {"syllabus_gemm": ["uncontracted-product"]}
OTHER_SYNTAX = {"matmul_leading"}  # keyword arguments on purpose; the formatter writes positional ones


def normal(seed: int, *shape: int) -> np.ndarray:
    """The data of `randn seed=N`."""
    return np.random.default_rng(seed).standard_normal(int(np.prod(shape))).astype(np.float32).reshape(shape)


def gemm() -> np.ndarray:
    return normal(1, 256, 256) @ normal(2, 256, 256)


def attention() -> np.ndarray:
    q, k, v = (normal(seed, 4, 8).astype(np.float64) for seed in (1, 2, 3))
    weights = np.exp(q @ k.T / np.sqrt(8))
    return weights / weights.sum(1, keepdims=True) @ v


TOO_LONG_TO_STATE: dict[str, Callable[[], np.ndarray]] = {"gemm_256x256": gemm, "attention": attention}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_checks_and_is_formatted(file: Path) -> None:
    text = file.read_text()
    assert [d.code for d in analyze(text).diagnostics] == WARNS.get(file.stem, [])
    assert format(text) == text or file.stem in OTHER_SYNTAX
    assert text.startswith("# "), "a new user reads first what it is about"


@pytest.mark.parametrize("plain", [False, True], ids=["fast", "plain"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_runs_to_what_numpy_says(file: Path, plain: bool) -> None:
    result = run_job(file.read_text(), file, RunOptions(plain=plain))
    assert result.error is None
    assert result.verified is True
    expected = TOO_LONG_TO_STATE.get(file.stem)
    if expected is None:
        assert result.expect is True
    else:
        np.testing.assert_allclose(result.outputs[0].array, expected(), rtol=1e-4, atol=1e-4)
