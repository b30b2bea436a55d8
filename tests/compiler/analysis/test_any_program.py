"""Whatever the program, everything can be asked of every node: nothing raises, and texts stay short."""

from __future__ import annotations

import pytest
from programs import random_program

from uopc.analysis.cost import estimate
from uopc.analysis.explain import explain, explain_json
from uopc.analysis.index_map import index_map, is_tensor_step
from uopc.analysis.lints import findings, program_findings
from uopc.analysis.names import no_names
from uopc.analysis.strides import as_strided, why_not
from uopc.analysis.style import MATH
from uopc.analysis.summary import summary
from uopc.analysis.trace import trace
from uopc.uir import analyze

LONGEST = 600  # characters of one line


@pytest.mark.parametrize("block", range(10))
def test_every_node_of_random_programs(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        root = random_program(seed).root
        for u in root.toposort():
            texts = [summary(u, no_names), *(f.text(no_names) for f in findings(u))]
            if is_tensor_step(u):
                mapped = index_map(u)
                texts += [*mapped.equation(MATH), *mapped.places(), *mapped.counts(), why_not(u)]
                strided = as_strided(u)
                assert strided is None or strided[0] == u.shape
            texts += [line.index for line in trace(u)]
            assert max(map(len, texts)) < LONGEST, (seed, u)
        cost = estimate(root)
        assert cost.operations >= 0 and cost.memory_bytes >= 0
        program_findings(root)


BROKEN = [
    "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (5, 5)\n%2 = reduce %1 : op=add pop=1\n%3 = add %2, %1\n",
    "%0 = add %0, %0\n",
    "%0 = nothing %1, %2\n%1 = add %0\n",
    "%0 = buffer 12 : dtype=f32 slot=0\n%1 = permute %0, (0, 1\n%2 = neg %1\n%2 = neg %0\n",
    "%0 = call %1, %2\n%1 = param (2, 3) : dtype=f32 slot=0\n%2 = call %1\n",
]


@pytest.mark.parametrize("text", BROKEN)
def test_every_value_of_broken_programs(text: str) -> None:
    analysis = analyze(text)
    for name, value in analysis.values.items():
        e = explain(analysis, name)
        assert explain_json(analysis, name)["name"] == f"%{name}"
        assert bool(e.unknown) == (value.uop is None)
