"""`uir lsp`: the language server."""

from __future__ import annotations

import argparse
import importlib

from uopc.cli.terminal import complain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command: those of the server follow as they are."""
    parser.add_argument("--stdio", action="store_true", help="speak on standard input and output (the default)")


def run(args: argparse.Namespace) -> int:
    """Serves until the client is done."""
    try:
        server = importlib.import_module("uir_lsp.__main__")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("uir_lsp", "pygls", "lsprotocol", "cattrs", "attrs"):
            raise
        complain(f"uir lsp: error: {error.name} is not installed: run `pip install 'uir[lsp]'`")
        return 1
    status = server.main([])
    return int(status or 0)
