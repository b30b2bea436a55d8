"""Equations read back by Python: each step's formula, on the values of its operands, gives the step's value."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from programs import random_program

from uopc.analysis.cost import output_values
from uopc.analysis.equation import MAX_CASES, equation
from uopc.evaluate import evaluate
from uopc.ops import MOVEMENT, Ops
from uopc.uop import UOp, toposort

EXACT = (
    MOVEMENT
    | {Ops.STACK, Ops.INDEX, Ops.REDUCE, Ops.STAGE, Ops.WHERE}
    | {Ops.ADD, Ops.MUL, Ops.MAX, Ops.CMPLT, Ops.CMPNE, Ops.NEG, Ops.NOT, Ops.AND, Ops.OR, Ops.XOR}
)
LETTERS = ["i", "j", "k", "l", "m", "n", *(f"i{k}" for k in range(6, 20))]
WORDS: dict[str, Any] = {
    "max": np.maximum,
    "min": np.minimum,
    "where": lambda c, a, b: a if c else b,
    "true": True,
    "false": False,
    "inf": np.inf,
    "nan": np.nan,
}


def computed(formula: str, names: dict[str, Any]) -> Any:
    """The value of a right-hand side."""
    formula, _, guard = formula.partition(", 0 unless ")
    if guard and not eval(re.sub(r"(?<![<>!])= ", "== ", guard), {}, names):
        return 0
    reduced = re.fullmatch(r"(sum|max|product) ([^ ]+<\d+(?:, [^ ]+<\d+)*)  (.*)", formula)
    if reduced is None:
        return eval(formula, {}, names)
    loops = [part.split("<") for part in reduced[2].split(", ")]
    terms = [
        eval(reduced[3], {}, names | dict(zip((name for name, _ in loops), at)))
        for at in product(*(range(int(n)) for _, n in loops))
    ]
    how = {"sum": np.add, "max": np.maximum, "product": np.multiply}[reduced[1]]
    return how.reduce(np.array(terms)) if terms else None


def check(u: UOp, inputs: dict[int, Any], rng: np.random.Generator) -> None:
    numbers = {s: f"v{k}" for k, s in enumerate(dict.fromkeys(u.src))}
    lines = equation(u, lambda x: "y" if x is u else numbers.get(x))
    names = WORDS | {name: np.asarray(evaluate(s, inputs)) for s, name in numbers.items()}
    want = np.asarray(evaluate(u, inputs))
    for _ in range(12):
        at = tuple(int(rng.integers(n)) for n in u.shape)
        line = lines[0]
        if u.op is Ops.STACK:
            if at[0] >= MAX_CASES:
                continue
            line = lines[at[0]]
        formula = line.partition(" = ")[2]
        with np.errstate(all="ignore"):
            got = computed(formula, names | dict(zip(LETTERS, at)))
        if got is not None:
            np.testing.assert_allclose(
                np.asarray(got).astype(want.dtype), want[at], rtol=1e-4 if u.op is Ops.REDUCE else 0, err_msg=line
            )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("block", range(10))
def test_steps_of_random_programs(block: int) -> None:
    steps = 0
    for seed in range(50 * block, 50 * block + 50):
        program = random_program(seed)
        rng = np.random.default_rng(seed)
        for u in toposort(output_values(program.root)):
            if u.op in EXACT and 0 not in u.shape and u.dtype.bits >= 32 and not _clamps(u):
                check(u, program.inputs, rng)
                steps += 1
    assert steps > 50


def _clamps(u: UOp) -> bool:
    """An index that is only known at run time may be outside and is then clamped, which the equation leaves out."""
    return u.op is Ops.INDEX and any(i.op is not Ops.CONST for i in u.src[1:])
