"""The whole of `run`: from a text to its result, in stages that are told as they begin."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uopc.dtype import dtypes
from uopc.evaluate import EvaluationError, EvaluationTooLarge, evaluate
from uopc.nptypes import Array
from uopc.ops import MOVEMENT, Ops
from uopc.runtime.arrays import ArrayFile
from uopc.runtime.cache import Cache, default_folder
from uopc.runtime.cancel import CancelToken
from uopc.runtime.compare import check_expect, verify
from uopc.runtime.crash import line_of_death
from uopc.runtime.errors import Cancelled, InputError, LimitError, LoadError, NoCompilerError, RunError, Stopped
from uopc.runtime.execute import Execution, execute
from uopc.runtime.inputs import Generated, buffers_of, make_inputs
from uopc.runtime.library import DEFAULT_TIMEOUT, Built, all_flags, build_library, has_threads
from uopc.runtime.limits import (
    DEFAULT_MEMORY,
    DEFAULT_OPERATIONS,
    DEFAULT_SECONDS,
    Limits,
    check_built_memory,
    check_memory,
    check_operations,
)
from uopc.runtime.peak import known_peak, measure_peak
from uopc.runtime.result import OutputDifference, OutputResult, RunResult
from uopc.runtime.speed import speed_of
from uopc.runtime.toolchain import Compiler, find_compiler
from uopc.runtime.tuned import Tuned, choice
from uopc.runtime.verified import Verified, bits_of
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.pipeline import Compiled
    from uopc.uir import Analysis

STAGES = ("check", "lower", "build", "run", "verify")
_SYMBOL = "program"  # fixed: nothing of the file reaches the compiler's command line
_VERIFY_ELEMENTS = 1 << 31  # elements that the reference may compute one by one: some seconds
_VERIFY_STEPS = 3_000_000  # steps of a loop program: some seconds
_MANY_OPERATIONS = 10**11

# A product of matrices, so that tiles, packing and sums are among what the rehearsal goes through.
_REHEARSED = """\
%0 = buffer 4096 : dtype=f32 slot=0
%a = reshape %0, (64, 1, 64)
%t = reshape %0, (64, 64)
%u = permute %t, (1, 0)
%b = reshape %u, (1, 64, 64)
%m = mul %a, %b
%c = reduce %m : op=add pop=1
"""

_verified = Verified()
_generated = Generated()

Progress = Callable[[str, RunResult], None]
Shown = Callable[[RunResult], None]
Seen = Callable[[dict[int, Array]], None]


@dataclass(frozen=True)
class RunOptions:
    """How to run. inputs: files that replace the data of a buffer, by slot; timeout in seconds; memory in bytes;
    operations: how many it may take; value: the one to compute (a name) in place of the program's outputs; compiler: in
    place of the one found; off: names of transformations that the fast program does without; peak: measure what this
    machine can do, in place of taking what was measured before."""

    inputs: Mapping[int, ArrayFile] = field(default_factory=dict)
    plain: bool = False
    verify: bool = True
    timeout: float = DEFAULT_SECONDS
    memory: int = DEFAULT_MEMORY
    operations: int = DEFAULT_OPERATIONS
    threads: int = 1
    value: str | None = None
    compiler: str | None = None
    off: tuple[str, ...] = ()
    peak: bool = False


@dataclass(frozen=True)
class _Target:
    """One result to compute: its name in the file, its node, and the number of the `expect` that is about it."""

    name: str
    uop: UOp
    expect: int


def run_job(
    text: str,
    path: Path,
    options: RunOptions | None = None,
    progress: Progress | None = None,
    cancel: CancelToken | None = None,
    *,
    analyze: Callable[[str], Analysis] | None = None,
    computed: Shown | None = None,
    shown: Shown | None = None,
) -> RunResult:
    """Checks, builds and runs the program `text`; paths in it are relative to the folder of `path`.

    progress is called with each of STAGES as it begins, and with what is known of the result by then; `computed` with
    the result when the outputs are in it, while the program is still measured; `shown` when all but its verification is
    in it; `analyze` in place of the usual analysis, by who remembers the last one. What goes wrong is in the result's
    `error`; only Cancelled is raised, when `cancel` was set.
    """
    job = _Job(text, path, options or RunOptions(), progress or (lambda stage, known: None), cancel or CancelToken())
    job.analyze, job.computed, job.shown = analyze, computed, shown
    try:
        with _fewer_collections():
            job.run()
    except Cancelled:
        raise
    except RunError as error:
        job.result.error = job.result.error or str(error)
    except MemoryError:
        job.result.error = "this machine has not enough memory for the run"
    job.result.ok = job.result.error is None
    return job.result


def rehearse() -> None:
    """All of a run but the compiler and the program, of a small one: the first run then finds everything imported."""
    job = _Job(_REHEARSED, Path(), RunOptions(), lambda stage, known: None, CancelToken())
    with _fewer_collections():
        analysis, root, _ = job.checked()
        compiled = _lowered(root, False, 1, choice(root, False, 1, ()))
        with suppress(NoCompilerError):
            all_flags(compiled.source, compiled.flags, find_compiler())
        default_folder()
        job.result.outputs = [OutputResult("%c", dtypes.f32, np.ones((64, 64), np.float32))]
        job.verify(root, make_inputs(buffers_of(root), analysis.directives.inputs, Path()))
        job.result.to_dict()


def build_ahead(
    text: str, options: RunOptions | None = None, *, analyze: Callable[[str], Analysis] | None = None
) -> bool:
    """Builds what a run of `text` would, and runs nothing; gives whether it is ready now."""
    job = _Job(text, Path(), options or RunOptions(), lambda stage, known: None, CancelToken())
    job.analyze = analyze
    try:
        with _fewer_collections():
            _, root, _ = job.checked()
            job.build(root, find_compiler(job.options.compiler))
    except (RunError, MemoryError):  # the run says it, when one is asked for
        return False
    return True


@dataclass(frozen=True)
class Prepared:
    """A program that is ready to be built and run: its graph, its data by slot, its limits, the compiler."""

    root: UOp
    inputs: dict[int, Array]
    limits: Limits
    compiler: Compiler


def prepare(analysis: Analysis, path: Path, options: RunOptions | None = None) -> Prepared:
    """All that a run of an analysed text does before it is lowered. Raises RunError with what is wrong."""
    job = _Job(analysis.text, path, options or RunOptions(), lambda stage, known: None, CancelToken())
    job.analyze = lambda text: analysis
    _, root, _ = job.checked()
    return Prepared(root, job.inputs(analysis, root), job.limits, find_compiler(job.options.compiler))


@lru_cache(maxsize=2)
def _lowered(root: UOp, plain: bool, threads: int, tuned: Tuned) -> Compiled:
    """The C of a graph. The last ones are remembered: a program is run again more often than it is changed."""
    from uopc.pipeline import compile_program

    return compile_program(root, _SYMBOL, plain=plain, threads=threads, off=tuned.off, sizes=tuned.sizes)


@contextmanager
def _fewer_collections() -> Iterator[None]:
    """Graphs of 100,000 nodes have no cycles, and looking for some again and again takes a third of the time."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, 50, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Job:
    def __init__(self, text: str, path: Path, options: RunOptions, progress: Progress, cancel: CancelToken) -> None:
        self.text, self.path, self.options = text, path, options
        self.progress, self.cancel = progress, cancel
        self.result = RunResult(str(path))
        self.limits = Limits(options.timeout, options.memory, options.threads)
        self._stage = ("", 0.0)
        self.analyze: Callable[[str], Analysis] | None = None
        self.computed: Shown | None = None
        self.shown: Shown | None = None
        self._bits = b""

    def stage(self, name: str) -> None:
        """Begins a stage, unless the work should end."""
        self.cancel.check()
        self._end_stage()
        self._stage = (name, time.perf_counter())
        self.progress(name, self.result)

    def _end_stage(self) -> None:
        name, began = self._stage
        if name:
            self.result.stages[name] = (time.perf_counter() - began) * 1e3

    def run(self) -> None:
        """All stages. Raises RunError at the first that fails; what is known by then is in the result."""
        analysis, root, targets = self.checked()
        compiler = find_compiler(self.options.compiler)
        inputs = self.inputs(analysis, root)
        compiled, built = self.build(root, compiler)
        self.stage("run")

        def seen(flat: dict[int, Array]) -> None:
            self._take(targets, compiled, flat, inputs)

        try:
            done = self._execute(compiled, built, inputs, compiler, seen)
        except Stopped as error:
            self.result.outputs = []  # it may have come to its end once
            raise self._placed(error, analysis, compiled, inputs, compiler) from error
        self.result.kernel_ms = done.kernel_ms
        self._note_speed(targets, compiler)
        if done.check:
            raise RunError(self._outside(analysis, compiled.checks[done.check - 1]))
        self._expect(analysis, targets)
        self.stage("verify")
        if self.shown is not None and self.options.verify:
            self.result.ok = self.result.error is None
            self.shown(self.result)
        self.verify(root, inputs)
        self._end_stage()

    def _take(
        self, targets: list[_Target], compiled: Compiled, flat: dict[int, Array], inputs: dict[int, Array]
    ) -> None:
        """The outputs are there, while the child measures: what can be said of them without its time is made now."""
        self.result.outputs = [
            # without elements it is declared with one in C
            OutputResult(f"%{target.name}", out.dtype, flat[out.arg][: prod(out.shape)].reshape(out.shape))
            for target, out in zip(targets, compiled.outputs)
        ]
        if self.computed is not None:
            self.computed(self.result)
        if self.options.verify:
            self._bits = bits_of(inputs, (out.array for out in self.result.outputs))

    # -- check -----------------------------------------------------------------------------------------------------
    def checked(self) -> tuple[Analysis, UOp, list[_Target]]:
        """The program and its results, after everything that can be said before it is built. Raises RunError."""
        self.stage("check")
        analysis = self._check()
        root, targets = self._targets(analysis)
        self._estimate(root)
        self._check_memory(analysis, root, targets)
        check_operations(self.result.operations or 0, self.options.operations)
        return analysis, root, targets

    def _check(self) -> Analysis:
        from uopc.uir import analyze

        analysis = (self.analyze or analyze)(self.text)
        errors = [d for d in analysis.diagnostics if d.severity.value == "error"]
        if errors:
            first = errors[0]
            more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
            self.result.line = first.line
            raise RunError(f"line {first.line + 1}: {first.message} [{first.code}]{more}")
        if analysis.root is None:
            raise RunError("the file has no statement: there is nothing to compute")
        return analysis

    def _targets(self, analysis: Analysis) -> tuple[UOp, list[_Target]]:
        assert analysis.root is not None
        if self.options.value is None:
            return analysis.root, [_Target(o.name, o.uop, k) for k, o in enumerate(analysis.outputs)]
        name = self.options.value.removeprefix("%")
        value = analysis.values.get(name)
        if value is None or value.uop is None:
            raise RunError(f"there is no value %{name}")
        if analysis.kind == "loop":
            raise RunError("a value of a loop program cannot be run by itself: run the whole program")
        if value.uop.dtype is dtypes.void:
            raise RunError(f"%{name} is an effect: it has no value")
        numbers = [k for k, out in enumerate(analysis.outputs) if out.uop is value.uop]
        return value.uop, [_Target(name, value.uop, numbers[0] if numbers else -1)]

    def inputs(self, analysis: Analysis, root: UOp) -> dict[int, Array]:
        """The data of the buffers; an error is on the line of the directive that asks for what cannot be had."""
        specs = analysis.directives.inputs
        try:
            return make_inputs(buffers_of(root), specs, self.path.parent, self.options.inputs, _generated)
        except InputError as error:
            self.result.line = None if error.slot is None else specs[error.slot].line
            raise

    def _check_memory(self, analysis: Analysis, root: UOp, targets: list[_Target]) -> None:
        """Raises LimitError; the error is then on the line of what is largest."""
        nodes = root.toposort()
        try:
            outputs = [(f"%{t.name}", t.uop.dtype, t.uop.shape) for t in targets]
            check_memory(nodes, outputs, self.limits.memory)
        except LimitError:
            held = [u for u in nodes if u.op in (Ops.BUFFER, Ops.STAGE)] + [t.uop for t in targets]
            self.result.line = analysis.line_of(max(held, key=lambda u: prod(u.shape) * u.dtype.itemsize))
            raise

    def _estimate(self, root: UOp) -> None:
        from uopc.analysis.cost import estimate

        cost = estimate(root)
        operations = cost.operations
        self.result.operations, self.result.memory_bytes = operations, cost.memory_bytes
        if operations > _MANY_OPERATIONS:
            self.result.notes.append(f"this takes about {operations:,} operations, so it may be long")

    def _note_speed(self, targets: list[_Target], compiler: Compiler) -> None:
        operations, memory, kernel = self.result.operations, self.result.memory_bytes, self.result.kernel_ms
        if operations is None or memory is None or kernel is None or not targets:
            return
        peak = measure_peak(compiler, self.cancel) if self.options.peak else known_peak(compiler)
        self.result.speed = speed_of(operations, memory, kernel, targets[0].uop.dtype, peak, self.options.threads)

    # -- lower and build -------------------------------------------------------------------------------------------
    def build(self, root: UOp, compiler: Compiler) -> tuple[Compiled, Built]:
        """The program as C and as a library. Raises RunError."""
        from uopc.pipeline import CompileError

        self.stage("lower")
        began = time.perf_counter()
        try:
            compiled = self._compiled(root)
        except CompileError as error:
            raise RunError(str(error)) from error
        check_built_memory([(a.slot, a.dtype, a.size) for a in compiled.args], self.limits.memory)
        self.stage("build")
        built = self._library(compiled, compiler)
        self.result.build_ms = (time.perf_counter() - began) * 1e3
        if "-fopenmp" in compiled.flags and not has_threads(built.path):
            self.result.notes.append(f"ran in one thread: the C compiler ({compiler.name}) has no OpenMP")
        return compiled, built

    def _compiled(self, root: UOp) -> Compiled:
        o = self.options
        tuned = choice(root, o.plain, o.threads, o.off)
        if tuned.gain > 1:
            self.result.notes.append(f"as tuned for this machine: {tuned}")
        return _lowered(root, o.plain, o.threads, tuned)

    def _library(self, compiled: Compiled, compiler: Compiler) -> Built:
        return build_library(
            compiled.source, compiled.flags, compiler=compiler, timeout=DEFAULT_TIMEOUT, cancel=self.cancel
        )

    # -- run -------------------------------------------------------------------------------------------------------
    def _execute(
        self, compiled: Compiled, built: Built, inputs: dict[int, Array], compiler: Compiler, seen: Seen
    ) -> Execution:
        try:
            return self._call(compiled, built, inputs, seen)
        except LoadError:
            if not built.cached:
                raise
        Cache(default_folder()).drop(built.key)  # damaged, or evicted a moment ago
        return self._call(compiled, self._library(compiled, compiler), inputs, seen)

    def _call(self, compiled: Compiled, built: Built, inputs: dict[int, Array], seen: Seen) -> Execution:
        return execute(
            built.path,
            compiled.symbol,
            compiled.args,
            inputs,
            checked=compiled.returns,
            limits=self.limits,
            cancel=self.cancel,
            seen=seen,
        )

    def _placed(
        self, error: Stopped, analysis: Analysis, compiled: Compiled, inputs: dict[int, Array], compiler: Compiler
    ) -> Stopped:
        """The same with the line of the file that the program was in, where that can be found out."""
        at = line_of_death(compiled, inputs, compiler, self.limits, self.cancel)
        origins = () if at is None else compiled.line_origins[at]
        named = [(u.op not in MOVEMENT, analysis.line_of(u), name) for u in origins for name in analysis.names_of(u)]
        places = [(computes, line, name) for computes, line, name in named if line is not None]
        if not places:
            return error
        _, self.result.line, name = max(places)  # what came last of what is computed there
        return Stopped(f"line {self.result.line + 1}: %{name}: {error}")

    def _outside(self, analysis: Analysis, access: UOp) -> str:
        self.result.line = analysis.line_of(access)
        names = analysis.names_of(access)
        place = "" if self.result.line is None else f"line {self.result.line + 1}: "
        what = f"%{names[0]} ({access.op.value})" if names else f"a {access.op.value}"
        return f"{place}{what} is outside its memory"

    # -- expect and verify -----------------------------------------------------------------------------------------
    def _expect(self, analysis: Analysis, targets: list[_Target]) -> None:
        for target, out in zip(targets, self.result.outputs):
            spec = analysis.directives.expects.get(target.expect)
            if spec is None:
                continue
            difference = check_expect(spec, out.array, out.dtype, self.path.parent)
            self.result.expect = difference is None and self.result.expect is not False
            if difference is not None:
                self.result.differences.append(OutputDifference(out.name, "expect", difference))
            if difference is not None and self.result.error is None:
                self.result.line = spec.line
                self.result.error = f"not as expected: {out.name} {difference}"

    def verify(self, root: UOp, inputs: dict[int, Array]) -> None:
        """Compares the outputs with the reference evaluator's, unless it agreed with these very bits before.

        Raises RunError when that has no value.
        """
        if not self.options.verify:
            return
        known = _verified.find(root, self._bits) if self._bits else None
        if known is not None:
            self.result.verified, self.result.difference = True, known
            return
        try:
            found = evaluate(root, inputs, budget=_VERIFY_ELEMENTS, steps=_VERIFY_STEPS)
        except (EvaluationTooLarge, MemoryError):
            self.result.notes.append("not verified: the reference evaluator would take too long")
            return
        except EvaluationError as error:
            self.result.verified = False
            raise RunError(f"the reference evaluator says: {error}") from error
        self.result.verified, self.result.difference = True, 0.0
        for out, reference in zip(self.result.outputs, found if isinstance(found, tuple) else (found,)):
            self._verify_output(root, out, reference)
        if self.result.verified and self._bits:
            _verified.remember(root, self._bits, self.result.difference)

    def _verify_output(self, root: UOp, out: OutputResult, reference: Array) -> None:
        checked = verify(out.array, np.reshape(reference, out.array.shape), root, out.dtype)
        self.result.difference = max(self.result.difference or 0.0, checked.largest)
        if checked.difference is not None:
            self.result.verified = False
            self.result.differences.append(OutputDifference(out.name, "reference", checked.difference))
            self.result.error = self.result.error or f"differs from the reference: {out.name} {checked.difference}"
