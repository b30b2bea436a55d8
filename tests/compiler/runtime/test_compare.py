"""When two results are the same: `expect` and the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from uopc.dtype import DType, dtypes
from uopc.nptypes import np_dtype
from uopc.ops import Ops
from uopc.runtime.compare import check_expect, first_difference, reduced_terms, tolerances, verify
from uopc.runtime.errors import InputError
from uopc.uir import ExpectSpec, analyze
from uopc.uop import buf


def spec_of(directive: str, shape: tuple[int, ...], dtype: str = "f32") -> ExpectSpec:
    n = int(np.prod(shape))
    text = f"# uir: expect = {directive}\n%0 = buffer {n} : dtype={dtype} slot=0\n%1 = reshape %0, {shape}\n"
    return analyze(text).directives.expects[0]


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("dtype", "relative", "absolute"), [(dtypes.f16, 1e-2, 1e-3), (dtypes.f32, 1e-5, 1e-6), (dtypes.f64, 1e-9, 1e-12)]
)
def test_tolerances_of_the_language(dtype: DType, relative: float, absolute: float) -> None:
    assert tolerances(dtype) == (relative, absolute)
    kind = np_dtype(dtype)
    for value in (0.0, 100.0):
        allowed = absolute + relative * value
        wanted = np.array([value], kind)
        near, far = np.array([value + 0.7 * allowed], kind), np.array([value + 1.6 * allowed], kind)
        assert first_difference(near, wanted, relative, absolute) is None
        assert first_difference(far, wanted, relative, absolute) is not None


def test_special_values() -> None:
    nan, inf = float("nan"), float("inf")
    assert first_difference(floats(nan, inf, -inf, 0.0), floats(nan, inf, -inf, -0.0), 0, 0) is None
    for got, wanted in ((nan, 1.0), (1.0, nan), (inf, -inf), (inf, 3e38), (3e38, inf), (nan, inf)):
        assert first_difference(floats(got), floats(wanted), 1e-5, 1e-6) is not None


def test_integers_and_bool_are_exact() -> None:
    big = np.array([2**53 + 1], np.int64)
    assert first_difference(big, big - 1, 1, 1) is not None
    assert first_difference(np.array([True]), np.array([False]), 1, 1) is not None


def test_first_difference_in_row_major_order() -> None:
    got = np.zeros((2, 3), np.float32)
    got[1, 0], got[0, 2] = 5, 0.5
    found = first_difference(got, np.zeros((2, 3), np.float32), 1e-5, 1e-6)
    assert found is not None
    assert (found.index, found.count) == ((0, 2), 2)
    assert str(found) == "element [0, 2] is 0.5, expected 0.0 (2 of 6 elements differ, by 5 at most)"


def test_scalar_and_bool_texts() -> None:
    assert str(first_difference(np.array(1.5), np.array(2.0), 0, 0)) == "the value is 1.5, expected 2.0"
    found = first_difference(np.array([True]), np.array([False]), 0, 0)
    assert str(found) == "element [0] is true, expected false"


# -- expect --------------------------------------------------------------------------------------------------------
def test_expect_list(tmp_path: Path) -> None:
    spec = spec_of("[1, 2, 3, 4]", (2, 2))
    assert check_expect(spec, floats(1, 2, 3, 4).reshape(2, 2), dtypes.f32, tmp_path) is None
    found = check_expect(spec, floats(1, 2, 3.5, 4).reshape(2, 2), dtypes.f32, tmp_path)
    assert found is not None
    assert found.index == (1, 0)


def test_expect_with_tolerance(tmp_path: Path) -> None:
    got = floats(1.05)
    assert check_expect(spec_of("[1] rtol=0.1", (1,)), got, dtypes.f32, tmp_path) is None
    assert check_expect(spec_of("[1] atol=0.1", (1,)), got, dtypes.f32, tmp_path) is None
    assert check_expect(spec_of("[1] rtol=0.01", (1,)), got, dtypes.f32, tmp_path) is not None
    # what the file says is rounded to the dtype first: 0.1 is the f32 next to 0.1
    assert check_expect(spec_of("[0.1] rtol=0 atol=0", (1,)), floats(0.1), dtypes.f32, tmp_path) is None


def test_expect_file(tmp_path: Path) -> None:
    np.save(tmp_path / "c.npy", floats(1, 2))
    spec = spec_of('file "c.npy"', (2,))
    assert check_expect(spec, floats(1, 2), dtypes.f32, tmp_path) is None
    assert check_expect(spec, floats(1, 3), dtypes.f32, tmp_path) is not None
    with pytest.raises(InputError, match="output 0 has 3"):
        check_expect(spec, floats(1, 2, 3), dtypes.f32, tmp_path)
    with pytest.raises(InputError, match="no such file"):
        check_expect(spec_of('file "d.npy"', (2,)), floats(1, 2), dtypes.f32, tmp_path)


# -- the reference -------------------------------------------------------------------------------------------------
def test_verify_elementwise_is_strict() -> None:
    root = buf(0, 2) + buf(1, 2)
    checked = verify(floats(1, 1e-5), floats(1, 0), root, dtypes.f32)
    assert checked.difference is not None
    assert checked.largest == pytest.approx(1e-5)


def test_verify_allows_for_the_order_of_a_sum() -> None:
    """A million random f32 in another order differ by more than 1e-5 of what is left; another sum is seen."""
    n = 1_000_000
    root = buf(0, 4 * n).reshape((4, n)).reduce(Ops.ADD, 1)
    data = np.random.default_rng(0).standard_normal((4, n)).astype(np.float32)
    data -= data.mean(axis=1, keepdims=True, dtype=np.float64).astype(np.float32)
    one_by_one = np.add.accumulate(data, axis=1, dtype=np.float32)[:, -1]
    reference = data.sum(axis=1, dtype=np.float64).astype(np.float32)
    size = np.float32(1000.0)
    shifted = reference + size  # the result of another row, of the usual size of such a sum
    assert verify(np.append(one_by_one, size), np.append(reference, size), root, dtypes.f32).difference is None
    assert verify(np.append(shifted, size), np.append(reference, size), root, dtypes.f32).difference is not None


def test_terms_multiply_along_a_path() -> None:
    x = buf(0, 24).reshape((2, 3, 4))
    assert reduced_terms(x) == 1
    assert reduced_terms(x.reduce(Ops.ADD, 2)) == 12
    assert reduced_terms(x.reduce(Ops.ADD, 1).reduce(Ops.ADD, 1)) == 12
    assert reduced_terms(x.reduce(Ops.MAX, 2)) == 1
    assert reduced_terms(x.cast(dtypes.i32).reduce(Ops.ADD, 2)) == 1


def test_largest_difference_of_special_values() -> None:
    nan, inf = float("nan"), float("inf")
    root = buf(0, 1)
    assert verify(floats(nan, inf), floats(nan, inf), root, dtypes.f32).largest == 0
    assert verify(floats(nan), floats(1), root, dtypes.f32).largest == inf
    assert verify(np.array(2, np.float32), np.array(1, np.float32), root, dtypes.f32).largest == 1
    assert verify(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), root, dtypes.f32).difference is None
    assert verify(np.array([3], np.uint8), np.array([250], np.uint8), root, dtypes.u8).largest == 247
