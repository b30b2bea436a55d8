"""Findings: programs that get them, programs that do not, and their words."""

from __future__ import annotations

import functools
import re
from math import prod

import numpy as np
import pytest

from uopc.analysis.explain import naming
from uopc.analysis.lints import Finding, Limits, findings, program_findings
from uopc.analysis.products import Contraction
from uopc.dtype import dtypes
from uopc.ops import Ops
from uopc.uir import analyze
from uopc.uop import UOp, buf

B12 = "%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (3, 4)\n"


def said(text: str, name: str) -> list[tuple[str, str]]:
    """(code, text) of the findings about the node of a line."""
    analysis = analyze(text)
    node = analysis.values[name].uop
    assert node is not None
    step = node.src[0] if "keepdim" in text.splitlines()[analysis.values[name].line] else node
    return [(f.code, f.text(naming(analysis, name))) for f in findings(step)]


def program_said(text: str) -> list[tuple[str, str, str]]:
    """(name of the value, code, text) of what the whole program shows."""
    analysis = analyze(text)
    assert analysis.root is not None
    names = naming(analysis)
    return [(str(names(u)), f.code, f.text(names)) for u, f in program_findings(analysis.root)]


# -- uncontracted-product ------------------------------------------------------------------------------------------
def gemm(left: str, right: str, reduce: str = "pop=1", head: str = "") -> str:
    return f"""{head}
%0 = buffer 65536 : dtype=f32 slot=0
%1 = buffer 65536 : dtype=f32 slot=1
%2 = reshape %0, {left}
%3 = reshape %1, {right}
%4 = mul %2, %3
%5 = reduce %4 : op=add {reduce}
"""


COURSE = gemm("(256, 256, 1)", "(256, 1, 256)")


def test_the_course_gemm_is_no_contraction() -> None:
    assert said(COURSE, "5") == [
        (
            "uncontracted-product",
            "not a contraction over axis 2: %2 does not vary along it, so this is %2 * sum(%3 over axis 2)",
        )
    ]


def test_the_fix_is_the_reshapes_of_a_row_major_product() -> None:
    analysis = analyze(COURSE)
    node = analysis.values["5"].uop
    assert node is not None
    (finding,) = findings(node)
    assert isinstance(finding.data, Contraction)
    assert finding.severity == "warning"
    left, right = finding.data.left, finding.data.right
    assert analysis.names_of(left.node) == ["2"]
    assert left.steps == (("reshape", (256, 1, 256)),)
    assert analysis.names_of(right.node) == ["3"]
    assert right.steps == (("reshape", (256, 256)), ("permute", (1, 0)), ("reshape", (1, 256, 256)))


def test_after_the_fix_there_is_nothing_to_say() -> None:
    fixed = COURSE.replace("(256, 256, 1)", "(256, 1, 256)").replace(
        "%3 = reshape %1, (256, 1, 256)",
        "%b = reshape %1, (256, 256)\n%t = permute %b, (1, 0)\n%3 = reshape %t, (1, 256, 256)",
    )
    assert said(fixed, "5") == []


@pytest.mark.parametrize(
    "text",
    [
        gemm("(256, 256, 1)", "(256, 1, 256)", head="# uir: reduce=leading"),
        gemm("(256, 256, 1)", "(256, 1, 256)", "axes=(0)"),
        gemm("(256, 1, 256)", "(1, 256, 256)"),
    ],
    ids=["leading", "axes", "transposed"],
)
def test_contractions_are_left_alone(text: str) -> None:
    assert said(text, "5") == []


QUIET = [
    "%y = mul %x, 0.25\n%r = reduce %y : op=add pop=1",
    "%y = mul %x, %x\n%r = reduce %y : op=add pop=1",
    "%b = buffer 4 : dtype=f32 slot=1\n%y = mul %x, %b\n%r = reduce %y : op=add pop=1",
    "%b = buffer 4 : dtype=f32 slot=1\n%y = add %x, %b\n%r = reduce %y : op=add axes=(0)",
    "%b = buffer 4 : dtype=f32 slot=1\n%y = mul %x, %b\n%r = reduce %y : op=max axes=(0)",
    "%b = buffer 1 : dtype=f32 slot=1\n%y = mul %x, %b\n%r = reduce %y : op=add pop=2",
    "%m = reduce %x : op=max axes=(1) keepdim=true\n%y = sub %x, %m\n%r = reduce %y : op=add pop=1",
]


@pytest.mark.parametrize("lines", QUIET)
def test_sums_that_are_meant(lines: str) -> None:
    assert said(B12 + lines, "r") == []


