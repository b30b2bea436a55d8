"""The inputs of a program: arrays by buffer slot, checked against the buffers that read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy.typing as npt

from uopc.evaluate.errors import EvaluationError
from uopc.nptypes import Array, flat_array
from uopc.uop import UOp

Inputs = Mapping[int, npt.ArrayLike] | Sequence[npt.ArrayLike]


def by_slot(inputs: Inputs) -> Mapping[int, npt.ArrayLike]:
    """Inputs given in order belong to slots 0, 1, 2 ..."""
    return inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))


def input_array(given: Mapping[int, npt.ArrayLike], buffer: UOp) -> Array:
    """The flat elements of the BUFFER node. Raises EvaluationError when there are none, or they do not fit."""
    slot = buffer.arg.slot
    if slot not in given:
        raise EvaluationError(f"buffer {slot} has no input", buffer)
    try:
        return flat_array(given[slot], buffer.dtype, buffer.shape[0])
    except ValueError as error:
        raise EvaluationError(f"the input for buffer {slot} does not fit: {error}", buffer) from None
