"""What hover and `uir explain` say: programs and the texts they must give, written by hand."""

from __future__ import annotations

import json

import pytest

from uopc.analysis.explain import explain, explain_json, naming
from uopc.analysis.explanation import Explanation
from uopc.analysis.index_map import index_map
from uopc.analysis.trace import trace, trace_text
from uopc.ops import Ops
from uopc.uir import analyze
from uopc.uop import UOp, buf

VIEW = """
%0 = buffer 12 : dtype=f32 slot=0
%1 = reshape %0, (3, 4)
%2 = permute %1, (1, 0)
%3 = shrink %2, ((1, 3), (0, 3))
%b = buffer 3 : dtype=f32 slot=1
%6 = mul %3, %b
%7 = reduce %6 : op=add pop=1
"""


def explained(text: str, name: str) -> Explanation:
    return explain(analyze(text), name)


def test_a_view() -> None:
    e = explained(VIEW, "%3")
    assert (e.name, e.type, e.op, e.line) == ("%3", "f32[2, 3]", "shrink", 4)
    assert e.summary == "keeps rows 1..2, columns 0..2 of %2"
    assert e.equation == ("%3[i, j] = %2[i + 1, j]",)
    assert e.places == ("buffer 0 at 4·j + i + 1",)
    assert e.reads == ("6 of 12 elements of buffer 0, all inside",)
    assert e.layout is not None
    assert (e.layout.strides, e.layout.offset, e.layout.contiguous) == ((1, 4), 1, False)
    assert e.layout.text == "strides (1, 4), offset 1 · a single strided view, not contiguous"
    assert [(u.name, u.line) for u in e.used_by] == [("%6", 6)]


STEPS = [
    ("%0 = buffer 12 : dtype=f32 slot=0", "%0", ["%0[i] = buffer 0 at i"], []),
    ("%0 = const 0.5 : dtype=f32", "%0", [], []),
    ("%0 = buffer 12 : dtype=f32 slot=0\n%1 = add %0, 2", "%1", ["%1[i] = %0[i] + 2.0"], ["buffer 0 at i"]),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%c = const 2.0 : dtype=f32\n%1 = add %0, 2",
        "%1",
        ["%1[i] = %0[i] + 2.0"],
        ["buffer 0 at i"],
    ),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%c = const 2.0 : dtype=f32\n%1 = add %0, %c",
        "%1",
        ["%1[i] = %0[i] + %c"],
        ["buffer 0 at i"],
    ),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 1, 4)",
        "%1",
        ["%1[i, j, k] = %0[4·i + k]"],
        ["buffer 0 at 4·i + k"],
    ),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n%2 = reshape %1, (2, 6)",
        "%2",
        ["%2[i, j] = %1[(6·i + j) // 4, (6·i + j) % 4]"],
        ["buffer 0 at 6·i + j"],
    ),
    (
        "%0 = buffer 3 : dtype=f32 slot=0\n%1 = pad %0, ((1, 2))",
        "%1",
        ["%1[i] = %0[i - 1], 0 unless 1 ≤ i < 4"],
        ["buffer 0 at i - 1, 0 unless 1 ≤ i < 4"],
    ),
    ("%0 = buffer 4 : dtype=f32 slot=0\n%1 = flip %0, (0)", "%1", ["%1[i] = %0[3 - i]"], ["buffer 0 at 3 - i"]),
    (
        "%0 = buffer 3 : dtype=f32 slot=0\n%1 = reshape %0, (1, 3)\n%2 = expand %1, (5, 3)",
        "%2",
        ["%2[i, j] = %1[0, j]"],
        ["buffer 0 at j"],
    ),
    (
        "%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n%2 = stack %0, %1",
        "%2",
        ["%2[0, j] = %0[j]", "%2[1, j] = %1[j]"],
        ["buffer 0 at j where i = 0", "buffer 0 at j where i = 1"],
    ),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n%2 = reduce %1 : op=max axes=(0) keepdim=true",
        "%2",
        ["%2[i, j] = max k<3  %1[k, j]"],
        ["buffer 0 at 4·k + j"],
    ),
    (
        "%0 = buffer 24 : dtype=f32 slot=0\n%1 = reshape %0, (2, 3, 4)\n%2 = reduce %1 : op=mul pop=2",
        "%2",
        ["%2[i] = product j<3, k<4  %1[i, j, k]"],
        ["buffer 0 at 12·i + 4·j + k"],
    ),
    (
        "%0 = buffer 12 : dtype=i32 slot=0\n%1 = reshape %0, (3, 4)\n%2 = index %0, 5\n%3 = index %1, %2",
        "%3",
        ["%3[i] = %1[%2, i]"],
        ["buffer 0 at 4·%2 + i"],
    ),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%1 = buffer 12 : dtype=f32 slot=1\n%2 = sub %0, %1\n%3 = cmplt %2, 0\n"
        "%4 = where %3, %0, 0",
        "%4",
        ["%4[i] = where(%3[i], %0[i], 0.0)"],
        ["buffer 0 at i", "buffer 1 at i"],
    ),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n%2 = buffer 3 : dtype=f32 slot=1\n"
        "%3 = reshape %2, (3, 1)\n%4 = sub %1, %3",
        "%4",
        ["%4[i, j] = %1[i, j] - %3[i, 0]"],
        ["buffer 0 at 4·i + j", "buffer 1 at i"],
    ),
    (
        "%0 = buffer 12 : dtype=f32 slot=0\n%2 = cast %0 : dtype=i32\n%3 = floordiv %2, 4\n%4 = stage %3",
        "%4",
        ["%4[i] = %3[i]"],
        ["buffer 0 at i"],
    ),
]


