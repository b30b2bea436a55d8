"""`uir lsp`: the language server."""

from __future__ import annotations

import argparse
import importlib
import importlib.util

from uopc.cli.terminal import complain

_NEEDED = ("uir_lsp", "lsprotocol", "pygls")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command; what else is given goes to the server as it is (`uir-lsp --help` lists it)."""
    parser.add_argument(
        "--stdio", action="store_true", help="speak on standard input and output (there is no other way)"
    )


def run(args: argparse.Namespace) -> int:
    """Serves until the client is done."""
    missing = next((name for name in _NEEDED if importlib.util.find_spec(name) is None), None)
    if missing is not None:
        complain(f"uir lsp: error: {missing} is not installed: run `pip install 'uir[lsp]'`")
        return 1
    status = importlib.import_module("uir_lsp.__main__").main(args.rest)
    return int(status or 0)
