"""`uir/speed`: how fast a run was against what this machine can do, which is measured first. For after a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.features.run_program import RESTRICTED
from uir_lsp.refusal import InvalidParams
from uir_lsp.run import NoAnswer
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def speed(server: UirServer, params: Any) -> dict[str, Any]:
    """{speed}, or {error}: params are {uri, operations, memory_bytes, kernel_ms, dtype} of a run of one thread."""
    target = Target.read(params)
    job = {"kind": "speed", "compiler": server.options.compiler, "dtype": params.get("dtype")}
    for name in ("operations", "memory_bytes", "kernel_ms"):
        number = params.get(name)
        if type(number) not in (int, float) or not number >= 0:
            raise InvalidParams(f"{name} is a number that is not negative")
        job[name] = number
    if not isinstance(job["dtype"], str):
        raise InvalidParams("dtype is the name of an element type")
    if not server.options.trusted:
        return {"error": RESTRICTED}
    try:
        answer: dict[str, Any] = await server.work(server.side_lane, job, "Measuring this machine", target.token)
        return answer
    except NoAnswer as reason:
        return {"error": str(reason)}


FEATURE = ServerFeature("uir/speed", speed)
