"""What a file calls the nodes of its graph."""

from __future__ import annotations

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
