"""Which elements of a node are asked for: per axis of the node, the positions along it.

A mesh belongs to an answer of fixed rank. Each axis of the node has either a `Run`, equally spaced positions along one
axis of the answer (or one position for all of it), or a `Listed` array of positions that broadcasts to the answer. Runs
cost nothing to shift, flip or permute, and become slices in the end; both compare by what they say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from uopc.nptypes import Array
from uopc.uop import Shape

Box = tuple[tuple[int, int], ...]


class Run(NamedTuple):
    """Positions start, start + step, ... (length of them) along one axis of the answer; axis -1: one position."""

    start: int
    step: int
    length: int
    axis: int


@dataclass(frozen=True)
class Listed:
    """Positions as an int64 array of the answer's rank, with size 1 on the axes along which they do not vary."""

    digest: bytes
    array: Array = field(compare=False)


Positions = Run | Listed


class Mesh(NamedTuple):
    """Positions for every axis of a node; the answer has `rank` axes."""

    rank: int
    at: tuple[Positions, ...]

    def moved(self, at: Iterator[Positions] | tuple[Positions, ...] | list[Positions]) -> Mesh:
        """The same answer from other positions (of another node)."""
        return Mesh(self.rank, tuple(at))


def point(position: int) -> Run:
    """The same position for every element of the answer."""
    return Run(position, 0, 1, -1)


def listed(array: Array) -> Listed:
    """Positions given by an array of the answer's rank."""
    digest = hashlib.blake2b(np.ascontiguousarray(array).data, digest_size=16)
    digest.update(repr(array.shape).encode())
    return Listed(digest.digest(), array)


def array_of(positions: Positions, rank: int) -> Array:
    """The positions as an array of the answer's rank."""
    if isinstance(positions, Listed):
        return positions.array
    start, step, length, axis = positions
    shape = [1] * rank
    if axis >= 0:
        shape[axis] = length
    return (start + step * np.arange(length, dtype=np.int64)).reshape(shape)


def scaled(positions: Positions, offset: int, step: int) -> Positions:
    """offset + step * position, for each."""
    if isinstance(positions, Listed):
        return listed(np.asarray(offset + step * positions.array))
    return Run(offset + step * positions.start, step * positions.step, positions.length, positions.axis)


def box_mesh(box: Box) -> Mesh:
    """The mesh of a box of a node: axis k of the answer runs along axis k of the node."""
    return Mesh(len(box), tuple(box_runs(box, 0)))


def box_runs(box: Box, first: int) -> Iterator[Run]:
    """Runs along the answer's axes from `first` on, one for each axis of the box."""
    return (Run(b, 1, e - b, first + k) for k, (b, e) in enumerate(box))


def boxes(shape: Shape, limit: int) -> Iterator[Box]:
    """`shape` cut into boxes of at most `limit` elements (at least 1), leading axes cut first."""
    inner, axis = 1, len(shape)
    while axis and inner * shape[axis - 1] <= limit:
        axis -= 1
        inner *= shape[axis]
    whole = tuple((0, n) for n in shape[axis:])
    if axis == 0:
        yield whole
        return
    step = max(1, limit // inner)
    for outer in np.ndindex(*shape[: axis - 1]):
        fixed = tuple((i, i + 1) for i in outer)
        for begin in range(0, shape[axis - 1], step):
            yield (*fixed, (begin, min(begin + step, shape[axis - 1])), *whole)


def taken(value: Array, mesh: Mesh) -> Array:
    """The elements of `value` at the mesh."""
    runs = [p for p in mesh.at if isinstance(p, Run)]
    axes = [r.axis for r in runs if r.axis >= 0]
    if len(runs) < len(mesh.at):
        return np.asarray(value[tuple(array_of(p, mesh.rank) for p in mesh.at)])
    window = np.asarray(value[tuple(_slice(r) if r.axis >= 0 else r.start for r in runs)])
    order = sorted(range(len(axes)), key=axes.__getitem__)
    spread = tuple(slice(None) if k in axes else None for k in range(mesh.rank))
    return np.asarray(window.transpose(order)[spread])


def _slice(r: Run) -> slice:
    stop = r.start + r.step * r.length
    return slice(r.start, stop if stop >= 0 else None, r.step)
