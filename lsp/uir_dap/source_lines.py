"""Which operations a line stands for, in the program that is shown and in the file that it came from."""

from __future__ import annotations

from typing import NamedTuple

from uopc.stepping.program import SteppedProgram


class Found(NamedTuple):
    """A breakpoint's place: the line it was moved to (0-based) and the operations before which it stops; message: why
    there are none."""

    line: int
    positions: frozenset[int]
    message: str = ""


def in_shown(program: SteppedProgram, line: int) -> Found:
    """A line of the program that is shown: its first operation, or that of the next line that has one."""
    firsts: dict[int, int] = {}
    for position, op in enumerate(program.code.ops):
        firsts.setdefault(op.line, position)
    later = [n for n in firsts if n >= line]
    if not later:
        return Found(line, frozenset(), "nothing is executed from here on")
    found = min(later)
    return Found(found, frozenset({firsts[found]}))


def in_source(program: SteppedProgram, line: int) -> Found:
    """A line of the file: if it is shaped, the first of each run of operations that were made for its value."""
    if program.listing is None:
        return in_shown(program, line)
    statements = sorted(program.analysis.statements)
    line = next((n for n in statements if n >= line), line)
    made = _runs(program.made_for, line) or _runs(program.owners, line)
    if made:
        return Found(line, made)
    statement = program.analysis.statements.get(line)
    what = "this line" if statement is None else f"%{statement.name}"
    return Found(line, frozenset(), f"no line of the loop program comes from {what}")


def _runs(owners: tuple[tuple[int, ...], ...], line: int) -> frozenset[int]:
    """The operations that came from a line and whose predecessor did not."""
    return frozenset(k for k, lines in enumerate(owners) if line in lines and not (k and line in owners[k - 1]))


def source_lines(program: SteppedProgram, position: int) -> list[int]:
    """The lines of a shaped file behind an operation; those that it was made for if there are any."""
    if not program.owners or position >= len(program.owners):
        return []
    return list(program.made_for[position] or program.owners[position])
