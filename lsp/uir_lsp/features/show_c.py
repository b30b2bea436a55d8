"""`uir/showC`, `uir/showLoops` and `uir/showAssembly`: the programs that come out of a file, made in a child process.

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
RESTRICTED = "assembly comes from the C compiler, which is not started in a folder that is not trusted"
_TITLES = {
    "showC": "Generating C",
    "showLoops": "Lowering",
    "showAssembly": "Compiling",
    "stages": "Compiling stage by stage",
    "stageText": "Compiling stage by stage",
}


async def show_c(server: UirServer, params: Any) -> dict[str, Any]:
    """The C of a file or a value."""
    return await shown(server, Target.read(params), "showC", {"c": "", "map": []})


async def show_loops(server: UirServer, params: Any) -> dict[str, Any]:
    """The loop program of a file or a value, as `.uir` text."""
    return await shown(server, Target.read(params), "showLoops", {"loops": "", "map": []})


async def show_assembly(server: UirServer, params: Any) -> dict[str, Any]:
    """The assembly of a file or a value; it is compiled for that, so only where programs may be run."""
    nothing: dict[str, Any] = {"asm": "", "map": [], "lines": []}
    if not server.options.trusted:
        return {**nothing, "stale": False, "restricted": True, "message": RESTRICTED}
    return await shown(server, Target.read(params), "showAssembly", nothing)


async def shown(server: UirServer, target: Target, kind: str, nothing: dict[str, Any]) -> dict[str, Any]:
    """The answer to a job about the newest text; while that is broken, the last good one or `nothing`."""
    snapshot = await server.snapshot_for(target.uri)
    target.check(snapshot)
    key = (kind, target.value, target.flag("plain"))
    good = snapshot.memory.good
    text, last = good.get(key, (None, nothing))
    if text == snapshot.text:
        return {**last, "stale": False}
    message = why_not(snapshot, target.value)
    if message is None:
        answer = await ask(server, target, kind, snapshot.text)
        if "message" not in answer:
            keep(good, key, (snapshot.text, answer))
            return {**answer, "stale": False}
        message = answer["message"]
    return {**last, "stale": True, "message": message}


async def ask(server: UirServer, target: Target, kind: str, text: str, **more: Any) -> dict[str, Any]:
    """A job about a text; {message} when it comes to nothing."""
    job = {
        "kind": kind,
        "path": target.path,
        "text": text,
        "value": target.value,
        "plain": target.flag("plain"),
        "compiler": server.options.compiler,
        **more,
    }
    lane = server.run_lane if kind == "showAssembly" else server.show_lane
    try:
        answer: dict[str, Any] = await server.work(lane, job, _TITLES[kind], target.token)
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


def keep(good: dict[Any, Any], key: Any, entry: Any) -> None:
    """Remember a good answer of a document; the oldest goes when there are many."""
    good.pop(key, None)
    good[key] = entry
    while len(good) > _MOST_KEPT:
        del good[next(iter(good))]


FEATURES = (
    ServerFeature("uir/showC", show_c),
    ServerFeature("uir/showLoops", show_loops),
    ServerFeature("uir/showAssembly", show_assembly),
)
