"""What a file calls the nodes of its graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from uopc.stages.text import Namer
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.uir import Analysis


def namer_of(analysis: Analysis) -> Namer:
    """Names for the stages of a file."""
    given: dict[UOp, str] = {}
    for name, value in analysis.values.items():
        if value.uop is not None:
            given.setdefault(value.uop, name)
    return Namer(given, analysis.owners)


def statements(analysis: Analysis, nodes: Iterable[UOp]) -> list[dict[str, object]]:
    """The lines of the file that nodes belong to: {line, name}, each once."""
    names = dict.fromkeys(name for node in nodes for name in analysis.makers_of(node))
    return [{"line": analysis.values[name].line, "name": "%" + name} for name in names]
