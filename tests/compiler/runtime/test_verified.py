"""A result that the reference agreed with is not compared again while nothing of it differs; anything else is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from uopc.runtime import job
from uopc.runtime.arrays import ArrayFile
from uopc.runtime.inputs import Generated
from uopc.runtime.job import RunOptions, run_job
from uopc.runtime.result import RunResult
from uopc.runtime.verified import bits_of
from uopc.uir import parse

PROGRAM = """\
# uir: input 0 = randn seed=3
%0 = buffer 24 : dtype=f32 slot=0
%1 = reshape %0, (4, 6)
%2 = mul %1, %1
%3 = reduce %2 : op=add pop=1
"""


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UIR_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


class Judge:
    """Counts how often the reference evaluator is asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.asked = folder, 0
        evaluate = job.evaluate

        def counted(*args: object, **options: object) -> object:
            self.asked += 1
            return evaluate(*args, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(job, "evaluate", counted)

    def run(self, text: str = PROGRAM, **options: object) -> tuple[RunResult, int]:
        """The result, and how often the reference was asked for it."""
        before = self.asked
        result = run_job(text, self.folder / "a.uir", RunOptions(**options))  # type: ignore[arg-type]
        return result, self.asked - before


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    return Judge(tmp_path, monkeypatch)


def test_the_same_is_verified_once(judge: Judge) -> None:
    first, asked = judge.run()
    assert (first.verified, asked) == (True, 1)
    for _ in range(3):
        again, asked = judge.run()
        assert (again.verified, asked) == (True, 0)
        assert again.difference == first.difference
        np.testing.assert_array_equal(again.outputs[0].array, first.outputs[0].array)


def test_words_beside_the_program_change_nothing(judge: Judge) -> None:
    judge.run()
    assert judge.run(f"# a comment\n{PROGRAM}")[1] == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("seed=3", "seed=4"),
        lambda text: text.replace("randn seed=3", "arange"),
        lambda text: text.replace("mul %1, %1", "add %1, %1"),
        lambda text: text.replace("pop=1", "pop=2"),
        lambda text: text.replace("op=add", "op=max"),
        lambda text: text.replace("(4, 6)", "(6, 4)"),
    ],
)
def test_another_program_or_other_inputs_are_verified(judge: Judge, change: Callable[[str], str]) -> None:
    judge.run()
    other, asked = judge.run(change(PROGRAM))
    assert (other.verified, asked) == (True, 1)
    assert judge.run()[1] == 0  # that is known still


def test_a_file_that_changed_is_verified(judge: Judge, tmp_path: Path) -> None:
    """Its name is the same: what counts is what is in it."""
    text = PROGRAM.replace("randn seed=3", 'file "x.npy"')
    data = np.arange(24, dtype=np.float32)
    np.save(tmp_path / "x.npy", data)
    assert judge.run(text)[1] == 1
    assert judge.run(text)[1] == 0
    data[7] = np.nextafter(data[7], np.float32(99))  # one bit
    np.save(tmp_path / "x.npy", data)
    assert judge.run(text)[1] == 1
    replaced = {0: ArrayFile(tmp_path / "x.npy")}
    assert judge.run(PROGRAM, inputs=replaced)[1] == 0  # the same bits by another way


@pytest.mark.parametrize("byte", [0, 3, 15])
def test_one_bit_of_the_output_is_seen(judge: Judge, monkeypatch: pytest.MonkeyPatch, byte: int) -> None:
    judge.run()
    execute = job.execute

    def flipped(*args: object, seen: Callable[[dict[int, object]], None], **options: object) -> object:
        def spoil(outputs: dict[int, object]) -> None:
            for array in outputs.values():
                array.view(np.uint8)[byte] ^= 1  # type: ignore[attr-defined]
            seen(outputs)

        return execute(*args, seen=spoil, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(job, "execute", flipped)
    assert judge.run()[1] == 1
    assert judge.run()[1] in (0, 1)


def test_a_wrong_result_is_never_taken_as_verified(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "evaluate", lambda *args, **options: np.zeros(4, np.float32))
    for _ in range(2):
        result, _ = judge.run()
        assert (result.ok, result.verified) == (False, False)
        assert result.differences


def test_an_expect_is_compared_each_time(judge: Judge) -> None:
    """It is no part of what is remembered: a run is as expected or not by what the file says now."""
    wanted = judge.run()[0].outputs[0].array
    right = f"# uir: expect = [{', '.join(map(str, wanted.tolist()))}] rtol=1e-4\n{PROGRAM}"
    wrong = right.replace("expect = [", "expect = [1")
    assert [judge.run(text)[0].expect for text in (right, wrong, right, wrong)] == [True, False, True, False]
    assert [judge.run(text)[0].ok for text in (right, wrong)] == [True, False]


def test_without_verification_nothing_is_said(judge: Judge) -> None:
    judge.run()
    assert judge.run(verify=False)[0].verified is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.zeros(2, np.float32), -np.zeros(2, np.float32)),  # equal as numbers
        (np.zeros((2, 3), np.int32), np.zeros((3, 2), np.int32)),
        (np.zeros(4, np.int32), np.zeros(4, np.float32)),
        (np.zeros(2, np.uint8), np.zeros(3, np.uint8)),
        (np.array(1, np.float16), np.array([1], np.float16)),
        (np.zeros((0, 3), np.float64), np.zeros((3, 0), np.float64)),
        (np.array([True]), np.array([1], np.uint8)),
    ],
)
def test_a_digest_has_type_shape_and_bits(one: np.ndarray, other: np.ndarray) -> None:
    assert bits_of({0: one}, []) == bits_of({0: one.copy()}, [])
    assert bits_of({0: one}, []) != bits_of({0: other}, [])
    assert bits_of({}, [one]) != bits_of({}, [other])
    assert bits_of({0: one}, []) != bits_of({1: one}, [])
    assert bits_of({0: one}, []) != bits_of({}, [one])


def test_only_the_last_are_remembered(judge: Judge) -> None:
    texts = [PROGRAM.replace("seed=3", f"seed={k}") for k in range(9)]
    assert [judge.run(text)[1] for text in texts] == [1] * 9
    assert judge.run(texts[-1])[1] == 0
    assert judge.run(texts[0])[1] == 1


def test_random_numbers_are_remembered_within_bounds() -> None:
    made: list[str] = []

    def ask(name: str) -> np.ndarray:
        return kept.get(name, lambda: (made.append(name), np.zeros(256, np.float32))[1])

    kept = Generated(most_bytes=2048)
    first = ask("a")
    assert ask("a") is first
    assert not first.flags.writeable
    ask("b")
    ask("a")  # the newer one now
    ask("c")
    assert ask("a") is first
    ask("b")
    assert made == ["a", "b", "c", "b"]


def test_equal_programs_are_one_object() -> None:
    """On which the memory stands."""
    assert parse(PROGRAM) is parse(f"{PROGRAM}# more")
