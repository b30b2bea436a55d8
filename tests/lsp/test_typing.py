"""What helps while typing: completion, signature help, quick fixes, formatting; and colours."""

from __future__ import annotations

from typing import Any

import pytest
from client import Client, splice
from marked import apply, ask, opened, place

from uopc.ops import ALIASES, OPS
from uopc.uir import format as format_text

HEAD = "%a = buffer 12 : dtype=f32 slot=0\n%m = reshape %a, (3, 4)\n%i = const 1 : dtype=i32\n"
DTYPES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"]
COMPLETION = "textDocument/completion"


def labels(client: Client, marked: str, **more: Any) -> list[str]:
    return [item["label"] for item in ask(client, COMPLETION, marked, **more)]


# -- completion --------------------------------------------------------------------------------------------------------
def test_every_operation_is_offered_after_equals_with_its_documentation(shared: Client) -> None:
    found = ask(shared, COMPLETION, HEAD + "%x = re$0")
    assert {item["label"] for item in found} == {*OPS, *ALIASES}
    reshape = next(item for item in found if item["label"] == "reshape")
    assert reshape["textEdit"] == {"range": place(3, 5, 7), "newText": "reshape"}
    assert OPS["reshape"].doc in reshape["documentation"]["value"]
    assert reshape["detail"] == "reshape x, shape"


def test_values_above_are_offered_nearest_first_with_their_types(shared: Client) -> None:
    found = ask(shared, COMPLETION, HEAD + "%x = add %$0\n%later = neg %m\n")
    found.sort(key=lambda item: item["sortText"])
    assert [(item["label"], item["detail"]) for item in found] == [
        ("%i", "i32[]  const"),
        ("%m", "f32[3, 4]  reshape"),
        ("%a", "f32[12]  buffer"),
    ]
    assert found[0]["textEdit"]["range"] == place(3, 9, 10)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("%x = cast %m : $0", ["dtype="]),
        (
            "%x = cast %m : dtype=$0",
            DTYPES,
        ),
        (
            "%x = cast %m : dtype=f$0",
            DTYPES,
        ),
        ("%x = reduce %m : op=$0", ["add", "max", "mul"]),
        ("%x = reduce %m : op=add $0", ["pop=", "axes=", "keepdim="]),
        ("%x = reduce %m : op=add axes=(0,) keepdim=$0", ["true", "false"]),
        ("%x = range 4 : idx=0 kind=$0", ["loop", "reduce", "thread", "upcast", "unroll", "global", "local"]),
        ("%x = buffer 4 $0", ["dtype=", "slot="]),
        ("%x = reshape %m $0", ["shape="]),
        ("%x = reshape $0", ["%i", "%m", "%a"]),
        ("%x = reshape x=$0", ["%i", "%m", "%a"]),
        ("%x = reshape x=%m $0", ["shape="]),
        ("%x = permute %m, $0", ["(1, 0)"]),
        ("%x = reshape %m, $0", ["(3, 4)", "(12,)"]),
        ("%x = shrink %m, $0", ["((0, 3), (0, 4))"]),
        ("%x = pad %a, $0", ["((0, 0),)"]),
        ("%x = flip %m, $0", ["(0,)", "(1,)"]),
        ("%x = flip %nothing, $0", []),
        ("%x = permute %m, ($0", ["1, 0"]),
        ("%x = reshape %m, ($0)", ["3, 4", "12,"]),
        ("%x = reshape %m, (3, $0", []),
        ("%x = add %m, %m # $0", []),
        ("$0", ["%0 ="]),
    ],
)
def test_completion_knows_where_it_is(shared: Client, typed: str, expected: list[str]) -> None:
    assert labels(shared, HEAD + typed) == expected


def test_a_blank_after_an_operation_pops_nothing_up(shared: Client) -> None:
    context = {"triggerKind": 2, "triggerCharacter": " "}
    assert labels(shared, HEAD + "%x = add $0", context=context) == []
    assert "pop=" in labels(shared, HEAD + "%x = reduce %m : $0", context=context)


def test_directives_are_offered_after_uir(shared: Client) -> None:
    found = labels(shared, "# uir: $0")
    assert "reduce=leading" in found
    assert labels(shared, "# uir: reduce=$0") == []


# -- signature help ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "label", "active"),
    [
        ("%x = reshape $0", "reshape x, shape", "x"),
        ("%x = reshape %m, ($0", "reshape x, shape", "shape"),
        ("%x = shrink %m, ((0, 1), ($0", "shrink x, bounds", "bounds"),
        ("%x = where %m, %m, $0", "where c, a, b", "b"),
        ("%x = stack %m, %m, %m, $0", "stack a, ...", "a, ..."),
        ("%x = cast %m : dtype=$0", "cast a : dtype=", "dtype="),
        ("%x = div %m, $0", "floordiv a, b", "b"),
    ],
)
def test_signature_help_marks_the_argument(shared: Client, typed: str, label: str, active: str) -> None:
    found = ask(shared, "textDocument/signatureHelp", HEAD + typed)
    signature = found["signatures"][0]
    assert signature["label"] == label
    assert signature["parameters"][signature["activeParameter"]]["label"] == active


