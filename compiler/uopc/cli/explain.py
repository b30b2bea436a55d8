"""`uir explain`: what is known about one value and where its elements come from; or how the program is computed, as a
plan or stage by stage."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from uopc.cli.c import function_name
from uopc.cli.files import analysed, read
from uopc.cli.switches import add_switches
from uopc.cli.terminal import complain, printable
from uopc.uir import analyze

if TYPE_CHECKING:
    from uopc.analysis.explanation import Explanation
    from uopc.uir import Analysis
    from uopc.uop import UOp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("file", metavar="FILE", help="a .uir file")
    parser.add_argument("value", metavar="%v", nargs="?", help="the name of a value, with or without %%")
    parser.add_argument("--json", action="store_true", help="everything, as one object")
    parser.add_argument("--plan", action="store_true", help="how `uir run` computes the program: its kernels, and why")
    parser.add_argument("--stages", action="store_true", help="the program after each stage, and what each rule did")
    parser.add_argument("--plain", action="store_true", help="with --stages: those of the textbook program")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads that the program may use")
    add_switches(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the plan, or the explanation of the value; 1 when there is no such value or it is unknown."""
    if args.plan:
        return _plan(args)
    if args.stages:
        return _stages(args)
    if args.value is None:
        complain("uir explain: error: say which value (or --plan or --stages, for the whole program)")
        return 2
    from uopc.analysis.explain import explain, explain_json
    from uopc.analysis.style import ASCII

    analysis = analyze(read(args.file))
    name = args.value.removeprefix("%")
    if name not in analysis.values:
        known = ", ".join(f"%{n}" for n in list(analysis.values)[:8])
        complain(f"{args.file}: error: there is no value %{name}" + (f" (there are {known} ...)" if known else ""))
        return 1
    if args.json:
        print(json.dumps(explain_json(analysis, name), ensure_ascii=False))
    else:
        print("\n".join(map(printable, explained(explain(analysis, name, ASCII, traced=True)))))
    return 0 if analysis.values[name].uop is not None else 1


def _plan(args: argparse.Namespace) -> int:
    """Prints how the program, or one value of it, is computed."""
    from uopc.pipeline import CompileError
    from uopc.runtime.tuned import as_run
    from uopc.stages.naming import namer_of

    analysis = analysed(args.file)
    root = _wanted(args, analysis)
    if root is None:
        return 1
    try:
        name = function_name(args.file)
        plan = as_run(root, name, threads=max(1, args.threads), off=args.without).plan
    except CompileError as error:
        complain(f"{args.file}: error: {error}")
        return 1
    about = namer_of(analysis).about
    if args.json:
        print(json.dumps({"plan": plan.to_dict(about)}, ensure_ascii=False))
    else:
        print("\n".join(map(printable, plan.lines(about))) or "the loops of this program are run as they are written")
    return 0


def _wanted(args: argparse.Namespace, analysis: Analysis) -> UOp | None:
    """The program, or the value that is asked for; None after saying why there is none."""
    name = args.value.removeprefix("%") if args.value is not None else None
    if name is not None and name not in analysis.values:
        complain(f"{args.file}: error: there is no value %{name}")
        return None
    root = analysis.root if name is None else analysis.values[name].uop
    if root is None:
        complain(f"{args.file}: error: there is nothing to compute")
    return root


def _stages(args: argparse.Namespace) -> int:
    """Prints the program after each stage of its compilation."""
    from uopc.cli.stages import stages_text
    from uopc.pipeline import CompileError
    from uopc.runtime.tuned import opts_of
    from uopc.stages.naming import namer_of
    from uopc.stages.record import record

    analysis = analysed(args.file)
    root = _wanted(args, analysis)
    if root is None:
        return 1
    opts = opts_of(root, args.plain, max(1, args.threads), tuple(args.without))
    try:
        found = record(root, namer_of(analysis), function_name(args.file), plain=args.plain, opts=opts)
    except CompileError as error:
        complain(f"{args.file}: error: {error}")
        return 1
    print(json.dumps(found.to_dict(), ensure_ascii=False) if args.json else stages_text(found))
    return 0


def explained(e: Explanation) -> list[str]:
    """The explanation as lines: what the value is, its index map, where it lies in memory, the trace."""
    from uopc.analysis.trace import trace_text

    if e.unknown:
        return [f"{e.name} is unknown: {e.unknown}"]
    lines = [f"{e.name} : {e.type}" + (f"   {e.summary}" if e.summary else "")]
    facts = [*e.equation, *(f"= {place}" for place in e.places), e.zero]
    facts += [e.layout.text if e.layout else e.why_not_strided, *e.reads, e.reduction.text if e.reduction else ""]
    facts += [f"the same value as {', '.join(e.same_as)}" if e.same_as else "", *e.notes, _users(e)]
    lines += [f"  {fact}" for fact in facts if fact]
    return [*lines, "", *trace_text(list(e.trace)).splitlines()] if e.trace else lines


def _users(e: Explanation) -> str:
    more = f" and {e.more_users:,} more" if e.more_users else ""
    names = ", ".join(f"{user.name} (line {user.line + 1})" for user in e.used_by)
    return f"used by {names}{more}" if names else ""
