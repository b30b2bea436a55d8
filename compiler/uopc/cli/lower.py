"""`uir lower`: the loop program behind a file, as `.uir`."""

from __future__ import annotations

import argparse
import sys

from uopc.cli.files import analysed
from uopc.cli.terminal import complain
from uopc.uir import Analysis, dump


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .uir file")


def run(args: argparse.Namespace) -> int:
    """Prints the textbook loops as a program that parses and runs again on the same data."""
    from uopc.pipeline import CompileError, compile_program

    analysis = analysed(args.file)
    if analysis.root is None:
        complain(f"{args.file}: error: the file has no statement: there is nothing to compute")
        return 1
    try:
        loops = compile_program(analysis.root, plain=True).sink
    except CompileError as error:
        complain(f"{args.file}: error: {error}")
        return 1
    sys.stdout.write(with_inputs(analysis, dump(loops)))
    return 0


def with_inputs(analysis: Analysis, text: str) -> str:
    """The text of the loops with the file's own `input` directives, so that it runs on the same data."""
    lines = [analysis.lines[spec.line] for spec in analysis.directives.inputs.values()]
    directives = [line[line.index("#") :].rstrip() for line in lines]
    header, _, rest = text.partition("\n") if text.startswith("# uop ") else ("", "", text)
    return "\n".join([*([header] if header else []), *directives, rest.rstrip("\n"), ""])
