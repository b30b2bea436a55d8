"""The lenses: run, show C, explore index maps, for the file at its first statement and for each output at its own.

They come from syntax alone, complete at once, and keep their place and form while the file is broken: if the line that
says what the outputs are cannot be read, the outputs are those it said last.
"""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uopc.ops import EFFECTS, OPS
from uopc.uir import Ref, Span, Statement

RUN, SHOW_C, EXPLORE = "uir.run", "uir.showGeneratedC", "uir.exploreIndexMap"
_EFFECTS = {spec.name for spec in OPS.values() if spec.op in EFFECTS}
TITLES = {RUN: "▶ Run", SHOW_C: "Show generated C"}
_CLIENT_TITLES = {EXPLORE: "Explore index maps"}  # what only a client can do


def _lenses(snapshot: Snapshot, _: Params) -> list[dict[str, Any]]:
    statements = snapshot.analysis.statements
    if not statements:
        return []
    first = next(iter(statements))
    found = _lenses_at(snapshot, first, None)
    for name, line in _outputs(snapshot):
        if line != first:  # an effect is no value that could be run to: its lens means the file
            found += _lenses_at(snapshot, line, None if statements[line].op in _EFFECTS else "%" + name)
    return found


def _lenses_at(snapshot: Snapshot, line: int, value: str | None) -> list[dict[str, Any]]:
    target = {"uri": snapshot.uri} if value is None else {"uri": snapshot.uri, "value": value}
    place = snapshot.range(line, Span(0, 0))
    titles = TITLES | _CLIENT_TITLES if snapshot.client.command_links else TITLES
    return [
        {"range": place, "command": {"title": title, "command": command, "arguments": [target]}}
        for command, title in titles.items()
    ]


def _outputs(snapshot: Snapshot) -> list[tuple[str, int]]:
    """(name, line) of each output, in the order of the text."""
    names = _output_names(snapshot)
    if names is None:
        names = snapshot.memory.output_names
    snapshot.memory.output_names = names
    lines = {name: _line_of(snapshot, name) for name in names}
    return sorted({(name, line) for name, line in lines.items() if line is not None}, key=lambda output: output[1])


def _line_of(snapshot: Snapshot, name: str) -> int | None:
    value = snapshot.analysis.values.get(name)
    return None if value is None else value.line


def _output_names(snapshot: Snapshot) -> tuple[str, ...] | None:
    """The names of the outputs as the last statement says them; None if it cannot be read."""
    line, last = _last_statement(snapshot)
    if last is None or not last.op:
        return None
    if last.op != "sink":
        return (last.name,)
    if snapshot.memory.output_names and any(error.line == line for error in snapshot.analysis.errors):
        return None  # half of a list is no list
    return tuple(operand.name for operand in last.operands if isinstance(operand, Ref))


def _last_statement(snapshot: Snapshot) -> tuple[int, Statement | None]:
    """The last line that holds more than blanks and a comment, and its statement if it is one."""
    for number in range(len(snapshot.lines) - 1, -1, -1):
        code = snapshot.lines[number].lstrip()
        if code and not code.startswith("#"):
            return number, snapshot.analysis.statements.get(number)
    return 0, None


FEATURE = Feature("textDocument/codeLens", _lenses, brief=True)
