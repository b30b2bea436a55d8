"""Texts and edits for the tests of analyses that start from the one before."""

from __future__ import annotations

import random
from pathlib import Path

from uopc.uir import Analysis

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*/*.uir"))

PIECES = """
%0 = buffer 12 : dtype=f32 slot=0
%0 = buffer 12 : dtype=i32 slot=0
%1 = reshape %0, (3, 4)
%1 = reshape %0 shape=[4 3]
%2 = permute %1, (1, 0)
%2 = reduce %1 : op=add pop=1
%3 = add %1, %2
%3 = mul %1, 2.5
%4 = sub %3, %1
%4 = stack %3, %3
%5 = buffer 12 : dtype=f32 slot=1
%5 = buffer 12 : dtype=f32 slot=0
%5 = buffer 6 : dtype=f32 slot=0
%6 = sink %4
%6 = store %5, %0
%7 = range 4 : idx=0
%8 = index %0, %7
%9 = store %8, 1
%10 = end %9, %7
%11 = neg %12
%12 = neg %11
# uir: reduce=leading
# uir: reduce=trailing
# uir: input 0 = [1, 2, 3]
# uir: allow unused-value no-op
# note
%3 = add %1 %2
%2 =
%0 = neg %0
%13 = add %4, %nope
%p = param (12,) : dtype=f32 slot=0
%q = neg %p
%r = call %q, %0
%5 = alloc 4 : dtype=f32
# uir: expect = [1]
""".strip().split("\n")
PIECES.extend(["", "\ufeff%0 = buffer 12 : dtype=f32 slot=0"])


def shown(a: Analysis) -> tuple[object, ...]:
    """Everything an analysis says."""
    values = [(n, v.line, v.uop, v.uses) for n, v in a.values.items()]
    return (
        a.lines,
        a.diagnostics,
        a.root,
        a.kind,
        a.outputs,
        a.has_errors,
        a.directives,
        values,
        list(a.statements.items()),
    )


def edited(lines: list[str], rng: random.Random) -> list[str]:
    """The lines after one random edit: of a line, of several, of a part of a line, or a move."""
    lines = list(lines) or [""]
    at = rng.randrange(len(lines))
    kind = rng.randrange(7)
    if kind == 0:
        lines.insert(at, rng.choice(PIECES))
    elif kind == 1:
        del lines[at]
    elif kind == 2:
        lines[at] = rng.choice(PIECES)
    elif kind == 3 and lines[at]:
        k = rng.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:k] + rng.choice(["", " ", "1", "%", ",", "x", "("]) + lines[at][k + rng.randrange(2) :]
    elif kind == 4:
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif kind == 5:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at : at + rng.randrange(4)] = rng.choices(PIECES, k=rng.randrange(4))
    return lines


def chain(n: int) -> list[str]:
    """A chain of n elementwise operations."""
    ops = (("add", 7), ("mul", 3), ("max", -1000), ("floormod", 1009))
    return ["%0 = buffer 3 : dtype=i32 slot=0"] + [
        f"%{k + 1} = {ops[k % 4][0]} %{k}, {ops[k % 4][1]}" for k in range(n)
    ]
