"""Random programs through everything: as text in both syntaxes, as loops step by step, as C plain and fast.

UIR_PROGRAMS=5000 asks for that many as C: plain, fast on one thread, and fast on two.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from batch import build_together
from kernels import random_kernel
from lesson_text import lesson_text
from programs import Array, Program, difference, random_program

from uopc.evaluate import EvaluationTooLarge, evaluate, evaluate_loops
from uopc.pipeline import Compiled, compile_program
from uopc.uir import dump, format, parse
from uopc.uop import UOp

PROGRAMS = int(os.environ.get("UIR_PROGRAMS", "2000"))
THREADED = PROGRAMS if "UIR_PROGRAMS" in os.environ else 300  # programs that also run on two threads
KERNELS = 320
BATCH = 100
STEPS = 200_000  # of a loop program that is followed one by one


def expected(program: Program) -> list[Array]:
    return outputs(program.root, program.inputs)


def outputs(root: UOp, inputs: dict[int, Array]) -> list[Array]:
    found = evaluate(root, inputs)
    return list(found) if isinstance(found, tuple) else [found]


def mismatch(want: list[Array], got: list[Array], errors: list[float]) -> str | None:
    """The first thing that differs, or None."""
    assert len(want) == len(got) == len(errors)
    return next((d for d in map(difference, want, got, errors) if d), None)


def compiled_as(how: str, name: str, root: UOp) -> Compiled:
    """A program as plain C, as fast C for one thread, or for two."""
    return compile_program(root, name, plain=how == "plain", threads=2 if how == "threads" else 1)


@pytest.fixture
def shared_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads share loops however short: those of random programs are."""
    monkeypatch.setattr("uopc.opt._PARALLEL_WORK", 2)


@pytest.mark.usefixtures("shared_early")
@pytest.mark.parametrize(
    ("how", "first"),
    [
        (how, first)
        for how, count in {"plain": PROGRAMS, "fast": PROGRAMS, "threads": THREADED}.items()
        for first in range(0, count, BATCH)
    ],
)
def test_compiled_programs_agree_with_their_meaning(how: str, first: int) -> None:
    programs = {seed: random_program(seed) for seed in range(first, first + BATCH)}
    compiled = [compiled_as(how, f"p{seed}", p.root) for seed, p in programs.items()]
    shared = sum("#pragma omp parallel" in c.source for c in compiled)
    assert shared > BATCH / 20 if how == "threads" else not shared
    failures = {}
    for (seed, p), run in zip(programs.items(), build_together(compiled)):
        wrong = mismatch(expected(p), run(p.inputs), p.errors)
        if wrong:
            failures[seed] = f"{wrong}\n{dump(p.root)}"
    assert not failures, "\n".join(f"seed {seed}: {text}" for seed, text in failures.items())


@pytest.mark.parametrize("first", range(0, KERNELS, 40))
@pytest.mark.parametrize("how", ["plain", "fast", "threads"])
def test_compiled_kernels_agree_with_their_meaning(first: int, how: str) -> None:
    kernels = {seed: random_kernel(seed) for seed in range(first, first + 40)}
    compiled = [compiled_as(how, f"k{seed}", p.root) for seed, p in kernels.items()]
    for (seed, p), run in zip(kernels.items(), build_together(compiled)):
        wrong = mismatch(expected(p), run(p.inputs), p.errors)
        assert wrong is None, f"kernel {seed}: {wrong}\n{dump(p.root)}"


@pytest.mark.parametrize("first", range(0, 1000, BATCH))
def test_loops_followed_step_by_step_stay_inside_and_agree(first: int) -> None:
    followed = 0
    for seed in range(first, first + BATCH):
        p = random_program(seed)
        compiled = compile_program(p.root, plain=True)
        try:
            stored = evaluate_loops(compiled.sink, p.inputs, steps=STEPS)
        except EvaluationTooLarge:
            continue
        want = expected(p)
        got = [_stored(stored, o.slot, w) for o, w in zip(compiled.outputs, want)]
        assert mismatch(want, got, p.errors) is None, f"seed {seed}\n{dump(p.root)}"
        followed += 1
    assert followed > BATCH * 0.9


@pytest.mark.parametrize("first", range(0, 600, BATCH))
def test_lowered_programs_are_programs_of_their_own(first: int) -> None:
    programs = {seed: random_program(seed) for seed in range(first, first + BATCH)}
    lowered = {seed: compile_program(p.root, plain=True) for seed, p in programs.items()}
    for seed, c in lowered.items():
        assert parse(dump(c.sink)) is c.sink, f"seed {seed}\n{dump(c.sink)}"
    again = {seed: compile_program(c.sink, f"l{seed}") for seed, c in lowered.items()}
    for (seed, a), run in zip(again.items(), build_together(list(again.values()))):
        p, c = programs[seed], lowered[seed]
        stored = dict(zip((o.slot for o in a.outputs), run(p.inputs)))
        want = expected(p)
        got = [_stored(stored, o.slot, w) for o, w in zip(c.outputs, want)]
        assert mismatch(want, got, p.errors) is None, f"seed {seed}\n{dump(c.sink)}"


def _stored(stored: dict[int, Array], slot: int, like: Array) -> Array:
    return stored[slot].reshape(like.shape) if like.size else np.zeros_like(like)


@pytest.mark.parametrize("first", range(0, PROGRAMS, 5 * BATCH))
def test_text_of_a_program_gives_the_same_graph(first: int) -> None:
    for seed in range(first, first + 5 * BATCH):
        root = random_program(seed).root
        text = dump(root)
        assert parse(text) is root, f"seed {seed}\n{text}"
        assert parse(format(text)) is root, f"seed {seed}\n{format(text)}"


@pytest.mark.parametrize("first", range(0, 800, BATCH))
def test_the_lesson_syntax_says_the_same(first: int) -> None:
    for seed in range(first, first + BATCH):
        p = random_program(seed)
        text = lesson_text(p.root)
        assert mismatch(expected(p), outputs(parse(text), p.inputs), p.errors) is None, f"seed {seed}\n{text}"
