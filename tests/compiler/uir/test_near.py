"""One value of a long text right after an edit: what is said of it is what is said when everything is settled."""

from __future__ import annotations

import pytest

from uopc.analysis.explain import explain
from uopc.uir import Analysis, analyze, near, settle

LINES = 1000


def edited(steps: tuple[str, ...], tail: str = "") -> Analysis:
    """The quick analysis of a chain of steps after an edit of its first line that no type shows."""
    head = "%x = buffer 16 : dtype=f32 slot=0\n%a = reshape %x, (4, 4)\n%v0 = permute %a, (1, 0)\n"
    chain = "".join(f"%v{k} = {steps[k % len(steps)].format(k - 1)}\n" for k in range(1, LINES))
    before = head + chain + tail
    return analyze(before.replace("%a, (1, 0)", "%a, (0, 1)"), analyze(before), quick=True)


CHAIN = ("mul %v{0}, 0.5", "permute %v{0}, (1, 0)", "add %v{0}, %a", "flip %v{0}, (0)")


def test_a_value_is_explained_as_when_all_is_settled() -> None:
    quick = edited(CHAIN)
    whole = settle(quick)
    assert quick.state.ahead
    for name in ("a", "v0", "v1", "v5", "v62", "v63", "v64", "v66", "v500", "v999"):
        known = near(quick, name)
        assert known is not None
        assert explain(known, name) == explain(whole, name)


def test_little_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = edited(CHAIN)
    made = []
    evaluate = type(quick.state).evaluate
    monkeypatch.setattr(type(quick.state), "evaluate", lambda *a: made.append(1) or evaluate(*a))
    near(quick, "v999")
    assert 0 < len(made) < LINES / 5


@pytest.mark.parametrize(
    ("steps", "tail", "name"),
    [
        (("permute %v{0}, (1, 0)",), "", "v900"),  # its strides are those of the whole chain
        (CHAIN, "%s = reduce %v999 : op=add pop=1\n", "s"),  # whether it is a contraction may depend on the buffers
    ],
)
def test_what_takes_a_look_at_everything_is_not_guessed(steps: tuple[str, ...], tail: str, name: str) -> None:
    assert near(edited(steps, tail), name) is None


def test_a_short_view_is_known_down_to_its_buffer() -> None:
    quick = edited(CHAIN)
    known = near(quick, "v0")
    assert known is not None
    assert explain(known, "v0").equation == ("%v0[i, j] = %a[i, j]",)


def test_a_value_that_only_was_the_same_is_not_called_so() -> None:
    tail = "%y = mul %v0, 2.0\n%z = permute %a, (1, 0)\n%w = mul %z, 2.0\n"
    quick = edited(CHAIN, tail)
    known = near(quick, "w")
    assert known is not None
    assert explain(analyze(quick.text.replace("(0, 1)", "(1, 0)")), "w").same_as == ("%y",)
    assert explain(known, "w").same_as == ()


def test_how_often_the_lowering_evaluates_it_waits_for_the_root() -> None:
    quick = edited(CHAIN[:1], "%s = reduce %a : op=add pop=1\n%e = reshape %s, (4, 1)\n%o = add %v999, %e\n")
    known = near(quick, "s")
    assert known is not None
    early, late = explain(known, "s").reduction, explain(settle(quick), "s").reduction
    assert early is not None and late is not None
    assert (early.evaluations, late.evaluations) == (None, 4)
    assert early.operations == late.operations == 16
