"""What the quick fixes of type errors start from: the statement that failed, and the edits several of them make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from uopc.errors import UOpError
from uopc.typerules import Shape
from uopc.uir.bind import Bound
from uopc.uir.drafts import FixMaker, insert_above
from uopc.uir.model import Group, Operand, Ref, Span, Statement
from uopc.uop import UOp


class Case(NamedTuple):
    """A statement that failed: its operands' nodes (None for a number) and the error at `span`."""

    st: Statement
    bound: Bound
    known: tuple[UOp | None, ...]
    error: UOpError
    span: Span

    @property
    def op(self) -> str:
        return self.bound.plan.spec.name

    @property
    def x(self) -> UOp | None:
        return self.known[0] if self.known else None

    @property
    def entry(self) -> int:
        """Index of the entry at fault of the static argument."""
        return next((int(k) for k in self.error.at if isinstance(k, int)), 0)

    def items(self, name: str) -> tuple[Operand, ...]:
        """The entries of an argument as written; none when it is no list."""
        place = self.bound.places.get(name)
        return place.items if isinstance(place, Group) else ()


def tuple_text(items: Iterable[int]) -> str:
    """A list as the chapter writes it: (), (3,), (3, 4)."""
    return str(tuple(items))


def reshaped(value: Ref, shape: Shape) -> FixMaker:
    """The fix that reshapes an operand on a line above."""
    text = tuple_text(shape)

    def statement(name: str) -> str:
        return f"%{name} = reshape %{value.name}, {text}"

    return insert_above(f"reshape %{value.name} to {text}", statement, f"{value.name}_r", value.span)
