"""Ten thousand edits in a row: memory stays where it was after the first thousand, and the state stays right."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from client import Client, splice

from uir_lsp.document import ClientView, Memory
from uir_lsp.feature import Feature
from uir_lsp.features import FEATURES
from uir_lsp.features.diagnostics import published
from uir_lsp.scheduler import make_snapshot
from uopc.uir import analyze

EDITS = 10_000
LINES = 200  # more than the server analyses at once after an edit
URI = "file:///soak.uir"


def resident(pid: int) -> int:
    """Kilobytes of memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.split("\n") if line.startswith("VmRSS"))


def line(k: int, rng: random.Random) -> str:
    """A statement; now and then a broken one."""
    before = f"%{k - 1}"
    fits = [f"add {before}, {rng.random():.6f}", f"mul {before}, %1", f"permute {before}, (1, 0)", f"stage {before}"]
    wrong = [f"add {before}, %nothing{rng.randrange(1000)}", f"reshape {before}, (3, {rng.randrange(99)})", "neg ("]
    return f"%{k} = {rng.choice(wrong if rng.random() < 0.1 else fits)}"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc on this system")
def test_memory_after_ten_thousand_edits_is_what_it_was_after_one_thousand(client: Client) -> None:
    rng = random.Random(1)
    lines = ["%0 = buffer 4096 : dtype=f32 slot=0", "%1 = reshape %0, (64, 64)"]
    lines += [line(k, rng) for k in range(2, LINES)]
    client.open("\n".join(lines), URI)
    after = {}
    for version in range(1, EDITS + 1):
        k = rng.randrange(2, LINES)
        length, lines[k] = len(lines[k]), line(k, rng)
        client.edit(URI, version + 1, splice(k, 0, length, lines[k]))
        _look(client, version, k)
        if version in (1000, EDITS):
            client.diagnostics(URI, version + 1)
            time.sleep(0.5)
            after[version] = resident(client.process.pid)
            last = client.messages("textDocument/publishDiagnostics")[-1]
            client.received.clear()
    assert after[EDITS] <= 1.1 * after[1000], after
    shown = [(d["range"]["start"]["line"], d["code"], d["message"]) for d in last["diagnostics"]]
    assert shown == [(d.line, d.code, d.message) for d in analyze("\n".join(lines)).diagnostics]


def test_what_is_remembered_is_of_the_last_text_only() -> None:
    """Each text has an error, a name and a line that no other had."""
    memory, before = Memory(), None
    features = {f.method: f for f in FEATURES if isinstance(f, Feature)}
    for k in range(50):
        text = f"%0 = buffer 4 : dtype=f32 slot=0\n%a{k} = add %0, %nothing{k}\n# {k}\n"
        before = analyze(text, before, quick=True)
        snapshot = make_snapshot(URI, k, k, before, ClientView(), memory, 0.0)
        published(snapshot)
        for method in ("textDocument/documentSymbol", "textDocument/semanticTokens/full"):
            features[method].answer(snapshot, {})
    assert len(memory.diagnostics) == len(before.diagnostics) == 1
    assert len(memory.symbols) == 2
    assert len(memory.packed) == 4
    assert before.last_sound is None


def _look(client: Client, version: int, k: int) -> None:
    """What an editor asks for after an edit: so each is analysed. Seldom what needs the nodes."""
    if version % 10 == 0:
        client.at("textDocument/hover", URI, k, 1)
        client.about("textDocument/semanticTokens/full", URI)
        client.about("textDocument/documentSymbol", URI)
    else:
        client.about("textDocument/foldingRange", URI)
