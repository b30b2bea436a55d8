"""What values are called in texts: the caller's names, and words for what has none."""

from __future__ import annotations

import math
from collections.abc import Callable

from uopc.dtype import dtypes
from uopc.uop import Ops, UOp

# A caller's naming function gives "%3", or None for a node that no line of the file defines.
Names = Callable[[UOp], "str | None"]

_BROADCAST = (Ops.EXPAND, Ops.RESHAPE)


def no_names(_: UOp) -> str | None:
    """The naming function of a graph that was not written as text."""
    return None


def written(u: UOp, names: Names) -> UOp:
    """The value a person wrote: `u`, or what a broadcast was inserted on."""
    x = u
    while names(x) is None and x.op in _BROADCAST:
        x = x.src[0]
    return x if names(x) is not None or x.op is Ops.CONST else u


def called(u: UOp, names: Names) -> str:
    """How to call a value in a sentence: its name, a constant's value, else its operation."""
    x = written(u, names)
    name = names(x)
    if name is not None:
        return name
    if x.op is Ops.CONST:
        return constant_text(x)
    return f"buffer {x.arg.slot}" if x.op is Ops.BUFFER else f"the {u.op.value}"


def constant_text(u: UOp) -> str:
    """A constant as a person writes it: the fewest digits that give the same value of its dtype."""
    if u.dtype.is_bool:
        return "true" if u.arg else "false"
    if u.dtype.is_float and u.dtype.bits < 64 and math.isfinite(u.arg):
        for digits in range(1, 17):
            short = float(f"{u.arg:.{digits}g}")
            if dtypes.round(u.dtype, short) == u.arg:
                return repr(short)
    return repr(u.arg)
