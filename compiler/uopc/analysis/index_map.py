"""A value's index map: its own step as an equation, and where its elements come from in the end."""

from __future__ import annotations

from dataclasses import dataclass

from uopc.analysis.composition import Composition, Read, compose
from uopc.analysis.equation import equation
from uopc.analysis.expressions import expression, index_text, loop_letter
from uopc.analysis.names import Names, called, no_names
from uopc.analysis.style import ASCII, Style, axis_name, counted, grouped
from uopc.uop import ALU, MOVEMENT, Ops, UOp


@dataclass(frozen=True)
class IndexMap:
    """Where the elements of `node` come from, in terms of its axes i, j, k, ... (a reduction's own axes follow).

    composition: the places as graph data; the methods write it.
    """

    node: UOp
    names: Names
    composition: Composition

    @property
    def axes(self) -> tuple[tuple[str, int], ...]:
        """Name and size of every axis."""
        return tuple((axis_name(k), n) for k, n in enumerate(self.node.shape))

    def equation(self, style: Style = ASCII) -> tuple[str, ...]:
        """This step: `%3[i, j] = %2[i + 1, j]`; more lines for a stack."""
        return equation(self.node, self.names, style)

    def places(self, style: Style = ASCII) -> tuple[str, ...]:
        """The composed map, a line a place: `buffer 0 at 4*j + i + 1`."""
        lines = [self._place(read, style) for read in self.composition.reads]
        return tuple(lines if self.composition.complete else [*lines, style.more])

    def counts(self) -> tuple[str, ...]:
        """How much of each place is read: `6 of 12 elements of buffer 0, all inside`."""
        return tuple(dict.fromkeys(self._count(read) for read in self.composition.reads))

    def _place(self, read: Read, style: Style) -> str:
        if read.value.op is Ops.BUFFER:
            where = f"buffer {read.value.arg.slot} at {self._expression(read.position, style)}"
        else:
            where = self._value(read.value)
            if read.index:
                where += f" at {index_text(read.index, self._leaf, style)}"
        case = "" if read.case is None else f" where {self._expression(read.case, style)}"
        guard = "" if read.guard is None else f", 0 unless {self._expression(read.guard, style)}"
        return where + case + guard

    def _count(self, read: Read) -> str:
        at_most = "" if read.count.exact else "up to "
        number = grouped(read.count.number)
        where = f"buffer {read.value.arg.slot}" if read.value.op is Ops.BUFFER else self._value(read.value)
        inside = "clamped to be inside" if read.clamped else "all inside"
        return f"{at_most}{number} of {counted(read.total, 'element')} of {where}, {inside}"

    def _value(self, u: UOp) -> str:
        return called(u, self.names)

    def _expression(self, u: UOp, style: Style) -> str:
        return expression(u, self._leaf, style)

    def _leaf(self, u: UOp) -> str | None:
        chosen = self.composition.choices.get(u)
        if chosen is not None:
            return self._value(chosen)
        return loop_letter(u)


def index_map(node: UOp, names: Names = no_names) -> IndexMap:
    """The index map of a tensor value. Bounded work, however large the program is."""
    return IndexMap(node, names, compose(node, names))


def is_tensor_step(u: UOp) -> bool:
    """Whether a node has an index map: a tensor value, not an effect, an address or a loop counter."""
    if u.op is Ops.INDEX and u.ranges:
        return False
    return u.op in ALU or u.op in MOVEMENT or u.op in (Ops.BUFFER, Ops.STACK, Ops.INDEX, Ops.REDUCE, Ops.STAGE)
