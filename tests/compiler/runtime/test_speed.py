"""What the machine can do, and how a run is told against it. Rates by hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from uopc.dtype import dtypes
from uopc.runtime import peak as peak_module
from uopc.runtime.job import RunOptions, run_job
from uopc.runtime.peak import Peak, known_peak, measure_peak
from uopc.runtime.speed import Rate, rate_text, speed_of
from uopc.runtime.toolchain import Compiler, find_compiler

SIZES = (1e4, 1e5, 1e6, 1e7, 1e8, 1e9)
PEAK = Peak({"f32": 100e9, "f64": 50e9}, tuple(zip(SIZES, (200e9, 100e9, 80e9, 60e9, 20e9, 10e9))))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UIR_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_bandwidth_is_that_of_the_bytes_touched() -> None:
    assert [PEAK.memory(n) for n in (1, 10_000, 10**9, 10**12)] == pytest.approx([200e9, 200e9, 10e9, 10e9])
    between = PEAK.memory(round(10**8.5))  # half way, on both scales
    assert between == pytest.approx((20e9 * 10e9) ** 0.5, rel=1e-3)


def test_a_contraction_is_compute_bound() -> None:
    speed = speed_of(2 * 256**3, 3 * 256 * 256 * 4, 0.5, dtypes.f32, PEAK)
    assert speed.compute is not None and speed.compute.rate == pytest.approx(67.1e9, rel=1e-3)
    assert (speed.bound, speed.compute.peak) == ("compute", 100e9)
    assert "at 43 operations a byte, the arithmetic takes at least 67 % of the time" in speed.words
    assert rate_text(speed.compute, "FLOP") == "67 of 100 GFLOP/s (67 %)"


def test_an_addition_of_long_vectors_is_memory_bound() -> None:
    speed = speed_of(10**8 // 4, 10**8 * 3, 20.0, dtypes.f32, PEAK)
    assert speed.bound == "memory" and speed.words.startswith("memory-bound: at 0.083 operations a byte")


def test_what_is_near_no_limit_is_not_called_bound() -> None:
    assert speed_of(10**6, 10**6, 10.0, dtypes.f32, PEAK).bound is None
    assert "too short" in speed_of(12, 96, 0.0005, dtypes.f32, PEAK).words
    assert "integers is not measured" in speed_of(10**9, 10**6, 10.0, dtypes.i32, PEAK).words
    assert speed_of(10**9, 10**6, 10.0, dtypes.f16, PEAK).compute == Rate(1e11, 100e9)


def test_two_threads_are_not_told_against_the_peak_of_one() -> None:
    speed = speed_of(10**9, 10**6, 1.0, dtypes.f32, PEAK, threads=2)
    assert speed.compute is not None and speed.compute.peak is None
    assert speed.words == "the peak is one thread's, and this ran with 2"


def test_rates_for_a_person() -> None:
    assert rate_text(Rate(3.2e9, 94e9), "FLOP") == "3.2 of 94 GFLOP/s (3 %)"
    assert rate_text(Rate(120e6, None), "B") == "120 MB/s"


def test_measured_once_kept_and_never_made_smaller(own_cache: Path) -> None:
    compiler = find_compiler()
    assert known_peak(compiler) is None
    first = measure_peak(compiler)
    assert known_peak(compiler) == first
    assert first.flops["f32"] > 1.2 * first.flops["f64"] > 0  # a vector holds twice as many of them
    assert first.bandwidth[0][1] > first.bandwidth[-1][1]  # the first cache against memory
    again = measure_peak(compiler)
    assert all(again.flops[name] >= rate for name, rate in first.flops.items())
    other = Compiler(compiler.command, compiler.identity + "new")
    assert known_peak(other) is None
    assert not [name for name in os.listdir(own_cache) if name.startswith(".peak-")]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"flops": {"f32": "x"}}', '{"flops": {"f32": -1, "f64": 1}}'])
def test_a_damaged_file_is_no_peak(text: str) -> None:
    compiler = find_compiler()
    path = peak_module._path(compiler)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert known_peak(compiler) is None
    good = {"flops": {"f32": 1, "f64": 1}, "bandwidth": [[n, 1] for n in SIZES]}
    path.write_text(json.dumps({**good, "bandwidth": [[1, float("nan")]] * 6}))
    assert known_peak(compiler) is None
    path.write_text(json.dumps(good))
    assert known_peak(compiler) is not None


def test_a_run_tells_its_speed_when_the_peak_is_known(tmp_path: Path) -> None:
    text = "%0 = buffer 4096 : dtype=f32 slot=0\n%1 = mul %0, 2.0\n"
    before = run_job(text, tmp_path / "a.uir")
    assert before.speed is not None and before.speed.compute is not None and before.speed.compute.peak is None
    asked = run_job(text, tmp_path / "a.uir", RunOptions(peak=True))
    after = run_job(text, tmp_path / "a.uir")
    for result in (asked, after):
        assert result.speed is not None and result.speed.memory is not None and result.speed.memory.peak is not None
        assert result.to_dict()["speed"]["compute"]["peak"] > 0
