"""What a program becomes, made in a child process: its C, its loops, its assembly, and every stage on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from uopc.cli.c import function_name
from uopc.pipeline import Compiled, CompileError
from uopc.runtime.tuned import as_run, opts_of
from uopc.stages.naming import namer_of, statements
from uopc.stages.record import Record, record
from uopc.stages.record import Stage as Recorded
from uopc.uir import Analysis, analyze
from uopc.uir.listing import input_lines, loop_listing
from uopc.uop import UOp, UOpError

Job = dict[str, Any]
Stage = Callable[[str], None]

_MOST_RECORDS = 3  # programs whose stages are kept while somebody looks at them


class Texts:
    """The analysis of the text that came last: the next one differs from it by a few lines."""

    def __init__(self) -> None:
        self._last: Analysis | None = None

    def analysis(self, text: str) -> Analysis:
        """The analysis of a text."""
        if self._last is None or self._last.text != text:
            self._last = analyze(text, self._last)
        return self._last


texts = Texts()


def show_c(job: Job, stage: Stage) -> Any:
    """{c, map}, or {message} when there is no C."""
    stage("lowering")
    analysis = texts.analysis(job["text"])
    compiled = _compiled(analysis, job, plain=job["plain"])
    if isinstance(compiled, str):
        return {"message": compiled}
    count = compiled.source.count("\n") + 1
    return {"c": compiled.source, "map": _map(analysis, [*compiled.line_origins, *((),) * count][:count])}


def show_loops(job: Job, stage: Stage) -> Any:
    """{loops, map}, or {message} when there are none."""
    stage("lowering")
    analysis = texts.analysis(job["text"])
    compiled = _compiled(analysis, job, plain=True)
    if isinstance(compiled, str):
        return {"message": compiled}
    listing = loop_listing(compiled.sink, input_lines(analysis))
    behind: list[Iterable[UOp]] = [()] * (listing.text.count("\n") + 1)
    for node, line in listing.lines.items():
        behind[line] = compiled.behind.get(node, ())
    return {"loops": listing.text, "map": _map(analysis, behind)}


def show_assembly(job: Job, stage: Stage) -> Any:
    """{asm, map, lines, ms}, or {message} when there is none. lines: those of the C behind each line."""
    from uopc.runtime.assembly import assembly
    from uopc.runtime.errors import RunError
    from uopc.runtime.toolchain import find_compiler

    stage("lowering")
    analysis = texts.analysis(job["text"])
    compiled = _compiled(analysis, job, plain=job["plain"])
    if isinstance(compiled, str):
        return {"message": compiled}
    stage("building")
    began = time.perf_counter()
    try:
        found = assembly(compiled.source, compiled.flags, compiler=find_compiler(job["compiler"]))
    except RunError as error:
        return {"message": str(error)}
    behind = compiled.line_origins
    nodes = [dict.fromkeys(u for k in line.c if k < len(behind) for u in behind[k]) for line in found]
    return {
        "asm": "".join(f"{line.text}\n" for line in found),
        "map": _map(analysis, [*nodes, ()]),
        "lines": [line.c for line in found],
        "ms": round((time.perf_counter() - began) * 1e3, 1),
    }


def graph(job: Job, stage: Stage) -> Any:
    """{nodes, edges, kernels, message}: the data flow of the text."""
    from uopc.analysis.dataflow import data_flow

    stage("lowering")
    flow = data_flow(texts.analysis(job["text"]), function_name(job["path"]))
    return {
        "nodes": [{**vars(node), "name": "%" + node.name} for node in flow.nodes],
        "edges": [[edge.source, edge.target] for edge in flow.edges],
        "kernels": [vars(kernel) for kernel in flow.kernels],
        "message": flow.message,
    }


def _compiled(analysis: Analysis, job: Job, plain: bool) -> Compiled | str:
    """The program of a file or a value; a sentence when it cannot be compiled."""
    root = _root(analysis, job)
    if isinstance(root, str):
        return root
    try:
        return as_run(root, function_name(job["path"]), plain=plain)
    except (CompileError, UOpError) as error:
        return str(error)


def _root(analysis: Analysis, job: Job) -> UOp | str:
    value = job["value"]
    root = analysis.root if value is None else analysis.values[value].uop
    if root is None:
        return "there is nothing to compute"
    if value is not None and not root.dtype.bits:
        return f"%{value} is an effect: it has no value"
    return root


def _map(analysis: Analysis, nodes: Sequence[Iterable[UOp]]) -> list[list[dict[str, Any]]]:
    """For each line the lines of the file that it came from."""
    return [statements(analysis, some) for some in nodes]


# -- stages --------------------------------------------------------------------------------------------------------
_records: dict[tuple[Any, ...], tuple[Analysis, Record]] = {}


def _recorded(job: Job, stage: Stage) -> tuple[Analysis, Record] | str:
    """The stages of a program: those that were asked for lately are kept."""
    key = (job["text"], job["path"], job["value"], job["plain"])
    known = _records.pop(key, None)
    if known is None:
        stage("compiling stage by stage")
        analysis = texts.analysis(job["text"])
        root = _root(analysis, job)
        if isinstance(root, str):
            return root
        try:
            names, name, plain = namer_of(analysis), function_name(job["path"]), job["plain"]
            known = analysis, record(root, names, name, plain=plain, opts=opts_of(root, plain))
        except (CompileError, UOpError) as error:
            return str(error)
    _records[key] = known
    while len(_records) > _MOST_RECORDS:
        del _records[next(iter(_records))]
    return known


def stages(job: Job, stage: Stage) -> Any:
    """{program, total_ms, stages} without the texts, or {message}."""
    found = _recorded(job, stage)
    return {"message": found} if isinstance(found, str) else found[1].to_dict(texts=False)


def stage_text(job: Job, stage: Stage) -> Any:
    """{language, text, map, difference} of one stage, or {message}."""
    found = _recorded(job, stage)
    if isinstance(found, str):
        return {"message": found}
    analysis, recorded = found
    one = next((s for s in recorded.stages if s.name == job["stage"]), None)
    if one is None:
        return {"message": f"this program has no stage {job['stage']!r}"}
    return _text(analysis, one, job["form"])


def _text(analysis: Analysis, one: Recorded, form: str | None) -> dict[str, Any]:
    chosen = form if form in one.forms else None
    text = one.text(chosen)
    steps = one.difference(chosen or next(iter(one.forms)))
    return {
        "language": text.language,
        "text": text.text,
        "map": _map(analysis, text.nodes),
        "difference": steps,
        "before": list(one.before.text(chosen).lines) if steps is not None and one.before is not None else None,
    }
