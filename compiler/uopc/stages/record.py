"""A program after each stage of its compilation: the real passes, one by one, with what each of them made of it.

`record` drives the functions that `compile_program` drives. What it adds is for reading only: the loops before any
rewrite (the compiler simplifies while it lowers), and names that stay the same from stage to stage.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from uopc.fast.program import fast_program
from uopc.ops import MOVEMENT, Ops
from uopc.opt import Opts
from uopc.pipeline import (
    Compiled,
    CompileError,
    Shaped,
    fast_c,
    fast_opts,
    inline_calls,
    is_loop_program,
    loops_c,
    lower_shaped,
    operations,
    plain_c,
    resolve_stores,
    shaped,
    with_loads,
    with_output,
)
from uopc.schedule import Stage as Piece
from uopc.schedule import cut
from uopc.stages.difference import Step, counts, difference
from uopc.stages.kernels import kernels_text
from uopc.stages.loops import loops_text
from uopc.stages.rules import Rule, rules_of
from uopc.stages.text import Namer, Text, uir_text
from uopc.stages.together import LoopProgram, lowered, staged
from uopc.symbolic import watch
from uopc.uop import UOp, UOpError

_T = TypeVar("_T")
Maker = Callable[[], Text]

# Movement operations in a row beyond which indices that nobody simplifies are too large to be read or made.
_MOST_MOVES = 150


@dataclass
class Stage:
    """The program after one stage. forms: its texts, made when they are asked for, the one to show first;
    milliseconds: what the compiler took, None for what it does not do; nodes: of the graph; rules: what was rewritten.
    """

    name: str
    title: str
    about: str
    forms: dict[str, Maker]
    milliseconds: float | None = None
    nodes: int | None = None
    rules: tuple[Rule, ...] = ()
    before: Stage | None = field(default=None, repr=False)
    _texts: dict[str, Text] = field(default_factory=dict, repr=False)

    def text(self, form: str | None = None) -> Text:
        """The text in one form, by default the one to show."""
        key = form or next(iter(self.forms))
        if key not in self._texts:
            self._texts[key] = self.forms[key]()
        return self._texts[key]

    def shared(self) -> str | None:
        """The form to show first, if the stage before has it too: then the two can be compared."""
        first = next(iter(self.forms))
        return first if self.before is not None and first in self.before.forms else None

    def difference(self, form: str | None = None) -> list[Step] | None:
        """From the stage before to this one; None where they have no such form in common."""
        key = form or self.shared()
        if key is None or self.before is None or key not in self.forms or key not in self.before.forms:
            return None
        return difference(*(tuple(map(_spaced, s.text(key).lines)) for s in (self.before, self)))

    @cached_property
    def changes(self) -> tuple[int, int] | None:
        """(lines that came, lines that went) since the stage before; None where they cannot be compared."""
        steps = self.difference()
        return counts(steps) if steps is not None else None

    def to_dict(self, texts: bool = True) -> dict[str, Any]:
        """As JSON; `changed` is None where there is nothing to compare with. Without texts, their names are given."""
        return {
            "name": self.name,
            "title": self.title,
            "about": self.about,
            "ms": None if self.milliseconds is None else round(self.milliseconds, 3),
            "nodes": self.nodes,
            "lines": len(self.text().lines),
            "changed": None if self.changes is None else any(self.changes),
            "added": self.changes[0] if self.changes is not None else None,
            "removed": self.changes[1] if self.changes is not None else None,
            "rules": [r.to_dict() for r in self.rules],
            "forms": {f: self.text(f).text for f in self.forms} if texts else list(self.forms),
        }


def _spaced(line: str) -> str:
    """A line without what only sets its note apart."""
    return re.sub(r"(?<=\S) {2,}", "  ", line)


@dataclass(frozen=True)
class Record:
    """All stages. program: "fast", "plain" or "loops" (the file is a loop program); compiled: the C, line by line."""

    program: str
    stages: tuple[Stage, ...]
    compiled: Compiled

    def to_dict(self, texts: bool = True) -> dict[str, Any]:
        """What `uir explain --stages --json` prints."""
        return {
            "program": self.program,
            "total_ms": round(sum(s.milliseconds or 0 for s in self.stages), 3),
            "stages": [s.to_dict(texts) for s in self.stages],
        }


def record(root: UOp, namer: Namer, name: str = "program", *, plain: bool = False, opts: Opts | None = None) -> Record:
    """The stages of a program. Raises CompileError when it cannot be compiled."""
    try:
        return _Recorder(namer, name).record(root, plain, opts or fast_opts())
    except UOpError as e:
        raise CompileError(e.message) from e


class _Recorder:
    def __init__(self, namer: Namer, name: str) -> None:
        self.namer, self.name = namer, name
        self.stages: list[Stage] = []
        self.took = 0.0

    def timed(self, work: Callable[..., _T], *args: Any) -> _T:
        """work(*args); `took` is then its milliseconds."""
        began = time.perf_counter()
        try:
            return work(*args)
        finally:
            self.took = (time.perf_counter() - began) * 1e3

    def stage(self, name: str, title: str, about: str, forms: dict[str, Maker], **known: Any) -> None:
        self.stages.append(Stage(name, title, about, forms, before=self.stages[-1] if self.stages else None, **known))

    def record(self, root: UOp, plain: bool, opts: Opts) -> Record:
        loops = is_loop_program(root)
        self._graph("graph", "Graph", "The program as it is written: one line a value.", root, loops, None)
        inlined = self.timed(lambda: resolve_stores(inline_calls(root)))
        about = "Calls are replaced by what they call, and a buffer that is read after a store by what was stored."
        self._graph("inlined", "Inlined", about, inlined, loops, self.took)
        if Ops.PARAM in operations(inlined):
            raise CompileError("a param has no argument: only a function body that is called can be compiled")
        if loops:
            return Record("loops", *self._loops(inlined))
        program = shaped(inlined)
        if plain:
            return Record("plain", *self._plain(program))
        return Record("fast", *self._fast(inlined, program, opts))

    def _graph(self, name: str, title: str, about: str, root: UOp, loops: bool, took: float | None) -> None:
        own = {u: [u] for u in root.toposort()}
        forms: dict[str, Maker] = {"uir": lambda: uir_text(root, self.namer)}
        if loops:
            forms = {"loops": lambda: loops_text(with_output(root), own, self.namer), **forms}
        self.stage(name, title, about, forms, milliseconds=took, nodes=len(own))

    def _both(self, program: LoopProgram) -> dict[str, Maker]:
        return {
            "loops": lambda: loops_text(program.root, program.behind, self.namer),
            "uir": lambda: uir_text(program.root, self.namer, program.behind),
        }

    def _c(self, compiled: Compiled, took: float) -> tuple[tuple[Stage, ...], Compiled]:
        lines = compiled.source.rstrip("\n").split("\n")
        origins = (*compiled.line_origins, *((),) * len(lines))[: len(lines)]
        about = "The loops as a C function: what the C compiler is given."
        self.stage("c", "C", about, {"c": lambda: Text("c", tuple(lines), tuple(origins))}, milliseconds=took)
        return tuple(self.stages), compiled

    # -- the three ways --------------------------------------------------------------------------------------------
    def _loops(self, root: UOp) -> tuple[tuple[Stage, ...], Compiled]:
        whole = with_output(root)
        with watch.unsimplified():
            origin: dict[UOp, list[UOp]] = {}
            raw = LoopProgram(with_loads(whole, origin), origin)
        about = "What is read from memory is a load of its own, and a value at the end an output."
        self.stage("loads", "Loads", about, self._both(raw), nodes=len(raw.root.toposort()))
        with watch.recording() as seen:
            origin = {}
            loops = self.timed(with_loads, whole, origin)
        self._simplified(LoopProgram(loops, origin), seen, self.took)
        return self._c(self.timed(loops_c, loops, origin, self.name), self.took)

    def _plain(self, program: Shaped) -> tuple[tuple[Stage, ...], Compiled]:
        self._raw([program.pairs], lambda: LoopProgram(*lower_shaped(program)))
        with watch.recording() as seen:
            loops, origin = self.timed(lower_shaped, program)
        lowering = self.took - seen.seconds * 1e3
        if self.stages[-1].name == "loops":
            self.stages[-1].milliseconds = lowering
        else:
            seen.seconds += lowering / 1e3
        self._simplified(LoopProgram(loops, origin), seen, seen.seconds * 1e3)
        return self._c(self.timed(plain_c, program, self.name, loops, origin), self.took)

    def _fast(self, root: UOp, program: Shaped, opts: Opts) -> tuple[tuple[Stage, ...], Compiled]:
        pieces: list[Piece] = self.timed(cut, program.pairs)
        cutting = self.took
        marked, reasons = staged(root, pieces, self.namer)
        about = "Where values are computed once into memory: each `stage` is a cut, with its reason."
        forms: dict[str, Maker] = {"uir": lambda: uir_text(marked, self.namer, None, reasons)}
        self.stage("schedule", "Schedule", about, forms, milliseconds=cutting, nodes=len(marked.toposort()))
        self._raw([[(p.value, p.out)] for p in pieces], lambda: lowered(pieces, program, self.namer))
        simple = lowered(pieces, program, self.namer)
        with watch.recording() as seen:
            fast = self.timed(fast_program, program.pairs, self.name, opts)
        self._simplified(simple, seen, seen.seconds * 1e3)
        about = "Stages that meet row by row become one kernel; its loops are tiled, vectorised and shared as noted."
        writing = max(0.0, self.took - seen.seconds * 1e3 - cutting)
        forms = {"loops": lambda: kernels_text(fast, opts, self.namer)}
        self.stage("kernels", "Kernels", about, forms, milliseconds=writing)
        return self._c(self.timed(fast_c, program, self.name, fast), self.took)

    # -- loops before and after the rules --------------------------------------------------------------------------
    def _raw(self, programs: list[list[tuple[UOp, UOp]]], lower: Callable[[], LoopProgram]) -> None:
        """The loops that the definitions give, where a person could read them."""
        if max((_moves(v for v, _ in pairs) for pairs in programs), default=0) > _MOST_MOVES:
            return
        with watch.unsimplified():
            raw = lower()
        about = "Every output axis is a loop; an element is asked for down the graph. No index is simplified yet."
        self.stage("loops", "Loops", about, self._both(raw), nodes=len(raw.root.toposort()))

    def _simplified(self, program: LoopProgram, seen: watch.Recorder, took: float) -> None:
        about = "The same loops after the rewrite rules: index arithmetic as sums, guards as short as they can be."
        known = {"milliseconds": took, "nodes": len(program.root.toposort()), "rules": rules_of(seen.rules)}
        self.stage("simplified", "Simplified", about, self._both(program), **known)


def _moves(values: Iterable[UOp]) -> int:
    """The most movement operations in a row."""
    run: dict[UOp, int] = {}
    for v in values:
        for u in v.toposort():
            run[u] = max((run[s] for s in u.src), default=0) * (u.op is not Ops.REDUCE) + (u.op in MOVEMENT)
    return max(run.values(), default=0)
