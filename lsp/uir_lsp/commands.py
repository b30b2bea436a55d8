"""The commands of the server, for clients that have none of their own.

They are the requests of `uir/...`, with a result that such a client can show.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path

from uir_lsp.features.code_lenses import RUN, SHOW_C
from uir_lsp.features.explain import explain_value
from uir_lsp.features.run_program import run_program
from uir_lsp.features.show_c import show_assembly, show_c, show_loops
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer

Command = Callable[["UirServer", Any], Coroutine[Any, Any, Any]]


class ShownFiles:
    """The files that are shown to the person, in a folder of their own that goes when the server ends."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def write(self, name: str, text: str) -> str:
        """Write a file and give its URI; the same name replaces what was shown before."""
        if self._folder is None:
            from uopc.runtime.scratch import new_folder

            self._folder = new_folder("shown")
        path = self._folder / name
        path.write_text(text, encoding="utf-8")
        uri: str | None = from_fs_path(str(path))
        return uri or str(path)

    def remove(self) -> None:
        """Remove them all."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


async def _run(server: UirServer, params: Any) -> dict[str, Any]:
    result = await run_program(server, params)
    kind = types.MessageType.Info if result["ok"] else types.MessageType.Error
    server.window_show_message(types.ShowMessageParams(kind, summary(result)))
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


async def _show(server: UirServer, target: Target, extension: str, text: str, result: dict[str, Any]) -> None:
    """Open a text beside the file, if there is one and the client can; say why there is none."""
    if "message" in result:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, result["message"]))
    if not text:
        return
    stem = re.sub(r"\W", "_", Path(target.path).stem) or "program"
    part = f".{re.sub(r'[^A-Za-z0-9_.]', '_', target.value)}" if target.value else ""
    uri = server.shown.write(f"{stem}{part}.{extension}", text)
    if server.options.show_document:
        server.window_show_document(types.ShowDocumentParams(uri=uri, take_focus=False))  # whatever the client answers
    else:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"written to {uri}"))


COMMANDS: dict[str, Command] = {
    RUN: _run,
    SHOW_C: _show_c,
    "uir.showLoops": _show_loops,
    "uir.showAssembly": _show_assembly,
    "uir.explain": explain_value,
}
