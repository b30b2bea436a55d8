"""A loop program as a person reads it: `.uir` in the order of execution, loop bodies indented, names that say what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from uopc.linearize import linearize
from uopc.ops import Ops
from uopc.uir.printer import dump_lines
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.uir.analysis import Analysis

_COUNTERS = "ijklmnpqrstuvwxyz"
_INDENT = "  "


@dataclass(frozen=True)
class Listing:
    """The text, the nodes in the order of execution, and for those that are statements their line (0-based) and name
    (without %)."""

    text: str
    order: tuple[UOp, ...]
    lines: dict[UOp, int]
    names: dict[UOp, str]


def loop_listing(sink: UOp, above: Iterable[str] = ()) -> Listing:
    """The listing of a loop program, with the lines `above` before it; its text parses to `sink` again.

    Counters are %i, %j, %k in the order in which loops open, buffers %b and their slot, accumulators %acc and theirs.
    Raises UOpError when the loops cannot be nested.
    """
    order = linearize(sink)
    names = _Names()
    lines = list(above)
    places: dict[UOp, int] = {}
    depth = 0
    for text, node in dump_lines(sink, names.of, order):
        depth -= len(node.src) - 1 if node.op is Ops.END else 0
        places[node] = len(lines)
        lines.append(_INDENT * depth + text)
        depth += node.op is Ops.RANGE
    return Listing("".join(line + "\n" for line in lines), tuple(order), places, names.given)


class _Names:
    """given: the names by node, without %."""

    def __init__(self) -> None:
        self.given: dict[UOp, str] = {}
        self._counters = self._others = 0

    def of(self, u: UOp) -> str:
        """`%name` of a node, a new one at the first time."""
        if u not in self.given:
            self.given[u] = self._new(u)
        return "%" + self.given[u]

    def _new(self, u: UOp) -> str:
        if u.op is Ops.RANGE:
            self._counters += 1
            return _counter(self._counters - 1)
        if u.op in (Ops.BUFFER, Ops.ALLOC):
            return f"{'b' if u.op is Ops.BUFFER else 'acc'}{u.arg.slot}"
        self._others += 1
        return f"v{self._others - 1}"


def _counter(k: int) -> str:
    round_, letter = divmod(k, len(_COUNTERS))
    return _COUNTERS[letter] + (str(round_) if round_ else "")


def input_lines(analysis: Analysis) -> list[str]:
    """The file's own `input` directives, so that its loops run on the same data."""
    lines = [analysis.lines[spec.line] for spec in analysis.directives.inputs.values()]
    return [line[line.index("#") :].rstrip() for line in lines]
