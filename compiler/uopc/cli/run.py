"""`uir run`: builds files, runs them in a child process, and says what came out."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from uopc.cli.arguments import positive, thread_count
from uopc.cli.files import show_errors
from uopc.cli.switches import add_switches
from uopc.cli.terminal import coloured, complain, paint, printable
from uopc.uir import analyze

if TYPE_CHECKING:
    from uopc.runtime.job import RunOptions
    from uopc.runtime.result import OutputResult, RunResult

# Only a file with names in it is followed by one, so the colon of C:\data.npy is none.
_KEYED = re.compile(r"(?P<path>.+?\.(?:npz|safetensors)):(?P<key>.+)", re.IGNORECASE | re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .uir file")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        type=_slot_and_file,
        metavar="SLOT=PATH[:KEY]",
        help="data for a buffer: a .npy, or an array of a .npz or .safetensors (KEY may be absent when it has but one)",
    )
    parser.add_argument("--out", type=Path, metavar="PATH.npy", help="write the output (the second to PATH.1.npy ...)")
    parser.add_argument("--value", metavar="%v", help="compute this value in place of the program's outputs")
    parser.add_argument("--plain", action="store_true", help="run the textbook program")
    parser.add_argument("--no-verify", action="store_true", help="do not compare with the reference evaluator")
    parser.add_argument("--timeout", type=positive, default=10.0, metavar="S", help="seconds for the run (default: 10)")
    parser.add_argument(
        "--memory", type=positive, default=4096.0, metavar="MB", help="memory it may use (default: 4096)"
    )
    parser.add_argument(
        "--operations", type=positive, default=1e12, metavar="N", help="operations it may take (default: 1e12)"
    )
    parser.add_argument("--threads", type=thread_count, default=1, metavar="N", help="threads it may use (default: 1)")
    parser.add_argument(
        "--peak", action="store_true", help="first measure what one thread of this machine can do (about a second)"
    )
    add_switches(parser)
    parser.add_argument("--json", action="store_true", help="one object a line")


def run(args: argparse.Namespace) -> int:
    """Runs all files, one after the other; 1 when one of them fails, 2 when one cannot be read."""
    from uopc.runtime.scratch import sweep

    sweep()
    if args.out is not None and len(args.files) > 1:
        complain("uir run: error: --out is for one file")
        return 2
    return max(_run(file, args) for file in args.files)


def _run(file: str, args: argparse.Namespace) -> int:
    from uopc.runtime.job import run_job
    from uopc.runtime.result import RunResult
    from uopc.runtime.source import SourceError, read_program

    try:
        text = read_program(Path(file))
    except SourceError as error:
        result, status = RunResult(file, error=str(error)), error.status
        text = ""
    else:
        result = run_job(text, Path(file), _options(args))
        status = 0 if result.ok else 1
    result.file = file
    if args.out is not None and result.outputs:
        status = max(status, _save(result.outputs, args.out))
    if args.json:
        print(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False), flush=True)
    else:
        _show(result, text, several=len(args.files) > 1)
    return status


def _options(args: argparse.Namespace) -> RunOptions:
    from uopc.runtime.arrays import ArrayFile
    from uopc.runtime.job import RunOptions

    return RunOptions(
        inputs={slot: ArrayFile(path, key) for slot, path, key in args.input},
        plain=args.plain,
        verify=not args.no_verify,
        timeout=args.timeout,
        memory=int(args.memory * 1024 * 1024),
        operations=int(args.operations),
        threads=args.threads,
        value=args.value,
        off=tuple(args.without),
        peak=args.peak,
    )


def _save(outputs: Sequence[OutputResult], path: Path) -> int:
    import numpy as np

    for k, output in enumerate(outputs):
        target = path if k == 0 else path.with_name(f"{path.stem}.{k}{path.suffix}")
        try:
            with target.open("wb") as file:
                np.save(file, output.array, allow_pickle=False)
        except OSError as error:
            complain(f"{target}: error: it cannot be written: {error.strerror}")
            return 2
    return 0


# -- for a person --------------------------------------------------------------------------------------------------
def _show(result: RunResult, text: str, several: bool) -> None:
    from uopc.runtime.result import preview

    if several and result.outputs:
        print(f"{printable(result.file)}:")
    for k, output in enumerate(result.outputs):
        shape = ", ".join(map(str, output.array.shape))
        head = paint(f"{output.name} : {output.dtype}[{shape}]", "bold", coloured(sys.stdout))
        print("   ".join([head, *(_facts(result) if k == 0 else ())]))
        print(preview(output.array))
    sys.stdout.flush()
    for note in result.notes:
        complain(f"{result.file}: note: {note}")
    if result.error is not None:
        _show_error(result, text)


def _facts(result: RunResult) -> list[str]:
    """What stands beside the first output: the verdicts and the times."""
    colour = coloured(sys.stdout)
    facts = []
    if result.expect is not None:
        facts.append(
            paint("as expected", "good", colour) if result.expect else paint("not as expected", "error", colour)
        )
    if result.verified is not None:
        largest = f"(largest difference {difference_text(result.difference)})"
        said = "verified against the reference" if result.verified else "differs from the reference"
        facts.append(f"{paint(said, 'good' if result.verified else 'error', colour)} {largest}")
    times = [f"build {time_text(result.build_ms)}", f"kernel {time_text(result.kernel_ms)}"]
    facts.append(" · ".join([*times, *_speeds(result)]))
    return facts


def _speeds(result: RunResult) -> list[str]:
    """The rate that the program is bound by, against the peak of that, where it was measured."""
    from uopc.runtime.speed import rate_text

    speed = result.speed
    if speed is None or speed.bound is None:
        return []
    rate, unit = (speed.compute, "FLOP") if speed.bound == "compute" else (speed.memory, "B")
    return [*([rate_text(rate, unit)] if rate is not None else []), f"{speed.bound}-bound"]


def _show_error(result: RunResult, text: str) -> None:
    analysis = analyze(text)
    if analysis.has_errors:
        show_errors(result.file, analysis)
        return
    line = "" if result.line is None else f"{result.line + 1}:"
    kind = paint("error:", "error", coloured(sys.stderr))
    message = "\n".join(map(printable, (result.error or "").removeprefix(f"line {line} ").splitlines()))
    print(f"{printable(result.file)}:{line} {kind} {message}", file=sys.stderr)


def time_text(ms: float | None) -> str:
    """A time for a person: 41 ms, 0.8 µs, 2.4 s."""
    if ms is None:
        return "-"
    if ms < 1:
        return f"{ms * 1e3:.1f} µs" if ms < 0.01 else f"{ms * 1e3:.0f} µs"
    if ms < 1000:
        return f"{ms:.1f} ms" if ms < 10 else f"{ms:.0f} ms"
    return f"{ms / 1e3:.1f} s"


def difference_text(value: float | None) -> str:
    """A difference for a person: 0, 2.4e-7."""
    if not value:
        return "0"
    if math.isinf(value):
        return "infinite"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}" if abs(int(exponent)) > 3 else f"{value:.3g}"


# -- arguments -----------------------------------------------------------------------------------------------------
def _slot_and_file(text: str) -> tuple[int, Path, str | None]:
    slot, sign, path = text.partition("=")
    if not sign or not path or not (slot.isascii() and slot.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not SLOT=PATH, as in 0=a.npy or 0=a.npz:weights")
    keyed = _KEYED.fullmatch(path)
    if keyed is None or os.path.isfile(path):  # a name may have a colon in it
        return int(slot), Path(path), None
    return int(slot), Path(keyed["path"]), keyed["key"]
