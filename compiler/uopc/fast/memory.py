"""Memory between kernels: which temporary values may lie in the same place, because they are never needed together."""

from __future__ import annotations

from collections.abc import Sequence

from uopc.uop import UOp

_ALIGN = 64


class Arena:
    """Offsets of the temporaries in one block of `size` bytes.

    steps: for every kernel in order (buffers it uses, buffers it writes). A temporary lives from the first kernel that
    uses it to the last one.
    """

    def __init__(self, steps: Sequence[tuple[Sequence[UOp], Sequence[UOp]]], temporaries: set[UOp]) -> None:
        self.offsets: dict[UOp, int] = {}
        self.size = 0
        first: dict[UOp, int] = {}
        last: dict[UOp, int] = {}
        for k, (used, _) in enumerate(steps):
            for b in used:
                if b in temporaries:
                    first.setdefault(b, k)
                    last[b] = k
        begins: dict[int, list[UOp]] = {}
        ends: dict[int, list[UOp]] = {}
        for b in first:
            begins.setdefault(first[b], []).append(b)
            ends.setdefault(last[b], []).append(b)
        self._free: list[tuple[int, int]] = []  # (offset, bytes), by offset, no two touching
        for k in range(len(steps)):
            for b in begins.get(k, ()):
                self.offsets[b] = self._take(_bytes(b))
            for b in ends.get(k, ()):
                self._give(self.offsets[b], _bytes(b))

    def _take(self, size: int) -> int:
        """The smallest hole that is large enough, else the end."""
        fitting = [(n, at) for at, n in self._free if n >= size]
        if fitting:
            n, at = min(fitting)
            self._free.remove((at, n))
            if n > size:
                self._free.append((at + size, n - size))
                self._free.sort()
            return at
        at = self.size
        if self._free and sum(self._free[-1]) == self.size:
            at = self._free.pop()[0]
        self.size = at + size
        return at

    def _give(self, at: int, size: int) -> None:
        merged: list[tuple[int, int]] = []
        for a, n in sorted([*self._free, (at, size)]):
            if merged and sum(merged[-1]) == a:
                merged[-1] = (merged[-1][0], merged[-1][1] + n)
            else:
                merged.append((a, n))
        self._free = merged


def _bytes(b: UOp) -> int:
    size: int = b.arg.shape[0]
    return max(1, -(-size * b.dtype.itemsize // _ALIGN)) * _ALIGN
