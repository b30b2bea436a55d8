"""`uir step`: what the loop program of a file does, line by line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uopc.cli.files import read
from uopc.cli.terminal import complain, printable

if TYPE_CHECKING:
    from uopc.stepping.describe import Describer
    from uopc.stepping.machine import Machine
    from uopc.stepping.program import SteppedProgram

_STEPS = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .uir file")
    parser.add_argument("value", metavar="%v", nargs="?", default="", help="a value to step to, in place of the file")
    parser.add_argument("--steps", type=int, default=_STEPS, metavar="N", help=f"how many lines to follow ({_STEPS})")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="lines to execute before the first is shown")
    parser.add_argument("--json", action="store_true", help="one object a line")


def run(args: argparse.Namespace) -> int:
    """Prints the trace; 1 when the program cannot be stepped through, or has no next step before it ends."""
    from uopc.stepping.code import StepError
    from uopc.stepping.program import open_program

    text = read(args.file)
    try:
        program = open_program(text, Path(args.file), args.value)
    except StepError as error:
        complain(f"{args.file}: error: {error}")
        return 1
    if args.skip < 0 or args.steps < 0:
        complain("uir step: error: a number of steps is 0 or more")
        return 2
    return _follow(program, args)


def _follow(program: SteppedProgram, args: argparse.Namespace) -> int:
    from uopc.stepping.control import Control, Why
    from uopc.stepping.describe import Describer
    from uopc.stepping.program import too_many_steps

    machine = program.machine()
    control, describer = Control(machine, complain), Describer(program, machine)
    lines = (program.text if program.listing is None else program.listing).splitlines()
    stopped = control.go(args.skip) if args.skip else None
    for _ in range(args.steps):
        if stopped is not None:
            break
        row = _row(program, machine, describer, lines)
        print(json.dumps(row, ensure_ascii=False) if args.json else printable(_as_text(row)))
        ended = control.line()
        stopped = None if ended.why is Why.STEP else ended
    if stopped is not None and stopped.why in (Why.FAULT, Why.LIMIT):
        line = machine.code.ops[machine.position].line + 1
        complain(f"line {line}: {stopped.text}" if stopped.why is Why.FAULT else too_many_steps(program))
        return 1
    if not machine.ended and not args.json and machine.time:
        sys.stdout.flush()
        complain(f"… {machine.time:,} of {machine.code.steps:,} steps: --steps N shows more, --skip N begins later")
    return 0


def _row(program: SteppedProgram, machine: Machine, describer: Describer, lines: list[str]) -> dict[str, Any]:
    op = machine.code.ops[machine.position]
    facts = describer.line(machine.position)
    return {
        "step": machine.time,
        "line": op.line + 1,
        "text": lines[op.line].split("#")[0].rstrip(),
        "counters": {name: value for name, value, _ in describer.counters()},
        "does": facts.sentence,
        "operands": dict(facts.operands),
        "result": facts.result,
        "places": facts.places,
        "accumulators": dict(describer.accumulators()),
        "source_lines": [line + 1 for line in program.owners[machine.position]] if program.owners else [],
    }


def _as_text(row: dict[str, Any]) -> str:
    counters = " ".join(f"{name}={value}" for name, value in row["counters"].items())
    places = "".join(f"  {place}" for place in _few(row["places"]))
    return f"{row['line']:>4}  {row['text']:<40} {counters:<14} {row['does']}{places}".rstrip()


def _few(places: list[str]) -> Iterator[str]:
    if places:
        yield f"= {places[0]}" if places[0].startswith("%") else places[0]
