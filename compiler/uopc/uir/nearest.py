"""Spelling suggestions: the nearest of some candidates by edit distance."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str, limit: int) -> int:
    """Edits (insert, delete, replace, swap neighbours) from a to b, or limit + 1 when there are more."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return last[-1]


def nearest(word: str, candidates: Iterable[str], limit: int | None = None) -> str | None:
    """The candidate with the fewest edits to `word` (the first of equals), or None when all are far away."""
    bound = limit if limit is not None else max(1, (len(word) + 1) // 3)
    best: str | None = None
    for c in candidates:
        d = distance(word.lower(), c.lower(), bound)
        if d <= bound and c != word:
            best, bound = c, d - 1
        if bound < 0:
            break
    return best
