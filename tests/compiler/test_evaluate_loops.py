"""The step-by-step interpreter on loop programs written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from values import same, values

from uopc.dtype import dtypes
from uopc.evaluate import EvaluationError, EvaluationTooLarge, evaluate, evaluate_loops, is_loop_program
from uopc.ops import AxisType, Ops
from uopc.uop import UOp, alloc, buf, range_, sink


def row_sums(rows: int, columns: int, op: Ops = Ops.ADD, start: float = 0.0) -> UOp:
    """out[i] = the elements x[i, 0], x[i, 1] ... combined, with an accumulator."""
    i, k = range_(rows, 0), range_(columns, 1, AxisType.REDUCE)
    register = alloc(0, 1).after(i)
    begun = register.index(0).store(start)
    inside = register.after(begun, k).index(0)
    added = inside.store(inside.load().alu(op, buf(0, rows * columns).index(i * columns + k).load()))
    total = register.after(added.end(k)).index(0).load()
    return sink(buf(1, rows).index(i).store(total).end(i))


def test_row_sums() -> None:
    x = np.arange(12, dtype=np.float32)
    stored = evaluate_loops(row_sums(3, 4), [x])
    assert list(stored) == [1]
    same(stored[1], x.reshape(3, 4).sum(1))
    same(np.asarray(evaluate(row_sums(3, 4, Ops.MAX, -np.inf), {0: x})), x.reshape(3, 4).max(1))


def test_a_loop_of_no_iterations_runs_nothing() -> None:
    same(evaluate_loops(row_sums(3, 0), {0: values(dtypes.f32)})[1], values(dtypes.f32, 0, 0, 0))
    same(evaluate_loops(row_sums(0, 4), {0: values(dtypes.f32)})[1], values(dtypes.f32))


def test_one_end_for_two_loops() -> None:
    i, j = range_(2, 0), range_(3, 1)
    program = sink(buf(0, 6, dtypes.i32).index(i * 3 + j).store(i * 10 + j).end(i, j))
    same(evaluate_loops(program, {})[0], values(dtypes.i32, 0, 1, 2, 10, 11, 12))
    empty = range_(0, 1)
    nothing = sink(buf(0, 6, dtypes.i32).index(i + empty).store(7).end(i, empty))
    same(evaluate_loops(nothing, {})[0], values(dtypes.i32, 0, 0, 0, 0, 0, 0))


def test_an_end_of_an_effect_that_ignores_its_counter_repeats_it() -> None:
    k = range_(5, 0)
    cell = buf(0, 1, dtypes.i32)
    added = cell.after(k).index(0)
    program = sink(added.store(added.load() + 3).end(k))
    same(evaluate_loops(program, {0: values(dtypes.i32, 100)})[0], values(dtypes.i32, 115))


def test_outputs_come_by_slot_and_inputs_are_left_alone() -> None:
    x = values(dtypes.i32, 1, 2, 3)
    i, j = range_(3, 0), range_(3, 1)
    tripled = buf(5, 3, dtypes.i32).index(i).store(buf(0, 3, dtypes.i32).index(i).load() * 3).end(i)
    cleared = buf(0, 3, dtypes.i32).after(tripled).index(j).store(0).end(j)
    first, second = evaluate(sink(cleared), [x])
    same(first, values(dtypes.i32, 0, 0, 0))
    same(second, values(dtypes.i32, 3, 6, 9))
    same(x, values(dtypes.i32, 1, 2, 3))


def test_operations_read_addresses_by_themselves() -> None:
    i = range_(3, 0)
    program = sink(buf(1, 3).index(i).store(buf(0, 3).index(i) + 1.0).end(i))
    same(evaluate_loops(program, [values(dtypes.f32, 1, 2, 3)])[1], values(dtypes.f32, 2, 3, 4))
    copied = sink(buf(1, 3).index(i).store(buf(0, 3).index(i)).end(i))
    same(evaluate_loops(copied, [values(dtypes.f32, 1, 2, 3)])[1], values(dtypes.f32, 1, 2, 3))


@pytest.mark.parametrize("shift", [1, -1])
def test_an_access_outside_is_an_error_that_names_it(shift: int) -> None:
    i = range_(3, 0)
    load = buf(0, 3).index(i + shift).load()
    with pytest.raises(EvaluationError, match=r"load outside its memory: index (3|-1) is not in 0\.\.2") as failure:
        evaluate_loops(sink(buf(1, 3).index(i).store(load).end(i)), [values(dtypes.f32, 1, 2, 3)])
    assert failure.value.node is load
    store = buf(1, 3).index(i + shift).store(1.0)
    with pytest.raises(EvaluationError, match="store outside its memory") as failure:
        evaluate_loops(sink(store.end(i)), {})
    assert failure.value.node is store


def test_an_address_outside_that_nothing_reads_is_no_error() -> None:
    i = range_(3, 0)
    inside = i < 2
    address = buf(0, 2).index(inside.where(i, 0))
    program = sink(buf(1, 3).index(i).store(inside.where(address.load(), -1.0)).end(i))
    same(evaluate_loops(program, [values(dtypes.f32, 5, 6)])[1], values(dtypes.f32, 5, 6, -1))


def test_a_register_is_empty_until_it_is_stored_to() -> None:
    i = range_(3, 0)
    with pytest.raises(EvaluationError, match="load of element 0 before a store to it"):
        evaluate_loops(sink(buf(0, 3).index(i).store(alloc(0, 1).after(i).index(0).load()).end(i)), {})


def test_integers_wrap_and_divisions_floor_step_by_step() -> None:
    cell = buf(0, 3, dtypes.i8)
    program = sink(
        cell.index(0).store(UOp.const(100, dtypes.i8) + 100),
        cell.index(1).store(UOp.const(-7, dtypes.i8) // 2),
        cell.index(2).store(UOp.const(-7, dtypes.i8) % 0),
    )
    assert is_loop_program(program)
    same(evaluate_loops(program, {})[0], values(dtypes.i8, 200 - 256, -4, 0))


def test_a_step_budget_is_kept() -> None:
    program = row_sums(100, 100)
    x = np.zeros(10_000, np.float32)
    with pytest.raises(EvaluationTooLarge):
        evaluate_loops(program, [x], steps=10_000)
    with pytest.raises(EvaluationTooLarge):
        evaluate(program, [x], steps=10_000)
    evaluate_loops(program, [x], steps=200_000)


def test_what_is_no_loop_program() -> None:
    x = buf(0, 3)
    assert not is_loop_program(x + 1.0)
    assert not is_loop_program(sink(x + 1.0, x))
    assert not is_loop_program(sink(buf(1, 3).store(x)))
    i = range_(3, 0)
    with pytest.raises(EvaluationError, match="whole buffer"):
        evaluate_loops(sink(buf(1, 3).store(x), buf(2, 3).index(i).store(1.0).end(i)), [values(dtypes.f32, 1, 2, 3)])


def test_a_loop_that_nothing_closes_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="not closed"):
        evaluate_loops(sink(buf(0, 3).index(range_(3, 0)).store(1.0)), {})
