"""`uir c`: the C of a program."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from uopc.cli.files import analysed
from uopc.cli.switches import add_switches
from uopc.cli.terminal import complain

if TYPE_CHECKING:
    from uopc.pipeline import Compiled

# Names that a function must not have: C's own, and those of the library that generated C or its headers declare.
_TAKEN = frozenset(
    """
    asm auto bool break case char const continue default do double else enum extern false float for goto if inline int
    long register restrict return short signed sizeof static struct switch true typedef typeof union unsigned void
    volatile while main abort abs calloc ceil cos div exit exp exp2 exp10 fabs floor fma fmax fmin fmod free gamma
    index j0 j1 jn labs ldiv ldexp lgamma log log2 log10 malloc memcpy memmove memset pow printf rand remainder rint
    round scalb signgam sin sqrt tan trunc y0 y1 yn
    """.split()  # noqa: SIM905 (a list of words reads better as words)
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .uir file")
    parser.add_argument("--plain", action="store_true", help="the textbook program in place of what `uir run` executes")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads that it may use (default: 1)")
    add_switches(parser)


def compiled_file(args: argparse.Namespace) -> Compiled | None:
    """The file compiled as the arguments say, its function named after it; None when it cannot be, and why was said."""
    from uopc.pipeline import CompileError
    from uopc.runtime.tuned import as_run

    analysis = analysed(args.file)
    if analysis.root is None:
        complain(f"{args.file}: error: the file has no statement: there is nothing to compute")
        return None
    try:
        return as_run(
            analysis.root, function_name(args.file), plain=args.plain, threads=max(1, args.threads), off=args.without
        )
    except CompileError as error:
        complain(f"{args.file}: error: {error}")
        return None


def run(args: argparse.Namespace) -> int:
    """Prints the C; its function is named after the file."""
    compiled = compiled_file(args)
    if compiled is None:
        return 1
    sys.stdout.write(compiled.source if compiled.source.endswith("\n") else compiled.source + "\n")
    return 0


def function_name(file: str) -> str:
    """The C identifier nearest to the name of a file, and none that C or its library has taken."""
    stem = re.sub(r"\W", "_", Path(file).name.partition(".")[0], flags=re.ASCII).strip("_")
    if not stem:
        return "program"
    if stem[0].isdigit():
        return f"uir_{stem}"
    return f"uir_{stem}" if stem in _TAKEN or stem.removesuffix("f") in _TAKEN else stem
