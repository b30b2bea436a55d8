"""The elements that the last runs gave, kept on disk until they are forgotten: a panel shows a part of them at a time.

The child that ran a program writes its outputs, one after the other, to a file. The server opens it and removes its
name where the system allows that, so that a server that is killed leaves nothing behind. A few runs are kept, of a
bounded size together; a new one pushes the oldest out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from uopc.dtype import DType, dtypes

MOST_RUNS = 8
MOST_BYTES = 512 << 20  # of all kept runs together
MOST_ELEMENTS = 1 << 22  # in one answer

Slice = tuple[int, int, int] | int


class NotKept(Exception):
    """The run is not kept (any more), or it has no such part. The text says which, in a sentence."""


@dataclass(frozen=True)
class Output:
    """One output in a run's file."""

    dtype: DType
    shape: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        """In bytes."""
        return prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class KeptRun:
    """One run: its open file, with a name only where an open file cannot lose it."""

    uri: str
    file: BinaryIO
    path: Path | None
    outputs: dict[str, Output]

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(output.size for output in self.outputs.values())

    def free(self) -> None:
        """Give its memory back."""
        self.file.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)


class KeptRuns:
    """The runs that are kept, oldest first."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._runs: dict[int, KeptRun] = {}
        self._count = 0

    def place(self) -> Path:
        """Where a child may write the outputs of its next run."""
        if self._folder is None:
            from uopc.runtime.scratch import new_folder, sweep

            sweep()  # what servers that were killed left
            self._folder = new_folder("kept")
        self._count += 1
        return self._folder / str(self._count)

    def take(self, uri: str, path: Path, described: list[dict[str, Any]] | None) -> int | None:
        """Keep what a child wrote to `path`; gives the number of the run, None when it wrote nothing."""
        if described is None:
            self.discard(path)
            return None
        file, named = path.open("rb"), path
        with contextlib.suppress(OSError):  # Windows does not remove the name of an open file
            path.unlink()
        outputs = {one["name"]: _output(one) for one in described}
        run = KeptRun(uri, file, named if named.exists() else None, outputs)
        number = int(path.name)
        self._runs[number] = run
        while len(self._runs) > MOST_RUNS or sum(kept.size for kept in self._runs.values()) > MOST_BYTES:
            self._runs.pop(next(iter(self._runs))).free()
        return number

    def discard(self, path: Path) -> None:
        """A run ended without outputs to keep."""
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)

    def output(self, uri: str, number: Any, name: Any) -> tuple[KeptRun, Output]:
        """An output of a kept run. Raises NotKept."""
        run = self._runs.get(number) if isinstance(number, int) else None
        if run is None or run.uri != uri:
            raise NotKept("the values of this run are no longer kept: run again")
        output = run.outputs.get(name) if isinstance(name, str) else None
        if output is None:
            raise NotKept(f"this run has no output {name}")
        return run, output

    def forget(self, uri: str) -> None:
        """Free every run of a document."""
        for number in [number for number, run in self._runs.items() if run.uri == uri]:
            self._runs.pop(number).free()

    def close(self) -> None:
        """Free everything."""
        for run in self._runs.values():
            run.free()
        self._runs.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def read(run: KeptRun, output: Output, slices: Sequence[Slice]) -> bytes:
    """The elements of a part of an output: row-major, little-endian. An integer fixes an axis, which is then gone."""
    import numpy as np

    kind = np.dtype(f"<u{output.dtype.itemsize}")  # bits are only copied, so their meaning does not matter
    if not output.size:
        return b""
    stored = np.memmap(run.file, kind, "r", output.offset, output.shape or (1,))
    index = tuple(one if isinstance(one, int) else slice(*one) for one in slices)
    part = stored.reshape(output.shape)[index]
    return part.tobytes()


def save(run: KeptRun, output: Output, path: Path) -> None:
    """Write an output to a .npy, which appears whole or not at all. Raises OSError, ValueError when it is not kept."""
    import numpy as np

    from uopc.nptypes import np_dtype

    kind = np_dtype(output.dtype).newbyteorder("<")
    stored = np.memmap(run.file, kind, "r", output.offset, output.shape or (1,)) if output.size else np.zeros(1, kind)
    array = stored.reshape(output.shape) if output.size else np.zeros(output.shape, kind)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            np.save(file, array, allow_pickle=False)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write(path: Path, arrays: Sequence[tuple[str, DType, Any]]) -> list[dict[str, Any]] | None:
    """Write outputs (name, dtype, array) to a run's file; None when they are larger than what is kept at all."""
    if sum(array.nbytes for _, _, array in arrays) > MOST_BYTES:
        return None
    described = []
    with path.open("xb") as file:
        for name, dtype, array in arrays:
            file.seek(-file.tell() % 8, os.SEEK_CUR)
            described.append({"name": name, "dtype": dtype.name, "shape": list(array.shape), "offset": file.tell()})
            little_endian(array).tofile(file)
    return described


def little_endian(array: Any) -> Any:
    """The same elements in the order of bytes that the protocol has."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _output(described: dict[str, Any]) -> Output:
    dtype = dtypes.from_name(described["dtype"])
    assert dtype is not None
    return Output(dtype, tuple(described["shape"]), described["offset"])
