"""`uir explain`: what is known about one value, and where its elements come from."""

from __future__ import annotations

import argparse
import json

from uopc.cli.files import read
from uopc.cli.terminal import complain, printable
from uopc.uir import analyze


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .uir file")
    parser.add_argument("value", metavar="%v", help="the name of a value, with or without %%")
    parser.add_argument("--json", action="store_true", help="everything, as one object")


def run(args: argparse.Namespace) -> int:
    """Prints the explanation of the value; 1 when there is no such value or it is unknown."""
    from uopc.analysis.explain import explain_json
    from uopc.analysis.text import explanation_text

    analysis = analyze(read(args.file))
    name = args.value.removeprefix("%")
    if name not in analysis.values:
        known = ", ".join(f"%{n}" for n in list(analysis.values)[:8])
        complain(f"{args.file}: error: there is no value %{name}" + (f" (there are {known}, ...)" if known else ""))
        return 1
    if args.json:
        print(json.dumps(explain_json(analysis, name), ensure_ascii=False))
    else:
        print("\n".join(printable(line) for line in explanation_text(analysis, name).splitlines()))
    return 0 if analysis.values[name].uop is not None else 1
