"""Graphs to text and back; the two syntaxes; the canonical layout."""

from __future__ import annotations

import math

import pytest
from programs import random_program

from uopc.dtype import dtypes
from uopc.ops import AxisType, Ops
from uopc.rangeify import lower
from uopc.uir import analyze, dump, parse
from uopc.uir import format as format_text
from uopc.uop import UOp, alloc, buf, param, range_, sink, stack

PAIRS = [
    ("%1 = reshape %0, (3, 4)", "%1 = reshape %0 shape=[3 4]"),
    ("%1 = reshape %0, (12,)", "%1 = reshape %0 : shape=[12,]"),
    ("%1 = reshape %0, (3, 4)", "  %1=reshape%0,[3,4]"),
    ("%1 = shrink %0, ((1, 5),)", "%1 = shrink %0 bounds=[1 5]"),
    ("%1 = shrink %0, ((1, 5),)", "%1 = shrink %0 bounds=[[1 5]]"),
    ("%1 = pad %0, ((1, 2),)", "%1 = pad %0 pads=(1 2)"),
    ("%1 = flip %0, (0,)", "%1 = flip %0 axes=[0]"),
    ("%1 = permute %0, (0,)", "%1 = permute %0 order=[0]"),
    ("%1 = reduce %0 : op=add pop=1", "%1 = reduce %0 op=add, pop=1"),
    ("%1 = reduce %0 : op=add axes=(0,)", "%1 = reduce %0 axes=[0] op=add"),
    ("%1 = reduce %0 : op=add axes=(0,)", "%1 = reduce %0 : op=add axes=0"),
    ("%1 = cast %0 : dtype=i8", "%1 = cast %0 dtype=i8"),
    ("%1 = floordiv 7, 2", "%1 = div 7, 2"),
    ("%1 = floormod 7, 2", "%1 = mod 7, 2"),
    ("%1 = const 3 : dtype=f32", "%1 = const value=3 dtype=f32"),
    ("%1 = max true, false", "%1 = max True, False"),
]
HEAD = "%0 = buffer 12 : dtype=f32 slot=0\n"


@pytest.mark.parametrize(("chapter", "lesson"), PAIRS)
def test_both_syntaxes_give_the_same_object_and_one_layout(chapter: str, lesson: str) -> None:
    assert parse(HEAD + chapter) is parse(HEAD + lesson)
    written = HEAD + chapter + "\n"
    assert format_text(HEAD + lesson) == written
    assert format_text(written) == written


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_come_back(seed: int) -> None:
    root = random_program(seed).root
    assert parse(dump(root)) is root


@pytest.mark.parametrize("seed", range(15))
def test_lowered_random_programs_come_back(seed: int) -> None:
    root = random_program(seed).root
    if root.op is Ops.SINK:
        root = root.src[0]
    if root.op is Ops.STORE:
        root = root.src[1]
    size = math.prod(root.shape)
    program = lower(root, buf(99, size, root.dtype))
    text = dump(program)
    analysis = analyze(text)
    assert analysis.errors == ()
    assert analysis.kind == "loop"
    assert [o.slot for o in analysis.outputs] == [99]
    assert analysis.root is program


def constants() -> list[UOp]:
    values = [0.0, -0.0, 0.1, 1e30, 1e-45, 16777217.0, math.inf, -math.inf, math.nan, 5e-324, 65504.0, 1 / 3]
    found = [UOp.const(v, d) for v in values for d in dtypes.all if d.is_float]
    found += [UOp.const(v, d) for v in (0, 1, 127) for d in dtypes.all if d.is_int]
    edges = [(dtypes.i64, -(2**63)), (dtypes.u64, 2**64 - 1), (dtypes.i32, -(2**31)), (dtypes.i8, -128)]
    return [*found, *(UOp.const(v, d) for d, v in edges), UOp.const(True, dtypes.bool), UOp.const(False, dtypes.bool)]


@pytest.mark.parametrize("c", constants(), ids=lambda c: f"{c.dtype}({c.arg})")
def test_constants_come_back_alone_and_as_operands(c: UOp) -> None:
    x = buf(0, 3, c.dtype)
    wide = c.reshape((1,)).expand((3,))
    roots = [c, UOp(Ops.MAX, (c, c)), UOp(Ops.MAX, (x, wide)), UOp(Ops.CMPLT, (wide, x)), stack(c, c)]
    roots += [c.reshape((1, 1)), x.index(0).store(c), UOp(Ops.WHERE, (UOp(Ops.CMPLT, (x, wide)), wide, wide))]
    for root in roots:
        assert parse(dump(root)) is root


