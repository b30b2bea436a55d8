"""Scratch memory: a program that gets none says so; a chain of products lives in two buffers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from transformer import product

from uopc.dtype import dtypes
from uopc.pipeline import Compiled, compile_program
from uopc.runtime.errors import RunError
from uopc.runtime.execute import execute
from uopc.runtime.library import build_library
from uopc.runtime.program import Program
from uopc.uop import UOp, buf

ROOT = product(buf(0, 100 * 1100).reshape((100, 1100)), buf(1, 40 * 1100).reshape((40, 1100)))


def starved(root: UOp) -> Compiled:
    """The program, with an allocation that fails."""
    compiled = compile_program(root)
    assert compiled.scratch
    source, count = re.subn(
        r"(\w+ = _aligned_malloc|if \(posix_memalign)\(", r"if (1) return 0;\n  \1(", compiled.source
    )
    assert count == 2
    return replace(compiled, source=source)


def test_a_call_without_memory_is_an_error_in_words() -> None:
    program = Program(ROOT, starved(ROOT))
    a, b = np.zeros(100 * 1100, np.float32), np.zeros(40 * 1100, np.float32)
    with pytest.raises(RunError, match="not enough memory"):
        program(a, b)
    with pytest.raises(RunError, match="not enough memory"):
        program.prepared(a, b)()


def test_a_run_without_memory_is_an_error_in_words() -> None:
    compiled = starved(ROOT)
    inputs = {0: np.zeros(100 * 1100, np.float32), 1: np.zeros(40 * 1100, np.float32)}
    library = build_library(compiled.source, compiled.flags).path
    with pytest.raises(RunError, match="memory"):
        execute(library, compiled.symbol, compiled.args, inputs, checked=compiled.returns)


def test_a_chain_of_products_lives_in_two_buffers() -> None:
    x = buf(0, 64 * 1024).reshape((64, 1024))
    for slot in range(1, 8):
        x = product(x, buf(slot, 1024 * 1024).reshape((1024, 1024)))
    compiled = compile_program(x)
    main = compiled.source[compiled.source.rindex("int program(") :]
    places = re.findall(r"\(float\*\)\(memory \+ (\d+)\)", main)
    assert len(places) == 12, "six values between seven products, each written and read"
    assert len(set(places)) == 2
    assert sum(a.dtype is dtypes.f32 for a in compiled.args) == 9
