"""The code of a diagnostic, and the hover of an operation, lead to the pages that are installed with the server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import pytest
from client import Client, splice
from marked import opened

from uopc.uir import CODES, Severity

BAD = "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 5)\n"


def headings(file: str) -> list[str]:
    return re.findall(r"^### (\S+)$", Path(file).read_text(encoding="utf-8"), re.MULTILINE)


def arguments(link: str) -> list[str]:
    command, _, query = link.partition("?")
    assert command == "command:uir.showDocumentation"
    found: list[str] = json.loads(unquote(query))
    return found


def test_the_code_leads_to_its_section_in_a_file(shared: Client) -> None:
    uri, *_ = opened(shared, BAD)
    (found,) = shared.diagnostics(uri)
    href = urlsplit(found["codeDescription"]["href"])
    assert (href.scheme, href.fragment) == ("file", "reshape-count")
    assert href.fragment in headings(url2pathname(href.path))


def test_a_client_with_commands_gets_a_link_to_its_own(start: Callable[..., Client]) -> None:
    client = start()
    client.initialize(clientCommands=True)
    uri = client.open(BAD)
    (found,) = client.diagnostics(uri)
    file, heading = arguments(found["codeDescription"]["href"])
    assert heading == "reshape-count" and heading in headings(file)
    text = client.at("textDocument/hover", uri, 1, 6)["contents"]["value"]
    file, heading = arguments(re.findall(r"\[Reference\]\((.*)\)$", text)[0])
    assert heading == "reshape" and heading in headings(file)


def test_every_code_has_a_section(shared: Client) -> None:
    texts = [info.example.replace("# here\n", "") for info in CODES.values() if info.example]
    for text in texts:
        uri, *_ = opened(shared, text)
        for found in shared.diagnostics(uri):
            href = urlsplit(found["codeDescription"]["href"])
            assert href.fragment == found["code"] and href.fragment in headings(url2pathname(href.path))


SOME = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n%2 = reshape %0, (4,)\n%3 = add %2, %nix\n"


@pytest.mark.parametrize(
    ("allow", "codes"),
    [
        ([], ["no-op", "undefined-value"]),
        (["no-op", "no-such-code"], ["undefined-value"]),
        (["undefined-value"], ["no-op", "undefined-value"]),  # errors are always shown
        ("no-op", ["no-op", "undefined-value"]),  # not a list
    ],
)
def test_what_the_client_allows_is_not_shown(start: Callable[..., Client], allow: Any, codes: list[str]) -> None:
    client = start()
    client.initialize(allow=allow)
    uri = client.open(SOME)
    assert [d["code"] for d in client.diagnostics(uri, 1)] == codes
    client.edit(uri, 2, splice(0, 0, 0, "# a line more\n"))
    assert [d["code"] for d in client.diagnostics(uri, 2)] == codes


def test_the_setting_of_the_extension_offers_exactly_the_codes_that_can_be_switched_off() -> None:
    file = Path(__file__).parents[2] / "vscode-extension" / "package.json"
    settings = json.loads(file.read_text(encoding="utf-8"))["contributes"]["configuration"]["properties"]
    items = settings["uir.diagnostics.allow"]["items"]
    infos = [info for info in CODES.values() if info.severity is not Severity.ERROR]
    assert items["enum"] == [info.code for info in infos]
    assert [text.lower() for text in items["enumDescriptions"]] == [f"{info.title.lower()}." for info in infos]
