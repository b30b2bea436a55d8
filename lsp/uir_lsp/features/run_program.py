"""`uir/run`: build and run a file, or up to a value of it, in a child process; and `uir/trust`, which allows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.run import NoAnswer
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

RESTRICTED = "this workspace is not trusted, so its programs are not run"


async def run_program(server: UirServer, params: Any) -> dict[str, Any]:
    """The result of a run, as `uir run --json` prints it, and more; a run that fails is a result too."""
    target = Target.read(params)
    if not server.options.trusted:
        return {**_failed(target, RESTRICTED), "restricted": True}
    snapshot = await server.snapshot_for(target.uri)
    target.check(snapshot)
    job = {
        "kind": "run",
        "path": target.path,
        "text": snapshot.text,
        "value": target.value,
        "plain": target.flag("plain"),
        "verify": not target.flag("noVerify"),
        "timeout": target.options.get("timeout"),
        "compiler": server.options.compiler,
    }
    title = f"Running {target.path.rpartition('/')[2]}"
    try:
        return await _keeping(server, target, job, title)
    except NoAnswer as reason:
        return _failed(target, str(reason))


async def _keeping(server: UirServer, target: Target, job: dict[str, Any], title: str) -> dict[str, Any]:
    """The answer to a run whose outputs are kept for `uir/values` if the client wants to see them. Raises NoAnswer."""
    if not target.flag("keep"):
        answer: dict[str, Any] = await server.work(server.run_lane, job, title, target.token)
        return answer
    place = server.kept.place()
    try:
        answer = await server.work(server.run_lane, {**job, "keep": str(place)}, title, target.token)
    except BaseException:  # cancelled, too
        server.kept.discard(place)
        raise
    return {**answer, "run": server.kept.take(target.uri, place, answer.pop("kept"))}


def _failed(target: Target, error: str) -> dict[str, Any]:
    """The result of a run that never came to one."""
    return {
        "file": target.path,
        "ok": False,
        "error": error,
        "outputs": [],
        "expect": None,
        "verified": None,
        "build_ms": None,
        "kernel_ms": None,
    }


async def _trust(server: UirServer, params: Any) -> None:
    """The client's trust in the workspace has changed."""
    trusted = isinstance(params, dict) and params.get("trusted") is True
    server.options = server.options.with_trust(trusted)


FEATURES = (ServerFeature("uir/run", run_program), ServerFeature("uir/trust", _trust))
