"""`uir dap`: the debug adapter."""

from __future__ import annotations

import argparse
import importlib
import importlib.util

from uopc.cli.terminal import complain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("--stdio", action="store_true", help="speak on standard input and output (the only way)")


def run(args: argparse.Namespace) -> int:
    """Serves one session."""
    if importlib.util.find_spec("uir_dap") is None:
        complain("uir dap: error: uir_dap is not installed: install the distribution `uir`")
        return 1
    return int(importlib.import_module("uir_dap.__main__").main())
