"""What the client says of itself when the session begins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lsprotocol import types


@dataclass(frozen=True)
class Options:
    """The initialization options, and the capabilities that decide what is sent. See lsp/README.md."""

    client_commands: bool = False
    trusted: bool = True
    compiler: str | None = None
    build_ahead: bool = False
    allow: frozenset[str] = frozenset()
    pull: bool = False
    asks_again: bool = False
    show_document: bool = False
    markdown: bool = True

    @classmethod
    def read(cls, params: types.InitializeParams) -> Options:
        """From the parameters of `initialize`; what is absent or of another type has its default."""
        given = params.initialization_options
        said: dict[str, Any] = given if isinstance(given, dict) else {}
        client = params.capabilities
        wants = said.get("diagnostics", "auto")
        offers_pull = client.text_document is not None and client.text_document.diagnostic is not None
        refreshes = client.workspace.diagnostics if client.workspace is not None else None
        show = client.window.show_document if client.window is not None else None
        compiler = said.get("compiler")
        allow = said.get("allow")
        return cls(
            client_commands=said.get("clientCommands") is True,
            trusted=said.get("trusted") is not False,
            compiler=compiler if isinstance(compiler, str) and compiler else None,
            build_ahead=said.get("buildAhead") is True,
            allow=frozenset(map(str, allow)) if isinstance(allow, list) else frozenset(),
            pull=wants == "pull" or (wants != "push" and offers_pull),
            asks_again=refreshes is not None and refreshes.refresh_support is True,
            show_document=show is not None and show.support,
            markdown=_wants_markdown(client.text_document),
        )

    def with_trust(self, trusted: bool) -> Options:
        """The same, with the trust that the client has now."""
        return replace(self, trusted=trusted)


def _wants_markdown(documents: types.TextDocumentClientCapabilities | None) -> bool:
    """Whether hovers are Markdown: yes, unless the client says that it can only show plain text."""
    formats = documents.hover.content_format if documents is not None and documents.hover is not None else None
    return not formats or types.MarkupKind.Markdown in formats
