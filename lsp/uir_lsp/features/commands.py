"""`workspace/executeCommand`: the commands of the server, for clients that have none of their own.

They are the requests of `uir/...`, with a result that such a client can show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.features.code_lenses import RUN, SHOW_C
from uir_lsp.features.explain import explain_value
from uir_lsp.features.run_program import run_program
from uir_lsp.features.show_c import show_assembly, show_c, show_loops
from uir_lsp.kinds import MessageType
from uir_lsp.refusal import InvalidParams
from uir_lsp.shapes import anything, text
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

Command = Callable[["UirServer", Any], Coroutine[Any, Any, Any]]


async def _run(server: UirServer, params: Any) -> dict[str, Any]:
    result = await run_program(server, params)
    kind = MessageType.Info if result["ok"] else MessageType.Error
    server.show_message(kind, summary(result))
    return result


def summary(result: dict[str, Any]) -> str:
    """A run in a few lines: each output's type and values, then the verdicts and times; or the error."""
    lines = []
    for output in result["outputs"]:
        lines.append(f"{output['name']} : {output['dtype']}{output['shape']}")
        lines.append(output["preview"])
    facts = []
    if result["expect"] is not None:
        facts.append("as expected" if result["expect"] else "not as expected")
    if result["verified"]:
        facts.append("verified against the reference")
    for name, key in (("build", "build_ms"), ("kernel", "kernel_ms")):
        if result[key] is not None:
            facts.append(f"{name} {result[key]:.3g} ms")
    if result["error"] is not None:
        lines.append(result["error"])
    return "\n".join([*lines, " · ".join(facts)] if facts else lines)


async def _show_c(server: UirServer, params: Any) -> dict[str, Any]:
    result = await show_c(server, params)
    await _show(server, Target.read(params), "c", result["c"], result)
    return result


async def _show_loops(server: UirServer, params: Any) -> dict[str, Any]:
    result = await show_loops(server, params)
    await _show(server, Target.read(params), "loops.uir", result["loops"], result)
    return result


async def _show_assembly(server: UirServer, params: Any) -> dict[str, Any]:
    result = await show_assembly(server, params)
    await _show(server, Target.read(params), "s", result["asm"], result)
    return result


async def _show(server: UirServer, target: Target, extension: str, content: str, result: dict[str, Any]) -> None:
    """Open a text beside the file, if there is one and the client can; say why there is none."""
    if "message" in result:
        server.show_message(MessageType.Warning, result["message"])
    if not content:
        return
    stem = re.sub(r"\W", "_", Path(target.path).stem) or "program"
    part = f".{re.sub(r'[^A-Za-z0-9_.]', '_', target.value)}" if target.value else ""
    uri = server.shown.write(f"{stem}{part}.{extension}", content)
    if server.options.show_document:
        server.protocol.ask("window/showDocument", {"uri": uri, "takeFocus": False})  # whatever the client answers
    else:
        server.show_message(MessageType.Info, f"written to {uri}")


COMMANDS: dict[str, Command] = {
    RUN: _run,
    SHOW_C: _show_c,
    "uir.showLoops": _show_loops,
    "uir.showAssembly": _show_assembly,
    "uir.explain": explain_value,
}


async def _execute(server: UirServer, params: Any) -> Any:
    """The result of a command. A task, so that cancelling it is answered."""
    command = COMMANDS.get(params["command"])
    if command is None:
        raise InvalidParams(f"there is no command {params['command']!r}")
    arguments = params.get("arguments") or []
    return await command(server, arguments[0] if arguments else None)


FEATURE = ServerFeature("workspace/executeCommand", _execute, {"command": text, "arguments?": [anything]})
