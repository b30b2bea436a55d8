"""Start the server on standard input and output."""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib.util
import itertools
import os
import sys
from typing import BinaryIO

from uir_lsp import garbage
from uir_lsp.journal import set_up

_NEEDED = ("lsprotocol", "pygls")  # of the extra `lsp`


def main(argv: list[str] | None = None) -> None:
    """Serve one client and end the process with the protocol's exit code."""
    options = _arguments(argv)
    missing = next((name for name in _NEEDED if importlib.util.find_spec(name) is None), None)
    if missing is not None:
        sys.exit(f"uir-lsp: error: {missing} is not installed: run `pip install 'uir[lsp]'`")
    set_up(options.log, options.log_contents)
    stdin, stdout = _take_standard_streams()
    record = _new_file(options.record) if options.record else None
    if options.replay:
        stdin = open(options.replay, "rb")  # noqa: SIM115 - open for the whole session
    code = asyncio.run(_serve(stdin, stdout, record, options))
    sys.stderr.flush()
    os._exit(code)  # a thread that still computes must not keep the process


async def _serve(stdin: BinaryIO, stdout: BinaryIO, record: BinaryIO | None, options: argparse.Namespace) -> int:
    gc.disable()  # nothing that is imported becomes garbage
    from uir_lsp.server import UirServer

    garbage.begin()
    server = UirServer()
    server.protocol.journal.contents = options.log_contents
    return await server.serve(stdin, stdout, record=record, replay=bool(options.replay))


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    about = "The language server for .uir, on standard input and output."
    parser = argparse.ArgumentParser(prog="uir-lsp", description=about)
    parser.add_argument("--record", metavar="FILE", help="write everything the client sends to FILE, or FILE.2, ...")
    parser.add_argument("--replay", metavar="FILE", help="take the client's messages from a FILE that --record wrote")
    parser.add_argument("--log", default="warning", choices=["debug", "info", "warning", "error"])
    parser.add_argument("--log-contents", action="store_true", help="let the log quote messages, and so the files")
    parser.add_argument("--stdio", action="store_true", help="accepted for clients that pass it; there is no other way")
    return parser.parse_args(argv)


def _new_file(path: str) -> BinaryIO:
    """A file for one session: an editor that restarts the server must not write over the session that went wrong."""
    for k in itertools.count(1):
        try:
            return open(path if k == 1 else f"{path}.{k}", "xb")
        except FileExistsError:
            continue
    raise AssertionError


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's two streams, as descriptors that nothing else knows and no child inherits.

    Afterwards standard input is empty and whatever is printed goes to standard error.
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout


if __name__ == "__main__":
    main()
