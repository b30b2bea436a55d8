"""`uir/lineValues`: a short text of the elements of each value, for the end of its line. Asked for after a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.features.run_program import RESTRICTED
from uir_lsp.run import NoAnswer
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def line_values(server: UirServer, params: Any) -> dict[str, Any]:
    """{values: [{name, line, text}], message?}: of the values that the reference evaluator has at once."""
    target = Target.read(params)
    if not server.options.trusted:
        return {"values": [], "message": RESTRICTED}
    snapshot = await server.snapshot_for(target.uri)
    job = {"kind": "lineValues", "path": target.path, "text": snapshot.text}
    try:
        answer: dict[str, Any] = await server.work(server.run_lane, job, "Evaluating", target.token)
        return answer
    except NoAnswer as reason:
        return {"values": [], "message": str(reason)}


FEATURE = ServerFeature("uir/lineValues", line_values)
