"""Graphs that are not yet loops or plain values: calls, stores that are read again, scalars from memory."""

from __future__ import annotations

import numpy as np
import pytest

from uopc.dtype import dtypes
from uopc.pipeline import CompileError, compile_program, inline_calls
from uopc.runtime import build
from uopc.uir import parse
from uopc.uop import Ops, buf, param, sink


def test_a_function_may_call_a_function_with_params_of_the_same_slots() -> None:
    # g(a, b) = f(b) + a with f(a) = 2a, so g(3, 5) = 13.
    root = parse(
        """
        %p = param () : dtype=f32 slot=0
        %f = mul %p, 2.0
        %a = param () : dtype=f32 slot=0
        %b = param () : dtype=f32 slot=1
        %c = call %f, %b
        %g = add %c, %a
        %x = buffer 2 : dtype=f32 slot=0
        %x0 = index %x, 0
        %x1 = index %x, 1
        %r = call %g, %x0, %x1
        """
    )
    assert not any(u.op in (Ops.CALL, Ops.PARAM) for u in inline_calls(root).toposort())
    assert build(root)(np.array([3, 5], np.float32)) == 13.0


def test_a_param_without_an_argument_cannot_be_compiled() -> None:
    with pytest.raises(CompileError, match="param 0 has no argument"):
        compile_program(param(0, (3,)))


def test_a_buffer_read_after_a_store_to_all_of_it_is_what_was_stored() -> None:
    x, y = buf(0, 3), buf(1, 3)
    after = y.after(y.store(x * 2.0))
    np.testing.assert_array_equal(build(after)(np.arange(3, dtype=np.float32)), [0, 2, 4])


def test_a_load_may_be_the_whole_program() -> None:
    assert build(buf(0, 3).index(2).load())(np.arange(3, dtype=np.float32)) == 2.0


def test_an_output_that_is_also_an_input_is_written_beside_it() -> None:
    x = buf(0, 4, dtypes.i32)
    np.testing.assert_array_equal(build(sink(x.store(x.flip((0,)))))(np.arange(4, dtype=np.int32)), [3, 2, 1, 0])


def test_two_stores_to_one_buffer_are_refused() -> None:
    x, y = buf(0, 3), buf(1, 3)
    with pytest.raises(CompileError, match="two stores write the same buffer"):
        compile_program(sink(y.store(x), y.store(x * 2.0)))


@pytest.mark.parametrize("dtype", [d for d in dtypes.all if d.is_unsigned], ids=str)
def test_the_negative_of_an_unsigned_value_wraps(dtype: object) -> None:
    x = buf(0, 3, dtype)  # type: ignore[arg-type]
    values = np.array([0, 1, 5], str(dtype).replace("u", "uint"))
    np.testing.assert_array_equal(build(-x)(values), (0 - values).astype(values.dtype))
    np.testing.assert_array_equal(build(x - x.flip((0,)))(values), values - values[::-1])
