"""Conditions and hovers: a language of our own, compared with Python's where the two agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uopc.stepping.expressions import ExpressionError, Unknown, compile_expression

VALUES = {"i": 3, "k": 2, "v1": 0.5, "15": 7, "acc0": -1.25}


class Names:
    def scalar(self, name: str) -> Callable[[], Any]:
        if name not in VALUES:
            raise ExpressionError(f"there is no `{name}`")
        return lambda: VALUES[name]

    def element(self, name: str, indices: int) -> Callable[[list[Any]], Any]:
        if (name, indices) != ("b0", 1):
            raise ExpressionError(f"%{name} is no memory")
        return lambda at: [10, 20, 30][at[0]]


def value(text: str) -> Any:
    return compile_expression(text, Names())()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("i == 3 && k == 2", True),
        ("i == 3 and not k == 2", False),
        ("i == 4 || k < 3", True),
        ("!(i == 3)", False),
        ("!!i", True),
        ("%i + %k * 2", 7),
        ("-k + 5", 3),
        ("- - k", 2),
        ("7 // 2 * 2 + 7 % 2", 7),
        ("-7 // 2", -4),
        ("1 / 4", 0.25),
        ("%15 - 1", 6),
        ("i %2", 1),  # a remainder, not a name
        ("i % %15", 3),
        ("%b0[k]", 30),
        ("b0[i - 2] + 1", 21),
        ("0x10 + 1e1", 26.0),
        ("acc0 < -1.2", True),
        ("true || q_is_never_asked", None),
        ("1 < 2 == true", True),
    ],
)
def test_values(text: str, want: Any) -> None:
    if want is None:
        with pytest.raises(ExpressionError, match="there is no `q_is_never_asked`"):
            value(text)  # names are looked up when the condition is set, not when it is met
    else:
        assert value(text) == want


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early"),
        ("i ==", "ends too early"),
        ("i = 3", "`=` has no meaning"),
        ("(i", r"`\)` is missing"),
        ("i k", "`k` was not expected"),
        ("q", "there is no `q`"),
        ("__import__('os').system('x')", "has no meaning"),
        ("i.real", "there is no `i.real`"),
        ("b0[1, 2]", "is no memory"),
        ("lambda: 1", "has no meaning|there is no"),
        ("(" * 400 + "1" + ")" * 400, "nested too deeply"),
        ("1+" * 600 + "1", "longer than"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        compile_expression(text, Names())


def test_a_division_by_zero_has_no_value() -> None:
    with pytest.raises(Unknown):
        value("i // (k - 2)")


ATOMS = st.sampled_from(["i", "k", "1", "2", "7", "v1"])


def _joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from(["+", "-", "*", "//", "%", "<", "<=", "==", "!=", ">"])
    pairs = st.tuples(inner, signs, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    return pairs | inner.map(lambda e: f"(not {e})") | inner.map(lambda e: f"(-{e})")


@given(st.lists(st.recursive(ATOMS, _joined, max_leaves=8), min_size=1, max_size=3), st.sampled_from(["and", "or"]))
@settings(max_examples=300, deadline=None)
def test_bracketed_expressions_are_what_python_makes_of_them(parts: list[str], word: str) -> None:
    text = f" {word} ".join(parts)
    names = {name: v for name, v in VALUES.items() if name.isidentifier()}
    try:
        want = eval(text, {}, names)
    except ZeroDivisionError:
        with pytest.raises(Unknown):
            value(text)
        return
    assert value(text) == (want if len(parts) == 1 else bool(want))
