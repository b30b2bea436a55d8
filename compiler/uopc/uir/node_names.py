"""What the nodes of a file are called: the first line that makes a node names it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.uir.lines import Line


class NodeNames:
    """The first line of each node; of a node that none makes any more, but others are still made of, the line that did.

    shared: nodes that more than one line makes, and perhaps some that did.
    """

    __slots__ = ("_first", "_former", "_shared")

    def __init__(self, first: dict[UOp, Line], shared: set[UOp], ahead: dict[Line, UOp]) -> None:
        self._first, self._shared = first, shared
        self._former = {u: item for item, u in ahead.items()}

    @classmethod
    def of(cls, items: Sequence[Line], uops: Sequence[UOp | None], ahead: dict[Line, UOp]) -> NodeNames:
        """The names of a file that nothing is known about."""
        first: dict[UOp, Line] = {}
        shared: set[UOp] = set()
        for item, u in zip(items, uops):
            if u is not None and first.setdefault(u, item) is not item:
                shared.add(u)
        return cls(first, shared, ahead)

    def first(self, u: UOp) -> tuple[Line | None, bool]:
        """The first line that makes a node, and whether it is known to be the only one."""
        return self._first.get(u), u not in self._shared

    def get(self, u: UOp) -> str | None:
        """The name of a node, without %; None when no line makes it."""
        item = self._first.get(u) or self._former.get(u)
        return None if item is None else item.name

    def carried(
        self,
        lost: Iterable[UOp],
        touched: Iterable[int],
        items: Sequence[Line],
        uops: Sequence[UOp | None],
        places: dict[Line, int],
        ahead: dict[Line, UOp],
    ) -> tuple[NodeNames, frozenset[UOp]]:
        """The names after an edit, and the nodes that it gave another name.

        lost: the nodes that changed lines had; touched: where there are other lines or other nodes now.
        """
        first, shared = self._first.copy(), self._shared.copy()
        about = {*lost, *self._former, *ahead.values()}
        for u in lost:
            first.pop(u, None)
            if u in shared and (k := _index(uops, u)) is not None:
                first[u] = items[k]
        for k in touched:
            u_now = uops[k]
            if u_now is None:
                continue
            about.add(u_now)
            item = first.setdefault(u_now, items[k])
            if item is not items[k]:
                shared.add(u_now)
                if places[item] > k:
                    first[u_now] = items[k]
        names = NodeNames(first, shared, ahead)
        return names, frozenset(u for u in about if self.get(u) != names.get(u))


def _index(uops: Sequence[UOp | None], u: UOp) -> int | None:
    try:
        return uops.index(u)
    except ValueError:
        return None
