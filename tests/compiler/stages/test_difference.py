"""The difference of two texts leads from the one to the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from uopc.stages.difference import counts, difference

LINES = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30)


@given(LINES, LINES)
def test_following_the_steps_gives_the_other_text(a: list[str], b: list[str]) -> None:
    old, new, out = iter(a), iter(b), []
    for what, n in difference(a, b):
        for _ in range(n):
            if what in "=-":
                line = next(old)
            if what in "=+":
                out.append(next(new))
            if what == "=":
                assert line == out[-1]
    assert (out, list(old)) == (b, [])


def test_one_line_changed_among_many() -> None:
    a = [str(k) for k in range(100_000)]
    b = [*a[:500], "x", *a[501:]]
    assert difference(a, b) == [("=", 500), ("-", 1), ("+", 1), ("=", 99_499)]


def test_counts_are_of_lines() -> None:
    assert counts(difference(["a", "b"], ["b", "c", "d"])) == (2, 1)
