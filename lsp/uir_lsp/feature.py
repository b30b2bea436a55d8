"""What a feature is: a row that ties a method of the protocol to the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from uir_lsp.shapes import ABOUT, Shape, anything

if TYPE_CHECKING:
    from uir_lsp.document import ClientView, Snapshot
    from uir_lsp.server import UirServer


Params: TypeAlias = dict[str, Any]  # as JSON gave them


def text_document_uri(params: Any) -> str:
    """The document that most requests are about."""
    uri: str = params["textDocument"]["uri"]
    return uri


class NotSettled(Exception):
    """Raised by an answer that needs more of the analysis than there is: it is asked for again with a settled one."""


class Feature(NamedTuple):
    """A request about one document, answered by a pure function of its newest snapshot.

    `answer` runs on the analysis thread and returns plain JSON; its parameters have the shape `wants`. A document that
    is not open gives null. `brief`: its work is bounded, whatever the file, so that it need not have a thread to itself
    (see `compute`).
    `settled`: whether it reads more of the analysis than text, errors and types, for this client (see
    `scheduler`): it then waits until nodes, warnings and hints are those of the newest text, too. One that seldom does
    raises NotSettled.
    """

    method: str
    answer: Callable[[Snapshot, Any], Any]
    wants: Shape = ABOUT
    uri: Callable[[Any], str] = text_document_uri
    settled: Callable[[ClientView], bool] = lambda _: False
    brief: bool = False


class ServerFeature(NamedTuple):
    """A request or notification that needs more than one snapshot; `handle` runs on the loop and must not block; it
    may be a coroutine."""

    method: str
    handle: Callable[[UirServer, Any], Any]
    wants: Shape = anything
