"""Loop programs written by hand, compiled and run: what they store is worked out in the tests, step by step."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from programs import Array
from scalars import Expressions, columns, points, unknowns
from values import same, values

from uopc.dtype import dtypes
from uopc.evaluate import EvaluationError, evaluate_loops
from uopc.ops import AxisType, Ops
from uopc.pipeline import CompileError, compile_program
from uopc.runtime import build
from uopc.runtime.errors import RunError
from uopc.uir import analyze, dump, parse
from uopc.uop import UOp, alloc, buf, range_, sink

I32 = dtypes.i32


def stored(root: UOp, inputs: dict[int, Array] | None = None) -> list[Array]:
    """What the compiled program leaves in its outputs, by slot; the step-by-step interpreter must agree."""
    given = inputs or {}
    found = build(root).call(given)
    outputs = list(found) if isinstance(found, tuple) else [found]
    steps = evaluate_loops(root, given)
    for got, slot in zip(outputs, sorted(steps)):
        same(got, steps[slot])
    return outputs


# -- nesting -----------------------------------------------------------------------------------------------------------
def test_loops_inside_each_other() -> None:
    i, j = range_(2, 0), range_(3, 1)
    (got,) = stored(sink(buf(0, 6, I32).index(i * 3 + j).store(i * 10 + j).end(j).end(i)))
    same(got, values(I32, 0, 1, 2, 10, 11, 12))


def test_loops_beside_each_other() -> None:
    i, j = range_(2, 0), range_(3, 1)
    root = sink(buf(0, 2, I32).index(i).store(i + 5).end(i), buf(1, 3, I32).index(j).store(j * j).end(j))
    first, second = stored(root)
    same(first, values(I32, 5, 6))
    same(second, values(I32, 0, 1, 4))


def total(fresh: UOp, loop: UOp, value: UOp, op: Ops = Ops.ADD, start: float = 0) -> UOp:
    """`value` combined over a loop in the accumulator `fresh`."""
    begun = fresh.index(0).store(start)
    inside = fresh.after(begun, loop).index(0)
    return fresh.after(inside.store(inside.load().alu(op, value)).end(loop)).index(0).load()


def test_two_reductions_of_one_row() -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4) % 5
    i, j, k = range_(3, 0), range_(4, 1, AxisType.REDUCE), range_(4, 2, AxisType.REDUCE)
    element = buf(0, 12, I32)
    added = total(alloc(0, 1, I32).after(i), j, element.index(i * 4 + j).load())
    largest = total(alloc(1, 1, I32).after(i), k, element.index(i * 4 + k).load(), Ops.MAX, -100)
    (got,) = stored(sink(buf(1, 3, I32).index(i).store(added * 10 + largest).end(i)), {0: x.reshape(-1)})
    same(got, (x.sum(1) * 10 + x.max(1)).astype(np.int32))


def test_a_reduction_that_another_one_needs() -> None:
    """Subtract the largest, then add up: the second loop runs after the first."""
    x = values(I32, 3, -1, 7, 2)
    j, k = range_(4, 0, AxisType.REDUCE), range_(4, 1, AxisType.REDUCE)
    largest = total(alloc(0, 1, I32), j, buf(0, 4, I32).index(j).load(), Ops.MAX, -100)
    added = total(alloc(1, 1, I32), k, buf(0, 4, I32).index(k).load() + largest * -1)
    (got,) = stored(sink(buf(1, 1, I32).index(0).store(added)), {0: x})
    same(got, values(I32, int((x - 7).sum())))


def test_a_constant_is_stored_in_every_iteration() -> None:
    i = range_(4, 0)
    cell = buf(0, 1, I32).after(i).index(0)
    (got,) = stored(sink(cell.store(cell.load() + 3).end(i)), {0: values(I32, 100)})
    same(got, values(I32, 112))


def test_loops_without_iterations() -> None:
    i, none = range_(3, 0), range_(0, 1, AxisType.REDUCE)
    added = total(alloc(0, 1, I32).after(i), none, buf(0, 4, I32).index(none).load(), Ops.ADD, 9)
    (got,) = stored(sink(buf(1, 3, I32).index(i).store(added).end(i)), {0: values(I32, 1, 2, 3, 4)})
    same(got, values(I32, 9, 9, 9))
    (got,) = stored(sink(buf(1, 3, I32).index(i + none).store(7).end(i, none)))
    same(got, values(I32, 0, 0, 0))


# -- memory ------------------------------------------------------------------------------------------------------------
def test_an_array_of_registers() -> None:
    """A row is copied into an array and read back the other way round."""
    x = np.arange(12, dtype=np.int32)
    i, j, k = range_(3, 0), range_(4, 1), range_(4, 2)
    row = alloc(0, 4, I32).after(i)
    filled = row.index(j).store(buf(0, 12, I32).index(i * 4 + j).load()).end(j)
    back = row.after(filled).index(UOp.const(3) - k).load()
    (got,) = stored(sink(buf(1, 12, I32).index(i * 4 + k).store(back).end(k).end(i)), {0: x})
    same(got, x.reshape(3, 4)[:, ::-1].reshape(-1))


def test_a_buffer_changed_in_place() -> None:
    i = range_(4, 0)
    x = buf(0, 4, I32)
    (got,) = stored(sink(x.index(i).store(x.index(i).load() * 2).end(i)), {0: values(I32, 1, 2, 3, 4)})
    same(got, values(I32, 2, 4, 6, 8))


def test_two_elements_change_places() -> None:
    x = buf(0, 3, I32)
    a, b = x.index(0).load(), x.index(2).load()
    (got,) = stored(sink(x.index(0).store(b), x.index(1).store(0), x.index(2).store(a)), {0: values(I32, 5, 6, 7)})
    same(got, values(I32, 7, 0, 5))


def test_a_guarded_read_of_memory_that_changes_is_not_put_off() -> None:
    """The load comes before the store, wherever its value is used."""
    i = range_(2, 0)
    x, out = buf(0, 2, I32), buf(1, 2, I32)
    inside = i < 1
    read = x.index(inside.where(i, 0)).load()
    cleared = x.index(i).store(0)
    (first, second) = stored(
        sink(UOp(Ops.GROUP, (cleared, out.index(i).store(inside.where(read, -1)))).end(i)), {0: values(I32, 8, 9)}
    )
    same(first, values(I32, 0, 0))
    same(second, values(I32, 8, -1))


def test_a_second_pass_over_what_the_first_one_stored() -> None:
    i, j = range_(4, 0), range_(4, 1)
    out = buf(0, 4, I32)
    first = out.index(i).store(i * i).end(i)
    again = out.after(first)
    second = again.index(j).store(again.index(UOp.const(3) - j).load() + 100).end(j)
    (got,) = stored(sink(second), {0: values(I32, 7, 7, 7, 7)})
    want = [0, 1, 4, 9]
    for k in range(4):
        want[k] = want[3 - k] + 100
    same(got, values(I32, *want))


# -- checks ------------------------------------------------------------------------------------------------------------
def gather(n: int, size: int) -> tuple[UOp, UOp]:
    """out[i] = x[where[i]], and the load of x."""
    i = range_(n, 0)
    load = buf(0, size, I32).index(buf(1, n, I32).index(i).load()).load()
    return sink(buf(2, n, I32).index(i).store(load).end(i)), load


def test_an_index_from_memory_is_checked_when_the_program_runs() -> None:
    root, load = gather(3, 4)
    compiled = compile_program(root)
    assert compiled.checks == (load,)
    x = values(I32, 10, 11, 12, 13)
    (got,) = stored(root, {0: x, 1: values(I32, 3, 0, 2)})
    same(got, values(I32, 13, 10, 12))
    for wrong in (4, -1, 2**31 - 1, -(2**31)):
        program = build(root)
        with pytest.raises(RunError, match="load is outside its memory"):
            program.call({0: x, 1: values(I32, 0, wrong, 1)})
        with pytest.raises(EvaluationError, match="load outside its memory") as failure:
            evaluate_loops(root, {0: x, 1: values(I32, 0, wrong, 1)})
        assert failure.value.node is load


def test_the_check_that_failed_is_the_one_that_is_named() -> None:
    i = range_(2, 0)
    where = buf(0, 2, I32).index(i).load()
    to, at = buf(1, 4, I32).index(where), buf(2, 3, I32).index(where)
    store = to.store(at.load())
    root = sink(store.end(i))
    compiled = compile_program(root)
    assert {u.op for u in compiled.checks} == {Ops.LOAD, Ops.STORE}
    data: dict[int, Any] = {1: values(I32, 0, 0, 0, 0), 2: values(I32, 5, 6, 7)}
    program = build(root)
    with pytest.raises(RunError, match="load is outside"):
        program.call({0: values(I32, 0, 3), **data})
    with pytest.raises(RunError, match=r"(load|store) is outside"):
        program.call({0: values(I32, 0, 9), **data})
    same(np.asarray(program.call({0: values(I32, 1, 2), **data})), values(I32, 0, 6, 7, 0))


def test_narrow_indices_are_read_as_the_numbers_they_are() -> None:
    """A u8 of 200 cast to i8 is -56, which is outside, although 200 would be inside."""
    i = range_(1, 0)
    narrow = buf(0, 1, dtypes.u8).index(i).load().cast(dtypes.i8)
    root = sink(buf(2, 1, I32).index(i).store(buf(1, 256, I32).index(narrow).load()).end(i))
    x = np.arange(256, dtype=np.int32)
    same(np.asarray(build(root).call({0: values(dtypes.u8, 100), 1: x})), values(I32, 100))
    with pytest.raises(RunError, match="outside"):
        build(root).call({0: values(dtypes.u8, 200), 1: x})


def test_what_bounds_prove_is_not_checked() -> None:
    i, j = range_(3, 0), range_(4, 1)
    inside = buf(0, 12, I32).index(i * 4 + j).load()
    wrapped = buf(0, 12, I32).index(inside % 12).load()
    root = sink(buf(1, 12, I32).index(i * 4 + j).store(wrapped).end(i, j))
    assert compile_program(root).checks == ()
    x = np.arange(-6, 6, dtype=np.int32)
    (got,) = stored(root, {0: x})
    same(got, x[x % 12])


def test_a_check_leads_to_its_line() -> None:
    lines = [
        "%0 = buffer 3 : dtype=i32 slot=0",
        "%1 = buffer 3 : dtype=i32 slot=1",
        "%i = range 3 : idx=0 kind=loop",
        "%p = add %i, 1",
        "%a = index %0, %p",
        "%v = load %a",
        "%t = index %1, %i",
        "%s = store %t, %v",
        "%e = end %s, %i",
        "%r = sink %e",
    ]
    analysis = analyze("\n".join(lines) + "\n")
    assert not analysis.has_errors and analysis.root is not None
    (check,) = compile_program(analysis.root).checks
    assert analysis.line_of(check) == 5


# -- errors ------------------------------------------------------------------------------------------------------------
def test_loops_that_cannot_be_nested_are_said_in_words() -> None:
    i = range_(3, 0)
    with pytest.raises(CompileError, match="range 0 is not closed by an end"):
        compile_program(sink(buf(0, 3).index(i).store(1.0)))
    with pytest.raises(CompileError, match="range 0 is closed by two ends"):
        compile_program(sink(buf(0, 3).index(i).store(1.0).end(i), buf(1, 3).index(i).store(2.0).end(i)))


# -- random ------------------------------------------------------------------------------------------------------------
def test_random_expressions_in_a_loop() -> None:
    """Scalar expressions of all kinds, computed by C at every combination of their counters."""
    made = []
    for seed in range(900, 940):
        u = Expressions(seed).expression(10)
        leaves = [x for x in unknowns(u) if x.op is Ops.RANGE]
        if u.dtype.is_bool or not leaves or len(leaves) < len(unknowns(u)):
            continue
        flat, n = UOp.const(0), 1
        for r in leaves:
            flat, n = flat * r.arg.size + r, n * r.arg.size
        found = columns([u], points(leaves, most=n))
        made.append((sink(buf(0, n, u.dtype).index(flat).store(u).end(*leaves)), list(found[u])))
    random.Random(0).shuffle(made)
    assert len(made) > 10
    for root, want in made[:12]:
        (got,) = stored(root)
        assert got.tolist() == want
        assert parse(dump(root)) is root
