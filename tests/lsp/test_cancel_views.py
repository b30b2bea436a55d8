"""The requests of the views can be cancelled: they are answered so, the work ends, and the next one is answered."""

from __future__ import annotations

import time
from typing import Any

import pytest
from client import Client, ResponseError
from transformer import transformer

from uopc.uir import dump

SMALL = "%0 = buffer 12 : dtype=f32 slot=0\n%m = reshape %0, (3, 4)\n%s = reduce %m : op=add pop=1\n"
CANCELLED = -32800


@pytest.fixture(scope="module")
def large() -> str:
    """A program that takes a second to compile, and longer stage by stage."""
    return dump(transformer(1_000)[0])


def asked(client: Client, method: str, uri: str, **options: Any) -> int:
    return client.start(method, {"uri": uri, "options": options})


def until_busy(client: Client, method: str, uri: str) -> int:
    """A request whose work has begun: its child has been at it for a moment."""
    request = asked(client, method, uri)
    time.sleep(0.1)
    return request


@pytest.mark.parametrize("method", ["uir/stages", "uir/graph", "uir/showAssembly"])
def test_work_of_a_view_is_cancelled(client: Client, large: str, method: str) -> None:
    client.request(method, {"uri": client.open(SMALL, "file:///small.uir")}, 60)  # the child is warm
    uri = client.open(large, "file:///large.uir")
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}, 60)
    request = until_busy(client, method, uri)
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError) as caught:
        client.result(request, 10)
    assert caught.value.code == CANCELLED
    again = client.request(method, {"uri": "file:///small.uir"}, 60)
    assert again.get("stages") or again.get("nodes") or again.get("asm")


def test_a_text_of_a_stage_is_cancelled(client: Client, large: str) -> None:
    uri = client.open(large)
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}, 60)
    request = asked(client, "uir/stageText", uri, stage="kernels")
    client.notify("$/cancelRequest", {"id": request})
    with pytest.raises(ResponseError) as caught:
        client.result(request, 10)
    assert caught.value.code == CANCELLED


def test_index_maps_that_nobody_wants_any_more_are_not_made(client: Client) -> None:
    """Asked right after opening, so that it waits for the analysis; then a panel is turned to another value."""
    lines = [f"%{k} = add %{k - 1}, 1.0\n" for k in range(1, 20_000)]
    uri = client.open("%0 = buffer 4 : dtype=f32 slot=0\n" + "".join(lines))
    first = client.start("uir/indexMap", {"uri": uri})
    client.notify("$/cancelRequest", {"id": first})
    second = client.start("uir/indexMap", {"uri": uri, "value": "%3"})
    with pytest.raises(ResponseError) as caught:
        client.result(first)
    assert caught.value.code == CANCELLED
    assert client.result(second, 60)["value"] == "%3"
