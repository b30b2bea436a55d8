"""The blocks of tests/compiler/mdtests and docs/language.md say the truth; and the reader of blocks notices a lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_tests import Block, blocks, problems

ROOT = Path(__file__).parents[3]
FILES = [*sorted((ROOT / "tests" / "compiler" / "mdtests").glob("*.md")), ROOT / "docs" / "language.md"]


@pytest.mark.parametrize("block", [b for f in FILES for b in blocks(f)], ids=lambda b: b.title)
def test_block(block: Block) -> None:
    assert problems(block.text) == []


def test_unstated_error_is_noticed() -> None:
    assert problems("%0 = neg %1\n") != []


def test_stated_error_that_does_not_come_is_noticed() -> None:
    assert problems("%0 = buffer 4 : dtype=f32 slot=0  # error: [syntax]\n") != []


def test_wrong_type_is_noticed() -> None:
    assert problems("%0 = buffer 4 : dtype=f32 slot=0  # revealed: f32[5]\n") != []


def test_wrong_result_is_noticed() -> None:
    text = "# uir: input 0 = [1, 2]\n# uir: expect = [2, {}]\n%0 = buffer 2 : dtype=f32 slot=0\n%1 = mul %0, 2.0\n"
    assert problems(text.format(4)) == []
    assert problems(text.format(5)) == ["output 0: element [1] is 4.0, expected 5.0 (1 of 2 elements differ)"]
