"""Every transformation switched off by itself, and all of them: the values stay what the evaluator says they are."""

from __future__ import annotations

import numpy as np
import pytest
from batch import build_together
from kernels import random_kernel
from programs import difference, random_program

from uopc.evaluate import evaluate
from uopc.opt import SWITCHES
from uopc.pipeline import compile_program
from uopc.uir import dump

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


def test_an_unknown_switch_is_refused() -> None:
    with pytest.raises(ValueError, match="tiles"):
        compile_program(random_kernel(0).root, off=("tiles",))


def test_threads_do_not_change_a_bit() -> None:
    for seed in range(1100, 1130):
        p = random_kernel(seed)
        one, two = build_together([compile_program(p.root, f"t{n}_{seed}", threads=n) for n in (1, 2)])
        for a, b in zip(one(p.inputs), two(p.inputs)):
            np.testing.assert_array_equal(a, b)
