"""The whole of a run: stages, results, and every way it can fail before, in and after the child."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cli_help import ENDLESS
from runtime_help import fake_compiler

from uopc.dtype import dtypes
from uopc.runtime.cache import default_folder
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import Cancelled
from uopc.runtime.job import STAGES, RunOptions, run_job
from uopc.runtime.result import OutputResult, RunResult, preview, statistics

FIELDS = ["file", "ok", "error", "outputs", "expect", "verified", "build_ms", "kernel_ms", "speed"]
ADD = """\
# uir: input 0 = [1, 2, 3, 4]
%0 = buffer 4 : dtype=f32 slot=0
%1 = reshape %0, (2, 2)
%2 = add %1, 0.5
"""


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UIR_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def run(text: str, folder: Path, **options: object) -> RunResult:
    result = run_job(text, folder / "test.uir", RunOptions(**options))  # type: ignore[arg-type]
    as_json = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert list(as_json) == FIELDS
    return result


# -- results -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("plain", [True, False])
def test_result(scratch: Path, tmp_path: Path, plain: bool) -> None:
    result = run(ADD, tmp_path, plain=plain)
    assert result.error is None
    assert (result.ok, result.expect, result.verified, result.difference) == (True, None, True, 0.0)
    output = result.to_dict()["outputs"][0]
    assert {k: output[k] for k in ("name", "shape", "dtype")} == {"name": "%2", "shape": [2, 2], "dtype": "f32"}
    assert output["stats"] == {"min": 1.5, "max": 4.5, "mean": 3.0, "nan": 0, "inf": 0}
    assert output["preview"] == "[[1.5 2.5]\n [3.5 4.5]]"
    assert result.build_ms is not None
    assert result.kernel_ms is not None


def test_stages_in_order(tmp_path: Path) -> None:
    seen: list[str] = []
    operations: list[int | None] = []

    def progress(stage: str, known: RunResult) -> None:
        seen.append(stage)
        operations.append(known.operations)

    run_job(ADD, tmp_path / "a.uir", RunOptions(), progress)
    assert seen == list(STAGES)
    assert operations == [None, 4, 4, 4, 4]  # estimated before anything is built


def test_expect(tmp_path: Path) -> None:
    good = run(ADD + "# uir: expect = [1.5, 2.5, 3.5, 4.5]\n", tmp_path)
    assert (good.ok, good.expect) == (True, True)
    bad = run(ADD + "# uir: expect = [1.5, 2.5, 3.75, 4.5]\n", tmp_path)
    assert (bad.ok, bad.expect, bad.verified) == (False, False, True)
    assert bad.error is not None
    assert "%2 element [1, 0] is 3.5, expected 3.75 (1 of 4 elements differ, by 0.25 at most)" in bad.error
    assert bad.line == 4
    assert len(bad.outputs) == 1


def test_several_outputs_and_their_expects(tmp_path: Path) -> None:
    expects = "# uir: expect = [1.5, 2.5, 3.5, 4.5]\n# uir: expect 1 = [-1.5, -2.5, -3.5, -9]\n"
    text = ADD + "%3 = neg %2\n%4 = sink %2, %3\n" + expects
    result = run(text, tmp_path)
    assert [o.name for o in result.outputs] == ["%2", "%3"]
    assert result.expect is False
    assert "%3 element [1, 1] is -4.5, expected -9.0" in str(result.error)


def test_output_under_a_slot_of_its_own(tmp_path: Path) -> None:
    text = ADD + "%o = buffer 4 : dtype=f32 slot=7\n%r = reshape %2, (4,)\n%s = store %o, %r\n%k = sink %s\n"
    result = run(text, tmp_path)
    assert result.error is None
    np.testing.assert_array_equal(result.outputs[0].array, [1.5, 2.5, 3.5, 4.5])


def test_one_value(tmp_path: Path) -> None:
    text = ADD + "# uir: expect = [1.5, 2.5, 3.5, 4.5]\n"
    part = run(text, tmp_path, value="%1")
    assert (part.ok, part.expect, part.outputs[0].name) == (True, None, "%1")
    np.testing.assert_array_equal(part.outputs[0].array, [[1, 2], [3, 4]])
    assert run(text, tmp_path, value="2").expect is True
    assert run(text, tmp_path, value="9").error == "there is no value %9"


def test_loop_program(tmp_path: Path) -> None:
    text = """\
