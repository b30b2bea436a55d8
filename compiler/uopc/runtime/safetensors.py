"""Tensors out of .safetensors files that nobody vouches for.

The format: eight bytes with the length of a header (little-endian), the header as a JSON object from names to
{dtype, shape, data_offsets}, and the bytes of all tensors, without a gap. A reader of its own, because the package of
that name is compiled code for each system, and the editor extension carries pure Python only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from uopc.nptypes import Array
from uopc.runtime.errors import InputError

SUFFIX = ".safetensors"
MOST_HEADER = 32 << 20  # bytes; a file of 100,000 tensors has a header of 10 MB
_MOST_RANK = 64  # of an array of NumPy
_DTYPES = {
    **{"BOOL": "?", "I8": "<i1", "U8": "<u1", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4"},
    **{"I64": "<i8", "U64": "<u8", "F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"},
}


class Tensor(NamedTuple):
    """A tensor in a file: its dtype as the file says it, its shape, and the place of its bytes in the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class _Fault(Exception):
    """What is wrong with a file, in words."""


def tensors_of(path: Path) -> dict[str, Tensor]:
    """The tensors of a file by name, all checked against each other and the size of the file.

    Raises InputError, which begins with the path; OSError.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        try:
            length = _header_length(file.read(8), size)
            return _tensors(_parsed(file.read(length)), 8 + length, size)
        except _Fault as fault:
            raise InputError(f"{path}: this is not a sound .safetensors file: {fault}") from None


def read_tensor(path: Path, tensor: Tensor) -> Array:
    """The elements of a tensor, mapped; BF16, which no dtype of the language is, as the f32 that each element equals.

    Raises InputError for a dtype that has no counterpart.
    """
    kind = _DTYPES.get(tensor.dtype)
    if kind is None:
        raise InputError(f"{path}: it holds {tensor.dtype}, and no dtype of the language is that")
    if tensor.begin == tensor.end:
        stored = np.zeros(tensor.shape, kind)
    else:
        stored = np.memmap(path, kind, "r", tensor.begin, tensor.shape)
    if tensor.dtype == "BOOL":
        return np.asarray(stored.view(np.uint8) != 0)
    if tensor.dtype == "BF16":  # the upper half of the bits of an f32
        return np.left_shift(stored.astype(np.uint32), 16, dtype=np.uint32).view(np.float32)
    return np.asarray(stored)


def dtype_of(tensor: Tensor) -> str:
    """The dtype as the language names it; as the file does where it has none."""
    known = {"BOOL": "bool", "BF16": "f32"}
    return known.get(tensor.dtype, tensor.dtype.lower() if tensor.dtype in _DTYPES else tensor.dtype)


# -- the header ----------------------------------------------------------------------------------------------------
def _header_length(first: bytes, size: int) -> int:
    length = int.from_bytes(first, "little")
    if len(first) < 8:
        raise _Fault(f"it has {len(first)} bytes, and the length of its header alone takes 8")
    if length > size - 8:
        raise _Fault(f"its header is said to have {length:,} bytes, and the file has {size:,}")
    if length > MOST_HEADER:
        raise _Fault(f"its header has {length:,} bytes, more than any that is read ({MOST_HEADER:,})")
    return length


def _parsed(header: bytes) -> dict[str, Any]:
    try:
        found = json.loads(header.decode("utf-8"), object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:  # bad UTF-8 and numbers of too many digits are ValueErrors too
        why = "lists in lists without end" if isinstance(error, RecursionError) else str(error)
        raise _Fault(f"its header cannot be read as JSON ({why})") from None
    if not isinstance(found, dict):
        raise _Fault("its header is not a JSON object")
    found.pop("__metadata__", None)
    return found


def _distinct(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Fault(f"{name[:60]!r} is in its header twice")
        found[name] = value
    return found


def _tensors(header: dict[str, Any], start: int, size: int) -> dict[str, Tensor]:
    """start: where the bytes of the tensors begin in the file."""
    found = {name: _tensor(name, about, start) for name, about in header.items()}
    at, last = start, "the header"
    for name, tensor in sorted(found.items(), key=lambda item: item[1][2:]):
        if tensor.begin != at:
            raise _Fault(f"{name[:60]!r} begins at byte {tensor.begin - start:,}, and {last} ends at {at - start:,}")
        at, last = tensor.end, repr(name[:60])
    if at != size:
        raise _Fault(f"its tensors have {at - start:,} bytes together, and the file has {size - start:,} for them")
    return found


def _tensor(name: str, about: Any, start: int) -> Tensor:
    """One entry of the header. Raises _Fault."""
    said = about if isinstance(about, dict) else {}
    dtype = said.get("dtype")
    shape, offsets = _counts(said.get("shape")), _counts(said.get("data_offsets"))
    if not isinstance(dtype, str) or shape is None or offsets is None or len(offsets) != 2:
        raise _Fault(f"{name[:60]!r} has no sound dtype, shape and data_offsets")
    begin, end = offsets
    if begin > end:
        raise _Fault(f"{name[:60]!r} ends before it begins")
    if len(shape) > _MOST_RANK:
        raise _Fault(f"{name[:60]!r} has {len(shape):,} axes")
    if dtype in _DTYPES and end - begin != (wanted := prod(shape) * np.dtype(_DTYPES[dtype]).itemsize):
        raise _Fault(f"{name[:60]!r} has {end - begin:,} bytes, and {dtype} {shape} takes {wanted:,}")
    return Tensor(dtype[:20], tuple(shape), start + begin, start + end)


def _counts(value: Any) -> list[int] | None:
    sound = isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in value)
    return value if sound else None
