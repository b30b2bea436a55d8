"""What was verified already: the reference evaluator gives the same for the same program and the same inputs, so
outputs that have the same bits as ones that it agreed with need not be compared again.

Only agreement is remembered, under a digest of all that the comparison reads: inputs, outputs, and the graph itself,
which is hash-consed (equal programs are one object).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from uopc.nptypes import Array
from uopc.uop import UOp

_MOST = 8


class _Entry(NamedTuple):
    root: UOp
    bits: bytes
    largest: float  # difference from the reference


class Verified:
    """The last results that agreed with the reference, the newest last."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def find(self, root: UOp, bits: bytes) -> float | None:
        """The largest difference of such a result from the reference; None when it was never compared, or differed."""
        return next((one.largest for one in self._entries if one.root is root and one.bits == bits), None)

    def remember(self, root: UOp, bits: bytes, largest: float) -> None:
        """The reference agrees with this result."""
        self._entries = [*self._entries[1 - _MOST :], _Entry(root, bits, largest)]


def bits_of(inputs: Mapping[int, Array], outputs: Iterable[Array]) -> bytes:
    """A digest of the data of a run, type, shape and every bit: inputs by slot, outputs in their order."""
    digest = hashlib.blake2b(digest_size=32)
    for slot, array in sorted(inputs.items()):
        _add(digest, f"input {slot}", array)
    for k, array in enumerate(outputs):
        _add(digest, f"output {k}", array)
    return digest.digest()


def _add(digest: hashlib.blake2b, name: str, array: Array) -> None:
    digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
    digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
