"""Hover: the facts of a value, laid out for a person; on operations, keywords and values with an error too.

Right values are by hand: the index maps are those of the chapter that the language comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from client import Client
from marked import opened, place

from uopc.ops import OPS

CHAIN = """\
%0 = buffer 12 : dtype=f32 slot=0
%1 = reshape %0, (3, 4)
%2 = permute %1, (1, 0)
%3 = shrink %2, ((1, 3), (0, 3))
%4 = pad %3, ((1, 2), (0, 0))
%5 = mul %1, 2.0
%6 = reduce %5 : op=add pop=1
%7 = reshape %2, (5, 5)
%8 = add %7, %1
"""


def hover(client: Client, text: str, line: int, column: int = 1) -> Any:
    uri, *_ = opened(client, text)
    return client.at("textDocument/hover", uri, line, column)


def paragraphs(client: Client, line: int, text: str = CHAIN) -> list[str]:
    found: list[str] = hover(client, text, line)["contents"]["value"].split("\n\n")
    return found


def test_a_view_says_type_step_index_map_strides_and_users(shared: Client) -> None:
    head, equation, layout, users = paragraphs(shared, 3)
    assert head == "**%3** : f32[2, 3] — `shrink` keeps rows 1..2, columns 0..2 of %2"
    assert equation == "```text\n%3[i, j] = %2[i + 1, j]\n         = buffer 0 at 4·j + i + 1\n```"
    assert layout.startswith(
        "strides (1, 4), offset 1 · a single strided view, not contiguous · reads 6 of 12 elements"
    )
    assert users == "used by %4 (line 5)"


def test_hover_on_a_use_is_about_the_value_that_is_used(shared: Client) -> None:
    found = hover(shared, CHAIN, 3, 13)
    assert found["contents"]["value"].startswith("**%2** : f32[4, 3]")
    assert found["range"] == place(3, 12, 14)


def test_a_pad_says_once_where_it_is_zero(shared: Client) -> None:
    text = "\n".join(paragraphs(shared, 4))
    first = text.split("\n")
    assert sum("0 unless 1 ≤ i" in line and line.startswith("%4") for line in first) == 1
    assert "\n0 unless" not in text


def test_what_is_computed_is_not_called_equal_to_memory(shared: Client) -> None:
    text = "\n".join(paragraphs(shared, 5))
    assert "%5[i, j] = %1[i, j] * 2.0" in text
    assert "= buffer" not in text
    assert "reads buffer 0 at 4·i + j" in text


def test_a_reduction_says_its_sum_axes_and_operations(shared: Client) -> None:
    text = "\n".join(paragraphs(shared, 6))
    assert "%6[i] = Σ j<4  %5[i, j]" in text
    assert "removes axis 1 (4)" in text
    assert "24 operations" in text  # 3 rows of 4, a multiplication and an addition each


def test_a_call_says_what_its_body_computes_of_its_arguments(shared: Client) -> None:
    uri = shared.open(
        "%b = buffer 6 : dtype=f32 slot=0\n%x = reshape %b, (2, 3)\n%f = param (3, 2) : dtype=f32 slot=0\n"
        "%g = mul %f, 2.0\n%t = permute %x, (1, 0)\n%c = call %g, %t\n",
        "file:///call.uir",
    )
    said = shared.at("textDocument/hover", uri, 5, 1)["contents"]["value"]
    assert "%c[i, j] = %t[i, j] * 2.0" in said
    assert "reads buffer 0 at i + 3·j" in said or "reads buffer 0 at 3·j + i" in said


def test_a_value_with_an_error_says_what_is_known_and_why_no_more(shared: Client) -> None:
    head, unknown, known, users = paragraphs(shared, 7)
    assert head.startswith("**%7** — `reshape` ")
    assert unknown.startswith("type unknown: its definition has an error: RESHAPE (4, 3) -> (5, 5)")
    assert known == "%2 is f32[4, 3]"
    assert users == "used by %8 (line 9)"
    assert any(p.startswith("type unknown: it is made from %7") for p in paragraphs(shared, 8))


def test_operations_and_keywords_explain_themselves(shared: Client) -> None:
    about = hover(shared, CHAIN, 6, 6)
    assert about["range"] == place(6, 5, 11)
    text = about["contents"]["value"]
    for part in ("**reduce**: Combines", "reduce x : op=add|max|mul", "- `pop`: ", "`result[i] = the sum"):
        assert part in text
    assert OPS["reduce"].rule in text
    assert f"```uir\n{OPS['reduce'].example}```" in text and "# uir: expect = [6, 15]" in text
    assert hover(shared, CHAIN, 0, 18)["contents"]["value"].startswith("`dtype=` ")
    assert hover(shared, CHAIN + "%9 = div %1, %1\n", 9, 6)["contents"]["value"].startswith("**floordiv**")


def test_nothing_is_said_about_blanks_comments_and_names_that_are_not_defined(shared: Client) -> None:
    text = "# %0\n\n%0 = neg %zz\n"
    for line, column in ((0, 3), (1, 0), (2, 10)):
        assert hover(shared, text, line, column) is None


def test_every_value_of_a_loop_program_can_be_hovered(shared: Client) -> None:
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = range 4 : idx=0\n%2 = index %0, %1\n%3 = load %2\n%4 = neg %3\n"
    text += "%5 = buffer 4 : dtype=f32 slot=1\n%6 = index %5, %1\n%7 = store %6, %4\n%8 = end %7, %1\n%9 = sink %8\n"
    uri, *_ = opened(shared, text)
    for line in range(10):
        assert shared.at("textDocument/hover", uri, line, 1)["contents"]["value"].startswith(f"**%{line}**")


def test_links_to_commands_only_for_clients_that_have_them(shared: Client, start: Callable[..., Client]) -> None:
    assert "command:" not in "\n".join(paragraphs(shared, 3))
    client = start()
    client.initialize(clientCommands=True)
    assert "[Run to here](command:uir.run?" in "\n".join(paragraphs(client, 3))
    assert "command:" not in "\n".join(paragraphs(client, 7))


def test_plain_text_for_clients_that_show_no_markdown(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
    found = hover(client, CHAIN, 3)["contents"]
    assert found["kind"] == "plaintext"
    assert found["value"].startswith("%3 : f32[2, 3] — shrink keeps")
    assert "```" not in found["value"] and "**" not in found["value"]
