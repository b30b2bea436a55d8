"""Links: the files that directives name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.uris import path_of, uri_of
from uopc.uir import ExpectSpec, InputSpec, Span

_QUOTED = re.compile(r'"([^"]*)"')


def _links(snapshot: Snapshot, _: Params) -> list[dict[str, Any]]:
    home = path_of(snapshot.uri)
    if not home or not snapshot.uri.startswith("file:"):
        return []
    directives = snapshot.analysis.directives
    specs: list[InputSpec | ExpectSpec] = [*directives.inputs.values(), *directives.expects.values()]
    links = [_link(snapshot, Path(home).parent, spec) for spec in specs if spec.kind == "file"]
    return [link for link in links if link is not None]


def _link(snapshot: Snapshot, folder: Path, spec: InputSpec | ExpectSpec) -> dict[str, Any] | None:
    for found in _QUOTED.finditer(snapshot.line(spec.line)):
        if found[1] == spec.path:
            target = uri_of(str(folder / spec.path))
            return {
                "range": snapshot.range(spec.line, Span(*found.span(1))),
                "target": target,
                "tooltip": "open the file",
            }
    return None


FEATURE = Feature("textDocument/documentLink", _links)
