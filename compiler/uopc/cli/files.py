"""From the paths on a command line to analysed programs."""

from __future__ import annotations

import sys
from pathlib import Path

from uopc.cli.diagnostics import render
from uopc.cli.terminal import coloured, complain
from uopc.runtime.source import SourceError, read_program
from uopc.uir import Analysis, analyze


class CommandError(Exception):
    """The command cannot go on. The message has been shown; `status` is the exit code."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def read(file: str) -> str:
    """The text of a program. Raises CommandError after saying why there is none."""
    try:
        return read_program(Path(file))
    except SourceError as error:
        complain(f"{file}: error: {error}")
        raise CommandError(error.status) from None


def analysed(file: str) -> Analysis:
    """The analysis of a program without errors. Raises CommandError after showing its errors."""
    analysis = analyze(read(file))
    if analysis.has_errors:
        show_errors(file, analysis)
        raise CommandError(1)
    return analysis


def show_errors(file: str, analysis: Analysis) -> None:
    """The errors of a file on standard error."""
    colour = coloured(sys.stderr)
    for d in analysis.diagnostics:
        if d.severity.value == "error":
            print(render(file, analysis.lines, d, colour), file=sys.stderr)
