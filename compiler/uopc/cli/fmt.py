"""`uir fmt`: the canonical layout of files."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from uopc.cli.files import CommandError, read, show_errors
from uopc.cli.terminal import complain, printable
from uopc.uir import analyze
from uopc.uir import format as formatted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .uir file, rewritten in place")
    parser.add_argument("--check", action="store_true", help="change nothing; name the files that are not canonical")


def run(args: argparse.Namespace) -> int:
    """Formats all files; 1 when one has errors in its text or, with --check, is not canonical."""
    return max(_format(file, args.check) for file in args.files)


def _format(file: str, only_check: bool) -> int:
    try:
        text = read(file)
    except CommandError as error:
        return error.status
    new = formatted(text)
    if new != text and only_check:
        print(f"{printable(file)}: not in canonical layout")
        return 1
    if new != text:
        try:
            _write(Path(file), new)
        except OSError as error:
            complain(f"{file}: error: it cannot be written: {error.strerror}")
            return 2
    analysis = analyze(new)
    syntax = [d for d in analysis.diagnostics if d.code == "syntax"]
    if syntax:
        show_errors(file, analysis)
    return 1 if syntax else 0


def _write(path: Path, text: str) -> None:
    """Replaces a file whole, keeping its permissions; a link keeps pointing to it."""
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        shutil.copymode(target, name)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