def test_constants_are_operands_where_they_can_be() -> None:
    x = buf(0, 3)
    assert dump(x * 2.0) == "%0 = buffer 3 : dtype=f32 slot=0\n%1 = mul %0, 2.0\n"
    assert dump(x * 0.1).endswith("mul %0, 0.1\n")
    y = UOp(Ops.ADD, (UOp.const(1, dtypes.i8), UOp.const(2, dtypes.i8)))
    assert parse(dump(y)) is y


def test_every_other_operation_comes_back() -> None:
    p = param(0, (2, 3))
    x = buf(0, 6).reshape((2, 3))
    call = UOp(Ops.CALL, (p * p, x))
    r = range_(4, 0, AxisType.THREAD)
    a = alloc(0, 1).after(r)
    first = a.index(0).store(1.0)
    second = a.after(first).index(0).load()
    out = buf(1, 4).index(r).store(second)
    loop = sink(UOp(Ops.GROUP, (out, first)).end(r))
    outputs = sink(buf(1, 6).reshape((2, 3)).store(x), buf(2, 6).store(x.reshape((6,))))
    values = sink(x, x.stage(), x.bitcast(dtypes.u32), x.permute((1, 0)).flip((1,)).pad(((0, 1), (2, 0))))
    for root in (call, loop, outputs, values):
        assert parse(dump(root)) is root


def test_the_row_sum_of_the_chapter() -> None:
    """A loop program as the chapter prints it is printed the same by us: names, order and constants."""
    text = (
        "%0 = buffer 3 : dtype=f32 slot=1\n%1 = range 3 : idx=0 kind=loop\n%2 = index %0, %1\n"
        "%3 = alloc 1 : dtype=f32 slot=0\n%4 = after %3, %1\n%5 = index %4, 0\n%6 = store %5, 0.0\n"
        "%7 = range 4 : idx=1 kind=reduce\n%8 = after %4, %6, %7\n%9 = index %8, 0\n%10 = load %9\n"
        "%11 = buffer 12 : dtype=f32 slot=0\n%12 = mul %1, 4\n%13 = add %12, %7\n%14 = index %11, %13\n"
        "%15 = load %14\n%16 = add %10, %15\n%17 = store %9, %16\n%18 = end %17, %7\n%19 = after %4, %18\n"
        "%20 = index %19, 0\n%21 = load %20\n%22 = store %2, %21\n%23 = end %22, %1\n%24 = sink %23\n"
    )
    analysis = analyze(text)
    assert analysis.errors == ()
    assert analysis.root is not None
    assert dump(analysis.root) == text


# -- layout ---------------------------------------------------------------------------------------------------------
def test_comments_and_blank_lines_stay() -> None:
    text = "#  a  note\n\n\n   # another\n%0=buffer 12 dtype=f32   slot=0# why\n\n%1 =neg   %0   \n"
    want = "#  a  note\n\n\n# another\n%0 = buffer 12 : dtype=f32 slot=0  # why\n\n%1 = neg %0\n"
    assert format_text(text) == want
    assert format_text(want) == want


def test_lines_with_errors_stay() -> None:
    text = "%0=buffer 12 dtype=f32 slot=0\n%1=reshape %0,[5 5]   # no\n%2  =  oops\n%3=neg %0\n"
    want = "%0 = buffer 12 : dtype=f32 slot=0\n%1=reshape %0,[5 5]   # no\n%2  =  oops\n%3 = neg %0\n"
    assert format_text(text) == want


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_stay(end: str) -> None:
    text = f"%0=buffer 12 dtype=f32 slot=0{end}%1=neg %0"
    assert format_text(text) == f"%0 = buffer 12 : dtype=f32 slot=0{end}%1 = neg %0{end}"


def test_numbers_stay_as_written() -> None:
    text = HEAD + "%1 = mul %0, 0x1.8p+1\n%2 = add %1, 1e+30\n%3 = max %2, +3\n%4 = max %3, -inf\n"
    assert format_text(text) == text


def test_an_empty_text_stays() -> None:
    assert format_text("") == ""
