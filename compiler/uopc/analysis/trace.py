"""The tracer: an index on its way down the graph, one line a node.

%3  shrink   f32[2, 3]  [i, j]
  %2  permute  f32[4, 3]  [i + 1, j]
    %1  reshape  f32[3, 4]  [j, i + 1]
      %0  buffer   f32[12]    [4*j + i + 1]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from uopc.analysis.composition import step_index
from uopc.analysis.expressions import index_text, loop_letter
from uopc.analysis.names import Names, constant_text, no_names, written
from uopc.analysis.style import ASCII, Style, type_text
from uopc.indexmap import Index, released
from uopc.uop import ALU, MOVEMENT, Ops, UOp, range_

MAX_LINES = 200
MAX_DEPTH = 48


@dataclass(frozen=True)
class TraceLine:
    """One node on the way. name: %name, a constant's value, or empty; note: why the way ends here, or empty."""

    depth: int
    name: str
    op: str
    type: str
    index: str
    note: str = ""


class _Visit(NamedTuple):
    node: UOp
    at: Index
    depth: int
    axes: int  # letters in use


def trace(u: UOp, names: Names = no_names, style: Style = ASCII, max_lines: int = MAX_LINES) -> list[TraceLine]:
    """The lines from `u`, at an index made of its axes, down to buffers and constants.

    A node that is met again at the same index is shown once and then only named. The rest of a graph that is too large
    is left out, which the last line says.
    """
    return _Tracer(u, names, style).run(max_lines)


def trace_text(lines: list[TraceLine]) -> str:
    """The lines in columns, two blanks a level."""
    op_width = max((len(t.op) for t in lines), default=0)
    type_width = max((len(t.type) for t in lines), default=0)
    return "\n".join(_row(t, op_width, type_width) for t in lines)


def _row(t: TraceLine, op_width: int, type_width: int) -> str:
    cells = [t.name, t.op.ljust(op_width), t.type.ljust(type_width), t.index, f"({t.note})" if t.note else ""]
    return "  " * t.depth + "  ".join(c for c in cells if c).rstrip()


class _Tracer:
    def __init__(self, root: UOp, names: Names, style: Style) -> None:
        self.root, self.names, self.style = root, names, style

    def run(self, max_lines: int) -> list[TraceLine]:
        root = self.root
        lines: list[TraceLine] = []
        shown: set[tuple[UOp, Index]] = set()
        idx = tuple(range_(n, k) for k, n in enumerate(root.shape))
        stack = [_Visit(root, idx, 0, len(idx))]
        while stack:
            visit = stack.pop()
            if len(lines) == max_lines:
                lines.append(TraceLine(visit.depth, "", self.style.more, "", "", "the rest is left out"))
                break
            node = visit.node if visit.node is root else self._without_broadcast(visit.node)
            if node.op is Ops.CONST:
                lines.append(TraceLine(visit.depth, constant_text(node), "const", type_text(node), ""))
                continue
            again = (visit.node, visit.at) in shown
            below = [] if again else self._below(visit)
            deep = bool(below) and visit.depth == MAX_DEPTH
            shown.add((visit.node, visit.at))
            note = "shown above" if again and visit.node.src else "goes deeper" if deep else ""
            lines.append(self._line(visit, note))
            if not deep:
                stack.extend(reversed(below))
        return lines

    def _without_broadcast(self, u: UOp) -> UOp:
        """A constant, where `u` is one that was broadcast without being written so."""
        x = written(u, self.names)
        return x if x.op is Ops.CONST else u

    def _line(self, visit: _Visit, note: str) -> TraceLine:
        u = visit.node
        index = index_text([released(i) if i.ranges else i for i in visit.at], self._leaf, self.style)
        return TraceLine(visit.depth, self.names(u) or "", u.op.value, type_text(u), index if visit.at else "", note)

    def _leaf(self, u: UOp) -> str | None:
        return loop_letter(u) or self.names(u)

    def _below(self, visit: _Visit) -> list[_Visit]:
        u, idx, depth, axes = visit
        if u.op in MOVEMENT:
            return [_Visit(u.src[0], step_index(u, idx), depth + 1, axes)]
        if u.op is Ops.INDEX:
            scalars = [_Visit(i, (), depth + 1, axes) for i in u.src[1:] if i.op is not Ops.CONST]
            return [_Visit(u.src[0], u.src[1:] + idx, depth + 1, axes), *scalars]
        if u.op is Ops.STACK:
            return [_Visit(s, idx[1:], depth + 1, axes) for s in u.src]
        if u.op is Ops.REDUCE:
            sizes = u.src[0].shape[len(idx) :]
            loops = tuple(range_(n, axes + k) for k, n in enumerate(sizes))
            return [_Visit(u.src[0], idx + loops, depth + 1, axes + len(sizes))]
        if u.op in ALU or u.op in (Ops.STAGE, Ops.AFTER):
            return [_Visit(s, idx if len(s.shape) == len(idx) else (), depth + 1, axes) for s in u.src]
        return [self._fresh(s, depth + 1) for s in u.src]

    def _fresh(self, u: UOp, depth: int) -> _Visit:
        """An operand that is not asked for at an index: at all of its elements."""
        return _Visit(u, tuple(range_(n, k) for k, n in enumerate(u.shape)), depth, len(u.shape))
