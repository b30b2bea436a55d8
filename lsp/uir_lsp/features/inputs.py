"""`uir/inputs`: the buffers that a program reads and what they hold; `uir/inputEdit`: the edit that changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import ServerFeature
from uir_lsp.refusal import InvalidParams
from uir_lsp.target import Target
from uopc.ops import Ops
from uopc.uir import Span
from uopc.uir.directives import parse_directive

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def inputs(server: UirServer, params: Any) -> dict[str, Any]:
    """{inputs: [{slot, name, line, dtype, size, source}]}; source is the directive's text, null without one."""
    snapshot = await server.snapshot_for(Target.read(params).uri)
    return {"inputs": await server.compute.call(_inputs, snapshot)}


def _inputs(snapshot: Snapshot) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    stored = _only_stored(snapshot)
    for name, value in snapshot.analysis.values.items():
        uop = value.uop
        if uop is not None and uop.op is Ops.BUFFER and uop.arg.slot not in stored:
            about = {"slot": uop.arg.slot, "name": "%" + name, "line": value.line, "dtype": uop.dtype.name}
            found.setdefault(uop.arg.slot, {**about, "size": uop.shape[0], "source": _source(snapshot, uop.arg.slot)})
    return [found[slot] for slot in sorted(found)]


def _only_stored(snapshot: Snapshot) -> set[int]:
    """The slots of buffers that the program writes and does not read: they need no data."""
    from uopc.runtime.inputs import buffers_of  # it brings NumPy, which is not needed before

    root = snapshot.analysis.root
    return set() if root is None else {use.slot for use in buffers_of(root) if not use.read}


def _source(snapshot: Snapshot, slot: int) -> str | None:
    spec = snapshot.analysis.directives.inputs.get(slot)
    if spec is None:
        return None
    return snapshot.line(spec.line)[spec.span.start : spec.span.end].partition("=")[2].strip()


async def input_edit(server: UirServer, params: Any) -> dict[str, Any]:
    """{edits} of the document, or {error}: params are {uri, slot, source}, an empty source is the default again."""
    target = Target.read(params)
    slot, source = params.get("slot"), params.get("source")
    if type(slot) is not int or slot < 0 or not isinstance(source, str):
        raise InvalidParams("the parameters are {uri, slot, source}: a buffer's slot and what it is to hold")
    snapshot = await server.snapshot_for(target.uri)
    return await server.compute.call(_edit, snapshot, slot, source.strip())


def _edit(snapshot: Snapshot, slot: int, source: str) -> dict[str, Any]:
    text = f"# uir: input {slot} = {source}"
    if source:
        directive, faults = parse_directive(text, 0)
        if directive is None or len(text.splitlines()) != 1 or directive.span.end != len(text):
            return {"error": faults[0].message if faults else f"`{source[:40]}` is not one directive"}
    spec = snapshot.analysis.directives.inputs.get(slot)
    if spec is None:
        return {"edits": [_insert(snapshot, text)] if source else []}
    if source:
        return {"edits": [{"range": snapshot.range(spec.line, spec.span), "newText": text}]}
    return {"edits": [_removal(snapshot, spec.line, spec.span)]}


def _removal(snapshot: Snapshot, line: int, span: Span) -> dict[str, Any]:
    """The whole line, unless something else stands on it."""
    text = snapshot.line(line)
    if text[: span.start].strip() or text[span.end :].strip():
        return {"range": snapshot.range(line, span), "newText": ""}
    begin, end = {"line": line, "character": 0}, {"line": line + 1, "character": 0}
    return {"range": {"start": begin, "end": end}, "newText": ""}


def _insert(snapshot: Snapshot, text: str) -> dict[str, Any]:
    """Below the last directive about an input, else above the first statement."""
    specs = snapshot.analysis.directives.inputs.values()
    line = max((spec.line + 1 for spec in specs), default=min(snapshot.analysis.statements, default=0))
    if line >= len(snapshot.lines):
        place = snapshot.whole["end"]
        return {"range": {"start": place, "end": place}, "newText": f"\n{text}"}
    place = {"line": line, "character": 0}
    return {"range": {"start": place, "end": place}, "newText": f"{text}\n"}


FEATURES = (ServerFeature("uir/inputs", inputs), ServerFeature("uir/inputEdit", input_edit))
