"""The work that child processes do: runs; what a program becomes is in `program_jobs`. It may be heavy: only a child
imports this."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uir_lsp.kept import write
from uir_lsp.program_jobs import Job, Stage, graph, show_assembly, show_c, show_loops, stage_text, stages, texts

if TYPE_CHECKING:
    from uopc.runtime.result import OutputDifference, RunResult

_OLDEST_NUMPY = (1, 24)  # as in pyproject.toml
_STAGES = {
    "check": "checking",
    "lower": "lowering",
    "build": "building",
    "run": "running",
    "verify": "verifying against the reference",
}


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
    analysis = texts.analysis(job["text"])
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
    "showAssembly": show_assembly,
    "stages": stages,
    "stageText": stage_text,
    "graph": graph,
    "run": run,
    "lineValues": line_values,
    "arrays": arrays,
    "speed": speed,
}
