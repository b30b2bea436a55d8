"""Reads tests out of Markdown: fenced `uir` blocks whose comments state what the checker says.

`# error: [code]`, `# warning: [code]` and `# hint: [code]`, perhaps with a part of the message in quotes, and
`# revealed: f32[2, 3]` are about their own line, or, alone on a line, about the next line that is no such comment.
Every error must be stated; warnings and hints must be where the block states any. A block without errors that has an
`expect` directive is evaluated, and must give what the directive says, unless it reads files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from uopc.evaluate import evaluate
from uopc.nptypes import Array
from uopc.runtime.compare import check_expect
from uopc.runtime.inputs import buffers_of, make_inputs
from uopc.uir import Analysis, analyze

_FENCE = re.compile(r"^```uir\n(.*?)^```", re.MULTILINE | re.DOTALL)
_STATED = re.compile(r"#\s*(error|warning|hint|revealed):\s*(?:\[([a-z0-9-]+)\])?\s*(?:\"([^\"]*)\")?\s*([^#]*)")


class Block(NamedTuple):
    """One fenced block: where it begins in the file, and its text."""

    title: str
    text: str


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a Markdown file, each named by the heading above it and its line."""
    text = path.read_text(encoding="utf-8")
    found = []
    for m in _FENCE.finditer(text):
        headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text[: m.start()], flags=re.M | re.S), re.M)
        line = text.count("\n", 0, m.start()) + 2
        found.append(Block(f"{path.stem}-{headings[-1] if headings else ''}-{line}", m.group(1)))
    return found


def problems(text: str) -> list[str]:
    """Where the checker and the comments of a block differ."""
    analysis = analyze(text)
    stated = _stated(analysis)
    kinds = {kind for _, kind, *_ in stated}
    open_diagnostics = list(analysis.diagnostics)
    found = []
    for line, kind, code, part, rest in stated:
        if kind == "revealed":
            found += _revealed(analysis, line, rest.strip())
            continue
        match = [
            d
            for d in open_diagnostics
            if (d.line, d.severity.value, d.code) == (line, kind, code) and (not part or part in d.message)
        ]
        if match:
            open_diagnostics.remove(match[0])
        else:
            found.append(f"line {line + 1}: no {kind} [{code}] {part or ''}")
    for d in open_diagnostics:
        if d.severity.value == "error" or d.severity.value in kinds:
            found.append(f"line {d.line + 1}: unstated {d.severity.value} [{d.code}] {d.message}")
    return found or _outcome(analysis)


def _outcome(analysis: Analysis) -> list[str]:
    """Where the results of a block differ from what its directives expect."""
    if not runs(analysis):
        return []
    assert analysis.root is not None
    results = evaluate(analysis.root, inputs(analysis))
    return differences(analysis, results if isinstance(results, tuple) else (results,))


def runs(analysis: Analysis) -> bool:
    """Whether a block says what it gives, and has its data in itself."""
    given = analysis.directives.inputs.values()
    return bool(analysis.directives.expects) and not analysis.errors and all(spec.kind != "file" for spec in given)


def inputs(analysis: Analysis) -> dict[int, Array]:
    """What the buffers of a block hold, by slot."""
    assert analysis.root is not None
    return make_inputs(buffers_of(analysis.root), analysis.directives.inputs, Path())


def differences(analysis: Analysis, arrays: Sequence[Array]) -> list[str]:
    """Where results differ from what the directives of a block expect."""
    expects, outputs = analysis.directives.expects, analysis.outputs
    found = [(k, check_expect(spec, arrays[k], outputs[k].uop.dtype, Path())) for k, spec in expects.items()]
    return [f"output {k}: {difference}" for k, difference in found if difference is not None]


def _stated(analysis: Analysis) -> list[tuple[int, str, str, str, str]]:
    found = []
    for k, text in enumerate(analysis.lines):
        for m in _STATED.finditer(text):
            line = k
            if text.lstrip().startswith("#"):
                while line + 1 < len(analysis.lines) and _STATED.match(analysis.lines[line].lstrip()):
                    line += 1
            found.append((line, m.group(1), m.group(2) or "", m.group(3) or "", m.group(4)))
    return found


def _revealed(analysis: Analysis, line: int, want: str) -> list[str]:
    value = next((v for v in analysis.values.values() if v.line == line), None)
    u = value.uop if value is not None else None
    got = "unknown" if u is None else f"{u.dtype}{list(u.shape)}"
    return [] if got == want else [f"line {line + 1}: revealed {got}, not {want}"]
