"""The text of a document: edits in every position encoding, every line end, and positions outside the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uir_lsp.document import ClientView, Document

ENCODINGS = ("utf-8", "utf-16", "utf-32")
_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
_ALPHABET = st.sampled_from(["a", "%", "0", "é", "→", "😀", "\r", "\n", "\r\n", "\x0c", "\x0b", "\x85", "\u2028", " "])


def units(text: str, encoding: str) -> int:
    """The length of a text in code units, by Python's codecs."""
    codec, size = _CODECS[encoding]
    return len(text.encode(codec)) // size


def position_of(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The client's position of an offset, counted from the text alone."""
    ends = [m.end() for m in re.finditer(r"\r\n|\r|\n", text) if m.end() <= offset]
    begin = ends[-1] if ends else 0
    return at(len(ends), units(text[begin:offset], encoding))


def at(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def partial(start: dict[str, int], end: dict[str, int], text: str) -> dict[str, object]:
    return {"range": {"start": start, "end": end}, "text": text}


def edited(text: str, *changes: dict[str, object], encoding: str = "utf-16") -> str:
    document = Document("file:///a.uir", 1, text, ClientView(encoding))
    document.apply(changes, 2)
    return document.text


@st.composite
def _edits(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    text = "".join(draw(st.lists(_ALPHABET, max_size=30)))
    edits, current = [], text
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(current)))
        end = draw(st.integers(start, len(current)))
        new = "".join(draw(st.lists(_ALPHABET, max_size=5)))
        # a position cannot name the middle of a CRLF: such an edit begins or ends before it
        start, end = (k - 1 if current[k - 1 : k + 1] == "\r\n" and k else k for k in (start, end))
        edits.append((start, max(start, end), new))
        current = current[:start] + new + current[max(start, end) :]
    return text, edits


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(case=_edits())
@settings(max_examples=150, deadline=None)
def test_edits_give_the_text_that_replacing_in_the_string_gives(encoding: str, case: tuple[str, list]) -> None:
    text, edits = case
    document = Document("file:///a.uir", 1, text, ClientView(encoding))
    for version, (start, end, new) in enumerate(edits, 2):
        before = document.text
        change = partial(position_of(before, start, encoding), position_of(before, end, encoding), new)
        document.apply([change], version)
        assert document.text == before[:start] + new + before[end:]


def test_several_changes_apply_in_order() -> None:
    first = partial(at(0, 0), at(0, 0), "ab\n")
    second = partial(at(1, 1), at(1, 2), "")
    assert edited("xyz", first, second) == "ab\nxz"


def test_positions_outside_the_text_are_its_end() -> None:
    assert edited("ab\ncd", partial(at(0, 99), at(0, 99), "!")) == "ab!\ncd"
    assert edited("ab\ncd", partial(at(9, 0), at(2**31 - 1, 2**31 - 1), "!")) == "ab\ncd!"
    assert edited("ab\n", partial(at(1, 0), at(1, 0), "c")) == "ab\nc"


def test_a_range_that_ends_before_it_starts_is_turned_around() -> None:
    assert edited("abc", partial(at(0, 2), at(0, 1), "")) == "ac"


def test_a_full_change_replaces_everything() -> None:
    assert edited("abc", {"text": "é\r"}) == "é\r"


def test_a_position_inside_a_surrogate_pair_is_before_the_character() -> None:
    assert edited("😀a", partial(at(0, 1), at(0, 2), ""), encoding="utf-16") == "a"


def test_only_cr_lf_and_crlf_end_a_line() -> None:
    text = "a\x0cb\x0bc\x85d\u2028e\n%1"
    assert edited(text, partial(at(1, 1), at(1, 2), "2")) == "a\x0cb\x0bc\x85d\u2028e\n%2"


def test_deleting_what_stands_between_cr_and_lf_leaves_one_line_end() -> None:
    document = Document("file:///a.uir", 1, "a\rb\nc", ClientView())
    document.apply([partial(at(1, 0), at(1, 1), "")], 2)
    assert document.text == "a\r\nc"
    document.apply([partial(at(1, 0), at(1, 1), "d")], 3)
    assert document.text == "a\r\nd"
