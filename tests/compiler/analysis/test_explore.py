"""The explorer's index maps, evaluated by a few lines of Python, against NumPy moving element numbers."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from index_programs import IndexProgram, random_program

from uopc.analysis.explore import explorer
from uopc.uir import analyze

FIXTURE = Path(__file__).parents[2] / "vscode" / "unit" / "indexMaps.json"
FIXTURE_PROGRAMS = 40

Index = tuple[int, ...]


def value_of(f: Any, v: list[int]) -> int:
    """A formula at a position."""
    if isinstance(f, int):
        return f
    op, *rest = f
    if op == "v":
        return v[rest[0]]
    a = [value_of(x, v) for x in rest]
    if op == "where":
        return a[1] if a[0] else a[2]
    results: dict[str, Any] = {
        "+": lambda: a[0] + a[1], "*": lambda: a[0] * a[1], "//": lambda: a[0] // a[1], "%": lambda: a[0] % a[1],
        "max": lambda: max(a), "<": lambda: a[0] < a[1], "!=": lambda: a[0] != a[1], "and": lambda: a[0] & a[1],
        "or": lambda: a[0] | a[1], "xor": lambda: a[0] ^ a[1], "not": lambda: not a[0],
    }  # fmt: skip
    return int(results[op]())


def sources(edge: dict[str, Any], idx: Index) -> Iterator[Index]:
    """The operand's elements that the element at `idx` reads through an edge."""
    ranges = [range(n) for n in edge.get("over", [])]
    ranges += [range(c["first"], c["last"] + 1) for c in edge.get("chosen", [])]
    for rest in itertools.product(*ranges):
        v = [*idx, *rest]
        if value_of(edge.get("guard", 1), v) and value_of(edge.get("case", 1), v):
            yield tuple(value_of(f, v) for f in edge["index"])


def users(edge: dict[str, Any], idx: Index) -> Iterator[Index]:
    """The value's elements that the operand's element at `idx` goes to through an edge."""
    back = edge["inverse"]
    for rest in itertools.product(*map(range, back.get("free", []))):
        v = [*idx, *rest]
        if value_of(back.get("guard", 1), v):
            yield tuple(value_of(f, v) for f in back["index"])


def all_indices(shape: list[int]) -> list[Index]:
    return list(itertools.product(*map(range, shape)))


def flat(idx: Index, shape: list[int]) -> int:
    assert len(idx) == len(shape) and all(0 <= i < n for i, n in zip(idx, shape)), (idx, shape)
    return int(np.ravel_multi_index(idx, shape)) if shape else 0


def reached(nodes: list[dict[str, Any]], edges: list[tuple[int, int, dict[str, Any]]], target: int) -> np.ndarray:
    """(elements of node 0, elements of `target`): which are made of which, by matrices of one edge each."""
    count = [prod(n["shape"]) for n in nodes]
    made = [np.zeros((n, count[target]), dtype=bool) for n in count]
    made[target] = np.eye(count[target], dtype=bool)
    for source, to, edge in edges:  # operands before users
        if source != target:
            made[source] |= (edge["matrix"].astype(int) @ made[to].astype(int)) > 0
    return made[0]


def edges_of(nodes: list[dict[str, Any]], matrix: Any) -> list[tuple[int, int, dict[str, Any]]]:
    """All edges with their matrices, those of operands first."""
    done: list[tuple[int, int, dict[str, Any]]] = []
    state = [0] * len(nodes)

    def visit(k: int) -> None:
        if state[k]:
            return
        state[k] = 1
        for edge in nodes[k]["edges"]:
            visit(edge["to"])
        for edge in nodes[k]["edges"]:
            made = matrix(edge, nodes[k]["shape"], nodes[edge["to"]]["shape"])
            done.append((k, edge["to"], {**edge, "matrix": made}))

    visit(0)
    return done


def forward(edge: dict[str, Any], shape: list[int], below: list[int]) -> np.ndarray:
    made = np.zeros((prod(shape), prod(below)), dtype=bool)
    for idx in all_indices(shape):
        for source in sources(edge, idx):
            made[flat(idx, shape), flat(source, below)] = True
    return made


def backward(edge: dict[str, Any], shape: list[int], below: list[int]) -> np.ndarray:
    made = np.zeros((prod(shape), prod(below)), dtype=bool)
    for idx in all_indices(below):
        for user in users(edge, idx):
            made[flat(user, shape), flat(idx, below)] = True
    return made


def explored(text: str, name: str | None = None) -> dict[str, Any]:
    return explorer(analyze(text), name)


def expected(program: IndexProgram, nodes: list[dict[str, Any]], target: int) -> np.ndarray:
    made = program.made_of(nodes[target]["name"])[nodes[0]["name"]]
    return made.reshape(prod(nodes[0]["shape"]), -1)


@pytest.mark.parametrize("seed", range(120))
def test_every_element_comes_from_where_numpy_says_and_goes_there_back(seed: int) -> None:
    program = random_program(random.Random(seed))
    name = program.steps[-1][0]
    answer = explored(program.text, name)
    nodes = answer["nodes"]
    assert answer["complete"] and nodes[0]["name"] == name, program.text
    maps, inverses = edges_of(nodes, forward), edges_of(nodes, backward)
    for (*_, a), (*_, b) in zip(maps, inverses):
        assert np.array_equal(a["matrix"], b["matrix"]), program.text
    for target in range(len(nodes)):
        assert np.array_equal(reached(nodes, maps, target), expected(program, nodes, target)), (target, program.text)


def fixture() -> list[dict[str, Any]]:
    """What the TypeScript evaluator is tested with: answers, and for each node what NumPy says node 0 is made of."""
    cases = []
    for seed in range(1000, 1000 + FIXTURE_PROGRAMS):
        program = random_program(random.Random(seed), steps=5)
        answer = explored(program.text, program.steps[-1][0])
        nodes = answer["nodes"]
        made = [[np.flatnonzero(row).tolist() for row in expected(program, nodes, k)] for k in range(len(nodes))]
        cases.append({"text": program.text, "nodes": nodes, "made": made})
    return cases


def test_the_fixture_of_the_editor_is_what_is_said_now() -> None:
    """UIR_WRITE=1 writes it anew: what NumPy says, and the maps as the compiler gives them."""
    import os

    lines = ",\n".join(json.dumps(case, separators=(",", ":"), ensure_ascii=False) for case in fixture())
    text = f"[\n{lines}\n]\n"
    if os.environ.get("UIR_WRITE"):
        FIXTURE.write_text(text, encoding="utf-8")
    assert FIXTURE.read_text(encoding="utf-8") == text