ALGEBRA = [
    (
        "%b = buffer 4 : dtype=f32 slot=1\n%y = mul %x, %b\n%r = reduce %y : op=add axes=(0)",
        "not a contraction over axis 0: %b does not vary along it, so this is sum(%x over axis 0) * %b",
    ),
    (
        "%b = buffer 4 : dtype=f32 slot=1\n%y = mul %x, %b\n%r = reduce %y : op=add pop=2",
        "not a contraction over axis 0: %b does not vary along it, so this is"
        " sum(sum(%x over axis 0) * %b over axis 1)",
    ),
    (
        "%a = buffer 3 : dtype=f32 slot=1\n%b = buffer 4 : dtype=f32 slot=2\n%c = reshape %a, (3, 1)\n%y = mul %c, %b\n"
        "%r = reduce %y : op=add pop=2",
        "not a contraction over axes 0 and 1: %c does not vary along axis 1, %b does not vary along axis 0, so this is"
        " sum(%c over axis 0) * sum(%b over axis 1)",
    ),
    (
        "%b = buffer 4 : dtype=f32 slot=1\n%s = mul %b, 0.5\n%h = mul %x, 2\n%y = mul %h, %s\n"
        "%r = reduce %y : op=add axes=(0) keepdim=true",
        "not a contraction over axis 0: %s does not vary along it, so this is sum(%h over axis 0) * %s",
    ),
    (
        "%b = buffer 4 : dtype=f32 slot=1\n%h = mul %x, %b\n%y = mul %h, 0.5\n%r = reduce %y : op=add axes=(0)",
        "not a contraction over axis 0: %b does not vary along it, so this is sum(%x over axis 0) * %b * 0.5",
    ),
]


@pytest.mark.parametrize(("lines", "want"), ALGEBRA)
def test_the_algebra_is_named(lines: str, want: str) -> None:
    assert said(B12 + lines, "r") == [("uncontracted-product", want)]


@pytest.mark.parametrize("seed", range(40))
def test_the_algebra_is_right(seed: int) -> None:
    """Products of factors with random axes of size 1: the formula, read by Python, gives the sum."""
    rng = np.random.default_rng(seed)
    shape, summed = (2, 3, 4, 5), int(rng.integers(1, 4))
    shapes = [tuple(n if rng.integers(2) else 1 for n in shape) for _ in range(rng.integers(2, 5))]
    values = [rng.integers(1, 9, s) for s in shapes]
    node = functools.reduce(UOp.__mul__, (buf(k, prod(s)).reshape(s).expand(shape) for k, s in enumerate(shapes)))
    found = findings(node.reduce(Ops.ADD, summed))
    everywhere = [k for k, n in enumerate(shape) if any(s[k] == n for s in shapes)]
    for finding in found:
        order = [u.src[0].src[0].arg.slot for u in finding.operands]
        formula = finding.message.partition("so this is ")[2].format(*(f"v[{k}]" for k in order))
        code = re.sub(r" over axe?i?s ([0-9, and]+)", lambda m: f", axes=({re.sub('and', ',', m[1])},)", formula)
        found_sum = eval(code, {"v": values, "sum": lambda x, axes: x.sum(axes, keepdims=True)})
        axes = tuple(k for k in range(4 - summed, 4) if k in everywhere)
        want = functools.reduce(np.multiply, values).sum(axes, keepdims=True)
        np.testing.assert_array_equal(np.broadcast_to(found_sum, want.shape), want, err_msg=formula)


def test_one_broadcast_factor_is_only_a_hint() -> None:
    analysis = analyze(B12 + ALGEBRA[0][0])
    node = analysis.values["r"].uop
    assert node is not None
    assert [f.severity for f in findings(node)] == ["hint"]


# -- recomputed-reduce ---------------------------------------------------------------------------------------------
SUB_MAX = B12 + "%m = reduce %x : op=max axes=(1) keepdim=true\n%y = sub %x, %m\n"


def test_a_row_maximum_is_not_recomputed() -> None:
    assert program_said(SUB_MAX) == []
    assert program_said(SUB_MAX + "%f = reshape %y, (12,)\n%g = reshape %f, (3, 4)\n") == []


def test_a_recomputed_reduction_is_told_with_its_factor() -> None:
    ((name, code, text),) = program_said(SUB_MAX + "%f = reshape %y, (12,)\n")
    assert (name, code) == ("None", "recomputed-reduce")  # keepdim: the reduction itself has no name
    assert text.startswith("12 evaluations for 3 elements, 4 times each")
    plain = B12 + "%s = reduce %x : op=add pop=1\n%c = reshape %s, (1, 3)\n%w = expand %c, (5, 3)\n%y = neg %w\n"
    ((name, code, text),) = program_said(plain)
    assert (name, code) == ("%s", "recomputed-reduce")
    assert text.startswith("15 evaluations for 3 elements, 5 times each")


def test_a_staged_reduction_is_computed_once() -> None:
    staged = B12 + (
        "%s = reduce %x : op=add pop=1\n%t = stage %s\n%c = reshape %t, (1, 3)\n%w = expand %c, (5, 3)\n%y = neg %w\n"
    )
    assert program_said(staged) == []


def test_two_outputs_that_need_one_sum_compute_it_twice() -> None:
    text = B12 + "%s = reduce %x : op=add pop=1\n%a = neg %s\n%b = mul %s, 2\n%out = sink %a, %b\n"
    ((_, code, words),) = program_said(text)
    assert code == "recomputed-reduce"
    assert words.startswith("6 evaluations for 3 elements, 2 times each")


