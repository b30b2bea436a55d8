"""`uir/explain`: everything that is known about a value, as `uir explain --json` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.refusal import InvalidParams
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def explain_value(server: UirServer, params: Any) -> dict[str, Any]:
    """The explanation of one value."""
    from uopc.analysis.explain import explain_json  # the first diagnostics do not wait for it

    target = Target.read(params)
    if target.value is None:
        raise InvalidParams("value is missing: which value is to be explained?")
    snapshot = await server.snapshot_for(target.uri)
    target.check(snapshot)
    return await server.compute.call(explain_json, snapshot.analysis, target.value)


FEATURE = ServerFeature("uir/explain", explain_value)
