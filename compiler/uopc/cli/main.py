"""Arguments, dispatch, and the ways a command can end."""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from uopc.cli.terminal import complain

# name -> (module, one line of help)
COMMANDS = {
    "check": ("check", "say what is wrong with programs"),
    "fmt": ("fmt", "rewrite programs in canonical layout"),
    "c": ("c", "print the C of a program"),
    "lower": ("lower", "print the loops of a program, as .uir"),
    "asm": ("asm", "print the assembly of a program as it is built"),
    "run": ("run", "build, run and verify programs"),
    "tune": ("tune", "search for a faster way to run a program on this machine, and remember it"),
    "explain": ("explain", "tell about one value: type, index map, where its elements come from"),
    "step": ("step", "follow the loops of a program line by line, with their values"),
    "lsp": ("lsp", "start the language server"),
    "dap": ("dap", "start the debug adapter, for stepping in an editor"),
}
_EPILOG = "exit status: 0 fine, 1 a program has errors, 2 wrong use"


def main(argv: Sequence[str] | None = None) -> int:
    """The command `uir`. Returns the exit status: 0 fine, 1 a program has errors, 2 wrong use."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show µ still gets the rest
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = _parser(arguments)
    args, rest = parser.parse_known_args(arguments)
    args.rest = rest
    if args.rest and args.command != "lsp":  # the server has options of its own
        parser.error(f"unrecognized arguments: {' '.join(args.rest)}")
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    return _guarded(args)


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of all commands; only the one that is asked for is imported."""
    parser = argparse.ArgumentParser("uir", description="Programs of tensor operations (.uir).", epilog=_EPILOG)
    parser.add_argument("--version", action=_Version, nargs=0, help="say the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", epilog=_EPILOG)
        if name in arguments:
            importlib.import_module(f"uopc.cli.{module}").add_arguments(command)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that takes as long as a check."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"uir {version('uir')}")
        except PackageNotFoundError:
            print("uir (not installed)")
        parser.exit()


def _guarded(args: argparse.Namespace) -> int:
    from uopc.cli.files import CommandError

    # A command ends soon, and looking for cycles among the nodes of a large program takes a third of its time.
    gc.set_threshold(200_000, 50, 50)
    if args.command not in ("lsp", "dap"):
        signal.signal(signal.SIGTERM, _end)  # as Ctrl-C: what is running is ended, temporary folders are removed
    try:
        status: int = importlib.import_module(f"uopc.cli.{COMMANDS[args.command][0]}").run(args)
        sys.stdout.flush()
        return status
    except CommandError as error:
        return error.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`). Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except RecursionError:
        complain("uir: error: the program is nested too deeply")
        return 1


def _end(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
