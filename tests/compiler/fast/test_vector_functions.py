"""exp2, log2 and sin of vectors: within 2 ulp of the true value over dense sweeps; special values exact."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from batch import Run, build_together
from programs import Array

from uopc.ops import Ops
from uopc.pipeline import compile_program
from uopc.uop import UOp, buf

N = 1 << 20


def program(op: Ops) -> Run:
    return build_together([compile_program(UOp(op, (buf(0, N),)), f"f_{op.value}")])[0]


def ulps(got: Array, want: np.ndarray) -> np.ndarray:
    """Distance from the true value in units of the last place of the f32 nearest to it."""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(want).astype(np.float32)).astype(np.float64)
        return np.abs(got.astype(np.float64) - want) / unit


def spread_bits(lo: float, hi: float) -> Array:
    """N floats from lo to hi, evenly over their bit patterns (both of one sign)."""
    a, b = (int(np.float32(x).view(np.uint32)) for x in (lo, hi))
    return np.linspace(a, b, N).astype(np.uint32).view(np.float32)


SWEEPS: list[tuple[Ops, Array, Callable[[np.ndarray], np.ndarray]]] = [
    (Ops.EXP2, np.linspace(-125.99, 127.99, N).astype(np.float32), np.exp2),
    (Ops.EXP2, spread_bits(1e-30, 1.0), np.exp2),
    (Ops.EXP2, spread_bits(-1e-30, -1.0), np.exp2),
    (Ops.LOG2, spread_bits(1e-45, 3e38), np.log2),
    (Ops.LOG2, np.linspace(0.5, 2.0, N).astype(np.float32), np.log2),
    (Ops.SIN, np.linspace(-40, 40, N).astype(np.float32), np.sin),
    (Ops.SIN, spread_bits(1e-30, 1048576.0), np.sin),
    (Ops.SIN, spread_bits(1048576.0, 1e30), np.sin),
    (Ops.SIN, (np.arange(N) * np.pi).astype(np.float32)[: N // 4].repeat(4), np.sin),
]


@pytest.mark.parametrize(("op", "x", "reference"), SWEEPS)
def test_within_two_ulp(op: Ops, x: Array, reference: Callable[[np.ndarray], np.ndarray]) -> None:
    got = program(op)({0: x})[0]
    want = reference(x.astype(np.float64))
    small = np.abs(want) < np.finfo(np.float32).tiny
    worst = int(np.argmax(np.where(small, 0, ulps(got, want))))
    assert ulps(got, want)[worst] <= 2 or small[worst], (
        f"{op.value}({x[worst]!r}) = {got[worst]!r}, not {want[worst]!r}"
    )
    assert (np.abs(got[small]) <= np.finfo(np.float32).tiny * 1.001).all()


SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1.0, -150.5, -1000, 128, 127.99999, 1e30, -1e30], np.float32
)


@pytest.mark.parametrize("op", [Ops.EXP2, Ops.LOG2, Ops.SIN], ids=lambda op: op.value)
def test_special_values(op: Ops) -> None:
    x = np.resize(SPECIAL, N).astype(np.float32)
    got = program(op)({0: x})[0][: SPECIAL.size]
    with np.errstate(all="ignore"):
        want = getattr(np, op.value)(SPECIAL.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(got, want, rtol=3e-7, atol=1e-38)
    if op is not Ops.SIN:
        np.testing.assert_array_equal(got[np.isinf(want)], want[np.isinf(want)])
