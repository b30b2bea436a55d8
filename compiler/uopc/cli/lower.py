"""`uir lower`: the loop program behind a file, as `.uir`."""

from __future__ import annotations

import argparse
import sys

from uopc.cli.files import analysed
from uopc.cli.terminal import complain
from uopc.uir.listing import input_lines, loop_listing


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
    sys.stdout.write(loop_listing(loops, input_lines(analysis)).text)
    return 0
