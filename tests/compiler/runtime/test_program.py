"""Programs called from Python."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from uopc import runtime
from uopc.dtype import dtypes
from uopc.ops import Ops
from uopc.uop import buf, sink


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UIR_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def floats(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_run_shaped() -> None:
    root = buf(0, 6).reshape((2, 3)).permute((1, 0)) + buf(1, 6).reshape((3, 2))
    got = runtime.run_shaped(root, [floats(6), floats(3, 2)])
    np.testing.assert_array_equal(got, floats(2, 3).T + floats(3, 2))


@pytest.mark.parametrize("plain", [True, False])
def test_program(plain: bool) -> None:
    x = buf(0, 6).reshape((2, 3))
    program = runtime.build(x.reduce(Ops.ADD, 1), plain=plain)
    np.testing.assert_array_equal(program(floats(2, 3)), [3, 12])
    np.testing.assert_array_equal(program(floats(6) * 2), [6, 24])
    assert "program" in program.source
    assert program.kernels


def test_several_outputs_are_a_tuple() -> None:
    x = buf(0, 4)
    first, second = runtime.build(sink(x + x, x.cast(dtypes.i32)))(floats(4))
    np.testing.assert_array_equal(first, [0, 2, 4, 6])
    assert second.dtype == np.int32


def test_scalar_and_empty() -> None:
    assert runtime.build(buf(0, 4).reduce(Ops.ADD, 1))(floats(4)).shape == ()
    assert runtime.build(buf(0, 0) + buf(1, 0))(floats(0), floats(0)).shape == (0,)


def test_inputs_in_the_order_of_slots() -> None:
    program = runtime.build(buf(5, 2) - buf(3, 2))
    assert program.slots == (3, 5)
    np.testing.assert_array_equal(program(floats(2), floats(2) * 10), [0, 9])
    np.testing.assert_array_equal(runtime.run(buf(5, 2) - buf(3, 2), {3: floats(2), 5: floats(2)}), [0, 0])


def test_an_input_that_the_result_does_not_need_is_still_taken() -> None:
    program = runtime.build(buf(0, 2) + buf(1, 2).shrink(((0, 0),)).pad(((1, 1),)))
    np.testing.assert_array_equal(program(floats(2), floats(2)), [0, 1])


def test_inputs_are_neither_copied_nor_changed() -> None:
    """A gigabyte of input is passed on by its address: the call takes no time for it."""
    data = floats(4)
    data.setflags(write=False)
    np.testing.assert_array_equal(runtime.build(buf(0, 4) * 2.0)(data), [0, 2, 4, 6])


def test_inputs_that_do_not_fit() -> None:
    program = runtime.build(buf(0, 6) * 2.0)
    with pytest.raises(ValueError, match="float64, the buffer is float32"):
        program(np.zeros(6))
    with pytest.raises(ValueError, match="5 elements, the buffer 6"):
        program(floats(5))
    with pytest.raises(ValueError, match="not C-contiguous"):
        program(floats(2, 3).T)
    with pytest.raises(ValueError, match="not an array"):
        program([0, 1, 2, 3, 4, 5])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"reads 1 buffers \(slots \(0,\)\), not 2"):
        program(floats(6), floats(6))


def test_results_are_new_arrays() -> None:
    program = runtime.build(buf(0, 4) * 2.0)
    first = program(floats(4))
    program(floats(4) + 1)
    np.testing.assert_array_equal(first, [0, 2, 4, 6])


def test_importing_the_package_does_not_import_numpy() -> None:
    import subprocess
    import sys

    code = "import sys, uopc.runtime; assert 'numpy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
