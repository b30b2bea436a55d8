"""`uir/indexMap`: a value, what it reads, and the index maps between them as data, for the index map explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def index_map(server: UirServer, params: Any) -> dict[str, Any]:
    """The tree of what a value reads, or a sentence why there is none. Nothing is executed."""
    from uopc.analysis.explore import explorer  # who only types does not wait for it

    target = Target.read(params)
    snapshot = await server.snapshot_for(target.uri)
    target.check(snapshot)
    return await server.compute.call(explorer, snapshot.analysis, target.value)


FEATURE = ServerFeature("uir/indexMap", index_map)
