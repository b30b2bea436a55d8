"""What the client says of itself when the session begins."""

from __future__ import annotations

from typing import Any, NamedTuple

_ENCODINGS = ("utf-8", "utf-16", "utf-32")


class Options(NamedTuple):
    """The initialization options, and the capabilities that decide what is sent. See lsp/README.md."""

    client_commands: bool = False
    trusted: bool = True
    compiler: str | None = None
    build_ahead: bool = False
    allow: frozenset[str] = frozenset()
    pull: bool = False
    asks_again: bool = False
    show_document: bool = False
    progress: bool = False
    prepares_rename: bool = False
    markdown: bool = True
    encoding: str = "utf-16"

    @classmethod
    def read(cls, params: dict[str, Any]) -> Options:
        """From the parameters of `initialize`; what is absent or of another type has its default."""
        said, client = _object(params, "initializationOptions"), _object(params, "capabilities")
        documents, window = _object(client, "textDocument"), _object(client, "window")
        wants = said.get("diagnostics", "auto")
        offers_pull = documents.get("diagnostic") is not None
        compiler = said.get("compiler")
        formats = _list(_object(documents, "hover"), "contentFormat")
        return cls(
            client_commands=said.get("clientCommands") is True,
            trusted=said.get("trusted") is not False,
            compiler=compiler if isinstance(compiler, str) and compiler else None,
            build_ahead=said.get("buildAhead") is True,
            allow=frozenset(map(str, _list(said, "allow"))),
            pull=wants == "pull" or (wants != "push" and offers_pull),
            asks_again=_object(_object(client, "workspace"), "diagnostics").get("refreshSupport") is True,
            show_document=_object(window, "showDocument").get("support") is True,
            progress=window.get("workDoneProgress") is True,
            prepares_rename=_object(documents, "rename").get("prepareSupport") is True,
            markdown=not formats or "markdown" in formats,
            encoding=_encoding(_list(_object(client, "general"), "positionEncodings")),
        )

    def with_trust(self, trusted: bool) -> Options:
        """The same, with the trust that the client has now."""
        return self._replace(trusted=trusted)


def _encoding(offers: list[Any]) -> str:
    """The client's first offer that we know; UTF-16 is what every client knows."""
    return next((one for one in offers if one in _ENCODINGS), "utf-16")


def _object(parent: dict[str, Any], name: str) -> dict[str, Any]:
    """A member that is an object; an empty one where it is absent or something else."""
    found = parent.get(name)
    return found if isinstance(found, dict) else {}


def _list(parent: dict[str, Any], name: str) -> list[Any]:
    """A member that is a list; an empty one where it is absent or something else."""
    found = parent.get(name)
    return found if isinstance(found, list) else []
