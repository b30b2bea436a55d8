"""`uir lsp`: the language server."""

from __future__ import annotations

import argparse
import importlib
import importlib.util

from uopc.cli.terminal import complain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command; what else is given goes to the server as it is (`uir-lsp --help` lists it)."""
    parser.add_argument(
        "--stdio", action="store_true", help="speak on standard input and output (there is no other way)"
    )


def run(args: argparse.Namespace) -> int:
    """Serves until the client is done."""
    if importlib.util.find_spec("uir_lsp") is None:
        complain("uir lsp: error: uir_lsp is not installed: run `pip install uir`")
        return 1
    status = importlib.import_module("uir_lsp.__main__").main(args.rest)
    return int(status or 0)
