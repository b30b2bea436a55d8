"""The blocks of tests/compiler/mdtests say the truth; and the reader of these blocks notices a lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_tests import Block, blocks, problems

FILES = sorted((Path(__file__).parents[1] / "mdtests").glob("*.md"))


@pytest.mark.parametrize("block", [b for f in FILES for b in blocks(f)], ids=lambda b: b.title)
def test_block(block: Block) -> None:
    assert problems(block.text) == []


def test_unstated_error_is_noticed() -> None:
    assert problems("%0 = neg %1\n") != []


def test_stated_error_that_does_not_come_is_noticed() -> None:
    assert problems("%0 = buffer 4 : dtype=f32 slot=0  # error: [syntax]\n") != []


def test_wrong_type_is_noticed() -> None:
    assert problems("%0 = buffer 4 : dtype=f32 slot=0  # revealed: f32[5]\n") != []
