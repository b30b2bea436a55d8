"""`uir/showC` and `uir/showLoops`: the programs that come out of a file, made in a child process.

While the file has errors the last good answer is given, marked stale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import ServerFeature
from uir_lsp.run import NoAnswer
from uir_lsp.target import Target
from uopc.uir import Severity

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

_MOST_KEPT = 8  # last good answers kept for one document


async def show_c(server: UirServer, params: Any) -> dict[str, Any]:
    """The C of a file or a value."""
    return await _show(server, Target.read(params), "showC", {"c": "", "map": []})


async def show_loops(server: UirServer, params: Any) -> dict[str, Any]:
    """The loop program of a file or a value, as `.uir` text."""
    return await _show(server, Target.read(params), "showLoops", {"loops": ""})


async def _show(server: UirServer, target: Target, kind: str, nothing: dict[str, Any]) -> dict[str, Any]:
    snapshot = await server.snapshot_for(target.uri)
    target.check(snapshot)
    key = (kind, target.value, target.flag("plain"))
    good = snapshot.memory.good
    text, last = good.get(key, (None, nothing))
    if text == snapshot.text:
        return {**last, "stale": False}
    message = why_not(snapshot, target.value)
    if message is None:
        answer = await _ask(server, target, kind, snapshot)
        if "message" not in answer:
            _keep(good, key, (snapshot.text, answer))
            return {**answer, "stale": False}
        message = answer["message"]
    return {**last, "stale": True, "message": message}


async def _ask(server: UirServer, target: Target, kind: str, snapshot: Snapshot) -> dict[str, Any]:
    job = {
        "kind": kind,
        "path": target.path,
        "text": snapshot.text,
        "value": target.value,
        "plain": target.flag("plain"),
    }
    title = "Generating C" if kind == "showC" else "Lowering"
    try:
        answer: dict[str, Any] = await server.work(server.show_lane, job, title, target.token)
        return answer
    except NoAnswer as reason:
        return {"message": str(reason)}


def why_not(snapshot: Snapshot, value: str | None) -> str | None:
    """Why there is no program of a file, or of a value of it, in one sentence; None if there is one."""
    analysis = snapshot.analysis
    known = analysis.root is not None and not analysis.has_errors
    if value is not None:
        known = analysis.values[value].uop is not None
    if known:
        return None
    for diagnostic in analysis.diagnostics:
        if diagnostic.severity is Severity.ERROR:
            return f"line {diagnostic.line + 1}: {diagnostic.message}"
    return "there is nothing in the file yet" if value is None else f"%{value} is not known"


def _keep(good: dict[Any, Any], key: Any, entry: Any) -> None:
    good.pop(key, None)
    good[key] = entry
    while len(good) > _MOST_KEPT:
        del good[next(iter(good))]


FEATURES = (ServerFeature("uir/showC", show_c), ServerFeature("uir/showLoops", show_loops))
