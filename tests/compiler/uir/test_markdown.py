"""The blocks of tests/compiler/mdtests and docs/language.md say the truth; and the reader of blocks notices a lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from batch import build_together
from markdown_tests import Block, blocks, differences, inputs, problems, runs

from uopc.ops import ALIASES, OPS
from uopc.pipeline import compile_program
from uopc.uir import CODES, analyze

ROOT = Path(__file__).parents[3]
FILES = [*sorted((ROOT / "tests" / "compiler" / "mdtests").glob("*.md")), ROOT / "docs" / "language.md"]
BLOCKS = [block for file in FILES for block in blocks(file)]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.title)
def test_block(block: Block) -> None:
    assert problems(block.text) == []


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "fast"])
def test_blocks_give_in_c_what_they_say(plain: bool) -> None:
    analyses = [analysis for block in BLOCKS if runs(analysis := analyze(block.text))]
    programs = [compile_program(a.root, f"block_{k}", plain=plain) for k, a in enumerate(analyses) if a.root]
    assert len(programs) == len(analyses) > 50
    for analysis, run in zip(analyses, build_together(programs)):
        assert differences(analysis, run(inputs(analysis))) == [], analysis.text


def test_every_operation_and_every_code_is_in_a_block() -> None:
    used = {statement.op for block in BLOCKS for statement in analyze(block.text).statements.values()}
    assert {*OPS, *ALIASES} - used == set()
    stated = "".join(block.text for block in BLOCKS)
    assert [code for code, info in CODES.items() if info.example and f"[{code}]" not in stated] == []


def test_unstated_error_is_noticed() -> None:
    assert problems("%0 = neg %1\n") != []


def test_stated_error_that_does_not_come_is_noticed() -> None:
    assert problems("%0 = buffer 4 : dtype=f32 slot=0  # error: [syntax]\n") != []


def test_wrong_type_is_noticed() -> None:
    assert problems("%0 = buffer 4 : dtype=f32 slot=0  # revealed: f32[5]\n") != []


def test_wrong_result_is_noticed() -> None:
    text = "# uir: input 0 = [1, 2]\n# uir: expect = [2, {}]\n%0 = buffer 2 : dtype=f32 slot=0\n%1 = mul %0, 2.0\n"
    assert problems(text.format(4)) == []
    said = "output 0: element [1] is 4.0, expected 5.0 (1 of 2 elements differ, by 1 at most)"
    assert problems(text.format(5)) == [said]
