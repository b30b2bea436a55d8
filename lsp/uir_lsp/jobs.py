"""The work that child processes do: builds and runs; what a program becomes is in `program_jobs`. It may be heavy: only
a child imports this."""

from __future__ import annotations

import base64
import hashlib
import sys
import threading
import time
from collections.abc import Callable
from math import isfinite, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from uir_lsp.kept import Slice, little_endian, write
from uir_lsp.looking import looked_at, shape_of
from uir_lsp.program_jobs import Job, Stage, graph, show_assembly, show_c, show_loops, stage_text, stages, texts
from uopc.analysis.style import type_text
from uopc.runtime.limits import amount

if TYPE_CHECKING:
    from uopc.runtime.job import RunOptions
    from uopc.runtime.line_values import Preview
    from uopc.runtime.result import OutputDifference, RunResult
    from uopc.uir.values import Value

MB = 1 << 20
_PATIENCE = 0.05  # seconds of verification after which the result is shown without it
_MOST_SENT = 1 << 16  # elements of the outputs that come with the answer


class Report(Protocol):
    """What a job may say before its answer. Called with a text, it says what is being done now."""

    def __call__(self, text: str) -> None: ...

    def early(self, answer: Any) -> None:
        """What is known already of the answer."""


_WORTH_SAYING = 10**9  # operations of a run
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


def run(job: Job, report: Report) -> Any:
    """The result of a run, as `uir run --json` prints it, and what the command line says besides."""
    _need_numpy()
    from uopc.runtime.job import run_job

    started = time.time() * 1e3
    early = _Early(job, report)
    result = run_job(
        job["text"],
        Path(job["path"]),
        _options(job),
        lambda name, known: report(_words(name, known)),
        analyze=texts.analysis,
        computed=early.computed,
        shown=early.shown,
    )
    outputs = early.end() if result.outputs else {"outputs": []}
    times = {"started": started, "finished": time.time() * 1e3}
    return {**_answer(result), **outputs, "stages": result.stages, "times": times}


def _words(stage: str, known: RunResult) -> str:
    """A stage for a person: a run that may take a moment says what it is estimated to take."""
    words = _STAGES.get(stage, stage)
    if stage != "run" or known.operations is None or known.memory_bytes is None or known.operations < _WORTH_SAYING:
        return words
    return f"{words} {known.operations:,} operations on {amount(known.memory_bytes)}"


class _Early:
    """Shows a result before it is verified, when that takes longer than a moment."""

    def __init__(self, job: Job, report: Report) -> None:
        self._job, self._report = job, report
        self._outputs: dict[str, Any] = {"outputs": []}
        self._timer: threading.Timer | None = None

    def computed(self, result: RunResult) -> None:
        """The outputs are known."""
        self._outputs = _outputs(self._job, result)

    def shown(self, result: RunResult) -> None:
        """All but the verification is known."""
        answer = {**_answer(result), **self._outputs, "verifying": True}
        self._timer = threading.Timer(_PATIENCE, self._report.early, (answer,))
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> dict[str, Any]:
        """The verification has ended. What was made of the outputs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        return self._outputs


def _options(job: Job) -> RunOptions:
    from uopc.runtime.job import RunOptions

    def given(name: str, otherwise: float) -> float:
        number = job[name]
        return number if isinstance(number, (int, float)) and number > 0 else otherwise

    usual = RunOptions()
    return RunOptions(
        plain=job["plain"],
        verify=job["verify"],
        value=job["value"],
        compiler=job["compiler"],
        timeout=float(given("timeout", usual.timeout)),
        memory=int(given("memory", usual.memory / MB) * MB),
        operations=int(given("operations", usual.operations)),
    )


def _answer(result: RunResult) -> dict[str, Any]:
    """All but the outputs."""
    return {
        **result.to_dict(described=False),
        "difference": _finite(result.difference),
        "differences": [_difference(one) for one in result.differences],
        "notes": result.notes,
        "line": result.line,
        "operations": result.operations,
        "memory_bytes": result.memory_bytes,
    }


def _outputs(job: Job, result: RunResult) -> dict[str, Any]:
    """{outputs}, and {kept} when they are to be kept: what is looked at of them comes with the answer, too."""
    from uopc.runtime.line_values import short_text, whole_text

    described = [
        {
            **output.to_dict(),
            "digest": _digest(output.array),
            "text": short_text(output.array),
            "whole": whole_text(output.array),
        }
        for output in result.outputs
    ]
    if "keep" not in job:
        return {"outputs": described}
    left = _MOST_SENT
    for one, output in zip(described, result.outputs):
        slices = looked_at(job["look"].get(output.name), output.array.shape)
        count = prod(shape_of(slices))
        if count <= left:
            left -= count
            one["part"] = _part(output.array, slices)
    return {"outputs": described, "kept": _keep(Path(job["keep"]), result)}


def _part(array: Any, slices: list[Slice]) -> dict[str, Any]:
    """Some elements of an output, as `uir/values` gives them."""
    part = array[tuple(one if isinstance(one, int) else slice(*one) for one in slices)]
    data = base64.b64encode(little_endian(part).tobytes()).decode("ascii")
    return {"slice": slices, "shape": shape_of(slices), "data": data}


def build(job: Job, report: Report) -> Any:
    """Whether what a run would load is built now."""
    from uopc.runtime.job import RunOptions, build_ahead

    report(_STAGES["build"])
    return build_ahead(job["text"], RunOptions(compiler=job["compiler"]), analyze=texts.analysis)


def rehearse() -> None:
    """Pay for what the first run would otherwise wait for: modules, first calls, and a process that can run at once."""
    from uopc.runtime.job import rehearse as all_stages
    from uopc.runtime.scratch import sweep

    all_stages()
    sweep()


def ready() -> None:
    """After a job: the process for the next one."""
    if "uopc.runtime.job" in sys.modules:
        from uopc.runtime.standby import standby

        standby.prepare()


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
    return {"values": [_line_value(one, analysis.values[one.name]) for one in found]}


def _line_value(preview: Preview, value: Value) -> dict[str, Any]:
    assert value.uop is not None
    about = {"name": f"%{preview.name}", "line": value.line, "type": type_text(value.uop)}
    return {**about, "text": preview.text, "whole": preview.whole}


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

    stage("arithmetic and memory, about a second")
    dtype = dtypes.from_name(job["dtype"])
    if dtype is None:
        return {"error": "there is no such dtype"}
    try:
        peak = measure_peak(find_compiler(job["compiler"]))
    except RunError as error:
        return {"error": str(error)}
    return {"speed": speed_of(job["operations"], job["memory_bytes"], job["kernel_ms"], dtype, peak).to_dict()}


JOBS: dict[str, Callable[[Job, Report], Any]] = {
    "showC": show_c,
    "showLoops": show_loops,
    "showAssembly": show_assembly,
    "stages": stages,
    "stageText": stage_text,
    "graph": graph,
    "build": build,
    "run": run,
    "lineValues": line_values,
    "arrays": arrays,
    "speed": speed,
}
