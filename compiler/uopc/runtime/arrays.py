"""Arrays out of files that nobody vouches for: never a pickle, never more memory than asked for."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from uopc.dtype import DType
from uopc.nptypes import Array, from_np_dtype, np_dtype
from uopc.runtime import safetensors
from uopc.runtime.errors import InputError

SUFFIXES = (".npz", safetensors.SUFFIX)  # of files that hold arrays with names
_HEADER = 1 << 16  # bytes that the description of an array may take in its file


class ArrayFile(NamedTuple):
    """An array in a file; `key`: which of the arrays of a .npz or .safetensors."""

    path: Path
    key: str | None = None


def load_array(path: Path, key: str | None, dtype: DType, count: int, what: str) -> Array:
    """The `count` elements of `dtype` in a file, flat in row-major order. `key`: which one of a .npz or .safetensors.

    Raises InputError, which begins with the path and says that `what` wants something else.
    """
    _check_is_file(path, f" (for {what})")
    try:
        array = _read(path, key, dtype, count, what)
    except InputError:
        raise
    except _UNREADABLE as error:
        raise InputError(f"{path}: {_reason(error)}") from error
    return _fitting(array, dtype, count, path, what)


class ArrayAbout(NamedTuple):
    """An array in a file: its name ("" in a .npy), its dtype as the language has it or else the file, its shape."""

    key: str
    dtype: str
    shape: tuple[int, ...]


def list_arrays(path: Path) -> list[ArrayAbout]:
    """The arrays in a file, of which only the descriptions are read. Raises InputError, which begins with the path."""
    _check_is_file(path, "")
    try:
        if path.suffix.lower() == safetensors.SUFFIX:
            found = safetensors.tensors_of(path).items()
            return [ArrayAbout(key, safetensors.dtype_of(one), one.shape) for key, one in found]
        return list(_described_npz(path)) if path.suffix.lower() == ".npz" else [_described_npy(path)]
    except InputError:
        raise
    except _UNREADABLE as error:
        raise InputError(f"{path}: {_reason(error)}") from error


_UNREADABLE = (ValueError, OSError, EOFError, KeyError, MemoryError, NotImplementedError, zipfile.BadZipFile)


def _check_is_file(path: Path, reason: str) -> None:
    try:
        there, file = path.exists(), path.is_file()
    except ValueError:  # a zero byte in its name
        there = file = False
    if not there:
        raise InputError(f"{path}: there is no such file{reason}")
    if not file:
        raise InputError(f"{path}: this is not a file{reason}")


def _read(path: Path, key: str | None, dtype: DType, count: int, what: str) -> Array:
    suffix = path.suffix.lower()
    if suffix == safetensors.SUFFIX:
        return _read_safetensors(path, key, count, what)
    return _read_npz(path, key, count) if suffix == ".npz" else _read_npy(path, key)


def _read_safetensors(path: Path, key: str | None, count: int, what: str) -> Array:
    tensors = safetensors.tensors_of(path)
    tensor = tensors[_chosen(path, key, list(tensors))]
    if (size := int(np.prod(tensor.shape, dtype=object))) != count:  # before anything of that size is made
        raise InputError(f"{path}: it has {size:,} elements, and {what} has {count:,}")
    return safetensors.read_tensor(path, tensor)


def _chosen(path: Path, key: str | None, names: list[str]) -> str:
    """The name of the array that is meant: `key`, or the only one there is."""
    if key is None and len(names) != 1:
        raise InputError(f"{path}: say which of its arrays is meant: {_listed(names)}")
    key = names[0] if key is None else key
    if key not in names:
        raise InputError(f"{path}: there is no array {key!r} in it, there is {_listed(names)}")
    return key


def _read_npy(path: Path, key: str | None) -> Array:
    if key is not None:
        raise InputError(f"{path}: only a .npz or .safetensors has arrays with names, so {key!r} cannot be in it")
    with path.open("rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise InputError(f"{path}: this is not a .npy file")
    if 0 in _described_npy(path).shape:  # nothing that could be mapped
        return np.asarray(np.load(path, allow_pickle=False))
    # Mapped, so that a header that promises more than the file holds costs nothing.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


def _described_npy(path: Path) -> ArrayAbout:
    with path.open("rb") as file:
        return _described("", file)


def _described(key: str, file: IO[bytes]) -> ArrayAbout:
    """What the header of a .npy says."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file)
    return ArrayAbout(key, _name_of(kind), tuple(shape))


def _name_of(kind: np.dtype[np.generic]) -> str:
    known = from_np_dtype(kind.newbyteorder("="))
    return kind.name if known is None else known.name


def _described_npz(path: Path) -> Iterator[ArrayAbout]:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".npy"):
                with archive.open(name) as file:
                    yield _described(name.removesuffix(".npy"), file)


def _read_npz(path: Path, key: str | None, count: int) -> Array:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        key = _chosen(path, key, names)
        size = archive.getinfo(archive.namelist()[names.index(key)]).file_size
        if size > count * 16 + _HEADER:  # 16: the widest element there is, so that a wrong dtype is told as such
            raise InputError(f"{path}: {key!r} has {size:,} bytes, far more than {count:,} elements")
    with np.load(path, allow_pickle=False) as arrays:
        return np.asarray(arrays[key])


def _fitting(array: Array, dtype: DType, count: int, path: Path, what: str) -> Array:
    want = np_dtype(dtype)
    if array.dtype.newbyteorder("=") != want:
        raise InputError(f"{path}: it holds {array.dtype.name}, and {what} is {dtype} ({want.name})")
    if array.size != count:
        raise InputError(f"{path}: it has {array.size:,} elements, and {what} has {count:,}")
    return np.ascontiguousarray(array, want).reshape(count)


def _reason(error: Exception) -> str:
    text = str(error)
    if "pickle" in text or "bject" in text:  # NumPy says either, depending on the way it reads
        return "it holds Python objects (a pickle), which are never loaded"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    return f"it cannot be read as an array ({text or type(error).__name__})"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return shown + (", ..." if len(names) > 8 else "") if names else "nothing"
