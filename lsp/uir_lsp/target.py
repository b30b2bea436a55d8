"""The parameters of the server's own requests: `{uri, value?, options?}`.

They are checked by hand, so that the answer to a mistake is a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.refusal import InvalidParams
from uir_lsp.uris import path_of


@dataclass(frozen=True)
class Target:
    """What a request is about. `value` is a name without its %, None for the whole file."""

    uri: str
    value: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    token: int | str | None = None

    @classmethod
    def read(cls, params: Any) -> Target:
        """From a request's parameters. Raises InvalidParams."""
        if not isinstance(params, dict) or not isinstance(params.get("uri"), str):
            raise InvalidParams("the parameters are {uri, value?, options?}, with uri a string")
        value, options = params.get("value"), params.get("options")
        if value is not None and not isinstance(value, str):
            raise InvalidParams("value is the name of a value, a string")
        if options is not None and not isinstance(options, dict):
            raise InvalidParams("options is an object")
        token = params.get("workDoneToken")
        if not isinstance(token, (int, str)):
            token = None
        return cls(params["uri"], value.removeprefix("%") if value else None, options or {}, token)

    @property
    def path(self) -> str:
        """The file's path; for a document that is no file, a name."""
        return path_of(self.uri) or self.uri

    def flag(self, name: str) -> bool:
        """Whether an option is switched on."""
        return self.options.get(name) is True

    def check(self, snapshot: Snapshot) -> None:
        """Raises InvalidParams if the value is not defined in the text."""
        if self.value is not None and self.value not in snapshot.analysis.values:
            raise InvalidParams(f"%{self.value} is not defined in this file")