@pytest.mark.parametrize(("text", "name", "equation", "places"), STEPS, ids=[r[0].split("\n")[-1] for r in STEPS])
def test_steps(text: str, name: str, equation: list[str], places: list[str]) -> None:
    e = explained(text, name)
    if equation:
        assert list(e.equation) == equation
    assert list(e.places) == places


SUMMARIES = [
    ("reshape %x, (12,)", "flattens %x into 12 elements, row by row"),
    ("reshape %x, (2, 6)", "reads %x in row-major order as (2, 6)"),
    ("reshape %x, (3, 1, 4)", "adds axes of size 1: (3, 4) becomes (3, 1, 4)"),
    ("permute %x, (1, 0)", "transposes %x"),
    ("shrink %x, ((0, 1), (2, 2))", "keeps rows 0, no columns of %x"),
    ("pad %x, ((1, 2), (0, 0))", "puts zeros around %x (axis 0: 1 before, 2 after)"),
    ("flip %x, (0, 1)", "reverses axis 0 and axis 1 of %x"),
    ("stack %x, %x", "puts 2 values side by side along a new axis 0: %x, %x"),
    ("index %x, 1", "takes entry 1 of %x"),
    ("reduce %x : op=add pop=1", "sums %x over axis 1 (4 entries)"),
    ("reduce %x : op=max axes=(0)", "takes the maximum of %x over axis 0 (3 entries)"),
    ("reduce %x : op=add axes=(0) keepdim=true", "sums %x over axis 0 (3 entries), leaving size 1"),
    ("reduce %x : op=mul pop=2", "multiplies %x over axis 0 (3 entries) and axis 1 (4 entries)"),
    ("add %x, %x", "the sum of %x and %x"),
    ("sub %x, 2", "%x minus 2.0"),
    ("exp2 %x", "two to the power %x"),
    ("cast %x : dtype=f64", "%x converted from f32 to f64"),
    ("const 3 : dtype=i32", "the constant 3"),
]


@pytest.mark.parametrize(("statement", "want"), SUMMARIES, ids=[row[0] for row in SUMMARIES])
def test_summaries(statement: str, want: str) -> None:
    e = explained(f"%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (3, 4)\n%y = {statement}", "y")
    assert e.summary == want


def test_the_leading_directive_names_the_axis_as_written() -> None:
    e = explained("# uir: reduce=leading\n%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 4)\n"
                  "%2 = permute %1, (1, 0)\n%3 = reduce %1 : op=add pop=1\n%4 = sink %2, %3", "3")  # fmt: skip
    assert e.summary == "sums %1 over axis 0 (3 entries)"
    assert e.equation == ("%3[i] = Σ j<3  %1[j, i]",)
    assert e.reduction is not None and e.reduction.axes == ((0, 3),)


