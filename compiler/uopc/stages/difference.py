"""The difference of two texts, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

# (what, how many lines): "=" in both, "-" only in the first, "+" only in the second.
Step = tuple[str, int]

_MOST = 20_000  # lines on either side that are compared one by one; of more, only the ends are


def difference(a: Sequence[str], b: Sequence[str]) -> list[Step]:
    """How to get from `a` to `b`, in order."""
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    steps: list[Step] = [("=", head)]
    if max(len(middle_a), len(middle_b)) > _MOST:
        steps += [("-", len(middle_a)), ("+", len(middle_b))]
    else:
        for _, i, j, k, n in SequenceMatcher(None, middle_a, middle_b).get_opcodes():
            same = middle_a[i:j] == middle_b[k:n]
            steps += [("=", j - i)] if same else [("-", j - i), ("+", n - k)]
    return _joined([*steps, ("=", tail)])


def counts(steps: Sequence[Step]) -> tuple[int, int]:
    """(lines that came, lines that went)."""
    came, went = (sum(n for what, n in steps if what == sign) for sign in "+-")
    return came, went


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    n = 0
    for x, y in zip(a, b):
        if x != y:
            break
        n += 1
    return n


def _joined(steps: Sequence[Step]) -> list[Step]:
    """Without empty steps, neighbours of one kind as one."""
    found: list[Step] = []
    for what, n in steps:
        if n and found and found[-1][0] == what:
            found[-1] = (what, found[-1][1] + n)
        elif n:
            found.append((what, n))
    return found
