"""Formatting and printing on many texts: idempotent, nothing lost, and what is printed is the same graph again."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from markdown_tests import blocks
from programs import random_program

from uopc.ops import OPS
from uopc.uir import CODES, Analysis, analyze, dump, parse
from uopc.uir import format as format_text

ROOT = Path(__file__).parents[3]
FILES = sorted([*(ROOT / "examples").glob("*.uir"), *(ROOT / "tests" / "cases").glob("*/*.uir")])
PAGES = [*(ROOT / "tests" / "compiler" / "mdtests").glob("*.md"), ROOT / "docs" / "language.md"]
TEXTS = [
    *(path.read_bytes().decode("utf-8") for path in FILES),
    *(block.text for page in sorted(PAGES) for block in blocks(page)),
    *(info.example for info in CODES.values()),
    *(spec.example for spec in OPS.values()),
]
SMALL = [text for text in TEXTS if len(text) < 20_000]


def comments(text: str) -> list[str]:
    """What follows the first # of each line, "" for a line without one."""
    return [line.partition("#")[2].rstrip() for line in re.split(r"\r\n|\n|\r", text)]


def told(analysis: Analysis) -> list[tuple[int, str, str]]:
    return [(d.line, d.code, d.message) for d in analysis.diagnostics]


def test_there_are_texts() -> None:
    assert len(SMALL) > 250


@pytest.mark.parametrize("k", range(len(SMALL)))
def test_formatting_loses_nothing_and_is_done_at_once(k: int) -> None:
    text = SMALL[k]
    done = format_text(text)
    assert format_text(done) == done
    given, kept = comments(text), comments(done)
    assert kept[: len(given)] == given and not any(kept[len(given) :])
    before, after = analyze(text), analyze(done)
    assert told(after) == told(before)
    assert after.root is before.root


@pytest.mark.parametrize("k", range(len(SMALL)))
def test_what_is_printed_is_the_same_graph_and_in_canonical_layout(k: int) -> None:
    analysis = analyze(SMALL[k])
    if analysis.errors or analysis.root is None:
        return
    text = dump(analysis.root)
    assert parse(text) is analysis.root
    assert format_text(text) == text


# -- random programs in random layouts ------------------------------------------------------------------------------
def scattered(text: str, rng: random.Random) -> str:
    """A printed program in another layout: blanks, brackets, keywords in another order, comments and empty lines."""
    lines = []
    for line in text.splitlines():
        while rng.random() < 0.2:
            lines.append(rng.choice(["", "   ", "# a note", "\t# %0 = neg", "#"]))
        lines.append(_scattered_line(line, rng) + rng.choice(["", "  ", " # why", "# : ( ["]))
    return "\n".join(lines) + rng.choice(["", "\n", "\n\n"])


def _scattered_line(line: str, rng: random.Random) -> str:
    head, _, keywords = line.partition(" : ")
    words = keywords.split()
    rng.shuffle(words)
    if rng.random() < 0.5:
        head = head.replace("(", "[").replace(")", "]")
    head = re.sub(r"[ =,]", lambda m: rng.choice([m[0], f" {m[0]} ", f"{m[0]}\t"]), head)
    tail = rng.choice([" : ", " ", ":"]) + rng.choice([" ", ", "]).join(words) if words else ""
    return rng.choice(["", " "]) + head + tail


@pytest.mark.parametrize("seed", range(100))
def test_random_programs_in_random_layouts_come_back_to_the_printed_one(seed: int) -> None:
    rng = random.Random(seed)
    root = random_program(seed + 1000).root
    printed = dump(root)
    assert parse(printed) is root
    text = scattered(printed, rng)
    assert parse(text) is root
    done = format_text(text)
    assert format_text(done) == done
    statements = [line.partition("#")[0].rstrip() for line in done.splitlines()]
    assert [line for line in statements if line] == printed.splitlines()
    assert [c.strip() for c in comments(done) if c.strip()] == [c.strip() for c in comments(text) if c.strip()]
    assert sum(not line.strip() for line in done.splitlines()) == sum(not line.strip() for line in text.splitlines())


@pytest.mark.parametrize("seed", range(20))
def test_a_new_line_changes_no_other_line_of_the_formatted_text(seed: int) -> None:
    """Nothing is aligned with other lines, so that a diff shows what was changed and no more."""
    rng = random.Random(seed)
    lines = scattered(dump(random_program(seed).root), rng).split("\n")
    k = rng.randrange(len(lines) // 2)  # a sink stays last
    new = "%a_very_long_name.indeed = buffer 1234567 : dtype=f64 slot=99  # new"
    before, after = (format_text("\n".join(text)).split("\n") for text in (lines, [*lines[:k], new, *lines[k:]]))
    assert after == [*before[:k], new, *before[k:]]
