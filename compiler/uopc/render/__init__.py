"""Loop programs as source text of another language; one file a language."""

from __future__ import annotations

from uopc.render.c import Rendered, render
from uopc.uop import UOp

__all__ = ["Rendered", "render", "render_c"]


def render_c(sink: UOp, name: str) -> str:
    """The C of a loop program, a function called `name`."""
    return render(sink, name).source
