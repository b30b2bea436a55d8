"""The stepping engine: it ends where NumPy does, and goes back exactly the way it came."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import difference, random_program
from stepping_help import machine_of, run, stepped, stored

from uopc.dtype import dtypes
from uopc.evaluate import evaluate, evaluate_loops
from uopc.ops import Ops
from uopc.pipeline import CompileError, textbook_loops
from uopc.runtime.inputs import buffers_of, make_inputs
from uopc.stepping.code import Fault, StepError
from uopc.stepping.describe import Describer
from uopc.stepping.program import open_program
from uopc.uir import analyze, parse
from uopc.uir.listing import loop_listing
from uopc.uop import alloc, buf, range_, sink

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.uir"))
SMALL = 60_000  # steps that a test follows

GEMM = """\
# uir: input 0 = arange
# uir: input 1 = arange
%a = buffer 6 : dtype=f32 slot=0
%b = buffer 12 : dtype=f32 slot=1
%am = reshape %a, (2, 3, 1)
%ax = expand %am, (2, 3, 4)
%bm = reshape %b, (1, 3, 4)
%bx = expand %bm, (2, 3, 4)
%ab = mul %ax, %bx
%p = permute %ab, (0, 2, 1)
%c = reduce %p : op=add pop=1
"""


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_every_small_example_ends_with_what_the_reference_evaluator_gives(file: Path) -> None:
    program = open_program(file.read_text(), file)
    if program.code.steps > SMALL:
        assert file.stem == "gemm_256x256"
        return
    machine = run(program.machine())
    assert machine.time == program.code.steps  # the count of the limit is the truth
    analysis = program.analysis
    assert analysis.root is not None
    inputs = make_inputs(buffers_of(analysis.root), analysis.directives.inputs, file.parent)
    want = evaluate(analysis.root, inputs)
    got = list(stored(machine).values())
    for w, g in zip(want if isinstance(want, tuple) else (want,), got):
        exact = g.dtype.kind != "f"
        np.testing.assert_allclose(g, np.ravel(w), rtol=0 if exact else 1e-5, atol=0 if exact else 1e-6)


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_end_with_what_the_reference_evaluator_gives(seed: int) -> None:
    program = random_program(seed)
    loops = textbook_loops(program.root)
    machine = machine_of(loops.sink, program.inputs)
    if machine.code.steps > SMALL:
        pytest.skip("more steps than a test follows")
    found = stored(run(machine))
    want = evaluate(program.root, program.inputs)
    for (value, out), w, error in zip(loops.outputs, want if isinstance(want, tuple) else (want,), program.errors):
        got = found[out.arg.slot][: w.size].reshape(value.shape)
        assert difference(w, got, error) is None


@given(seed=st.integers(0, 400), n=st.integers(0, 3_000), logged=st.integers(2, 64), every=st.integers(1, 97))
@settings(max_examples=60, deadline=None)
def test_n_forward_and_n_back_is_where_it_was(seed: int, n: int, logged: int, every: int) -> None:
    """At every point, with a log so short that checkpoints are needed as well."""
    try:
        program = random_program(seed)
        loops = textbook_loops(program.root)
    except CompileError:
        return
    machine = machine_of(loops.sink, program.inputs, logged=logged, every=every)
    states = [machine.state()]
    with np.errstate(all="ignore"):
        while len(states) <= n and not machine.ended:
            machine.forward()
            states.append(machine.state())
        for state in reversed(states):
            assert machine.state() == state
            machine.back()
        assert machine.state() == states[0]
        for state in states[1:]:  # and forward again
            machine.forward()
            assert machine.state() == state


@pytest.mark.parametrize(("rows", "columns"), [(3, 4), (3, 0), (0, 4), (1, 1)])
def test_loops_without_rounds(rows: int, columns: int) -> None:
    i, k = range_(rows, 0), range_(columns, 1)
    cell = alloc(0, 1, dtypes.i32).after(i)
    begun = cell.index(0).store(7)
    inside = cell.after(begun, k).index(0)
    added = inside.store(inside.load() + 1)
    total = cell.after(added.end(k)).index(0).load()
    program = sink(buf(0, 3, dtypes.i32).index(i).store(total).end(i))
    machine = run(machine_of(program, {}))
    np.testing.assert_array_equal(stored(machine)[0], [7 + columns] * rows + [0] * (3 - rows))
    while machine.time:
        machine.back()
    assert machine.position == 0


def test_one_end_of_two_loops_the_outer_without_rounds() -> None:
    for sizes in ((2, 3), (0, 3), (2, 0), (0, 0)):
        i, j = range_(sizes[0], 0), range_(sizes[1], 1)
        program = sink(buf(0, 6, dtypes.i32).index(i * 3 + j).store(i * 10 + j + 1).end(i, j))
        got = stored(run(machine_of(program, {})))[0]
        np.testing.assert_array_equal(got, evaluate_loops(program, {})[0])


def test_the_loads_of_a_2x3_product_are_those_counted_by_hand() -> None:
    """C[i, j] = sum over k of A[i, k] B[k, j]: for each (i, j), k runs, and A is read at 3 i + k, B at 4 k + j."""
    by_hand = [
        (slot, at)
        for i in range(2)
        for j in range(4)
        for k in range(3)
        for slot, at in ((0, 3 * i + k), (1, 4 * k + j))
    ]
    _, machine = stepped(GEMM)
    seen = []
    while not machine.ended:
        machine.forward()
        touched = machine.touched()
        if touched and not touched[1] and touched[0].memory.node.op is Ops.BUFFER:
            seen.append((touched[0].memory.node.arg.slot, touched[0].position))
    assert seen == by_hand
    (c,) = stored(machine).values()
    np.testing.assert_array_equal(c.reshape(2, 4), np.arange(6).reshape(2, 3) @ np.arange(12).reshape(3, 4))


def test_an_access_outside_its_memory_stops_with_nothing_changed() -> None:
    i = range_(4, 0)
    program = sink(buf(1, 3, dtypes.i32).index(i).store(buf(0, 4, dtypes.i32).index(i).load()).end(i))
    machine = machine_of(program, {0: np.arange(4, dtype=np.int32)})
    with pytest.raises(Fault, match=r"store outside its memory: index 3 is not in 0\.\.2"):
        run(machine)
    before = machine.state()
    with pytest.raises(Fault):
        machine.forward()
    assert machine.state() == before
    machine.back()
    assert machine.time == before[1] - 1


def test_reading_an_accumulator_before_it_is_stored_to_is_a_fault() -> None:
    cell = alloc(0, 1, dtypes.i32)
    machine = machine_of(sink(buf(0, 1, dtypes.i32).index(0).store(cell.index(0).load())), {})
    with pytest.raises(Fault, match="before a store to it"):
        run(machine)


def test_integers_wrap_and_division_by_zero_gives_zero() -> None:
    text = """\