# -- no-op ---------------------------------------------------------------------------------------------------------
NO_OPS = [
    ("reshape %x, (3, 4)", "this changes nothing: %x has shape (3, 4) already"),
    ("expand %x, (3, 4)", "this changes nothing: %x has shape (3, 4) already"),
    ("permute %x, (0, 1)", "this changes nothing: every axis stays where it is"),
    ("shrink %x, ((0, 3), (0, 4))", "this changes nothing: the window is all of %x, whose shape is (3, 4)"),
    ("pad %x, ((0, 0), (0, 0))", "this changes nothing: it adds no zeros"),
    ("flip %x, ()", "this changes nothing: it reverses no axis"),
    ("reduce %x : op=add pop=0", "this changes nothing: it removes no axis"),
    ("cast %x : dtype=f32", "this changes nothing: %x is f32 already"),
]
OPS_THAT_DO_SOMETHING = [
    "reshape %x, (4, 3)", "permute %x, (1, 0)", "shrink %x, ((0, 3), (0, 3))", "pad %x, ((0, 0), (0, 1))",
    "flip %x, (0)", "reduce %x : op=add pop=1", "cast %x : dtype=f64", "add %x, 0", "stage %x",
]  # fmt: skip


@pytest.mark.parametrize(("statement", "want"), NO_OPS)
def test_operations_that_change_nothing(statement: str, want: str) -> None:
    assert said(f"{B12}%y = {statement}\n", "y") == [("no-op", want)]


@pytest.mark.parametrize("statement", OPS_THAT_DO_SOMETHING)
def test_operations_that_do_something(statement: str) -> None:
    assert said(f"{B12}%y = {statement}\n", "y") == []


# -- indices -------------------------------------------------------------------------------------------------------
def indexed(index: UOp) -> list[Finding]:
    return list(findings(buf(0, 12).reshape((3, 4)).index(index)))


def test_an_index_that_may_be_outside() -> None:
    i = buf(1, 4, dtypes.i32).index(2)
    (finding,) = indexed(i)
    assert (finding.code, finding.severity, finding.at) == ("unprovable-index", "hint", ("src", 1))
    assert finding.message == "this index is not known to stay inside 0..2: it is clamped into this range"
    (finding,) = indexed(i % 5)
    assert "it is known to be 0..4" in finding.message


def test_an_index_that_is_provably_inside() -> None:
    i = buf(1, 4, dtypes.i32).index(2)
    assert indexed(i % 3) == []
    assert indexed(UOp.const(2)) == []


# -- sizes ---------------------------------------------------------------------------------------------------------
def test_a_maximum_of_nothing() -> None:
    (finding,) = findings(buf(0, 0).reshape((3, 0)).reduce(Ops.MAX, 1))
    assert (finding.code, finding.severity) == ("empty-max", "warning")
    assert finding.message == "a maximum of no elements: every element is -inf"
    (finding,) = findings(buf(0, 0, dtypes.i8).reduce(Ops.MAX, 1))
    assert "-128" in finding.message
    assert findings(buf(0, 0).reduce(Ops.ADD, 1)) == ()
    assert findings(buf(0, 0).reshape((0, 3)).reduce(Ops.MAX, 1)) == ()


def test_positions_beyond_32_bits() -> None:
    assert [f.code for f in findings(buf(0, (1 << 31) + 1))] == ["needs-64-bit-index"]
    assert findings(buf(0, 1 << 31)) == ()
    cube = buf(0, 1).reshape((1, 1)).expand((1 << 20, 1 << 20))
    assert findings(cube) == ()  # nothing numbers its elements
    assert [f.code for f in findings(cube.reshape((1 << 40,)))] == ["needs-64-bit-index"]


def test_a_run_that_needs_too_much() -> None:
    wide = buf(0, 1 << 20).reshape((1 << 20, 1)).expand((1 << 20, 1 << 20))
    ((node, finding),) = program_findings(wide.reduce(Ops.ADD, 1))
    assert finding.code == "huge"
    assert finding.severity == "warning"
    assert node.op is Ops.REDUCE
    assert finding.message == "a run would need 1,099,511,627,776 operations (the limit is 1,000,000,000,000)"
    small = buf(0, 1024) + 1.0
    assert program_findings(small) == ()
    ((_, finding),) = program_findings(small, Limits(memory_bytes=4096, operations=1000))
    assert finding.message == (
        "a run would need 8.0 KB of memory (the limit is 4.0 KB) and 1,024 operations (the limit is 1,000)"
    )


def test_only_what_is_asked_for_counts() -> None:
    assert program_findings(buf(0, 1).expand((1 << 50,)).shrink(((0, 3),)) + 1.0) == ()


def test_findings_are_remembered_and_need_no_recursion() -> None:
    u = buf(0, 8).reshape((2, 4))
    for _ in range(50_000):
        u = u + u.permute((0, 1))
    assert [f.code for f in findings(u.src[1])] == ["no-op"]
    assert findings(u.reduce(Ops.ADD, 1)) == ()
    assert findings(u.src[1]) is findings(u.src[1])
