"""Between the language's element types and NumPy's: dtypes, and arrays as the flat memory of a buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from uopc.dtype import DType, dtypes

Array = npt.NDArray[Any]

_NUMPY: dict[DType, np.dtype[Any]] = {
    dtypes.bool: np.dtype(np.bool_),
    dtypes.i8: np.dtype(np.int8),
    dtypes.i16: np.dtype(np.int16),
    dtypes.i32: np.dtype(np.int32),
    dtypes.i64: np.dtype(np.int64),
    dtypes.u8: np.dtype(np.uint8),
    dtypes.u16: np.dtype(np.uint16),
    dtypes.u32: np.dtype(np.uint32),
    dtypes.u64: np.dtype(np.uint64),
    dtypes.f16: np.dtype(np.float16),
    dtypes.f32: np.dtype(np.float32),
    dtypes.f64: np.dtype(np.float64),
}
_BY_NUMPY = {numpy_dtype: d for d, numpy_dtype in _NUMPY.items()}


def np_dtype(d: DType) -> np.dtype[Any]:
    """The NumPy dtype of the same kind and size. Raises ValueError for void, which has no elements."""
    found = _NUMPY.get(d)
    if found is None:
        raise ValueError(f"{d} has no NumPy dtype")
    return found


def from_np_dtype(numpy_dtype: npt.DTypeLike) -> DType | None:
    """The element type of that NumPy dtype, or None when the language has none (complex, text, other byte order)."""
    return _BY_NUMPY.get(np.dtype(numpy_dtype))


def flat_array(values: npt.ArrayLike, d: DType, n: int) -> Array:
    """`values` as the n elements of a buffer of `d`, row-major; a view where NumPy can give one.

    An array must have the buffer's dtype; a list or a number is converted. Raises ValueError in words otherwise.
    """
    want = np_dtype(d)
    if isinstance(values, (np.ndarray, np.generic)) and values.dtype != want:
        raise ValueError(f"it is {values.dtype.name}, the buffer is {want.name}")
    array = np.asarray(values, want)
    if array.size != n:
        raise ValueError(f"it has {array.size:,} elements, the buffer {n:,}")
    return array.reshape(n)