# uir: input 0 = [2147483647, -2147483648, 7]
%0 = buffer 3 : dtype=i32 slot=0
%1 = add %0, 1
%2 = floordiv %0, 0
%3 = floordiv %0, -1
%4 = sink %1, %2, %3
"""
    _, machine = stepped(text)
    plus, by_zero, negated = stored(run(machine)).values()
    assert plus.tolist() == [-2147483648, -2147483647, 8]
    assert by_zero.tolist() == [0, 0, 0]
    assert negated.tolist() == [-2147483647, -2147483648, -7]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_a_listing_is_the_program_in_the_order_of_execution(file: Path) -> None:
    analysis = analyze(file.read_text())
    if analysis.kind != "shaped":
        return
    assert analysis.root is not None
    loops = textbook_loops(analysis.root).sink
    listing = loop_listing(loops)
    assert parse(listing.text) is loops
    lines = [listing.lines[u] for u in listing.order if u in listing.lines]
    assert lines == sorted(lines)


def test_too_many_elements_are_refused_with_what_to_shrink() -> None:
    text = "%x = buffer 2000000 : dtype=f32 slot=0\n%y = mul %x, 2.0\n"
    with pytest.raises(StepError, match=r"4,000,000 elements, .* smaller, first those of %[xy] \(line [12]\)"):
        open_program(text, Path("large.uir"))


@pytest.mark.parametrize(
    ("text", "value", "message"),
    [
        ("%x = reshape %0, (2)\n", "", r"line 1: "),
        ("", "", "no statement"),
        ("%x = buffer 2 : dtype=f32 slot=0\n", "%z", "there is no value %z"),
        ('# uir: input 0 = file "none.npy"\n%x = buffer 2 : dtype=f32 slot=0\n%y = mul %x, 2.0\n', "", "none.npy"),
    ],
)
def test_what_cannot_be_stepped_through_is_said_in_a_sentence(text: str, value: str, message: str) -> None:
    with pytest.raises(StepError, match=message):
        open_program(text, Path("program.uir"), value)


def test_a_line_that_stored_says_what_it_stored_though_something_else_is_there_by_now() -> None:
    """The accumulator of a maximum: -inf on the line that begins it, 7 on the one that has just changed it."""
    program, machine = stepped(
        "# uir: input 0 = [7, 9]\n%0 = buffer 2 : dtype=f32 slot=0\n%m = reduce %0 : op=max pop=1\n"
    )
    describer = Describer(program, machine)
    stores = [k for k, op in enumerate(machine.code.ops) if op.node.op is Ops.STORE]
    while machine.position <= stores[1]:
        machine.forward()
    assert [describer.outcome(k).split(" = ")[1] for k in stores[:2]] == ["-inf", "7.0"]
