"""The order of a loop program: every node in the innermost loop it needs, loops as siblings or nested, reads before
writes; and the errors of loops that cannot be nested."""

from __future__ import annotations

import random

import pytest
from programs import random_program

from uopc.dtype import dtypes
from uopc.errors import UOpError
from uopc.linearize import linearize
from uopc.ops import AxisType, Ops
from uopc.pipeline import compile_program
from uopc.uop import UOp, alloc, buf, range_, sink


def depths(program: list[UOp]) -> dict[UOp, list[UOp]]:
    """node -> the loops that are open where it stands, outermost first. Fails when loops are not properly nested."""
    running: list[UOp] = []
    found: dict[UOp, list[UOp]] = {}
    for u in program:
        assert u not in found, f"{u!r} twice"
        if u.op is Ops.RANGE:
            assert u not in running
            found[u] = list(running)
            running.append(u)
            continue
        found[u] = list(running)
        if u.op is Ops.END:
            closed = {running.pop() for _ in u.src[1:]}
            assert closed == set(u.src[1:])
    assert not running
    return found


def check_order(root: UOp) -> list[UOp]:
    """The order is right: operands first, each node inside the loops it depends on."""
    program = linearize(root)
    within, at = depths(program), {u: k for k, u in enumerate(program)}
    assert set(program) == set(root.toposort())
    for u in program:
        assert all(at[s] < at[u] for s in u.src)
        if u.op is not Ops.RANGE:
            assert u.ranges <= set(within[u]), f"{u!r} is not in its loops"
            if u.op not in (Ops.STORE, Ops.GROUP, Ops.END, Ops.SINK, Ops.ALLOC, Ops.BUFFER, Ops.CONST):
                assert len(within[u]) == max((len(within[r]) + 1 for r in u.ranges), default=0), f"{u!r} is not hoisted"
    return program


def copy(i: UOp, slot: int, n: int) -> UOp:
    return buf(slot + 1, n).index(i).store(buf(slot, n).index(i).load()).end(i)


def test_one_loop_and_two_siblings() -> None:
    i, j = range_(3, 0), range_(4, 1)
    within = depths(check_order(sink(copy(i, 0, 3), copy(j, 2, 4))))
    assert within[i] == within[j] == []


def test_loops_of_one_end_are_nested_by_number() -> None:
    i, j, k = range_(2, 5), range_(3, 1), range_(4, 3)
    effect = buf(0, 24).index(i * 12 + j * 4 + k).store(1.0)
    within = depths(check_order(sink(effect.end(i, j, k))))
    assert (within[j], within[k], within[i]) == ([], [j], [j, k])


def test_what_does_not_change_in_a_loop_is_before_it() -> None:
    i, j = range_(2, 0), range_(3, 1)
    row = i * 3
    load = buf(0, 2).index(i).load()
    program = check_order(sink(buf(1, 6).index(row + j).store(load).end(j).end(i)))
    within = depths(program)
    assert within[row] == within[load] == [i]


def test_a_store_of_a_constant_runs_in_every_iteration() -> None:
    i = range_(3, 0)
    store = buf(0, 1).index(0).store(1.0)
    assert depths(check_order(sink(store.end(i))))[store] == [i]


def test_two_reductions_in_one_row_loop() -> None:
    i, j, k = range_(2, 0), range_(3, 1, AxisType.REDUCE), range_(4, 2, AxisType.REDUCE)

    def total(slot: int, loop: UOp, n: int) -> UOp:
        fresh = alloc(slot, 1).after(i)
        start = fresh.index(0).store(0.0)
        inside = fresh.after(start, loop).index(0)
        update = inside.store(inside.load() + buf(slot, 2 * n).index(i * n + loop).load())
        return fresh.after(update.end(loop)).index(0).load()

    within = depths(check_order(sink(buf(9, 2).index(i).store(total(0, j, 3) + total(1, k, 4)).end(i))))
    assert within[j] == within[k] == [i]


def test_every_load_of_a_state_comes_before_every_store_to_it() -> None:
    memory = buf(0, 8)
    for seed in range(60):
        rng = random.Random(seed)
        loads = [memory.index(k).load() for k in rng.sample(range(8), 3)]
        stores = [memory.index(k).store(rng.choice([*loads, UOp.const(1.0, dtypes.f32)])) for k in range(5)]
        rng.shuffle(stores)
        program = check_order(sink(*stores))
        used = [u for u in program if u.op is Ops.LOAD]
        last = max((program.index(u) for u in used), default=-1)
        assert all(program.index(s) > last for s in stores), f"seed {seed}"


def test_a_load_outside_comes_before_the_loop_that_stores() -> None:
    i, j, memory = range_(3, 0), range_(3, 1), buf(0, 4)
    first = memory.index(3).load()
    other = memory.index(j).store(2.0).end(j)
    program = check_order(sink(other, memory.index(i).store(first + 1.0).end(i)))
    assert program.index(first) < min(program.index(i), program.index(j))


def test_random_programs_are_ordered() -> None:
    for seed in range(150):
        check_order(compile_program(random_program(seed).root, "f", plain=True).sink)


# -- errors ----------------------------------------------------------------------------------------------------------
def error(root: UOp) -> tuple[str, str]:
    with pytest.raises(UOpError) as failure:
        linearize(root)
    return failure.value.code, failure.value.message


def test_a_range_that_no_end_closes() -> None:
    i = range_(3, 7)
    assert error(sink(buf(0, 3).index(i).store(1.0))) == ("open-range", "range 7 is not closed by an end")


def test_a_range_that_two_ends_close() -> None:
    i = range_(3, 7)
    root = sink(buf(0, 3).index(i).store(1.0).end(i), buf(1, 3).index(i).store(2.0).end(i))
    assert error(root) == ("closed-range", "range 7 is closed by two ends")


def test_a_value_of_a_loop_that_has_ended() -> None:
    i, j = range_(3, 0), range_(3, 1)
    done = buf(0, 3).index(i).store(1.0).end(i)
    code, message = error(sink(buf(1, 9).after(done).index(i + j).store(1.0).end(j)))
    assert code in ("range-order", "open-range", "loop-cycle")
    assert message


def test_loops_that_wait_for_each_other() -> None:
    """Each of two loops stores what the other one reads."""
    i, j = range_(2, 0), range_(2, 1)
    a, b = buf(0, 2), buf(1, 2)
    first = a.index(i).store(b.index(i).load()).end(i)
    second = b.index(j).store(a.index(j).load()).end(j)
    assert error(sink(first, second)) == ("loop-cycle", "the loops of this program wait for each other")
