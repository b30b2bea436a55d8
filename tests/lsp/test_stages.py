"""What a program becomes, asked of the server: its stages, its loops and assembly with the lines they came from."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from client import Client, ResponseError, splice

Start = Callable[..., Client]
PRODUCT = """\
# uir: input 0 = arange
%0 = buffer 12 : dtype=f32 slot=0
%x = reshape %0, (3, 4)
%p = mul %x, %x
%s = reduce %p : op=add pop=1
"""
PLAIN = {"plain": True}
needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("cc", "gcc", "clang")), reason="no C compiler on this machine"
)


def names(found: list[dict[str, Any]]) -> set[str]:
    return {origin["name"] for origin in found}


def text_of(client: Client, uri: str, stage: str, **options: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.request("uir/stageText", {"uri": uri, "options": {"stage": stage, **options}})
    return answer


def test_stages_come_without_their_texts(client: Client) -> None:
    found = client.request("uir/stages", {"uri": client.open(PRODUCT), "options": PLAIN})
    assert (found["program"], found["stale"]) == ("plain", False)
    assert [s["name"] for s in found["stages"]] == ["graph", "inlined", "loops", "simplified", "c"]
    assert [s["forms"] for s in found["stages"]] == [["uir"], ["uir"], ["loops", "uir"], ["loops", "uir"], ["c"]]
    rules = {rule["name"]: rule["count"] for rule in found["stages"][3]["rules"]}
    assert rules["quotient-by-one"] == 1  # %x is asked for once, at 4*i + j
    assert client.request("uir/stages", {"uri": client.open(PRODUCT)})["program"] == "fast"


def test_the_text_of_a_stage_knows_its_lines_and_what_changed(client: Client) -> None:
    uri = client.open(PRODUCT)
    found = text_of(client, uri, "simplified", **PLAIN)
    lines = found["text"].splitlines()
    at = next(k for k, line in enumerate(lines) if "acc +=" in line)
    assert lines[at].strip() == "acc += %0[4·i + j] * %0[4·i + j]"
    assert {"%p", "%s"} <= names(found["map"][at])
    assert {o["line"] for o in found["map"][at] if o["name"] == "%s"} == {4}
    # One line of the loops became another: the rest is as it was.
    assert sum(n for what, n in found["difference"] if what == "-") == 1
    assert "// 1 % 12" in found["before"][at]
    assert text_of(client, uri, "simplified", form="uir", **PLAIN)["text"].startswith("%")
    assert text_of(client, uri, "nothing")["message"] == "this program has no stage 'nothing'"
    with pytest.raises(ResponseError):
        client.request("uir/stageText", {"uri": uri})


def test_while_the_file_is_broken_the_last_good_stages_stay(client: Client) -> None:
    uri = client.open(PRODUCT)
    good = client.request("uir/stages", {"uri": uri, "options": PLAIN})
    client.edit(uri, 2, splice(2, 0, 0, "%bad = reshape %0, (5, 5)\n"))
    stale = client.request("uir/stages", {"uri": uri, "options": PLAIN})
    assert stale["stale"] and stale["stages"] == good["stages"] and "line 3" in stale["message"]
    text = text_of(client, uri, "simplified", **PLAIN)
    assert text["stale"] and "acc += %0[4·i + j] * %0[4·i + j]" in text["text"]
    client.edit(uri, 3, splice(2, 0, 0, "", last_line=3))
    assert client.request("uir/stages", {"uri": uri, "options": PLAIN})["stale"] is False


def test_lines_of_the_loop_program_know_theirs(client: Client) -> None:
    found = client.request("uir/showLoops", {"uri": client.open(PRODUCT)})
    lines = found["loops"].split("\n")
    assert len(found["map"]) == len(lines)
    assert lines[0] == "# uir: input 0 = arange" and found["map"][0] == []
    by_line = {line.partition(" = ")[2]: names(origins) for line, origins in zip(lines, found["map"])}
    (mul,) = (key for key in by_line if key.startswith("mul %") and "4" not in key.split())
    assert "%p" in by_line[mul]
    assert "%s" in by_line["range 4 : idx=1 kind=reduce"]


@needs_compiler
def test_assembly_knows_the_c_and_the_file(client: Client) -> None:
    uri = client.open(PRODUCT)
    found = client.request("uir/showAssembly", {"uri": uri, "options": PLAIN})
    c = client.request("uir/showC", {"uri": uri, "options": PLAIN})
    lines = found["asm"].split("\n")
    assert len(found["map"]) == len(lines) == len(found["lines"]) + 1
    assert found["stale"] is False and found["ms"] > 0
    product = [k for k, line in enumerate(lines) if re.match(r"\s+v?f?mul[sp]?[sd]?\b", line)]
    assert product and all("%p" in names(found["map"][k]) for k in product)
    assert all("*" in c["c"].split("\n")[n] for k in product for n in found["lines"][k])


def test_assembly_is_not_made_where_nothing_is_trusted(start: Start) -> None:
    client = start()
    client.initialize(trusted=False)
    uri = client.open(PRODUCT)
    found = client.request("uir/showAssembly", {"uri": uri})
    assert found["restricted"] and found["asm"] == "" and "trusted" in found["message"]
    assert client.request("uir/stages", {"uri": uri})["stages"]  # which need no compiler


@needs_compiler
def test_assembly_without_a_compiler_says_so(start: Start) -> None:
    client = start()
    client.initialize(compiler="/nowhere/cc")
    found = client.request("uir/showAssembly", {"uri": client.open(PRODUCT)})
    assert found["stale"] and "/nowhere/cc" in found["message"]
