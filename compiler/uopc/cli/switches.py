"""`--without NAME`: the fast program without one of its transformations."""

from __future__ import annotations

import argparse


def add_switches(parser: argparse.ArgumentParser) -> None:
    """The option; `args.without` is a list of names."""
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        type=_switch,
        metavar="NAME",
        help="leave out a transformation: epilogue, fuse, vector, tile, pack, block, stream, columns, copies, "
        "transpose or threads (repeatable; `uir explain FILE --plan` says what changes)",
    )


def _switch(name: str) -> str:
    from uopc.opt import SWITCHES

    if name not in SWITCHES:
        known = "; ".join(f"{n}: {text}" for n, text in SWITCHES.items())
        raise argparse.ArgumentTypeError(f"there is no transformation {name!r} ({known})")
    return name
