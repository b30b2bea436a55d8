"""From a text to a machine at its first operation: checked, lowered, given its inputs, and not too large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from uopc.evaluate.loops import memory_of
from uopc.indexmap import Index
from uopc.linearize import linearize
from uopc.ops import MOVEMENT, Ops
from uopc.pipeline import CompileError, inline_calls, textbook_loops
from uopc.runtime.errors import RunError
from uopc.runtime.inputs import buffers_of, make_inputs
from uopc.stepping.code import MOST_STEPS, Code, Op, StepError
from uopc.stepping.machine import Machine
from uopc.uir import Analysis, Severity, analyze
from uopc.uir.listing import input_lines, loop_listing
from uopc.uop import UOp, UOpError, buf, sink

MOST_ELEMENTS = 1 << 20  # of all buffers and accumulators together


@dataclass(frozen=True)
class SteppedProgram:
    """A program that can be stepped through, and what is known of where it came from.

    listing: the loop program that is shown, None when that is the file itself; path, text: of the file; value: the one
    stepped to, "" for the whole file; names: what the nodes are called in the program that is shown, without %;
    owners: per operation the lines of a shaped file that it came from, `made_for` without what only shares an index
    with them; places: node -> (name, shape, index) of the elements of named values that it is.
    """

    path: Path
    text: str
    value: str
    analysis: Analysis
    listing: str | None
    code: Code
    names: Mapping[UOp, str]
    owners: tuple[tuple[int, ...], ...] = ()
    made_for: tuple[tuple[int, ...], ...] = ()
    places: Mapping[UOp, list[tuple[str, tuple[int, ...], Index]]] = field(default_factory=dict)
    outputs: Mapping[UOp, tuple[str, tuple[int, ...]]] = field(default_factory=dict)

    def machine(self) -> Machine:
        """A machine at the beginning."""
        return Machine(self.code)

    def name(self, u: UOp) -> str | None:
        """`%name` of a node in the program that is shown."""
        found = self.names.get(u)
        return None if found is None else "%" + found

    def counter(self, op: Op) -> str:
        """The name of a RANGE's counter, without %."""
        return self.names.get(op.node, f"r{op.node.arg.idx}")


def open_program(text: str, path: Path, value: str = "") -> SteppedProgram:
    """The program of a file (or of one value of it), ready to be stepped through. `path`: of the file, for its inputs.

    Raises StepError with a sentence for a person: errors in the text, inputs that cannot be had, too many elements.
    """
    analysis = analyze(text)
    root = _root(analysis, value)
    try:
        if analysis.kind == "loop":
            return _loop_file(analysis, root, text, path)
        return _shaped_file(analysis, root, text, path, value.removeprefix("%"))
    except (CompileError, RunError) as error:
        raise StepError(str(error)) from error
    except UOpError as error:
        raise StepError(error.message) from error


def _root(analysis: Analysis, value: str) -> UOp:
    for d in analysis.diagnostics:
        if d.severity is Severity.ERROR:
            raise StepError(f"line {d.line + 1}: {d.message}", d.line)
    if analysis.root is None:
        raise StepError("the file has no statement: there is nothing to step through")
    if not value:
        return analysis.root
    found = analysis.values.get(value.removeprefix("%"))
    if found is None or found.uop is None:
        raise StepError(f"there is no value %{value.removeprefix('%')}")
    if analysis.kind == "loop":
        raise StepError("a value of a loop program has no loops of its own: step through the whole program")
    if not found.uop.dtype.bits:
        return analysis.root  # an effect: the file
    return found.uop


# -- a shaped file: its textbook loops are shown -----------------------------------------------------------------------
def _shaped_file(analysis: Analysis, root: UOp, text: str, path: Path, value: str) -> SteppedProgram:
    loops = textbook_loops(root)
    listing = loop_listing(loops.sink, input_lines(analysis))
    elements = _elements(analysis, root, loops.sink, path, {out: v for v, out in loops.outputs})
    code = Code(listing.order, lambda u: listing.lines.get(u, 0), elements)
    lines_of = _source_lines(analysis)
    return SteppedProgram(
        path,
        text,
        value,
        analysis,
        listing.text,
        code,
        listing.names,
        tuple(lines_of(loops.origin.get(op.node, ())) for op in code.ops),
        tuple(lines_of(loops.made_for.get(op.node, ())) for op in code.ops),
        _named_places(analysis, loops.places),
        {out: (_name(analysis, v), v.shape) for v, out in loops.outputs},
    )


def _source_lines(analysis: Analysis) -> Callable[[Iterable[UOp]], tuple[int, ...]]:
    """Lines of the values that nodes are; a node without a name belongs to the statement that it was made for."""
    owners: dict[UOp, int] = {}
    for value in analysis.values.values():
        pending = [] if value.uop is None else list(value.uop.src)
        while pending:
            node = pending.pop()
            if node not in owners and not analysis.names_of(node):
                owners[node] = value.line
                pending += node.src

    def lines(nodes: Iterable[UOp]) -> tuple[int, ...]:
        found = set()
        for node in nodes:
            names = analysis.names_of(node)
            found |= {analysis.values[name].line for name in names}
            if not names and node in owners and node.op not in MOVEMENT and node.op is not Ops.CONST:
                found.add(owners[node])
        return tuple(sorted(found))

    return lines


