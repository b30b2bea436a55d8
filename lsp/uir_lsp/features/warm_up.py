"""After `initialized`: pay for what the first key stroke would otherwise wait for, off the loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uopc.uir import analyze

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

_FIRST_FILE = 0.05  # seconds in which an editor opens its first file, which goes before
_PROGRAM = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = reshape %0, (2, 2)\n%2 = mul %1, %1\n%3 = reduce %2 : op=add pop=1\n"


async def _initialized(server: UirServer, _: Any) -> None:
    await asyncio.sleep(_FIRST_FILE)
    await server.compute.call(_warm)
    server.readiness.begin()


def _warm() -> None:
    from uopc.analysis.explain import explain

    explain(analyze(_PROGRAM), "3")


FEATURE = ServerFeature("initialized", _initialized)
