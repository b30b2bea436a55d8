"""The values and statements of a state, made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from uopc.uir.lines import Line
from uopc.uir.model import Span, Statement
from uopc.uir.state import State
from uopc.uop import UOp


class Value:
    """A named value. uop is None when its definition has an error; uses are the places that name it."""

    __slots__ = ("_state", "line", "name", "statement", "uop")

    def __init__(self, state: State, name: str, line: int, statement: Statement, uop: UOp | None) -> None:
        self._state = state
        self.name, self.line, self.statement, self.uop = name, line, statement, uop

    @property
    def uses(self) -> list[tuple[int, Span]]:
        """(line, span) of every operand that names the value, in order."""
        found = self._state.users.get(self.name, ())
        places = sorted((self._state.places[item], item) for item in found) if found else []
        return [(line, ref.span) for line, item in places for ref in item.refs if ref.name == self.name]

    def __repr__(self) -> str:
        return f"Value(%{self.name}, line {self.line}, {self.uop!r})"


class Statements(Mapping[int, Statement]):
    """The statements by line, read from the state."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __getitem__(self, line: int) -> Statement:
        items = self._state.items
        st = items[line].statement if 0 <= line < len(items) else None
        if st is None:
            raise KeyError(line)
        return st

    def __iter__(self) -> Iterator[int]:
        return (k for k, item in enumerate(self._state.items) if item.statement is not None)

    def __len__(self) -> int:
        return sum(item.statement is not None for item in self._state.items)


class Values(Mapping[str, Value]):
    """The values by name, in the order of their definitions. `made`: newer nodes of some lines than the state has."""

    def __init__(self, state: State, made: Mapping[Line, UOp | None] | None = None) -> None:
        self._state, self._made = state, made or {}

    def __getitem__(self, name: str) -> Value:
        state = self._state
        item = state.defs[name][0]
        line, st = state.places[item], item.statement
        if st is None:
            raise KeyError(name)
        return Value(state, name, line, st, self._made[item] if item in self._made else state.uops[line])

    def __iter__(self) -> Iterator[str]:
        for item in self._state.items:
            if item.name is not None and item.statement is not None and self._state.defs[item.name][0] is item:
                yield item.name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        found = self._state.defs.get(name) if isinstance(name, str) else None
        return found is not None and found[0].statement is not None
