"""The call stack: the loops that are open, innermost first, and below them the value of the file that is computed."""

from __future__ import annotations

from typing import Any

from uir_dap.source_lines import source_lines
from uopc.ops import MOVEMENT
from uopc.stepping.describe import Describer

_MOVEMENT = {op.value for op in MOVEMENT} | {"buffer"}

LISTING = 1  # the sourceReference of the loop program of a shaped file

Frame = dict[str, Any]


def shown_source(describer: Describer) -> dict[str, Any]:
    """The program that is shown: the loop program of a shaped file, else the file itself."""
    program = describer.program
    if program.listing is None:
        return {"name": program.path.name, "path": str(program.path)}
    value = f" %{program.value}" if program.value else ""
    name = f"{program.path.stem}{value}.loops.uir"
    return {
        "name": name,
        "path": name,  # VS Code makes an address of it; what is read is the reference
        "sourceReference": LISTING,
        "origin": f"the loops of {program.path.name}",
    }


def frames(describer: Describer) -> list[Frame]:
    """The stack now, innermost first; lines 0-based."""
    machine, program = describer.machine, describer.program
    ops, source = machine.code.ops, shown_source(describer)
    line = ops[machine.position].line if not machine.ended else _last_line(describer)
    found: list[Frame] = []
    counters = describer.counters()
    for loop, (name, value, size) in zip(reversed(machine.open_loops()), reversed(counters)):
        found.append(_frame(len(found), f"for {name} = {value} in 0..{size - 1}", line, source))
        line = ops[loop].line
    if not found:
        name = "the program has ended" if machine.ended else "outside all loops"
        found.append(_frame(0, name, line, source))
    if program.listing is not None:
        found.append(_value_frame(describer, len(found)))
    return found


def _last_line(describer: Describer) -> int:
    program = describer.program
    text = program.text if program.listing is None else program.listing
    statements = [k for k, line in enumerate(text.splitlines()) if line.strip() and not line.lstrip().startswith("#")]
    return statements[-1] if statements else 0


def _value_frame(describer: Describer, number: int) -> Frame:
    """The statement of the file that the current line computes."""
    program = describer.program
    statements = program.analysis.statements
    lines = [n for n in source_lines(program, describer.machine.position) if n in statements]
    lines = lines or [o.line for o in program.analysis.outputs][:1]
    computing = [n for n in lines if statements[n].op not in _MOVEMENT]  # views have no lines of their own
    line = (computing or lines or [0])[-1]
    statement = statements.get(line)
    name = f"%{statement.name} = {statement.op}" if statement is not None else program.path.name
    source = {"name": program.path.name, "path": str(program.path)}
    return _frame(number, name, line, source)


def _frame(number: int, name: str, line: int, source: dict[str, Any]) -> Frame:
    return {"id": number + 1, "name": name, "line": line, "column": 0, "source": source}
