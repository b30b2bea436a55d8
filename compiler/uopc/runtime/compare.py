"""Comparing results: with what a file expects, and with the reference evaluator."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf, prod, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uopc.dtype import DType, dtypes
from uopc.nptypes import Array
from uopc.ops import Ops
from uopc.runtime.arrays import load_array
from uopc.runtime.errors import InputError
from uopc.runtime.inputs import array_of
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.uir.model import ExpectSpec

# dtype -> (rtol, atol), as language.md has them; integers and bool must be exact.
_TOLERANCES = {dtypes.f64: (1e-9, 1e-12), dtypes.f32: (1e-5, 1e-6), dtypes.f16: (1e-2, 1e-3)}


def tolerances(dtype: DType) -> tuple[float, float]:
    """(rtol, atol) of a dtype when nothing else is said."""
    return _TOLERANCES.get(dtype, (0.0, 0.0))


@dataclass(frozen=True)
class Difference:
    """Where two arrays differ first, how often, and by how much at most (infinite where only one is a number)."""

    index: tuple[int, ...]
    got: str
    wanted: str
    count: int
    size: int
    largest: float = 0.0

    def __str__(self) -> str:
        place = f"element [{', '.join(map(str, self.index))}]" if self.index else "the value"
        by = "" if isinf(self.largest) else f", by {self.largest:.3g} at most"
        rest = "" if self.size == 1 else f" ({self.count:,} of {self.size:,} elements differ{by})"
        return f"{place} is {self.got}, expected {self.wanted}{rest}"


def first_difference(got: Array, wanted: Array, rtol: float, atol: float) -> Difference | None:
    """The first element, in row-major order, that is not within atol + rtol * |wanted|; None when all are.

    Floats: NaN equals NaN, the zeros are equal, infinities only themselves. Everything else must be equal.
    """
    if np.issubdtype(got.dtype, np.floating):
        with np.errstate(all="ignore"):
            close = np.isclose(_wide(got), _wide(wanted), rtol, atol, equal_nan=True)
    else:
        close = got == wanted
    bad = np.flatnonzero(~close)
    if not bad.size:
        return None
    index = np.unravel_index(bad[0], got.shape) if got.shape else ()
    place = tuple(int(i) for i in index)
    texts = number_text(got[place]), number_text(wanted[place])
    return Difference(place, *texts, int(bad.size), got.size, _largest(got, wanted))


def check_expect(spec: ExpectSpec, got: Array, dtype: DType, folder: Path) -> Difference | None:
    """Where the output differs from what its `expect` directive says. Raises InputError when that cannot be had."""
    what = f"output {spec.index}"
    if spec.kind == "file":
        flat = load_array(folder / spec.path, spec.key, dtype, got.size, what)
    else:
        flat = array_of(spec.numbers, dtype, what)
        if flat.size != got.size:
            raise InputError(f"{what} has {got.size:,} elements, and {flat.size:,} are expected")
    if spec.shape is not None and spec.shape != got.shape:
        raise InputError(f"{what} has shape {got.shape}, and {spec.shape} is expected")
    rtol, atol = tolerances(dtype)
    rtol = rtol if spec.rtol is None else spec.rtol
    atol = atol if spec.atol is None else spec.atol
    return first_difference(got, flat.reshape(got.shape), rtol, atol)


@dataclass(frozen=True)
class Verification:
    """How far a result is from the reference: the largest difference (infinite where only one is a number or both are
    different infinities), and the first element that is too far, if one is."""

    largest: float
    difference: Difference | None


def verify(got: Array, reference: Array, root: UOp, dtype: DType) -> Verification:
    """Compares a result with the reference evaluator's.

    The tolerance is that of `expect`. Where sums are on the way their order is free, and what they lose is relative to
    their terms and not to what is left of them: then it is relative to the largest element and grows with the square
    root of the number of terms.
    """
    rtol, atol = tolerances(dtype)
    if not dtype.is_float:
        return Verification(_largest(got, reference), first_difference(got, reference, 0, 0))
    terms = reduced_terms(root)
    if terms > 1:
        growth = max(1.0, sqrt(terms) / 8)
        finite = np.abs(_wide(reference)[np.isfinite(reference)])
        atol = (atol + rtol * float(finite.max(initial=0.0))) * growth
        rtol = rtol * growth
    return Verification(_largest(got, reference), first_difference(got, reference, rtol, atol))


def reduced_terms(root: UOp) -> int:
    """How many terms the reductions of floats that feed one element have, along the path where they are most."""
    terms: dict[UOp, int] = {}
    for u in root.toposort():
        most = max((terms[s] for s in u.src), default=1)
        if u.op is Ops.REDUCE and u.arg[0] is not Ops.MAX and u.dtype.is_float:
            n = u.arg[1]
            most *= max(1, prod(u.src[0].shape[len(u.src[0].shape) - n :]))
        elif u.op is Ops.RANGE:
            most = max(most, u.arg.size)
        terms[u] = min(most, 1 << 62)
    return terms[root]


def _largest(got: Array, reference: Array) -> float:
    if not got.size:
        return 0.0
    a, b = np.atleast_1d(_wide(got)), np.atleast_1d(_wide(reference))
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
    gap[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
    gap[np.isnan(gap)] = inf
    return float(gap.max())


def _wide(array: Array) -> Array:
    """As f64, which holds every f16 and f32 exactly."""
    return array.astype(np.float64, copy=array.dtype != np.float64)


def number_text(value: Any) -> str:
    """One element as the language writes it."""
    if isinstance(value, np.bool_):
        return "true" if value else "false"
    return str(value)
