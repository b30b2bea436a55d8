"""After `initialized`: pay for what the first key stroke would otherwise wait for, off the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uopc.analysis.explain import explain
from uopc.uir import analyze

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

_PROGRAM = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = reshape %0, (2, 2)\n%2 = mul %1, %1\n%3 = reduce %2 : op=add pop=1\n"


async def _initialized(server: UirServer, _: Any) -> None:
    await server.compute.call(lambda: explain(analyze(_PROGRAM), "3"))
    server.readiness.begin()


FEATURE = ServerFeature("initialized", _initialized)