def test_no_signature_help_outside_arguments(shared: Client) -> None:
    for typed in (
        "%x = resh$0ape %m, (3, 4)",
        "%x$0 = reshape",
        "# reshape $0",
        "%x = nonsense $0",
        "%x = neg %m # $0",
    ):
        assert ask(shared, "textDocument/signatureHelp", HEAD + typed) is None, typed


# -- quick fixes -------------------------------------------------------------------------------------------------------
def actions(client: Client, uri: str, line: int, start: int, end: int, **context: Any) -> list[dict[str, Any]]:
    context = {"diagnostics": [], **context}
    found: list[dict[str, Any]] = client.about(
        "textDocument/codeAction", uri, range=place(line, start, end), context=context
    )
    return found


def test_each_fix_of_each_error_mends_what_it_is_attached_to(shared: Client) -> None:
    text = HEAD + "%x = neg %mm\n%y = reshpe %m, (12,)\n%z = add %m, %i\n"
    uri, *_ = opened(shared, text)
    found = actions(shared, uri, 3, 0, 0) + actions(shared, uri, 3, 0, 12) + actions(shared, uri, 4, 5, 11)
    found += actions(shared, uri, 5, 0, 20)
    assert len(found) >= 3
    for action in found:
        assert action["kind"] == "quickfix"
        (edits,) = action["edit"]["changes"].values()
        mended = apply(text, edits)
        (broken,) = action["diagnostics"]
        new = f"file:///mended{found.index(action)}.uir"
        still = shared.diagnostics(shared.open(mended, new), 1)
        shifted = mended.count("\n") - text.count("\n")
        assert not [
            d
            for d in still
            if d["code"] == broken["code"] and d["range"]["start"]["line"] - shifted == broken["range"]["start"]["line"]
        ], action["title"]


def test_actions_are_only_given_where_and_when_wanted(shared: Client) -> None:
    uri, *_ = opened(shared, HEAD + "%x = neg %mm\n")
    assert actions(shared, uri, 3, 10, 10)
    assert actions(shared, uri, 3, 10, 10, only=["quickfix"])
    assert actions(shared, uri, 3, 10, 10, only=["refactor"]) == []
    assert actions(shared, uri, 0, 0, 30) == []


# -- formatting --------------------------------------------------------------------------------------------------------
UGLY = "%a=buffer   12:dtype=f32 slot=0\n# kept\n%m = reshape %a,(3,4)   # why\n\n%t = permute %m, (1, 0)\n"
OPTIONS = {"tabSize": 4, "insertSpaces": True}


def test_formatting_gives_what_the_formatter_gives_and_sends_only_changed_lines(shared: Client) -> None:
    uri, *_ = opened(shared, UGLY)
    edits = shared.about("textDocument/formatting", uri, options=OPTIONS)
    assert apply(UGLY, edits) == format_text(UGLY) != UGLY
    assert 4 not in {e["range"]["start"]["line"] for e in edits}
    uri, *_ = opened(shared, format_text(UGLY))
    assert shared.about("textDocument/formatting", uri, options=OPTIONS) == []


