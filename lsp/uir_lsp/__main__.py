"""Start the server on standard input and output."""

from __future__ import annotations

import itertools
import os
import sys
from typing import BinaryIO, NamedTuple

from uir_lsp.opening import Opening, open_session


class Arguments(NamedTuple):
    """What the command line may say."""

    record: str | None = None
    replay: str | None = None
    log: str = "warning"
    log_contents: bool = False


def main(argv: list[str] | None = None) -> None:
    """Serve one client and end the process with the protocol's exit code."""
    arguments = _arguments(sys.argv[1:] if argv is None else argv)
    stdin, stdout = _take_standard_streams()
    record = _new_file(arguments.record) if arguments.record else None
    if arguments.replay:
        stdin = open(arguments.replay, "rb")  # noqa: SIM115 - open for the whole session
    opening = open_session(stdin, stdout, record)
    code = _serve(stdin, stdout, opening, record, arguments)
    sys.stderr.flush()
    os._exit(code)  # a thread that still computes must not keep the process


def _serve(stdin: BinaryIO, stdout: BinaryIO, opening: Opening, record: BinaryIO | None, arguments: Arguments) -> int:
    """Load the server, which takes a while, and serve."""
    import gc

    gc.disable()  # nothing that is imported becomes garbage
    import asyncio

    from uir_lsp import garbage
    from uir_lsp.journal import set_up
    from uir_lsp.server import UirServer

    set_up(arguments.log, arguments.log_contents)
    garbage.begin()
    server = UirServer()
    server.protocol.journal.contents = arguments.log_contents
    return asyncio.run(server.serve(stdin, stdout, opening, record=record, replay=bool(arguments.replay)))


def _arguments(given: list[str]) -> Arguments:
    if not set(given) - {"--stdio"}:  # what editors start the server with needs no parser, which takes a while to load
        return Arguments()
    import argparse

    about = "The language server for .uir, on standard input and output."
    parser = argparse.ArgumentParser(prog="uir-lsp", description=about)
    parser.add_argument("--record", metavar="FILE", help="write everything the client sends to FILE, or FILE.2, ...")
    parser.add_argument("--replay", metavar="FILE", help="take the client's messages from a FILE that --record wrote")
    parser.add_argument("--log", default="warning", choices=["debug", "info", "warning", "error"])
    parser.add_argument("--log-contents", action="store_true", help="let the log quote messages, and so the files")
    parser.add_argument("--stdio", action="store_true", help="accepted for clients that pass it; there is no other way")
    said = parser.parse_args(given)
    return Arguments(said.record, said.replay, said.log, said.log_contents)


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