# uir: input 0 = arange
%a = buffer 4 : dtype=f32 slot=0
%o = buffer 6 : dtype=f32 slot=1
%r = range 4 : idx=0 kind=loop
%x = index %a, %r
%v = load %x
%w = mul %v, 2.0
%y = index %o, %r
%s = store %y, %w
%e = end %s, %r
%k = sink %e
# uir: expect = [0, 2, 4, 6, 0, 0]
"""
    result = run(text, tmp_path)
    assert result.error is None
    assert (result.expect, result.verified) == (True, True)
    assert "cannot be run by itself" in str(run(text, tmp_path, value="w").error)


def test_access_outside_is_told_with_its_line(tmp_path: Path) -> None:
    text = """\
# uir: input 0 = [0, 3, 9, 1]
%a = buffer 4 : dtype=i32 slot=0
%o = buffer 4 : dtype=i32 slot=1
%r = range 4 : idx=0 kind=loop
%x = index %a, %r
%v = load %x
%y = index %o, %v
%s = store %y, %v
%e = end %s, %r
%k = sink %e
"""
    result = run(text, tmp_path)
    assert not result.ok
    assert result.error is not None
    assert "outside" in result.error
    assert result.line in (6, 7)


def test_nothing_but_finite_numbers_in_json(tmp_path: Path) -> None:
    text = "# uir: input 0 = [nan, inf, -inf, 2]\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = mul %0, 2.0\n"
    stats = run(text, tmp_path).to_dict()["outputs"][0]["stats"]
    assert stats == {"min": 4.0, "max": 4.0, "mean": 4.0, "nan": 1, "inf": 2}


def test_statistics_and_previews() -> None:
    assert statistics(np.zeros((0,), np.float32)) == {"min": None, "max": None, "mean": None, "nan": 0, "inf": 0}
    assert statistics(np.array([True, False])) == {"min": 0, "max": 1, "mean": 0.5, "nan": 0, "inf": 0}
    assert statistics(np.array(2**64 - 1, np.uint64))["max"] == 2**64 - 1
    assert statistics(np.full(3, 6e4, np.float16))["mean"] == pytest.approx(60_000.0)
    assert statistics(np.array([1.7e308, 1.7e308]))["mean"] is None
    assert preview(np.arange(10**6)) == "[     0      1      2 ... 999997 999998 999999]"
    assert preview(np.array(3.0, np.float32)) == "3."
    assert OutputResult("%1", dtypes.f32, np.zeros((2, 0), np.float32)).to_dict()["shape"] == [2, 0]


# -- refusals and failures -----------------------------------------------------------------------------------------
def test_text_with_errors(tmp_path: Path) -> None:
    result = run("%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (5, 2)\n%2 = frob %0\n", tmp_path)
    assert not result.ok
    assert str(result.error).startswith("line 2: RESHAPE (12,) -> (5, 2)")
    assert "and 1 more" in str(result.error)
    assert result.line == 1


def test_empty(tmp_path: Path) -> None:
    assert run("", tmp_path).error == "the file has no statement: there is nothing to compute"


def test_huge_buffer_is_refused_before_anything(tmp_path: Path) -> None:
    began = time.monotonic()
    result = run("%0 = buffer 1000000000000000 : dtype=f32 slot=0\n%1 = neg %0\n", tmp_path)
    assert time.monotonic() - began < 5
    assert result.build_ms is None
    assert "1,000,000,000,000,000 elements of f32" in str(result.error)
    assert "3.6 PB" in str(result.error)
    assert "4.0 GB (raise --memory)" in str(result.error)


def test_huge_output_is_refused(tmp_path: Path) -> None:
    text = "%0 = buffer 1 : dtype=f32 slot=0\n%1 = reshape %0, (1, 1)\n%2 = expand %1, (100000, 100000)\n"
    assert "output %2 has 10,000,000,000 elements" in str(run(text, tmp_path).error)


def test_memory_option(tmp_path: Path) -> None:
    text = "%0 = buffer 1000000 : dtype=f32 slot=0\n%1 = neg %0\n"
    assert run(text, tmp_path, memory=8_000_000).ok
    refused = str(run(text, tmp_path, memory=7_999_999).error)
    assert "1,000,000 elements" in refused
    assert "everything together 7.6 MB" in refused


def test_bad_input_file(tmp_path: Path) -> None:
    result = run('# uir: input 0 = file "x.npy"\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n', tmp_path)
    assert "x.npy: there is no such file (for buffer 0)" in str(result.error)


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("UIR_CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "no C compiler found" in str(run(ADD, tmp_path).error)


def test_failing_compiler(tmp_path: Path) -> None:
    broken = fake_compiler(tmp_path / "bin", 'echo "program.c:1:1: error: no licence" >&2; exit 1')
    result = run(ADD, tmp_path, compiler=str(broken))
    assert "no licence" in str(result.error)
    assert result.kernel_ms is None


def test_timeout(tmp_path: Path) -> None:
    """A product of 3000^3 in the textbook order takes many seconds."""
    result = run(ENDLESS, tmp_path, plain=True, timeout=0.5)
    assert result.error == "line 5: %d: took longer than 0.5 s (raise --timeout)"


def test_damaged_library_is_built_again(tmp_path: Path) -> None:
    text = ADD.replace("0.5", "0.625")
    assert run(text, tmp_path).ok
    newest = max(default_folder().iterdir(), key=lambda p: p.stat().st_mtime_ns)
    newest.write_bytes(b"rubbish")
    assert run(text, tmp_path).ok


def test_not_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(ADD, tmp_path, verify=False).verified is None
    from uopc.evaluate import EvaluationTooLarge
    from uopc.runtime import job

    def refuse(*args: object, **options: object) -> None:
        raise EvaluationTooLarge("too large")

    monkeypatch.setattr(job, "evaluate", refuse)
    result = run(ADD, tmp_path)
    assert (result.ok, result.verified) == (True, None)
    assert "not verified" in result.notes[0]


def test_wrong_result_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference judges: a result it does not agree with is an error although the program ran."""
    from uopc.runtime import job

    wrong = np.array([[1.5, 2.5], [3.5, 4.0]], np.float32)
    monkeypatch.setattr(job, "evaluate", lambda *args, **options: wrong)
    result = run(ADD, tmp_path)
    assert (result.ok, result.verified, result.difference) == (False, False, 0.5)
    assert result.error == (
        "differs from the reference: %2 element [1, 1] is 4.5, expected 4.0 (1 of 4 elements differ, by 0.5 at most)"
    )