GEMM = """
%0 = buffer 512 : dtype=f32 slot=0
%1 = buffer 2048 : dtype=f32 slot=1
%2 = reshape %0, (16, 1, 32)
%3 = reshape %1, (1, 64, 32)
%4 = mul %2, %3
%5 = reduce %4 : op=add pop=1
"""


def test_a_contraction() -> None:
    e = explained(GEMM, "5")
    assert e.reduction is not None
    assert e.reduction.axes == ((2, 32),)
    assert e.reduction.operations == 2 * 16 * 64 * 32
    assert e.reduction.text == ("removes axis 2 (32) · 2·16·64·32 = 65,536 operations · each element evaluated once")
    assert e.places == ("buffer 0 at 32·i + k", "buffer 1 at 32·j + k")
    assert e.reads == (
        "512 of 512 elements of buffer 0, all inside",
        "2,048 of 2,048 elements of buffer 1, all inside",
    )


def test_a_recomputed_reduction() -> None:
    text = """
    %0 = buffer 12 : dtype=f32 slot=0
    %1 = reshape %0, (3, 4)
    %2 = reduce %1 : op=add pop=1 keepdim=true
    """
    text = text.replace("pop=1", "axes=(1)") + "%3 = sub %1, %2\n%4 = reshape %3, (12,)\n"
    e = explained(text, "2")
    assert e.reduction is not None
    assert (e.reduction.elements, e.reduction.evaluations) == (3, 12)
    assert e.reduction.text.endswith("3 elements evaluated 12 times in all")


def test_values_with_errors_say_what_is_known_and_why_nothing_more() -> None:
    text = "%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (3, 5)\n%2 = add %1, %1\n"
    first, second = explained(text, "1"), explained(text, "2")
    assert first.type == second.type == ""
    assert first.unknown.startswith("its definition has an error: RESHAPE (12,) -> (3, 5)")
    assert first.notes == ("%0 is f32[12]",)
    assert first.summary
    assert second.unknown == "it is made from %1, which is unknown (line 2)"
    assert [u.name for u in first.used_by] == ["%2"]


def test_equal_values_go_by_the_name_that_is_asked_for() -> None:
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n%2 = neg %0\n%3 = add %2, %1\n"
    e = explained(text, "2")
    assert e.equation == ("%2[i] = -%0[i]",)
    assert e.same_as == ("%1",)


def test_a_name_that_nothing_defines_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        explained(VIEW, "nothing")


@pytest.mark.parametrize("name", ["0", "1", "2", "3", "4", "5", "6", "7", "8"])
def test_loop_programs_are_explained_too(name: str) -> None:
    text = """%0 = buffer 4 : dtype=f32 slot=0
%1 = buffer 4 : dtype=f32 slot=1
%2 = range 4 : idx=0 kind=loop
%3 = index %0, %2
%4 = load %3
%5 = index %1, %2
%6 = store %5, %4
%7 = end %6, %2
%8 = sink %7
"""
    e = explained(text, name)
    assert e.summary and not e.unknown
    json.dumps(explain_json(analyze(text), name))


def test_json_has_everything_and_counts_lines_from_one() -> None:
    data = json.loads(json.dumps(explain_json(analyze(VIEW), "%3")))
    assert data["line"] == 5
    assert data["equation"] == ["%3[i, j] = %2[i + 1, j]"]
    assert data["places"] == ["buffer 0 at 4*j + i + 1"]
    assert data["layout"]["strides"] == [1, 4]
    assert data["used_by"] == [{"name": "%6", "line": 7}]
    assert [t["index"] for t in data["trace"]] == ["[i, j]", "[i + 1, j]", "[j, i + 1]", "[4*j + i + 1]"]


# -- the tracer ----------------------------------------------------------------------------------------------------
def traced(text: str, name: str) -> str:
    analysis = analyze(text)
    node = analysis.values[name].uop
    assert node is not None
    return trace_text(trace(node, naming(analysis, name)))


