"""The work that child processes do: C and loops of a text, and runs. Only a child imports this, so it may be heavy."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uir_lsp.kept import write
from uopc.cli.c import function_name
from uopc.pipeline import Compiled, CompileError, compile_program
from uopc.uir import Analysis, analyze
from uopc.uir.listing import input_lines, loop_listing
from uopc.uop import UOp, UOpError

if TYPE_CHECKING:
    from uopc.runtime.result import OutputDifference, RunResult

Job = dict[str, Any]
Stage = Callable[[str], None]

_OLDEST_NUMPY = (1, 24)  # as in pyproject.toml
_STAGES = {
    "check": "checking",
    "lower": "lowering",
    "build": "building",
    "run": "running",
    "verify": "verifying against the reference",
}


class _Texts:
    """The analysis of the text that came last: the next one differs from it by a few lines."""

    def __init__(self) -> None:
        self._last: Analysis | None = None

    def analysis(self, text: str) -> Analysis:
        """The analysis of a text."""
        if self._last is None or self._last.text != text:
            self._last = analyze(text, self._last)
        return self._last


_texts = _Texts()


def show_c(job: Job, stage: Stage) -> Any:
    """{c, map}, or {message} when there is no C."""
    stage("lowering")
    analysis = _texts.analysis(job["text"])
    compiled = _compiled(analysis, job, plain=job["plain"])
    if isinstance(compiled, str):
        return {"message": compiled}
    lines = compiled.source.split("\n")
    origins = [*compiled.line_origins, *((),) * len(lines)]
    return {"c": compiled.source, "map": [_statements(analysis, origins[k]) for k in range(len(lines))]}


def _statements(analysis: Analysis, nodes: tuple[UOp, ...]) -> list[dict[str, Any]]:
    names = dict.fromkeys(name for node in nodes for name in analysis.makers_of(node))
    return [{"line": analysis.values[name].line, "name": "%" + name} for name in names]


def show_loops(job: Job, stage: Stage) -> Any:
    """{loops}, or {message} when there are none."""
    stage("lowering")
    analysis = _texts.analysis(job["text"])
    compiled = _compiled(analysis, job, plain=True)
    if isinstance(compiled, str):
        return {"message": compiled}
    return {"loops": loop_listing(compiled.sink, input_lines(analysis)).text}


def _compiled(analysis: Analysis, job: Job, plain: bool) -> Compiled | str:
    """The program of a file or a value; a sentence when it cannot be compiled."""
    value = job["value"]
    root = analysis.root if value is None else analysis.values[value].uop
    if root is None:
        return "there is nothing to compute"
    if value is not None and not root.dtype.bits:
        return f"%{value} is an effect: it has no value"
    try:
        return compile_program(root, function_name(job["path"]), plain=plain)
    except (CompileError, UOpError) as error:
        return str(error)


class NumPyMissing(Exception):
    """A run is asked for, and this Python has no NumPy that can do it: everything else works without."""


def _need_numpy() -> None:
    try:
        import numpy
    except ImportError as error:
        said = "is not installed" if isinstance(error, ModuleNotFoundError) and error.name == "numpy" else "is broken"
        raise NumPyMissing(f"NumPy {said} in {sys.executable}, and a run needs it") from None
    version = tuple(int(part) for part in numpy.__version__.split(".")[:2])
    if version < _OLDEST_NUMPY:
        wanted = ".".join(map(str, _OLDEST_NUMPY))
        raise NumPyMissing(f"NumPy {numpy.__version__} in {sys.executable} is too old: a run needs {wanted}")


def run(job: Job, stage: Stage) -> Any:
    """The result of a run, as `uir run --json` prints it, and what the command line says besides."""
    _need_numpy()
    from uopc.runtime.job import RunOptions, run_job
    from uopc.runtime.line_values import short_text, whole_text

    options = RunOptions(plain=job["plain"], verify=job["verify"], value=job["value"], compiler=job["compiler"])
    if isinstance(job["timeout"], (int, float)) and job["timeout"] > 0:
        options = RunOptions(**{**vars(options), "timeout": float(job["timeout"])})
    result = run_job(job["text"], Path(job["path"]), options, lambda name: stage(_STAGES.get(name, name)))
    answer = result.to_dict()
    for described, output in zip(answer["outputs"], result.outputs):
        described["digest"] = _digest(output.array)
        described["text"], described["whole"] = short_text(output.array), whole_text(output.array)
    if "keep" in job:
        answer["kept"] = _keep(Path(job["keep"]), result)
    return {
        **answer,
        "difference": _finite(result.difference),
        "differences": [_difference(one) for one in result.differences],
        "notes": result.notes,
        "line": result.line,
        "operations": result.operations,
        "memory_bytes": result.memory_bytes,
    }


def _digest(array: Any) -> str:
    """Equal for equal elements, so that a run can be told from the one before."""
    return hashlib.blake2b(array.tobytes(), digest_size=8).hexdigest()


def _keep(path: Path, result: RunResult) -> list[dict[str, Any]] | None:
    return write(path, [(out.name, out.dtype, out.array) for out in result.outputs]) if result.outputs else None


def _difference(one: OutputDifference) -> dict[str, Any]:
    found = {**vars(one.difference), "index": list(one.difference.index), "largest": _finite(one.difference.largest)}
    return {"output": one.output, "against": one.against, **found}


def _finite(number: float | None) -> float | None:
    """JSON has no infinity: what is infinite is not said."""
    return number if number is not None and isfinite(number) else None


def line_values(job: Job, stage: Stage) -> Any:
    """{values}: a short text of the elements of each value, as the reference evaluator gives them."""
    _need_numpy()
    from uopc.evaluate import EvaluationError
    from uopc.runtime.errors import RunError
    from uopc.runtime.line_values import previews

    stage("evaluating")
    analysis = _texts.analysis(job["text"])
    try:
        found = previews(analysis, Path(job["path"]).parent)
    except (RunError, EvaluationError, MemoryError) as error:
        return {"values": [], "message": str(error)}
    lines = analysis.values
    return {"values": [{**one._asdict(), "name": f"%{one.name}", "line": lines[one.name].line} for one in found]}


def arrays(job: Job, stage: Stage) -> Any:
    """{arrays}: what is in a file of arrays; {error} when that cannot be read."""
    from uopc.runtime.arrays import list_arrays
    from uopc.runtime.errors import InputError

    stage("reading")
    try:
        return {"arrays": [{**one._asdict(), "shape": list(one.shape)} for one in list_arrays(Path(job["file"]))]}
    except InputError as error:
        return {"error": str(error)}


def speed(job: Job, stage: Stage) -> Any:
    """{speed} of a run against the peak of this machine, which is measured now; {error} when it cannot be."""
    from uopc.dtype import dtypes
    from uopc.runtime.errors import RunError
    from uopc.runtime.peak import measure_peak
    from uopc.runtime.speed import speed_of
    from uopc.runtime.toolchain import find_compiler

    stage("measuring this machine")
    dtype = dtypes.from_name(job["dtype"])
    if dtype is None:
        return {"error": "there is no such dtype"}
    try:
        peak = measure_peak(find_compiler(job["compiler"]))
    except RunError as error:
        return {"error": str(error)}
    return {"speed": speed_of(job["operations"], job["memory_bytes"], job["kernel_ms"], dtype, peak).to_dict()}


JOBS: dict[str, Callable[[Job, Stage], Any]] = {
    "showC": show_c,
    "showLoops": show_loops,
    "run": run,
    "lineValues": line_values,
    "arrays": arrays,
    "speed": speed,
}