def test_many_operations_are_noted(tmp_path: Path) -> None:
    text = """\
%0 = buffer 100000000 : dtype=f32 slot=0
%a = reshape %0, (10000, 1, 10000)
%b = reshape %0, (1, 10000, 10000)
%c = mul %a, %b
%d = reduce %c : op=add pop=1
"""
    result = run(text, tmp_path, compiler="/no/such/cc")
    assert "operations" in result.notes[0]


def test_cancel_between_stages(tmp_path: Path) -> None:
    for last in STAGES:
        token = CancelToken()
        seen: list[str] = []

        def progress(
            stage: str, _: RunResult, token: CancelToken = token, last: str = last, seen: list[str] = seen
        ) -> None:
            seen.append(stage)
            if stage == last:
                token.cancel()

        text = ADD.replace("0.5", str(0.5 + STAGES.index(last)))
        if last == STAGES[-1]:
            assert run_job(text, tmp_path / "a.uir", RunOptions(), progress, token).ok
        else:
            with pytest.raises(Cancelled):
                run_job(text, tmp_path / "a.uir", RunOptions(), progress, token)
        assert seen[-1] == last


def test_data_that_cannot_be_had_is_told_at_its_directive(tmp_path: Path) -> None:
    text = '%0 = buffer 4 : dtype=f32 slot=0\n\n# uir: input 0 = file "none.npy"\n%1 = neg %0\n'
    result = run(text, tmp_path)
    assert result.error is not None and "there is no such file" in result.error
    assert result.line == 2
