"""The graph of a file: a node a statement, an edge an operand, the kernels that compute it."""

from __future__ import annotations

from pathlib import Path

import pytest

from uopc.analysis.dataflow import DataFlow, data_flow
from uopc.uir import analyze

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.uir"))
ROWS = """\
%x = buffer 12 : dtype=f32 slot=0
%m = reshape %x, (3, 4)
%s = reduce %m : op=add axes=(1,) keepdim=true
%t = stage %s
%y = sub %m, %t
%p = permute %y, (1, 0)
"""


def flow(text: str) -> DataFlow:
    return data_flow(analyze(text))


def names(found: DataFlow) -> list[str]:
    return [n.name for n in found.nodes]


def test_nodes_and_edges_are_the_statements_and_operands() -> None:
    found = flow(ROWS)
    assert names(found) == ["x", "m", "s", "t", "y", "p"]
    assert [(found.nodes[e.source].name, found.nodes[e.target].name) for e in found.edges] == [
        ("x", "m"), ("m", "s"), ("s", "t"), ("m", "y"), ("t", "y"), ("y", "p"),
    ]  # fmt: skip
    assert [n.role for n in found.nodes] == ["input", "view", "reduce", "compute", "compute", "view"]
    assert [n.line for n in found.nodes] == list(range(6))
    p = found.nodes[-1]
    assert (p.op, p.detail, p.dtype, p.shape, p.output) == ("permute", "(1, 0)", "f32", (4, 3), True)


def test_every_computed_value_is_in_a_kernel_and_buffers_are_in_none() -> None:
    found = flow(ROWS)
    assert found.kernels
    assert [n.kernel is None for n in found.nodes] == [True, False, False, False, False, False]
    assert all(n.kernel is None or n.kernel < len(found.kernels) for n in found.nodes)


def test_two_programs_in_one_file_are_two_kernels() -> None:
    text = "%x = buffer 40 : dtype=f32 slot=0\n%a = reduce %x : op=add pop=1\n%y = buffer 12 : dtype=f32 slot=1\n"
    found = flow(text + "%m = reshape %y, (3, 4)\n%b = permute %m, (1, 0)\n%out = sink %a, %b\n")
    kernels = {n.name: n.kernel for n in found.nodes}
    assert len(found.kernels) == 2
    assert (kernels["x"], kernels["a"], kernels["y"], kernels["b"]) == (None, 0, None, 1)


def test_index_arithmetic_is_known() -> None:
    found = data_flow(analyze((EXAMPLES[0].parent / "row_sum_loops.uir").read_text(encoding="utf-8")))
    assert [n.name for n in found.nodes if n.index] == ["row", "at"]
    assert found.kernels == ()
    assert "loop program" in found.message


def test_a_broken_file_has_its_graph_without_kernels() -> None:
    found = flow(ROWS + "%bad = reshape %p, (5, 5)\n%z = neg %p\n")
    assert names(found)[-2:] == ["p", "z"]
    assert (found.kernels, found.message) == ((), "the file has errors")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_have_graphs(path: Path) -> None:
    found = data_flow(analyze(path.read_text(encoding="utf-8")))
    assert all(e.source < e.target for e in found.edges)
    assert any(n.output for n in found.nodes)
    assert sum(len(n.detail) > 40 for n in found.nodes) == 0
