"""What a file calls the nodes of its graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from uopc.ops import MOVEMENT, Ops
from uopc.stages.text import Namer
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.uir import Analysis


def owners(analysis: Analysis) -> dict[UOp, str]:
    """The value behind each computing node that has no name: sugar such as `sub` and `axes=` makes some, and they are
    part of the statement that they were made for."""
    found: dict[UOp, str] = {}
    for name, value in analysis.values.items():
        pending = [] if value.uop is None else list(value.uop.src)
        while pending:
            node = pending.pop()
            if node not in found and not analysis.names_of(node):
                found[node] = name
                pending += node.src
    return {node: name for node, name in found.items() if node.op not in MOVEMENT and node.op is not Ops.CONST}


def namer_of(analysis: Analysis) -> Namer:
    """Names for the stages of a file."""
    given: dict[UOp, str] = {}
    for name, value in analysis.values.items():
        if value.uop is not None:
            given.setdefault(value.uop, name)
    return Namer(given, owners(analysis))


def statements(analysis: Analysis, owned: dict[UOp, str], nodes: Iterable[UOp]) -> list[dict[str, object]]:
    """The lines of the file that nodes belong to: {line, name}, each once."""
    names = dict.fromkeys(
        name for node in nodes for name in analysis.names_of(node) or ([owned[node]] if node in owned else [])
    )
    return [{"line": analysis.values[name].line, "name": "%" + name} for name in names]
