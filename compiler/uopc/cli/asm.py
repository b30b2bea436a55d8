"""`uir asm`: the assembly of a program as it is built."""

from __future__ import annotations

import argparse
import sys

from uopc.cli.c import compiled_file
from uopc.cli.switches import add_switches
from uopc.cli.terminal import complain, printable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .uir file")
    parser.add_argument(
        "--plain", action="store_true", help="of the textbook program in place of what `uir run` executes"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads that it may use (default: 1)")
    add_switches(parser)


def run(args: argparse.Namespace) -> int:
    """Compiles the program and prints its instructions, labels and constants."""
    from uopc.runtime.assembly import assembly
    from uopc.runtime.errors import RunError

    compiled = compiled_file(args)
    if compiled is None:
        return 1
    try:
        lines = assembly(compiled.source, compiled.flags)
    except RunError as error:
        complain(f"{args.file}: error: {error}")
        return 1
    sys.stdout.write("".join(f"{printable(line.text)}\n" for line in lines))
    return 0
