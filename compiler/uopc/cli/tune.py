"""`uir tune`: searching for a faster way to run a program than the usual one."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uopc.cli.arguments import positive, thread_count
from uopc.cli.files import analysed
from uopc.cli.run import time_text
from uopc.cli.terminal import coloured, complain, paint

if TYPE_CHECKING:
    from uopc.runtime.tune import Search, Try
    from uopc.uir import Analysis
    from uopc.uop import UOp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .uir file")
    parser.add_argument("--seconds", type=positive, default=60.0, metavar="S", help="how long to search (default: 60)")
    parser.add_argument("--threads", type=thread_count, default=1, metavar="N", help="threads it may use (default: 1)")
    parser.add_argument("--forget", action="store_true", help="run the program in the usual way again")
    parser.add_argument("--json", action="store_true", help="one object with all that was tried")


def run(args: argparse.Namespace) -> int:
    """Searches, tells what was tried, and remembers what was found; 1 when the program does not run."""
    from uopc.runtime.errors import RunError
    from uopc.runtime.scratch import sweep

    analysis = analysed(args.file)
    root = analysis.root
    if root is None:
        complain(f"{args.file}: error: there is nothing to compute")
        return 1
    if args.forget:
        return _forget(args, root)
    sweep()
    try:
        found = _searched(args, analysis)
    except RunError as error:
        complain(f"{args.file}: error: {error}")
        return 1
    _remember(args, root, found)
    print(json.dumps(_as_data(found)) if args.json else _verdict(args, found))
    return 0


def _searched(args: argparse.Namespace, analysis: Analysis) -> Search:
    from uopc.runtime.job import RunOptions, prepare
    from uopc.runtime.tune import tune

    program = prepare(analysis, Path(args.file), RunOptions(threads=args.threads))
    return tune(program, args.seconds, (lambda tried: None) if args.json else _tell)


def _remember(args: argparse.Namespace, root: UOp, found: Search) -> None:
    from uopc.runtime.tuned import forget, remember

    if found.best.gain > 1:
        remember(root, args.threads, found.best)
    elif not found.out_of_time:  # what was found once is not faster any more
        forget(root, args.threads)


def _forget(args: argparse.Namespace, root: UOp) -> int:
    from uopc.runtime.tuned import forget

    known = forget(root, args.threads)
    print("forgotten: it is run in the usual way again" if known else "it is run in the usual way: nothing to forget")
    return 0


def _tell(tried: Try) -> None:
    """One line as soon as it is known."""
    if tried.refused:
        print(f"  {tried.tuned!s:<44} refused: {tried.refused}", flush=True)
        return
    line = f"  {tried.tuned!s:<44} {time_text(tried.ms):>9}  {tried.ratio:5.2f} x as fast"
    print(paint(line, "good", coloured(sys.stdout)) if tried.is_clear else line, flush=True)


def _verdict(args: argparse.Namespace, found: Search) -> str:
    ending = " (time is up: --seconds gives it more)" if found.out_of_time else ""
    if found.best.gain <= 1:
        return f"{args.file}: nothing is clearly faster than the usual choice, {time_text(found.before)}{ending}"
    times = f"{time_text(found.before)} before, {time_text(found.after)} now, {found.best.gain:.2f} x as fast"
    return (
        f"{args.file}: {found.best}: {times}{ending}\n"
        f"remembered: `uir run` does so on this machine; `uir tune {args.file} --forget` ends that"
    )


def _as_data(found: Search) -> dict[str, Any]:
    return {
        "before": found.before,
        "after": found.after,
        "best": asdict(found.best),
        "complete": not found.out_of_time,
        "tries": [_tried(t) for t in found.tries],
    }


def _tried(one: Try) -> dict[str, Any]:
    choice = {"off": one.tuned.off, "sizes": asdict(one.tuned.sizes)}
    return {**choice, "milliseconds": one.ms, "ratio": one.ratio, "refused": one.refused or None}
