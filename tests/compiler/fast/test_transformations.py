"""Every transformation switched off by itself, and all of them: the values stay what the evaluator says they are."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from batch import build_together
from kernels import random_kernel
from programs import difference, random_program
from transformer import Transformer, product, softmax, spread

from uopc.evaluate import evaluate
from uopc.ops import Ops
from uopc.opt import SWITCHES
from uopc.pipeline import compile_program
from uopc.uir import dump
from uopc.uop import UOp, buf

KERNELS = range(1000, 1040)
PROGRAMS = range(5000, 5050)


@pytest.mark.parametrize("off", [*((name,) for name in SWITCHES), tuple(SWITCHES)], ids="+".join)
def test_values_do_not_depend_on_a_transformation(off: tuple[str, ...]) -> None:
    made = {f"k{seed}": random_kernel(seed) for seed in KERNELS} | {
        f"p{seed}": random_program(seed) for seed in PROGRAMS
    }
    compiled = [compile_program(p.root, name, threads=2, off=off) for name, p in made.items()]
    for (name, p), run in zip(made.items(), build_together(compiled)):
        want = evaluate(p.root, p.inputs)
        for a, b, error in zip(want if isinstance(want, tuple) else (want,), run(p.inputs), p.errors):
            assert difference(a, b, error) is None, f"{name} without {off}: {difference(a, b, error)}\n{dump(p.root)}"


def matrix(slot: int, *shape: int) -> UOp:
    return buf(slot, prod(shape)).reshape(shape)


def times(m: int, n: int, k: int) -> UOp:
    return product(matrix(0, m, k), matrix(1, k, n).permute((1, 0)))


# For every switch a program in which the transformation is applied.
APPLIED = {
    "epilogue": times(512, 512, 512) + matrix(2, 1, 512).expand((512, 512)),
    "fuse": softmax(matrix(0, 256, 512)),
    "vector": matrix(0, 4096) + matrix(1, 4096),
    "tile": times(64, 64, 64),
    "pack": times(512, 512, 512),
    "block": times(512, 512, 2048),
    "stream": times(32, 1024, 1024),
    "columns": matrix(0, 512, 512).permute((1, 0)).reduce(Ops.ADD, 1),
    "copies": matrix(0, 512, 512).reduce(Ops.ADD, 1),
    "transpose": matrix(0, 512, 512).permute((1, 0)),
    "threads": times(512, 512, 512),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_the_plan_says_what_is_switched_off_where_it_would_have_been_applied(name: str) -> None:
    with_it, without = (compile_program(APPLIED[name], threads=2, off=off).plan.lines() for off in ((), (name,)))
    assert not any("switched off" in line for line in with_it)
    assert without[0] == f"switched off: {name}"
    assert any(f"{name} is switched off" in line or f"here: {name} (" in line for line in without[1:]), without
    assert [line for line in with_it if line not in without], "the same plan"


def test_the_plan_says_nothing_of_a_switch_that_changes_nothing() -> None:
    plan = compile_program(APPLIED["vector"], off=("transpose",)).plan.lines()
    assert plan[0] == "switched off: transpose" and not any("switched off" in line for line in plan[1:])


def test_the_plan_says_why_stages_are_not_joined_and_what_threads_share() -> None:
    x = matrix(0, 64, 64)
    total = softmax(x) + spread(x.permute((1, 0)).reduce(Ops.ADD, 1), (64, 64))
    apart = compile_program(total).plan.lines()
    assert any("not joined with the next: one of them is computed by itself" in s for s in apart)
    assert any("shared between 2 threads" in s for s in compile_program(APPLIED["tile"], threads=2).plan.lines())
    small = compile_program(matrix(0, 64) + matrix(1, 64), threads=2).plan.lines()
    assert any("one thread: there is too little to share" in s for s in small)


def test_the_plan_says_how_each_value_is_computed() -> None:
    x = matrix(0, 64, 512)
    largest = x.reduce(Ops.MAX, 1)
    plan = compile_program(softmax(x)).plan
    (call,) = plan.calls
    stage = next(s for s in call.stages if s.node is largest)
    assert "maximum" in stage.how[0]
    text = plan.lines(lambda node: "%top" if node is largest else None)
    at = text.index("  %top : f32[64] = maximum over 512")
    assert text[at + 1 : at + 3] == ["    a stage: a reduction has loops of its own", f"    {stage.how[0]}"]


def test_the_plan_names_a_kernel_once_and_then_its_values() -> None:
    plan = compile_program(Transformer().layers(2)).plan
    kernels = {c.name for c in plan.calls}
    assert len(kernels) < len(plan.calls), "the second layer has kernels of its own"
    lines = plan.lines()
    assert sum(" again: " in line for line in lines) == len(plan.calls) - len(kernels)
    assert {line.split(":")[0] for line in lines if line[0] not in " b" and " again" not in line} == kernels


def test_an_unknown_switch_is_refused() -> None:
    with pytest.raises(ValueError, match="tiles"):
        compile_program(random_kernel(0).root, off=("tiles",))


def test_threads_do_not_change_a_bit() -> None:
    for seed in range(1100, 1130):
        p = random_kernel(seed)
        one, two = build_together([compile_program(p.root, f"t{n}_{seed}", threads=n) for n in (1, 2)])
        for a, b in zip(one(p.inputs), two(p.inputs)):
            np.testing.assert_array_equal(a, b)
