"""`uir/arrays`: what arrays a file holds, for a form that offers them. Only their descriptions are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.features.run_program import RESTRICTED
from uir_lsp.refusal import InvalidParams
from uir_lsp.run import NoAnswer
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def arrays(server: UirServer, params: Any) -> dict[str, Any]:
    """{arrays: [{key, dtype, shape}]} or {error}; params are {uri, path}, relative to the folder of the file."""
    target = Target.read(params)
    path = params.get("path")
    if not isinstance(path, str) or not path:
        raise InvalidParams("the parameters are {uri, path}: a file of arrays as a directive names it")
    if not server.options.trusted:
        return {"error": RESTRICTED}
    job = {"kind": "arrays", "file": str(Path(target.path).parent / path)}
    try:
        answer: dict[str, Any] = await server.work(server.side_lane, job, "Reading", target.token)
        return answer
    except NoAnswer as reason:
        return {"error": str(reason)}


FEATURE = ServerFeature("uir/arrays", arrays)
