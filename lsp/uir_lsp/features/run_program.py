"""`uir/run`: build and run a file, or up to a value of it, in a child process; and `uir/trust`, which allows it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.run import Early, NoAnswer
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

LIMITS = ("timeout", "memory", "operations")
RESTRICTED = "this workspace is not trusted, so its programs are not run"


async def run_program(server: UirServer, params: Any) -> dict[str, Any]:
    """The result of a run, as `uir run --json` prints it, and more; a run that fails is a result too."""
    received = time.time() * 1e3
    target = Target.read(params)
    if not server.options.trusted:
        return {**_failed(target, RESTRICTED), "restricted": True}
    server.readiness.yield_to_run()
    snapshot = await server.snapshot_for(target.uri)
    target.check(snapshot)
    job = {
        "kind": "run",
        "path": target.path,
        "text": snapshot.text,
        "value": target.value,
        "plain": target.flag("plain"),
        "verify": not target.flag("noVerify"),
        "compiler": server.options.compiler,
        **{name: target.options.get(name) for name in LIMITS},
    }
    early = _partial_result(server, params.get("partialResultToken"))
    title = f"Running {target.path.rpartition('/')[2]}"
    try:
        answer = await _keeping(server, target, job, title, early)
    except NoAnswer as reason:
        return _failed(target, str(reason))
    answer["times"]["received"] = received
    return answer


def _partial_result(server: UirServer, token: Any) -> Early | None:
    """How a client that wants it is told of a result before it is verified."""
    if not isinstance(token, (int, str)):
        return None
    return lambda answer: server.lines.send(token, answer)


async def _keeping(
    server: UirServer, target: Target, job: dict[str, Any], title: str, early: Early | None
) -> dict[str, Any]:
    """The answer to a run whose outputs are kept for `uir/values` if the client wants to see them. Raises NoAnswer."""
    if not target.flag("keep"):
        answer: dict[str, Any] = await server.work(server.run_lane, job, title, target.token, early)
        return answer
    place = server.kept.place()
    numbers: list[int | None] = []

    def take(answer: dict[str, Any]) -> dict[str, Any]:
        described = answer.pop("kept", None)
        if not numbers:
            numbers.append(server.kept.take(target.uri, place, described))
        else:  # the client has these
            for output in answer["outputs"]:
                output.pop("part", None)
        return {**answer, "run": numbers[0]}

    try:
        return take(
            await server.work(
                server.run_lane,
                {**job, "keep": str(place), "look": _looks(target)},
                title,
                target.token,
                None if early is None else lambda answer: early(take(answer)),
            )
        )
    except BaseException:  # cancelled, too
        if not numbers:
            server.kept.discard(place)
        raise


def _looks(target: Target) -> dict[str, Any]:
    """By the name of an output the slice of it that the client looks at."""
    looks = target.options.get("look")
    return looks if isinstance(looks, dict) else {}


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
    server.readiness.touch()


FEATURES = (ServerFeature("uir/run", run_program), ServerFeature("uir/trust", _trust))
