"""The C itself: exact meaning of every operation, no undefined behaviour, origins of its lines, the same every time."""

from __future__ import annotations

import itertools
import math
import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from executables import run_sanitized
from programs import Array, difference, random_program
from scalars import corners as integer_corners
from scalars import one

from uopc.dtype import DType, dtypes
from uopc.evaluate import evaluate
from uopc.nptypes import np_dtype
from uopc.ops import ALU, BINARY, UNARY, Ops
from uopc.pipeline import Compiled, compile_program
from uopc.runtime.inputs import buffers_of, make_inputs
from uopc.uir import analyze, parse
from uopc.uop import UOp, UOpError, buf, sink

TESTS = Path(__file__).parent.parent
EXAMPLES = sorted((TESTS.parent / "examples").glob("*.uir"))
CASES = sorted(p for p in (TESTS / "cases").glob("*/*.uir") if p.parent.name != "errors")
VALUES = [d for d in dtypes.all if d is not dtypes.void]
FLOATS = [d for d in VALUES if d.is_float]


# -- the meaning of operations ---------------------------------------------------------------------------------------
def corners(d: DType) -> list[float]:
    if not d.is_float:
        return [*integer_corners(d)]
    top, tiny = {16: (65504.0, 6e-8), 32: (3.4e38, 1e-45), 64: (1.7e308, 5e-324)}[d.bits]
    return [rounded(d, s * v) for v in (0.0, 1.0, 1.5, 2.5, 0.1, 300.0, top, tiny, math.inf) for s in (1, -1)] + [
        math.nan
    ]


def rounded(d: DType, x: float) -> float:
    """A double as d stores it."""
    code = {16: "<e", 32: "<f", 64: "<d"}[d.bits]
    try:
        (y,) = struct.unpack(code, struct.pack(code, x))
        return float(y)
    except OverflowError:
        return math.copysign(math.inf, x)


def reciprocal(x: float) -> float:
    return math.copysign(math.inf, x) if x == 0 else 1 / x


def root(x: float) -> float:
    return x if x == 0 or x != x else math.nan if x < 0 else math.sqrt(x)


def truncated(x: float) -> float:
    return math.copysign(float(math.trunc(x)), x) if math.isfinite(x) else x


FLOAT_MEANING: dict[Ops, Callable[..., float]] = {
    Ops.ADD: lambda a, b: a + b,
    Ops.MUL: lambda a, b: a * b,
    Ops.MAX: lambda a, b: math.nan if a != a or b != b else max(a, b),
    Ops.CMPLT: lambda a, b: a < b,
    Ops.CMPNE: lambda a, b: a != b,
    Ops.NEG: lambda a: -a,
    Ops.RECIP: reciprocal,
    Ops.SQRT: root,
    Ops.TRUNC: truncated,
}


def meaning(op: Ops, d: DType, result: DType, args: tuple[float, ...]) -> float:
    if d.is_float:
        x = FLOAT_MEANING[op](*args)
        return x if result.is_bool else rounded(d, x)
    u = UOp(op, tuple(UOp.const(int(a), d) for a in args))
    return one(u, [int(a) for a in args])


def converted(value: float, source: DType, d: DType) -> float:
    if d.is_bool:
        return value != 0
    if d.is_float:
        return int_to_float(int(value), d) if not source.is_float else rounded(d, value)
    lo, hi = int(dtypes.min(d)), int(dtypes.max(d))
    if source.is_float:
        return 0 if value != value else lo if value <= lo else hi if value >= hi else int(value)
    return (int(value) - lo) % (1 << d.bits) + lo


def int_to_float(n: int, d: DType) -> float:
    """To nearest, ties to even, by exact arithmetic: the candidates are n with its low bits rounded away."""
    digits = {16: 11, 32: 24, 64: 53}[d.bits]
    extra = max(abs(n).bit_length() - digits, 0)
    low, unit = (n >> extra) << extra, 1 << extra
    above = 2 * (n - low) - unit if extra else -1
    return rounded(d, float(low + unit if above > 0 or (above == 0 and (n >> extra) & 1) else low))


def operations(d: DType) -> list[Ops]:
    found = []
    for op in sorted(BINARY | UNARY, key=lambda op: op.value):
        c = UOp.const(0, d)
        try:
            UOp(op, (c,) if op in UNARY else (c, c))
        except UOpError:
            continue
        if not d.is_float or op in FLOAT_MEANING:
            found.append(op)
    return found


