"""Copies that put axes in another order: every order, of sizes that straddle the blocks in which they are turned."""

from __future__ import annotations

from itertools import permutations
from math import prod

import numpy as np
from batch import build_together

from uopc.pipeline import compile_program
from uopc.uop import buf

SHAPES = ((70, 129, 66), (9, 64, 130), (128, 5, 72), (2, 67, 3, 65))


def test_axes_in_every_order() -> None:
    wanted = [(shape, order) for shape in SHAPES for order in permutations(range(len(shape)))]
    roots = [buf(0, prod(shape)).reshape(shape).permute(order) for shape, order in wanted]
    compiled = [
        compile_program(root, f"p{k}_{threads}", threads=threads) for threads in (1, 2) for k, root in enumerate(roots)
    ]
    for (shape, order), run in zip(wanted * 2, build_together(compiled)):
        x = np.arange(prod(shape), dtype=np.float32)
        want = x.reshape(shape).transpose(order)
        np.testing.assert_array_equal(np.asarray(run({0: x})[0]).reshape(want.shape), want, str((shape, order)))
