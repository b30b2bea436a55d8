"""Quick fixes made when they are asked for, and what they may ask about the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

from uopc.uir.drafts import FixContext, FixMaker
from uopc.uir.model import Fix, Span, Statement
from uopc.uir.nearest import nearest
from uopc.uir.state import State
from uopc.uop import UOp

MAX_SUGGESTIONS = 25  # names looked for in the whole file, for one reading
NEAR = 3000  # definitions that a suggestion is looked for in, back from the line


class Fixes(Sequence[Fix]):
    """The quick fixes of one diagnostic: most are never looked at, so they are made when they are."""

    __slots__ = ("_line", "_made", "_makers", "_open")

    def __init__(self, open_context: Callable[[], FixContext], makers: tuple[FixMaker, ...], line: int) -> None:
        self._open, self._makers, self._line = open_context, makers, line
        self._made: tuple[Fix, ...] | None = None

    def _all(self) -> tuple[Fix, ...]:
        if self._made is None:
            found = (make(self._open(), self._line) for make in self._makers)
            self._made = tuple(fix for fix in found if fix is not None)
        return self._made

    @overload
    def __getitem__(self, k: int) -> Fix: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Fix]: ...
    def __getitem__(self, k: int | slice) -> Fix | Sequence[Fix]:
        return self._all()[k]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[Fix]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Fixes, tuple)) and self._all() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


class Budget:
    """How many suggestions are still looked for in one reading of a file."""

    def __init__(self) -> None:
        self.left = MAX_SUGGESTIONS

    def spend(self) -> bool:
        """Whether there was one left."""
        self.left -= 1
        return self.left >= 0


class Context:
    """What one quick fix asks about a state. See `FixContext` for what the methods give."""

    def __init__(self, state: State, eol: str, name_of: Callable[[UOp], str | None], budget: Budget) -> None:
        self.eol = eol
        self._state, self._name_of, self._budget = state, name_of, budget
        self._taken: set[str] = set()

    # -- names -----------------------------------------------------------------------------------------------------
    def fresh(self, wish: str) -> str:
        """A value name that is free."""
        name, k = wish, 1
        while name in self._state.defs or name in self._taken:
            k += 1
            name = f"{wish}_{k}"
        self._taken.add(name)
        return name

    def nearest_value(self, name: str, line: int) -> str | None:
        """The nearest name defined above a line."""
        if not self._budget.spend():
            return None
        above = self._state.items[max(0, line - NEAR) : line]
        return nearest(name, (i.name for i in reversed(above) if i.name is not None))

    def free_slot(self) -> int:
        """The lowest slot that no buffer has."""
        slots = {slot for op, slot in self._state.slots if op == "buffer"}
        return next(k for k in range(len(slots) + 1) if k not in slots)

    def definitions(self, name: str) -> list[int]:
        """The lines that define a name."""
        return [self._state.places[item] for item in self._state.defs.get(name, ())]

    def uses_of(self, name: str) -> list[tuple[int, Span]]:
        """The operands that name a value."""
        state = self._state
        places = sorted((state.places[item], item) for item in state.users.get(name, ()))
        return [(line, ref.span) for line, item in places for ref in item.refs if ref.name == name]

    def node(self, name: str) -> UOp | None:
        """The node of a name."""
        return self._state.value_of(name)

    def written_as(self, node: UOp) -> tuple[int, Statement] | None:
        """The first line whose statement makes a node."""
        name = self._name_of(node)
        line = self._state.line_of(name[1:]) if name is not None else None
        st = self._state.items[line].statement if line is not None else None
        return (line, st) if line is not None and st is not None else None

    # -- lines -----------------------------------------------------------------------------------------------------
    def line_count(self) -> int:
        """Lines of the text."""
        return len(self._state.lines)

    def line_text(self, line: int) -> str:
        """A line without its end."""
        return self._state.lines[line]

    def line_length(self, line: int) -> int:
        """Columns of a line."""
        return len(self._state.lines[line])

    def statement_at(self, line: int) -> Statement | None:
        """The statement of a line."""
        return self._state.items[line].statement

    def next_statement(self, line: int, step: int) -> Statement | None:
        """The first statement below (step 1) or above (step -1) a line."""
        items = self._state.items
        found = (items[k].statement for k in range(line + step, len(items) if step > 0 else -1, step))
        return next((st for st in found if st is not None), None)

    def directive_start(self, line: int) -> int:
        """Column where the directive of a line begins."""
        directive = self._state.items[line].directive
        return directive.span.start if directive is not None else 0

    def has_directive(self, line: int) -> bool:
        """Whether a line has a directive."""
        return self._state.items[line].directive is not None


__all__ = ["Budget", "Context", "Fixes"]
