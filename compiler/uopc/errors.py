"""The one exception of the graph: a node whose operands or argument do not fit."""

from __future__ import annotations

from typing import TypeAlias

Where: TypeAlias = tuple[str | int, ...]


class UOpError(Exception):
    """A node that cannot be made.

    code: stable id; message: one sentence; at: the part at fault: () the whole operation, ("src", k) an operand,
    ("arg",), ("arg", i) or ("arg", i, j) the static argument or an entry of it, ("attr", name) a keyword.
    """

    def __init__(self, code: str, message: str, at: Where = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at
