"""Fixtures: a server process that is gone when the test is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from client import Client


@pytest.fixture
def start() -> Iterator[Callable[..., Client]]:
    """Start servers that are killed at the end of the test."""
    clients: list[Client] = []

    def make(*arguments: str, **options: Any) -> Client:
        clients.append(Client(*arguments, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.process.kill()
        client.wait()


@pytest.fixture(scope="module")
def shared() -> Iterator[Client]:
    """One server for the tests of a module that only ask: starting takes longer than they do."""
    client = Client()
    client.initialize({"textDocument": {"rename": {"prepareSupport": True}}})
    yield client
    client.close()


@pytest.fixture
def client(start: Callable[..., Client]) -> Client:
    """A server with a session begun by a client that offers nothing special."""
    client = start()
    client.initialize()
    return client