def test_trace_of_a_view() -> None:
    assert traced(VIEW, "3") == (
        "%3  shrink   f32[2, 3]  [i, j]\n"
        "  %2  permute  f32[4, 3]  [i + 1, j]\n"
        "    %1  reshape  f32[3, 4]  [j, i + 1]\n"
        "      %0  buffer   f32[12]    [4*j + i + 1]"
    )


def test_trace_follows_every_operand_and_opens_the_reductions_axes() -> None:
    assert traced(VIEW, "7") == (
        "%7  reduce   f32[2]     [i]\n"
        "  %6  mul      f32[2, 3]  [i, j]\n"
        "    %3  shrink   f32[2, 3]  [i, j]\n"
        "      %2  permute  f32[4, 3]  [i + 1, j]\n"
        "        %1  reshape  f32[3, 4]  [j, i + 1]\n"
        "          %0  buffer   f32[12]    [4*j + i + 1]\n"
        "    expand   f32[2, 3]  [i, j]\n"
        "      reshape  f32[1, 3]  [0, j]\n"
        "        %b  buffer   f32[3]     [j]"
    )


def test_trace_shows_a_shared_part_once() -> None:
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n%2 = mul %1, %1\n%3 = mul %2, 0.5\n"
    assert traced(text, "3") == (
        "%3  mul     f32[4]  [i]\n"
        "  %2  mul     f32[4]  [i]\n"
        "    %1  neg     f32[4]  [i]\n"
        "      %0  buffer  f32[4]  [i]\n"
        "    %1  neg     f32[4]  [i]  (shown above)\n"
        "  0.5  const   f32[]"
    )


# -- large programs ------------------------------------------------------------------------------------------------
def test_a_chain_of_a_hundred_thousand_steps() -> None:
    u: UOp = buf(0, 8)
    for k in range(100_000):  # a legal program
        u = u.alu(Ops.MAX, float(k % 7))
    mapped = index_map(u)
    assert mapped.places() == ("the max at [i]",)
    lines = trace(u)
    assert len(lines) < 250
    assert any(line.note == "goes deeper" for line in lines)


def test_a_wide_stack_lists_a_few() -> None:
    x = buf(0, 4)
    u = UOp(Ops.STACK, tuple(x * float(k) for k in range(1000)))
    mapped = index_map(u)
    assert len(mapped.places()) <= 8
    assert mapped.places()[-1] == "..."
    assert mapped.equation()[-1] == "... 1,000 operands in all"


def test_elementwise_values_over_much_end_at_their_operands() -> None:
    lines = ["%0 = buffer 8 : dtype=f32 slot=0"]
    lines += [f"%{k} = add %{k - 1}, %{k - 1}" for k in range(1, 200)]
    lines += [f"%b{k} = buffer 8 : dtype=f32 slot={k}" for k in range(1, 9)]
    lines += ["%s1 = add %b1, %b2"] + [f"%s{k} = add %s{k - 1}, %b{k + 1}" for k in range(2, 8)]
    lines += ["%out = mul %199, %s7"]
    e = explained("\n".join(lines), "out")
    assert e.places == ("%199 at [i]", "%s7 at [i]")


def test_huge_sizes_are_written_by_their_magnitude() -> None:
    n = 1 << 40
    text = f"%0 = buffer 1 : dtype=f32 slot=0\n%1 = reshape %0, (1, 1)\n%2 = expand %1, ({n}, {n})\n"
    e = explained(text + "%3 = reduce %2 : op=add pop=1", "3")
    assert e.reduction is not None
    assert e.reduction.operations == n * n
    assert "about 10^24 operations" in e.reduction.text


def test_a_reduction_that_keeps_its_axis_goes_by_its_name() -> None:
    """The reduction under a `keepdim` has no name of its own: what reads it reads the value that has one."""
    text = (
        "%b = buffer 12 : dtype=f32 slot=0\n%x = reshape %b, (3, 4)\n%m = reduce %x : op=max axes=(1,) keepdim=true\n"
    )
    about = explain(analyze(text + "%d = sub %x, %m\n"), "d")
    assert about.places == ("buffer 0 at 4·i + j", "%m at [i, 0]")
    assert about.reads[1] == "3 of 3 elements of %m, all inside"
