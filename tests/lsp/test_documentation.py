"""The code of a diagnostic, and the hover of an operation, lead to the pages that are installed with the server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from client import Client
from marked import opened

from uopc.uir import CODES

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
