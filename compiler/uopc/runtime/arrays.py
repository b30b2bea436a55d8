"""Arrays out of .npy and .npz files that nobody vouches for: never a pickle, never more memory than asked for."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from uopc.dtype import DType
from uopc.nptypes import Array, np_dtype
from uopc.runtime.errors import InputError

_HEADER = 1 << 16  # bytes that the description of an array may take in its file


def load_array(path: Path, key: str | None, dtype: DType, count: int, what: str) -> Array:
    """The `count` elements of `dtype` in a file, flat in row-major order. `key` names one of the arrays of a .npz.

    Raises InputError, which begins with the path and says that `what` wants something else.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file (for {what})")
    if not path.is_file():
        raise InputError(f"{path}: this is not a file (for {what})")
    try:
        array = _read_npz(path, key, count) if path.suffix.lower() == ".npz" else _read_npy(path, key)
    except InputError:
        raise
    except (ValueError, OSError, EOFError, KeyError, MemoryError, NotImplementedError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: {_reason(error)}") from error
    return _fitting(array, dtype, count, path, what)


def _read_npy(path: Path, key: str | None) -> Array:
    if key is not None:
        raise InputError(f"{path}: only a .npz has arrays with names, so {key!r} cannot be in it")
    with path.open("rb") as file:
        if file.read(6) != b"\x93NUMPY":
            raise InputError(f"{path}: this is not a .npy file")
    if path.stat().st_size and _is_empty_array(path):
        return np.asarray(np.load(path, allow_pickle=False))
    # Mapped, so that a header that promises more than the file holds costs nothing.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


def _is_empty_array(path: Path) -> bool:
    """Whether the header tells of no elements (which cannot be mapped)."""
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, _ = read(file)
    return 0 in shape


def _read_npz(path: Path, key: str | None, count: int) -> Array:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        if key is None and len(names) != 1:
            raise InputError(f"{path}: say which of its arrays is meant: {_listed(names)}")
        key = names[0] if key is None else key
        if key not in names:
            raise InputError(f"{path}: there is no array {key!r} in it, there is {_listed(names)}")
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