def _named_places(
    analysis: Analysis, places: Mapping[UOp, list[tuple[UOp, Index]]]
) -> dict[UOp, list[tuple[str, tuple[int, ...], Index]]]:
    found: dict[UOp, list[tuple[str, tuple[int, ...], Index]]] = {}
    for node, asked in places.items():
        for value, index in asked:
            names = analysis.names_of(value)
            if names and value.op is not Ops.CONST:
                found.setdefault(node, []).append(("%" + names[0], value.shape, index))
    return found


def _name(analysis: Analysis, value: UOp) -> str:
    names = analysis.names_of(value)
    return "%" + names[0] if names else ""


# -- a loop program: the file itself is shown --------------------------------------------------------------------------
def _loop_file(analysis: Analysis, root: UOp, text: str, path: Path) -> SteppedProgram:
    root = inline_calls(root)
    if root.dtype.bits:  # a value at the end is its own output
        free = max((u.arg.slot for u in root.toposort() if u.op is Ops.BUFFER), default=-1) + 1
        root = sink(buf(free, 1, root.dtype).index(0).store(root))
    lines = _statement_lines(analysis, root)
    code = Code(linearize(root), lines.__getitem__, _elements(analysis, root, root, path, {}))
    names = {u: found[0] for u in root.toposort() if (found := analysis.names_of(u))}
    return SteppedProgram(path, text, "", analysis, None, code, names)


def _statement_lines(analysis: Analysis, root: UOp) -> dict[UOp, int]:
    """The line of every node: its own, else that of the first statement that uses it."""
    lines: dict[UOp, int] = {}
    last = max((value.line for value in analysis.values.values()), default=0)
    for u in reversed(root.toposort()):
        own = analysis.line_of(u)
        if own is not None:
            lines[u] = own
        line = lines.setdefault(u, last)
        for s in u.src:
            lines[s] = min(line, lines.get(s, line))
    return lines


# -- memory ------------------------------------------------------------------------------------------------------------
def _elements(
    analysis: Analysis, root: UOp, loops: UOp, path: Path, made: Mapping[UOp, UOp]
) -> dict[UOp, list[Any] | None]:
    """The first elements of every memory of the loop program; None: zeros. made: output buffer -> value."""
    order = loops.toposort()
    memories = [u for u in order if u.op in (Ops.BUFFER, Ops.ALLOC)]
    total = sum(u.arg.shape[0] for u in memories)
    if total > MOST_ELEMENTS:
        raise StepError(_too_large(analysis, memories, total, made))
    inputs = make_inputs(buffers_of(root), analysis.directives.inputs, path.parent)
    stored = {memory_of(u.src[0]) for u in order if u.op is Ops.STORE}
    found: dict[UOp, list[Any] | None] = {}
    for u in memories:
        given = inputs.get(u.arg.slot) if u.op is Ops.BUFFER and u not in made else None
        if given is None and u.op is Ops.BUFFER and u not in stored:
            raise StepError(f"buffer {u.arg.slot} has no input")
        found[u] = None if given is None else given.tolist()
    return found


def _too_large(analysis: Analysis, memories: list[UOp], total: int, made: Mapping[UOp, UOp]) -> str:
    largest = max(memories, key=lambda u: u.arg.shape[0])
    value = made.get(largest, largest)
    names = analysis.names_of(value)
    line = analysis.line_of(value)
    what = f"%{names[0]} (line {line + 1})" if names and line is not None else f"buffer {largest.arg.slot}"
    return (
        f"too large to step through: {total:,} elements, and at most {MOST_ELEMENTS:,} are followed; "
        f"make the sizes in the file smaller, first those of {what}, which has {largest.arg.shape[0]:,}"
    )


def too_many_steps(program: SteppedProgram, most: int = MOST_STEPS) -> str:
    """What to say when the limit of steps is reached: which loops make so many, and what to do."""
    ops = program.code.ops
    counts: dict[tuple[int, ...], int] = {}
    for op in ops:
        counts[op.loops] = counts.get(op.loops, 0) + 1
    nest = max(counts, key=lambda loops: _rounds(ops, loops) * counts[loops])
    sizes = " × ".join(f"{program.counter(ops[r])} {ops[r].node.arg.size:,}" for r in nest)
    return (
        f"{most:,} steps were followed, and this program takes {program.code.steps:,}: most are in the loops "
        f"{sizes}; make the sizes in the file smaller"
    )


def _rounds(ops: list[Op], loops: tuple[int, ...]) -> int:
    total = 1
    for r in loops:
        total *= ops[r].node.arg.size
    return total
