"""Inputs that are no program: empty, binary, very long, very many errors. Clear answers, bounded, in linear time."""

from __future__ import annotations

import random
import time

import pytest

from uopc.uir import ParseError, analyze, dump, parse
from uopc.uir import format as format_text


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "   \n\t\n", "\ufeff"])
def test_empty_file(text: str) -> None:
    analysis = analyze(text)
    assert (analysis.kind, analysis.root, analysis.diagnostics, analysis.outputs) == ("empty", None, (), ())
    with pytest.raises(ParseError, match="nothing to compute"):
        parse(text)


def test_binary() -> None:
    rng = random.Random(1)
    text = bytes(rng.randrange(256) for _ in range(200_000)).decode("latin-1")
    analysis = analyze(text)
    assert 1 <= len(analysis.diagnostics) <= 201
    assert format_text(text).rstrip("\r\n").count("\0") == text.count("\0")


def test_nul_byte_is_named() -> None:
    error = analyze("%0 = neg \0%1\n").errors[0]
    assert error.code == "bad-character"
    assert "U+0000" in error.message


def test_errors_are_counted_and_cut() -> None:
    errors = analyze("%0 = neg\n" * 1000).errors
    assert len(errors) == 201
    assert errors[-1].code == "too-many-errors"


def test_too_large_is_one_error() -> None:
    start = time.process_time()
    analysis = analyze("%0 = buffer 1 : dtype=f32 slot=0\n" * 1_600_000)
    assert [d.code for d in analysis.diagnostics] == ["too-large"]
    assert analysis.has_errors
    assert time.process_time() - start < 2
    assert analyze("%0 = buffer 1 : dtype=f32 slot=0\n", analysis).has_errors is False


@pytest.mark.parametrize(
    "line",
    [
        "%1 = stack " + ", ".join(["%0"] * 50_000),
        "%1 = reshape %0, (" + "1, " * 100_000 + ")",
        "%1 = reshape %0, " + "(" * 100_000,
        "%1 = reshape %0, " + "(" * 50_000 + ")" * 50_000,
        "%1 = mul %0, " + "1" * 300_000 + "x",
        "%1 = mul %0, 0x" + "f" * 300_000,
        "%1 = mul %0, ." + "1" * 300_000 + "e",
        "%" + "a" * 300_000 + " = neg %0",
        "%1 = " + "a" * 300_000,
        "%1 = cast %0 : " + " ".join(f"k{k}=1" for k in range(20_000)),
        "#" + " " * 300_000,
        " " * 300_000 + "x",
        "%1" + " " * 300_000 + "x",
        "# uir: " + "[" * 100_000,
        "# uir: input 0 = " + '"' * 100_000,
        "# uir: input 0 = [" + "1 " * 100_000,
    ],
    ids=range(16),
)
def test_long_line_takes_linear_time(line: str) -> None:
    start = time.process_time()
    analyze(f"%0 = buffer 1 : dtype=f32 slot=0\n{line}\n")
    assert time.process_time() - start < 4


def test_many_lines_of_one_slot_or_one_name() -> None:
    start = time.process_time()
    analyze("".join(f"%{k} = buffer 4 : dtype=f32 slot=0\n" for k in range(20_000)))
    analyze("%0 = buffer 4 : dtype=f32 slot=0\n" * 20_000)
    assert time.process_time() - start < 8


def test_many_names_without_definition() -> None:
    start = time.process_time()
    analyze("".join(f"%{k} = neg %x{k}\n" for k in range(20_000)))
    assert time.process_time() - start < 8


@pytest.mark.slow
def test_chain_of_100_000_lines() -> None:
    lines = ["%0 = buffer 3 : dtype=f32 slot=0"] + [f"%{k + 1} = add %{k}, 1.0" for k in range(100_000)]
    start = time.process_time()
    analysis = analyze("\n".join(lines))
    assert analysis.diagnostics == ()
    assert time.process_time() - start < 30
    assert analysis.root is not None
    assert parse(dump(analysis.root)) is analysis.root