def test_formatting_a_range_leaves_the_rest(shared: Client) -> None:
    uri, *_ = opened(shared, UGLY)
    span = {"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 0}}
    edits = shared.about("textDocument/rangeFormatting", uri, range=span, options=OPTIONS)
    old, new = UGLY.split("\n"), format_text(UGLY).split("\n")
    assert apply(UGLY, edits).split("\n") == [*old[:2], new[2], *old[3:]]


def test_enter_formats_the_line_before(shared: Client) -> None:
    uri, *_ = opened(shared, UGLY)
    position = {"line": 1, "character": 0}
    edits = shared.about("textDocument/onTypeFormatting", uri, position=position, ch="\n", options=OPTIONS)
    assert apply(UGLY, edits).split("\n")[0] == format_text(UGLY).split("\n")[0]
    assert {e["range"]["start"]["line"] for e in edits} == {0}


# -- colours -----------------------------------------------------------------------------------------------------------
def decoded(client: Client, data: list[int], text: str) -> list[tuple[str, str]]:
    """(text, type) of packed tokens, in a text of ASCII."""
    legend = client_legend(client)
    lines = text.split("\n")
    line = column = 0
    found = []
    for k in range(0, len(data), 5):
        step, start, length, kind, _ = data[k : k + 5]
        line, column = line + step, start if step else column + start
        found.append((lines[line][column : column + length], legend[kind]))
    return found


def client_legend(client: Client) -> list[str]:
    reply = next(m["result"] for _, m in client.received if "capabilities" in (m.get("result") or {}))
    legend: list[str] = reply["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    return legend


def test_tokens_say_what_each_word_is(shared: Client) -> None:
    text = "# uir: reduce=leading\n%0 = buffer 4 : dtype=f32 slot=0 # note\n"
    text += "%1 = reduce %0 : op=add axes=(0,) keepdim=true\n"
    uri, *_ = opened(shared, text)
    found = decoded(shared, shared.about("textDocument/semanticTokens/full", uri)["data"], text)
    assert found == [
        ("#", "comment"), ("uir:", "macro"), ("reduce", "keyword"), ("leading", "enumMember"),
        ("%0", "variable"), ("buffer", "function"), ("4", "number"), ("dtype", "property"), ("f32", "type"),
        ("slot", "property"), ("0", "number"), ("# note", "comment"),
        ("%1", "variable"), ("reduce", "function"), ("%0", "variable"), ("op", "property"), ("add", "enumMember"),
        ("axes", "property"), ("0", "number"), ("keepdim", "property"), ("true", "number"),
    ]  # fmt: skip


def test_tokens_of_directives(shared: Client) -> None:
    """Key words, slots, sources, paths and options apart, also in a directive with a mistake."""
    text = '# uir: input 3 = file "a b.npz" "w"  # note\n# uir: input 0 = uniform -1 .5 seed=7\n'
    text += "# uir: expect 1 = [1, true, inf] rtol=1e-3 shape=(3,)\n# uir: allow no-op, huge\n"
    text += "# uir: inputt 0 = arange\n"
    uri, *_ = opened(shared, text)
    found = decoded(shared, shared.about("textDocument/semanticTokens/full", uri)["data"], text)
    head = [("#", "comment"), ("uir:", "macro")]
    assert found == [
        *head, ("input", "keyword"), ("3", "number"), ("file", "function"), ('"a b.npz"', "string"), ('"w"', "string"),
        ("# note", "comment"),
        *head, ("input", "keyword"), ("0", "number"), ("uniform", "function"), ("-1", "number"), (".5", "number"),
        ("seed", "property"), ("7", "number"),
        *head, ("expect", "keyword"), ("1", "number"), ("1", "number"), ("true", "number"), ("inf", "number"),
        ("rtol", "property"), ("1e-3", "number"), ("shape", "property"), ("3", "number"),
        *head, ("allow", "keyword"), ("no-op", "enumMember"), ("huge", "enumMember"),
        *head, ("0", "number"), ("arange", "enumMember"),
    ]  # fmt: skip


def test_a_long_list_in_a_directive_is_one_token(shared: Client) -> None:
    text = f"# uir: input 0 = [{', '.join(map(str, range(5000)))}]\n%0 = buffer 5000 : dtype=f32 slot=0\n"
    uri, *_ = opened(shared, text)
    found = decoded(shared, shared.about("textDocument/semanticTokens/full", uri)["data"], text)
    assert found[4][0].startswith("[0, 1, 2") and found[4][0].endswith("4999]") and found[4][1] == "number"


def test_tokens_as_a_change_of_the_last_ones(shared: Client) -> None:
    text = HEAD + "%x = neg %m\n"
    uri, *_ = opened(shared, text)
    first = shared.about("textDocument/semanticTokens/full", uri)
    shared.edit(uri, 2, splice(1, 0, 0, "# new line\n%q = neg %a\n"))
    change = shared.about("textDocument/semanticTokens/full/delta", uri, previousResultId=first["resultId"])
    data = list(first["data"])
    (edit,) = change["edits"]
    data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    full = shared.about("textDocument/semanticTokens/full", uri)
    assert data == full["data"]
    assert len(edit["data"]) < len(data) / 2
    unknown = shared.about("textDocument/semanticTokens/full/delta", uri, previousResultId="of another life")
    assert unknown["data"] == full["data"]


def test_tokens_of_a_range_are_those_of_its_lines(shared: Client) -> None:
    text = HEAD + "%x = neg %m\n"
    uri, *_ = opened(shared, text)
    span = {"start": {"line": 1, "character": 3}, "end": {"line": 2, "character": 1}}
    found = decoded(shared, shared.about("textDocument/semanticTokens/range", uri, range=span)["data"], text)
    assert found[0] == ("%m", "variable")
    assert found[-1] == ("i32", "type")


@pytest.mark.parametrize("kind", ["reshape", "expand", "permute", "shrink", "pad", "flip"])
def test_what_completion_offers_for_a_shape_is_accepted(shared: Client, kind: str) -> None:
    for typed in (f"%x = {kind} %m, $0", f"%x = {kind} %a, $0"):
        for label in labels(shared, HEAD + typed):
            text = HEAD + typed.replace("$0", label) + "\n"
            uri = shared.open(text, f"file:///offered-{kind}-{typed[-6:]}-{label}.uir")
            errors = [d for d in shared.diagnostics(uri, 1) if d["severity"] == 1]
            assert errors == [], text
