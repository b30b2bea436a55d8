"""Searching for a faster way to compute a program than the cost model's, by measuring.

From the usual choice, one step at a time: every transformation left out and every other size is built and timed beside
what is best so far, in turn, and the best step is taken for as long as one is clearly faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import prod
from statistics import median

import numpy as np

from uopc.nptypes import Array
from uopc.opt import SWITCHES
from uopc.pipeline import Compiled, CompileError, compile_program
from uopc.runtime.cancel import CancelToken
from uopc.runtime.compare import verify
from uopc.runtime.errors import RunError
from uopc.runtime.execute import Execution, execute
from uopc.runtime.job import Prepared
from uopc.runtime.library import build_library
from uopc.runtime.tuned import Tuned

_ROUNDS = 5  # a time is the best of several runs in one child, a ratio the median of that many pairs of children
_CLEARLY = 1.03  # the ratio from which it is more than the noise of an idle machine
_TICK = 1e-6  # milliseconds that a clock can tell apart
_HOPELESS = 0.9  # the ratio below which one pair is enough
_SIZES = {"panel": (11 << 10, 16 << 10, 28 << 10), "rows": (48, 72, 144, 192), "stream": (4 << 10, 16 << 10)}


@dataclass(frozen=True)
class Try:
    """One step that was measured. ms: its shortest time; ratio: the time of the best so far over its time; refused: why
    it cannot be taken however fast it is."""

    tuned: Tuned
    ms: float = 0.0
    ratio: float = 0.0
    refused: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether it gains more than the noise."""
        return self.ratio >= _CLEARLY


@dataclass
class Search:
    """What a search found: milliseconds before and after, the best choice with its gain, and what was tried."""

    before: float = 0.0
    after: float = 0.0
    best: Tuned = field(default_factory=Tuned)
    tries: list[Try] = field(default_factory=list)
    out_of_time: bool = False


def tune(
    program: Prepared,
    seconds: float = 60.0,
    told: Callable[[Try], None] = lambda found: None,
    cancel: CancelToken | None = None,
) -> Search:
    """Searches for about that long; `told` is called after every step that was measured.

    Every variant must give the same values as the usual choice, within the tolerance of a run's verification. Raises
    RunError when the program does not run as it is, Cancelled.
    """
    return _Tuner(program, time.monotonic() + seconds, told, cancel or CancelToken()).search()


@dataclass(frozen=True)
class _Variant:
    tuned: Tuned
    compiled: Compiled


class _Tuner:
    def __init__(self, program: Prepared, end: float, told: Callable[[Try], None], cancel: CancelToken) -> None:
        self.program, self.end, self.told, self.cancel = program, end, told, cancel
        self.times: dict[str, float] = {}  # C -> its shortest time so far
        self.usual = self._variant(Tuned())
        self.reference = self._run(self.usual)

    def search(self) -> Search:
        found = Search()
        best = self.usual
        while not found.out_of_time:
            step = self._best_step(best, found)
            if step is None:
                break
            best = step
        gain = self._gain(self.usual, best, hopeless=0.0) if best is not self.usual else 1.0
        if gain >= _CLEARLY:
            found.best = replace(best.tuned, gain=gain)
        else:  # what looked faster step by step is not
            best = self.usual
        found.before, found.after = self._shortest(self.usual), self._shortest(best)
        return found

    def _best_step(self, best: _Variant, found: Search) -> _Variant | None:
        """The step from `best` that gains most; None when none gains clearly."""
        taken, gain = None, _CLEARLY
        for variant in self._steps(best):
            if time.monotonic() > self.end:
                found.out_of_time = True
                break
            tried = self._tried(best, variant)
            found.tries.append(tried)
            self.told(tried)
            if tried.ratio >= gain and not tried.refused:
                taken, gain = variant, tried.ratio
        return taken

    def _steps(self, best: _Variant) -> Iterator[_Variant]:
        """All that are one change away, make other C, and can be compiled."""
        seen = {best.compiled.source}
        for tuned in _changes(best.tuned):
            try:
                variant = self._variant(tuned)
            except RunError:
                continue
            if variant.compiled.source not in seen:
                seen.add(variant.compiled.source)
                yield variant

    def _variant(self, tuned: Tuned) -> _Variant:
        p = self.program
        try:
            compiled = compile_program(p.root, threads=p.limits.threads, off=tuned.off, sizes=tuned.sizes)
        except CompileError as error:
            raise RunError(str(error)) from error
        return _Variant(tuned, compiled)

    # -- measuring -------------------------------------------------------------------------------------------------
    def _tried(self, best: _Variant, variant: _Variant) -> Try:
        try:
            wrong = self._difference(variant)
            if wrong is not None:
                return Try(variant.tuned, refused=f"gives other values: {wrong}")
            ratio = self._gain(best, variant)
        except RunError as error:
            self.cancel.check()
            return Try(variant.tuned, refused=str(error))
        return Try(variant.tuned, self._shortest(variant), ratio)

    def _gain(self, one: _Variant, other: _Variant, hopeless: float = _HOPELESS) -> float:
        """The median of the ratios, time of one over time of the other, of pairs that run one after the other."""
        ratios: list[float] = []
        for _ in range(_ROUNDS):
            ratios.append(self._run(one).kernel_ms / max(self._run(other).kernel_ms, _TICK))
            if ratios[0] < hopeless:
                break
        return median(ratios)

    def _shortest(self, variant: _Variant) -> float:
        return self.times[variant.compiled.source]

    def _run(self, variant: _Variant) -> Execution:
        c, p = variant.compiled, self.program
        built = build_library(c.source, c.flags, compiler=p.compiler, cancel=self.cancel)
        done = execute(built.path, c.symbol, c.args, p.inputs, checked=c.returns, limits=p.limits, cancel=self.cancel)
        self.times[c.source] = min(self.times.get(c.source, done.kernel_ms), done.kernel_ms)
        return done

    def _difference(self, variant: _Variant) -> str | None:
        got, wanted = (_outputs(v, run) for v, run in ((variant, self._run(variant)), (self.usual, self.reference)))
        for out, a, b in zip(variant.compiled.outputs, got, wanted):
            checked = verify(a, np.reshape(b, a.shape), self.program.root, out.dtype)
            if checked.difference is not None:
                return str(checked.difference)
        return None


def _changes(tuned: Tuned) -> Iterator[Tuned]:
    for name in SWITCHES:
        off = set(tuned.off) ^ {name}
        yield replace(tuned, off=tuple(n for n in SWITCHES if n in off))
    for name, values in _SIZES.items():
        for value in values:
            if value != getattr(tuned.sizes, name):
                yield replace(tuned, sizes=replace(tuned.sizes, **{name: value}))


def _outputs(variant: _Variant, run: Execution) -> list[Array]:
    return [run.outputs[out.arg][: prod(out.shape)].reshape(out.shape) for out in variant.compiled.outputs]
