"""`uir/graph`: what computes what in a file, to be drawn; made in a child process, because it compiles.

While the file has errors the last good graph is given, marked stale; when there was none, what is known of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import ServerFeature
from uir_lsp.features.show_c import keep, why_not
from uir_lsp.run import NoAnswer
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

_KEY = ("graph",)
_NOTHING: dict[str, Any] = {"nodes": [], "edges": [], "kernels": [], "message": ""}


async def graph(server: UirServer, params: Any) -> dict[str, Any]:
    """The data flow of a file."""
    target = Target.read(params)
    snapshot = await server.snapshot_for(target.uri)
    target.check(snapshot)
    good = snapshot.memory.good
    text, last = good.get(_KEY, (None, None))
    if text == snapshot.text:
        return {**last, "stale": False}
    fault = why_not(snapshot, None)
    if fault is not None and last is not None:
        return {**last, "stale": True, "message": fault}
    try:
        answer = await _ask(server, target, snapshot)
    except NoAnswer as reason:
        return {**(last or _NOTHING), "stale": True, "message": str(reason)}
    if fault is not None:
        return {**answer, "stale": False, "message": fault}
    keep(good, _KEY, (snapshot.text, answer))
    return {**answer, "stale": False}


async def _ask(server: UirServer, target: Target, snapshot: Snapshot) -> dict[str, Any]:
    job = {"kind": "graph", "path": target.path, "text": snapshot.text}
    answer: dict[str, Any] = await server.work(server.show_lane, job, "Drawing the graph", target.token)
    return answer


FEATURE = ServerFeature("uir/graph", graph)
