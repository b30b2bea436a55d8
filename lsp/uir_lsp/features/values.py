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
from uir_lsp.kept import MOST_ELEMENTS, NotKept, Output, Slice, read, save
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
    slices = read_slices(params.get("slice"), output)
    shape = [len(range(*one)) for one in slices if not isinstance(one, int)]
    if prod(shape) > MOST_ELEMENTS:
        raise InvalidParams(f"one answer holds at most {MOST_ELEMENTS:,} elements: ask for a smaller slice")
    try:
        data = await server.compute.call(read, run, output, slices)
    except ValueError as error:  # the file was closed meanwhile
        return {"gone": f"the values of this run are no longer kept ({error}): run again"}
    return {"dtype": output.dtype.name, "shape": shape, "data": base64.b64encode(data).decode("ascii")}


def read_slices(given: Any, output: Output) -> list[Slice]:
    """One entry an axis: an index, or begin, end and step inside the axis. What is absent is the whole axis.

    Raises InvalidParams.
    """
    entries = [] if given is None else given
    if not isinstance(entries, list) or len(entries) > len(output.shape):
        raise InvalidParams(f"slice is a list of at most {len(output.shape)} entries, one an axis")
    found: list[Slice] = [_slice(entry, size) for entry, size in zip(entries, output.shape)]
    return found + [(0, size, 1) for size in output.shape[len(found) :]]


def _slice(entry: Any, size: int) -> Slice:
    if type(entry) is int and 0 <= entry < size:
        return entry
    if isinstance(entry, list) and len(entry) in (2, 3) and all(type(number) is int for number in entry):
        begin, end, step = (*entry, 1)[:3]
        if 0 <= begin <= end <= size and step > 0:
            return begin, end, step
    raise InvalidParams(
        f"an axis of {size:,} is sliced by an index inside it, or [begin, end] or [begin, end, step] inside it"
    )


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
