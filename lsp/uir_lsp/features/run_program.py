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
    """The result of a run, as `uir run --json` prints it; a run that fails is a result too."""
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
        answer: dict[str, Any] = await server.work(server.run_lane, job, title, target.token)
        return answer
    except NoAnswer as reason:
        return _failed(target, str(reason))


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
