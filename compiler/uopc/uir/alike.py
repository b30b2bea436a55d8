"""When a value that became another one leaves what is said about its users as it was."""

from __future__ import annotations

from typing import TypeGuard

from uopc.ops import ALU, MOVEMENT, AddrSpace, Ops
from uopc.uop import UOp

# Values that the rules of their users know by type alone: neither constants, which an index is checked against, nor
# memory, loops, effects and functions, whose users look at what they are.
_PLAIN = ALU | MOVEMENT | {Ops.REDUCE, Ops.STACK, Ops.STAGE}


def alike(a: UOp | None, b: UOp | None) -> TypeGuard[UOp]:
    """Whether every statement that uses `a` has a type or an error with `b` in its place, the same ones.

    Warnings and hints may differ: they look deeper than a type.
    """
    return (
        a is not None
        and b is not None
        and a.op in _PLAIN
        and b.op in _PLAIN
        and a.dtype is b.dtype
        and a.shape == b.shape
        and a.addrspace is AddrSpace.NONE
        and b.addrspace is AddrSpace.NONE
        and a.ranges == b.ranges
    )
