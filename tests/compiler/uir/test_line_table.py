"""Offsets, columns and code units, against Python's own encoders."""

from __future__ import annotations

import random

import pytest

from uopc.uir import LineTable, analyze
from uopc.uir.source import from_units, split_lines, to_units

TEXTS = ["", "a", "a\n", "\n\n", "a\r\nb\rc\nd", "\r\r\n\n", "é😀x\n😀", "a\u2028b\x85c\x0cd\n", "\ufeff%0"]


@pytest.mark.parametrize("text", TEXTS)
def test_offsets_and_positions_are_inverse(text: str) -> None:
    table = LineTable(text)
    assert len(table) == len(split_lines(text))
    assert [table.line(k) for k in range(len(table))] == split_lines(text)
    for offset in range(len(text) + 1):
        line, column = table.position(offset)
        if column <= len(table.line(line)):  # not between CR and LF
            assert table.offset(line, column) == offset


def test_out_of_range_is_clamped() -> None:
    table = LineTable("ab\ncd")
    assert table.offset(0, 99) == 2
    assert table.offset(99, 0) == 5
    assert table.offset(-1, 3) == 0
    assert table.position(99) == (1, 2)
    assert table.position(-5) == (0, 0)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_code_units(encoding: str) -> None:
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    rng = random.Random(1)
    for _ in range(200):
        line = "".join(rng.choice("ab é😀\u2028") for _ in range(rng.randrange(12)))
        for column in range(len(line) + 1):
            units = len(line[:column].encode(codec)) // width
            assert to_units(line, column, encoding) == units
            assert from_units(line, units, encoding) == column
        assert from_units(line, 999, encoding) == len(line)


def test_inside_of_a_surrogate_pair_is_its_start() -> None:
    assert from_units("a😀b", 2, "utf-16") == 1


def test_snapshot_has_the_table() -> None:
    assert analyze("a\nb").line_table.offset(1, 0) == 2
