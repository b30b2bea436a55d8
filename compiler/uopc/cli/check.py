"""`uir check`: the diagnostics of files."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from uopc.cli.diagnostics import render, to_json
from uopc.cli.terminal import coloured, complain
from uopc.runtime.source import SourceError, read_program
from uopc.uir import analyze


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .uir file")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="json: one object a line (default: text)"
    )


def run(args: argparse.Namespace) -> int:
    """Prints the diagnostics of all files; 1 when one of them is an error, 2 when a file cannot be read."""
    return max(_check(file, args.format == "json") for file in args.files)


def _check(file: str, as_json: bool) -> int:
    try:
        analysis = analyze(read_program(Path(file)))
    except SourceError as error:
        print(_unreadable(file, error)) if as_json else complain(f"{file}: error: {error}")
        return error.status
    colour = coloured(sys.stdout)
    for d in analysis.diagnostics:
        print(to_json(file, d) if as_json else render(file, analysis.lines, d, colour))
    return 1 if analysis.has_errors else 0


def _unreadable(file: str, error: SourceError) -> str:
    place = {"file": file, "line": 1, "column": 1, "end_line": 1, "end_column": 1}
    return json.dumps({**place, "severity": "error", "code": "unreadable", "message": str(error)}, ensure_ascii=False)