def every_operation(d: DType) -> tuple[UOp, dict[int, Array], list[list[float]]]:
    """A program of all operations on two columns of corners, its inputs, and what each output must hold."""
    pairs = list(itertools.product(corners(d), repeat=2))
    a, b = buf(0, len(pairs), d), buf(1, len(pairs), d)
    outputs, want = [], []
    for op in operations(d):
        u = UOp(op, (a,) if op in UNARY else (a, b))
        outputs.append(u)
        want.append([meaning(op, d, u.dtype, pair[: len(u.src)]) for pair in pairs])
    for to in VALUES:
        outputs.append(UOp(Ops.CAST, (a,), to))
        want.append([converted(x, d, to) for x, _ in pairs])
    chosen = (a.alu(Ops.CMPNE, b)).where(b, a)
    outputs.append(chosen)
    want.append([y for _, y in pairs])
    columns = [np.array(list(c), np_dtype(d)) for c in zip(*pairs)]
    return sink(*outputs), dict(enumerate(columns)), want


def exact(got: Array, want: list[float], d: DType, what: str) -> None:
    for k, (x, y) in enumerate(zip(got.tolist(), want)):
        same = (x != x and y != y) if y != y else x == y
        if d.is_float and y == 0 and "max" not in what and "where" not in what:
            same = same and math.copysign(1, x) == math.copysign(1, y)
        assert same, f"{what}, element {k}: {x!r} instead of {y!r}"


@pytest.mark.slow
def test_every_operation_and_dtype_exactly_and_without_undefined_behaviour(tmp_path: Path) -> None:
    made = [every_operation(d) for d in VALUES]
    programs = [
        (compile_program(root, f"{d}_{how}", plain=how == "plain"), inputs)
        for d, (root, inputs, _) in zip(VALUES, made)
        for how in ("plain", "fast")
    ]
    results = iter(run_sanitized(programs, tmp_path))
    for d, (root, _, want) in zip(VALUES, made):
        for how in ("plain", "fast"):
            for u, got, expected in zip(root.src, next(results), want):
                exact(got, expected, u.dtype, f"{u.op.value} of {d} to {u.dtype}, {how}")


@pytest.mark.slow
def test_constant_operands_are_exact_too(tmp_path: Path) -> None:
    """One side known: there the simplifier and the renderer have forms of their own."""
    programs, wants = [], []
    for d in (x for x in VALUES if x.is_int):
        column = np.array(integer_corners(d), np_dtype(d))
        outputs, want = [], []
        for op, c in itertools.product((o for o in operations(d) if o in BINARY), integer_corners(d)):
            x = buf(0, column.size, d)
            for u, args in ((x.alu(op, c), lambda v, c=c: (v, c)), (x.const_like(c).alu(op, x), lambda v, c=c: (c, v))):
                outputs.append(u)
                want.append([meaning(op, d, u.dtype, args(int(v))) for v in column])
        programs.append((compile_program(sink(*outputs), f"{d}_constants", plain=True), {0: column}))
        wants.append((outputs, want))
    for (outputs, want), got in zip(wants, run_sanitized(programs, tmp_path)):
        for u, g, w in zip(outputs, got, want):
            exact(g, w, u.dtype, f"{u.op.value} of {u.src[0].dtype}")


def test_functions_of_the_c_library(tmp_path: Path) -> None:
    for d in FLOATS:
        column = np.array([0.0, 1.0, -1.5, 0.3, 7.25, 10.0, math.inf, math.nan]).astype(np_dtype(d))
        x = buf(0, column.size, d)
        program = sink(*(x.alu(op) for op in (Ops.EXP2, Ops.LOG2, Ops.SIN)))
        (got,) = run_sanitized([(compile_program(program, "f", plain=True), {0: column})], tmp_path)
        with np.errstate(all="ignore"):
            wide = column.astype(np.float64)
            for g, want in zip(got, (np.exp2(wide), np.log2(wide), np.sin(wide))):
                np.testing.assert_allclose(g.astype(np.float64), want, rtol=4 * float(np.finfo(np_dtype(d)).eps))


# -- programs under the sanitizers -----------------------------------------------------------------------------------
@pytest.mark.parametrize("first", range(7000, 7080, 20))
def test_random_programs_leave_nothing_to_report(first: int, tmp_path: Path) -> None:
    made = {seed: random_program(seed) for seed in range(first, first + 20)}
    compiled = [
        (compile_program(p.root, f"p{seed}_{int(plain)}", plain=plain), p.inputs)
        for seed, p in made.items()
        for plain in (True, False)
    ]
    results = iter(run_sanitized(compiled, tmp_path))
    for seed, p in made.items():
        found = evaluate(p.root, p.inputs)
        want = list(found) if isinstance(found, tuple) else [found]
        for _ in range(2):
            for w, g, error in zip(want, next(results), p.errors):
                assert difference(w, g, error) is None, f"seed {seed}"


