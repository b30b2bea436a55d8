"""Random edit sequences: after each edit the state equals an analysis from scratch, and so do the answers.

Edits are of any text: pieces of programs, half lines, emoji, every line end, deletions across lines, several changes in
one notification. Five thousand of them; UIR_EDITS=100000 asks for more.
"""

from __future__ import annotations

import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from uir_lsp.document import ClientView, Document, Memory, Snapshot
from uir_lsp.features import FEATURES
from uir_lsp.features.diagnostics import published
from uir_lsp.scheduler import make_snapshot
from uopc.analysis.explain import explain
from uopc.analysis.explanation import Explanation
from uopc.uir import Analysis, analyze, near, settle

EDITS = int(os.environ.get("UIR_EDITS", "5000"))
SEEDS = 20
ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [
    path.read_bytes().decode()
    for path in sorted([*(ROOT / "examples").glob("*.uir"), *(ROOT / "tests" / "cases").glob("*/*.uir")])
    if path.stat().st_size < 3000
]
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
URI = "file:///random.uir"
PIECES = [
    *("%0", "%1", "%x", " = ", ", ", "neg ", "add %0, %1", "mul %1, 2.5", "(3, 4)", "(", ")", "[", " : op=add pop=1"),
    *(
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "#",
        " ",
        "\t",
        "5",
        "-",
        ".",
        "😀",
        "é",
        "\x0c",
        "\x85",
        "\u2028",
        "\ufeff",
        "\0",
        "",
    ),
    *("%3 = mul %1, %1\n", "%0 = buffer 12 : dtype=f32 slot=0\r\n", "# uir: reduce=leading\n", "%s = sink %1\n"),
    *("%i = range 4 : idx=0\n", "# uir: allow no-op\n", "%p = param (4,) : dtype=f32 slot=0\n", "%1 = stage %0\r"),
]
# Answers that read what the server remembers between edits.
REMEMBERING = {
    feature.method: feature
    for feature in FEATURES
    if feature.method in ("textDocument/documentSymbol", "textDocument/semanticTokens/full")
}


def offset_of(text: str, rng: random.Random) -> int:
    """An offset that a position can name: not between the two characters of a CRLF."""
    at = rng.randint(0, len(text))
    return at - 1 if text[max(0, at - 1) : at + 1] == "\r\n" else at


def position_of(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The client's position of an offset, counted from the text alone."""
    ends = [m.end() for m in re.finditer(r"\r\n|\r|\n", text) if m.end() <= offset]
    begin = ends[-1] if ends else 0
    codec, size = CODECS[encoding]
    return {"line": len(ends), "character": len(text[begin:offset].encode(codec)) // size}


def one_change(text: str, encoding: str, rng: random.Random) -> tuple[dict[str, Any], str]:
    """A change and the text after it: something put in, taken out, or put back from another place."""
    words = list(re.finditer(r"[0-9]+|[a-z]{3,}|%\w+", text)) if rng.random() < 0.4 else []
    if words:  # as a person would: a number, a name or a word in place of another
        old, new = rng.choice(words), rng.choice([*(word.group() for word in words), "1", "2", "4"])
        span = dict(zip(("start", "end"), (position_of(text, k, encoding) for k in old.span())))
        return {"range": span, "text": new}, text[: old.start()] + new + text[old.end() :]
    start = offset_of(text, rng)
    end = offset_of(text, rng) if rng.random() < 0.05 else min(len(text), start + rng.choice((0, 0, 1, 1, 2, 5, 30)))
    if text[max(0, end - 1) : end + 1] == "\r\n":
        end -= 1
    start, end = min(start, end), max(start, end)
    new = rng.choice(PIECES)
    if rng.random() < 0.2:
        k = rng.randint(0, len(text))
        new = text[k : k + rng.randint(0, 40)]
    span = {"start": position_of(text, start, encoding), "end": position_of(text, end, encoding)}
    return {"range": span, "text": new}, text[:start] + new + text[end:]


def said(analysis: Analysis) -> tuple[object, ...]:
    """Everything that an analysis says."""
    values = [(n, v.line, v.uop, v.uses) for n, v in analysis.values.items()]
    about = (analysis.lines, analysis.diagnostics, analysis.root, analysis.kind, analysis.outputs, analysis.directives)
    return (*about, analysis.has_errors, values, list(analysis.statements.items()))


def without_root(about: Explanation) -> Explanation:
    """What is known about a value without what only the whole program shows."""
    reduction = about.reduction and replace(about.reduction, evaluations=None)
    return replace(about, reduction=reduction)


def taken(document: Document, analysis: Analysis, memory: Memory) -> Snapshot:
    return make_snapshot(URI, 1, document.revision, analysis, document.client, memory, 0.0)


def answer(method: str, snapshot: Snapshot) -> Any:
    """An answer without what counts the answers."""
    found = REMEMBERING[method].answer(snapshot, None)
    if isinstance(found, dict):
        found = {key: value for key, value in found.items() if key != "resultId"}
    return json.dumps(getattr(found, "text", found), default=str)


class Follower:
    """A document and its analyses, and beside them the text as a string."""

    def __init__(self, text: str, encoding: str, rng: random.Random) -> None:
        self.text, self.encoding, self.rng = text, encoding, rng
        self.document = Document(URI, 1, text, ClientView(encoding))
        self.analysis = analyze(text)

    def edit(self) -> None:
        """One notification, and what is known after it by a quick analysis, when it is settled, and from scratch."""
        changes = []
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            change, self.text = one_change(self.text, self.encoding, self.rng)
            changes.append(change)
        self.document.apply(changes, 2)
        assert self.document.text == self.text
        quick = analyze(self.document.text, self.analysis, quick=True, lines=self.document.lines)
        scratch = analyze(self.text)
        assert quick.errors == scratch.errors
        whole = settle(quick)
        assert said(whole) == said(scratch)
        self.looks(quick, whole)
        self.answers(whole, scratch)
        self.analysis = self.rng.choice((quick, whole))

    def looks(self, quick: Analysis, whole: Analysis) -> None:
        """What is said of one value before the rest is settled; where two values are one, it may be called either."""
        nodes = [value.uop for value in whole.values.values()]
        names = list(whole.values) if len(set(nodes)) == len(nodes) else []
        for name in self.rng.sample(names, min(2, len(names))):
            known = near(quick, name)
            if known is not None:
                early, late = (without_root(explain(source, name)) for source in (known, whole))
                assert early == late

    def answers(self, whole: Analysis, scratch: Analysis) -> None:
        """What the server says of either."""
        ours = taken(self.document, whole, self.document.memory)
        fresh = taken(self.document, scratch, Memory())
        assert published(ours) == published(fresh)
        for method in REMEMBERING:
            assert answer(method, ours) == answer(method, fresh)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_edits(seed: int) -> None:
    rng = random.Random(seed)
    edits = 0
    while edits < EDITS / SEEDS:
        follower = Follower(rng.choice([*PROGRAMS, ""]), rng.choice(list(CODECS)), rng)
        for _ in range(25):
            before = follower.text
            try:
                follower.edit()
            except AssertionError as error:
                raise AssertionError(f"from {before!r}\nto {follower.text!r}") from error
        edits += 25
