"""`uir/values`: a part of an output that a run gave; `uir/saveValues`: the whole of it as a .npy; and `uir/forget`,
when nobody looks at a file's runs any more."""

from __future__ import annotations

import asyncio
import base64
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uir_lsp.feature import ServerFeature
from uir_lsp.features.run_program import RESTRICTED
from uir_lsp.kept import MOST_ELEMENTS, NotKept, read, save
from uir_lsp.looking import BadSlice, read_slices, shape_of
from uir_lsp.refusal import InvalidParams
from uir_lsp.target import Target

if TYPE_CHECKING:
    from uir_lsp.server import UirServer


async def values(server: UirServer, params: Any) -> dict[str, Any]:
    """{dtype, shape, data}, or {gone} with a sentence when the run is not kept any more."""
    target = Target.read(params)
    try:
        run, output = server.kept.output(target.uri, params.get("run"), params.get("output"))
    except NotKept as reason:
        return {"gone": str(reason)}
    try:
        slices = read_slices(params.get("slice"), output.shape)
    except BadSlice as error:
        raise InvalidParams(str(error)) from error
    shape = shape_of(slices)
    if prod(shape) > MOST_ELEMENTS:
        raise InvalidParams(f"one answer holds at most {MOST_ELEMENTS:,} elements: ask for a smaller slice")
    try:
        data = await server.compute.call(read, run, output, slices)
    except ValueError as error:  # the file was closed meanwhile
        return {"gone": f"the values of this run are no longer kept ({error}): run again"}
    return {"dtype": output.dtype.name, "shape": shape, "data": base64.b64encode(data).decode("ascii")}


async def save_values(server: UirServer, params: Any) -> dict[str, Any]:
    """{saved}: the path of a .npy that has been written; {error} or {gone} with a sentence."""
    target = Target.read(params)
    path = params.get("path")
    if not isinstance(path, str) or not Path(path).is_absolute():
        raise InvalidParams("path is the whole path of the file to write")
    if not server.options.trusted:
        return {"error": RESTRICTED}
    try:
        run, output = server.kept.output(target.uri, params.get("run"), params.get("output"))
        await asyncio.to_thread(save, run, output, Path(path))
    except (NotKept, ValueError) as reason:  # ValueError: the file was closed meanwhile
        return {"gone": str(reason) if isinstance(reason, NotKept) else "the values of this run are no longer kept"}
    except OSError as error:
        return {"error": f"{path} cannot be written: {error.strerror or error}"}
    return {"saved": path}


async def _forget(server: UirServer, params: Any) -> None:
    """Nobody looks at the runs of a document any more."""
    if isinstance(params, dict) and isinstance(params.get("uri"), str):
        server.kept.forget(params["uri"])


FEATURES = (
    ServerFeature("uir/values", values),
    ServerFeature("uir/saveValues", save_values),
    ServerFeature("uir/forget", _forget),
)
