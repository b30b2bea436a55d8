"""The index map explorer's data: a value, everything it reads, and the index maps between them as data.

A viewer evaluates the maps (see `formula`) for any element, forward and back, without asking again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from uopc.analysis.equation import equation, right_side
from uopc.analysis.explain import naming
from uopc.analysis.expressions import expression, loop_letter
from uopc.analysis.formula import Formula, TooComplex, formula
from uopc.analysis.index_map import is_tensor_step
from uopc.analysis.inverse import Spread, spread
from uopc.analysis.names import Names
from uopc.analysis.reads import Reading, readings
from uopc.analysis.style import MATH, elements, type_text
from uopc.indexmap import released
from uopc.uop import MOVEMENT, Ops, UOp, range_

if TYPE_CHECKING:
    from uopc.uir import Analysis

MAX_NODES = 160  # values handed out at once
MAX_LISTED = 2_000  # values of the file that can be chosen
_EXACT = 2**53  # numbers up to here are exact in every language
_LEAVES = {Ops.BUFFER: "buffer", Ops.CONST: "const", Ops.PARAM: "argument"}
_HOWS = {Ops.ADD: "sum", Ops.MAX: "max", Ops.MUL: "product"}
_HOLE = re.compile(r"⟨(\d+)⟩(?:\[[^\[\]]*\])?")


@dataclass(frozen=True)
class _Place:
    """A node of the answer: a value of the file by its name, or what a line reads without a name."""

    name: str
    uop: UOp


def explorer(analysis: Analysis, name: str | None = None) -> dict[str, Any]:
    """The answer of `uir/indexMap`, JSON: see lsp/README.md. `name` with or without %; None: the first output.

    Raises KeyError when no line defines it. {message} when it has no index map.
    """
    listed = {"values": _values(analysis)}
    bare = _first_output(analysis) if name is None else name.removeprefix("%")
    if bare is None:
        return {**listed, "message": _LOOPS if analysis.kind == "loop" else _NOTHING}
    value = analysis.values[bare]
    about = {**listed, "value": f"%{bare}", "line": value.line}
    if name is None and analysis.root is None:
        about["note"] = _why_not_output(analysis)
    if value.uop is None:
        return {**about, "message": _unknown(analysis, bare, value.line)}
    if analysis.kind == "loop" or not _has_elements(value.uop):
        return {**about, "message": _no_map(analysis, bare)}
    return {**about, **_Tree(analysis).run(_Place(f"%{bare}", value.uop))}


_LOOPS = "This is a loop program: its lines are loops, loads and stores. Only tensor values have index maps."
_NOTHING = "There is no tensor value in this file yet."


# -- when there is nothing to show ---------------------------------------------------------------------------------
def _first_output(analysis: Analysis) -> str | None:
    for output in analysis.outputs:
        if is_tensor_step(output.uop) and output.name in analysis.values:
            return output.name
    return next((v["name"][1:] for v in reversed(_values(analysis))), None)


def _why_not_output(analysis: Analysis) -> str:
    first = next(iter(analysis.errors), None)
    why = "" if first is None else f" (line {first.line + 1}: {first.message})"
    return f"What the file computes is not known{why}: this is the last value that is."


def _values(analysis: Analysis) -> list[dict[str, Any]]:
    """The values of the file that have an index map; of a long file the first ones."""
    if analysis.kind == "loop":
        return []
    found = (
        {"name": f"%{name}", "type": type_text(v.uop), "line": v.line}
        for name, v in analysis.values.items()
        if v.uop is not None and _has_elements(v.uop)
    )
    return list(islice(found, MAX_LISTED))


def _has_elements(u: UOp) -> bool:
    return (is_tensor_step(u) or u.op in (Ops.CALL, Ops.AFTER, Ops.PARAM)) and u.dtype.bits > 0


def _no_map(analysis: Analysis, bare: str) -> str:
    if analysis.kind == "loop":
        return _LOOPS
    return f"%{bare} has no elements of its own ({analysis.values[bare].statement.op}), and so no index map."


def _unknown(analysis: Analysis, bare: str, line: int) -> str:
    for d in analysis.errors:
        if d.line == line:
            return f"line {line + 1}: {d.message}"
    return f"%{bare} is not known: what it is made of has an error."


# -- the tree ------------------------------------------------------------------------------------------------------
class _Tree:
    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.numbers: dict[_Place, int] = {}
        self.order: list[_Place] = []

    def run(self, root: _Place) -> dict[str, Any]:
        self._number(root)
        nodes: list[dict[str, Any]] = []
        complete = True
        while len(nodes) < len(self.order):  # breadth first: what is near is not left out
            place = self.order[len(nodes)]
            full = len(self.order) >= MAX_NODES
            nodes.append(self._node(place, full))
            complete = complete and "cut" not in nodes[-1]
        return {"nodes": nodes, "complete": complete}

    def _number(self, place: _Place) -> int:
        if place not in self.numbers:
            self.numbers[place] = len(self.order)
            self.order.append(place)
        return self.numbers[place]

    def _node(self, place: _Place, full: bool) -> dict[str, Any]:
        u = place.uop
        value = self.analysis.values.get(place.name.removeprefix("%"))
        node: dict[str, Any] = {
            "name": place.name,
            "op": u.op.value if value is None else value.statement.op,
            "type": type_text(u),
            "shape": list(u.shape),
            "line": None if value is None else value.line,
            "kind": _LEAVES.get(u.op, "value"),
            "equation": [],
            "edges": [],
        }
        if u.op in (Ops.BUFFER, Ops.PARAM):
            node["slot"] = u.arg.slot
        if elements(u.shape) > _EXACT:
            return {**node, "cut": "It has too many elements to number them exactly."}
        if value is None or u.op in _LEAVES:
            return node
        names = naming(self.analysis, place.name.removeprefix("%"))
        node["equation"] = list(equation(u, names, MATH)) if u.op is not Ops.AFTER else []
        if full and u.src:
            return {**node, "cut": "What it reads is left out here: the program is large. Explore it from there."}
        return node | self._step(place, names)

    def _step(self, place: _Place, names: Names) -> dict[str, Any]:
        """The edges of a line and the text that shows them."""
        operands = self._operands(place)
        found, complete = readings(place.uop, operands.__contains__)
        step = _Step(place.uop, names)
        try:
            for reading in found:
                step.add(reading, self._number(self._place(reading.operand, operands)))
        except TooComplex:
            return {"edges": [], "cut": "Its index map is too large to show."}
        cut = {} if complete else {"cut": "Only a part of what it reads is shown: the line is made of too much."}
        return {"edges": step.edges, **step.text(operands), **cut}

    def _operands(self, place: _Place) -> dict[UOp, str]:
        """The values that the line names; of a store, which has none, those that it names."""
        operands: dict[UOp, str] = {}
        names = list(_named(self.analysis.values[place.name.removeprefix("%")].statement))
        for name in names:
            value = self.analysis.values.get(name)
            if value is not None and value.uop is not None:
                operands.setdefault(value.uop, f"%{name}")
                if value.uop.op is Ops.STORE:
                    names.extend(_named(value.statement))
        return operands

    def _place(self, u: UOp, operands: dict[UOp, str]) -> _Place:
        name = operands.get(u)
        if name is None:
            named = self.analysis.names_of(u)
            name = f"%{named[0]}" if named else f"{_LEAVES.get(u.op, u.op.value)} {getattr(u.arg, 'slot', '')}".strip()
        return _Place(name, u)


def _named(statement: Any) -> Iterator[str]:
    return (o.name for o in statement.operands if hasattr(o, "name"))


# -- one line ------------------------------------------------------------------------------------------------------
class _Step:
    """The edges of one line, equal ones once; `used` says which edge each reading is, from left to right."""

    def __init__(self, u: UOp, names: Names) -> None:
        self.u, self.names = u, names
        self.edges: list[dict[str, Any]] = []
        self.used: list[tuple[UOp, int]] = []

    def add(self, r: Reading, target: int) -> None:
        edge = {"to": target, **self._forward(r), "inverse": _inverse(r)}
        if edge not in self.edges:
            self.edges.append(edge)
        self.used.append((r.operand, self.edges.index(edge)))

    def _forward(self, r: Reading) -> dict[str, Any]:
        axes = [range_(n, k) for k, n in enumerate(self.u.shape)]
        variables = {v: k for k, v in enumerate([*axes, *r.loops, *(c.counter for c in r.choices)])}
        chosen = [
            {"first": c.first, "last": c.last, "by": expression(released(c.value), self._leaf, MATH)} for c in r.choices
        ]
        return _said(
            index=[formula(released(i), variables) for i in r.at],
            guard=_condition(r.guard, variables),
            case=_condition(r.case, variables),
            over=[loop.arg.size for loop in r.loops],
            chosen=chosen,
            decides=_decides(r),
        )

    def _leaf(self, u: UOp) -> str | None:
        return loop_letter(u) or self.names(u)

    def text(self, operands: dict[UOp, str]) -> dict[str, Any]:
        """The equation with holes for the elements read: `["", 0, " * ", 1]`; and what a reduction does with them."""
        numbers = {u: k for k, u in enumerate(operands)}
        marks = {u: f"⟨{k}⟩" for u, k in numbers.items()}

        def marked(u: UOp) -> str | None:
            return marks.get(u)

        written = right_side(self.u, marked, MATH) if self.u.op is not Ops.AFTER else ""
        parts = self._filled(written, list(operands)) if written else None
        reduction = _reduction(self.u, operands)
        return {"parts": parts, **({"how": reduction} if reduction is not None and len(self.edges) == 1 else {})}

    def _filled(self, written: str, operands: list[UOp]) -> list[str | int] | None:
        """None when the text leaves something out."""
        waiting = {u: [edge for v, edge in self.used if v is u] for u in operands}
        parts: list[str | int] = []
        end = 0
        for hole in _HOLE.finditer(written):
            u = operands[int(hole[1])]
            parts.append(written[end : hole.start()])
            end = hole.end()
            parts.append(waiting[u].pop(0) if waiting[u] else self.names(u) or hole[0])
        parts.append(written[end:])
        left = any(waiting.values()) and any(isinstance(p, str) and MATH.more in p for p in parts)
        return None if left else [p for p in parts if p != ""]


def _said(index: list[Formula], **rest: Any) -> dict[str, Any]:
    """An object without what is empty, none or false."""
    return {"index": index, **{key: v for key, v in rest.items() if v is not None and v is not False and v != []}}


def _condition(guard: UOp | None, variables: dict[UOp, int]) -> Formula | None:
    return None if guard is None else formula(released(guard), variables)


def _decides(r: Reading) -> bool:
    """Whether the operand is an index: it says which elements are taken."""
    return bool(r.way) and r.way[-1][0].op is Ops.INDEX and r.way[-1][1] > 0


def _inverse(r: Reading) -> dict[str, Any]:
    found: Spread = spread(r.operand, r.way)
    axes = [range_(n, k) for k, n in enumerate(r.operand.shape)]
    variables = {v: k for k, v in enumerate([*axes, *found.free])}
    return _said(
        index=[formula(released(i), variables) for i in found.index],
        guard=_condition(found.guard, variables),
        free=[v.arg.size for v in found.free],
    )


def _reduction(u: UOp, operands: dict[UOp, str]) -> str | None:
    """sum, max or product, where a line does nothing else with its one operand."""
    while u.op in (Ops.RESHAPE, Ops.PERMUTE) and u not in operands:
        u = u.src[0]
    if u.op is not Ops.REDUCE or u in operands:
        return None
    how = _HOWS[u.arg[0]]
    below = u.src[0]
    while below.op in MOVEMENT and below not in operands:
        below = below.src[0]
    return how if below in operands else None