def case_program(path: Path) -> tuple[UOp, dict[int, Array]]:
    analysis = analyze(path.read_text(encoding="utf-8"))
    assert analysis.root is not None
    return analysis.root, make_inputs(buffers_of(analysis.root), analysis.directives.inputs, path.parent)


@pytest.mark.parametrize("folder", sorted({p.parent.name for p in CASES}))
def test_the_cases_leave_nothing_to_report(folder: str, tmp_path: Path) -> None:
    programs = []
    for k, path in enumerate(p for p in CASES if p.parent.name == folder):
        root, inputs = case_program(path)
        programs += [(compile_program(root, f"c{k}_{int(plain)}", plain=plain), inputs) for plain in (True, False)]
    run_sanitized(programs, tmp_path)  # values are judged in test_cases


# -- lines and where they come from ----------------------------------------------------------------------------------
def statement_lines(c: Compiled) -> list[tuple[int, str]]:
    """(line, text) of the statements and loop heads of the function itself, but not its braces and returns."""
    lines = c.source.split("\n")
    start = next(k for k, text in enumerate(lines) if re.match(rf"\w+ {c.symbol}\(", text))
    return [
        (k, text.strip())
        for k, text in enumerate(lines[start + 1 :], start + 1)
        if text.strip() not in ("", "}", "return 0;")
    ]


@pytest.mark.parametrize("path", [*EXAMPLES, *CASES], ids=lambda p: p.stem)
def test_every_statement_has_an_origin_in_the_program(path: Path) -> None:
    analysis = analyze(path.read_text(encoding="utf-8"))
    assert analysis.root is not None
    c = compile_program(analysis.root, "f", plain=True)
    assert len(c.line_origins) == len(c.source.rstrip("\n").split("\n"))
    known = set(analysis.root.toposort())
    for k, text in statement_lines(c):
        assert c.line_origins[k], f"line {k + 1} comes from nowhere: {text}"
        assert set(c.line_origins[k]) <= known, f"line {k + 1}: {text}"


FOLDED_AWAY = {Ops.CONST, Ops.BUFFER, Ops.RANGE, Ops.SINK, Ops.AFTER, Ops.INDEX, Ops.ALLOC, Ops.GROUP}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_value_of_an_example_leads_to_a_line(path: Path) -> None:
    analysis = analyze(path.read_text(encoding="utf-8"))
    assert analysis.root is not None
    c = compile_program(analysis.root, "f", plain=True)
    shown = {u for origins in c.line_origins for u in origins}
    for name, value in analysis.values.items():
        u = value.uop
        if u is not None and u.op not in FOLDED_AWAY:
            assert u in shown, f"%{name} ({u.op.value}) leads nowhere"


def test_a_line_belongs_to_the_values_it_computes() -> None:
    lines = ["%0 = buffer 6 : dtype=f32 slot=0", "%a = mul %0, 2.0", "%b = add %a, 1.0"]
    lines.append("%c = reduce %b : op=add pop=1")
    analysis = analyze("\n".join(lines))
    assert analysis.root is not None
    c = compile_program(analysis.root, "f", plain=True)
    names = {value.uop: name for name, value in analysis.values.items()}
    by_text = {text: {names[u] for u in c.line_origins[k] if u in names} for k, text in statement_lines(c)}
    (update,) = [found for text, found in by_text.items() if text.startswith("acc0 = val")]
    assert {"a", "b", "c"} <= update
    (load,) = [found for text, found in by_text.items() if "data0[" in text]
    assert "0" in load
    assert "c" not in load


# -- the same every time ---------------------------------------------------------------------------------------------
HASHES = """
import sys
from pathlib import Path
from uopc.pipeline import compile_program
from uopc.uir import parse
for name in sys.argv[1:]:
    root = parse(Path(name).read_text(encoding="utf-8"))
    for plain in (True, False):
        print(compile_program(root, "f", plain=plain).source)
"""


def test_the_hash_seed_of_the_process_does_not_show() -> None:
    files = [str(p) for p in (*EXAMPLES, *CASES[::4])]
    printed = set()
    for seed in ("0", "1", "4321"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        argv = [sys.executable, "-c", HASHES, *files]
        printed.add(subprocess.run(argv, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(printed) == 1


def test_compiling_twice_gives_the_same_text() -> None:
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8")
        assert compile_program(parse(text), "f").source == compile_program(parse(text), "f").source


def test_all_operations_have_been_rendered() -> None:
    covered = {op for d in VALUES for op in operations(d)} | {Ops.CAST, Ops.WHERE, Ops.EXP2, Ops.LOG2, Ops.SIN}
    assert ALU - covered <= {Ops.BITCAST}  # which random programs have
