"""Runs programs that were built with sanitizers: `python sanitized.py LIBRARY FIRST LAST FIRST LAST`."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable

import numpy as np
from kernels import random_kernel
from programs import Program, difference, random_program

from uopc.evaluate import evaluate
from uopc.nptypes import np_dtype
from uopc.pipeline import compile_program


def made(kernels: Iterable[int], programs: Iterable[int]) -> dict[str, Program]:
    """Random kernels and programs by the name of their function."""
    return {f"k{n}": random_kernel(n) for n in kernels} | {f"p{n}": random_program(n) for n in programs}


def main() -> None:
    """Runs them all; the first wrong value ends it with a message, as a sanitizer would."""
    library = ctypes.CDLL(sys.argv[1])
    a, b, c, d = map(int, sys.argv[2:6])
    for name, p in made(range(a, b), range(c, d)).items():
        compiled = compile_program(p.root, name)
        function = getattr(library, name)
        function.restype = ctypes.c_int if compiled.returns else None
        arrays = [
            np.full(x.size, 77, np_dtype(x.dtype)) if x.output else p.inputs[x.slot].copy() for x in compiled.args
        ]
        assert not function(*(ctypes.c_void_p(x.ctypes.data) for x in arrays)), name
        want = evaluate(p.root, p.inputs)
        for w, out, error in zip(want if isinstance(want, tuple) else (want,), compiled.outputs, p.errors):
            got = arrays[out.arg][: int(np.prod(out.shape))].reshape(out.shape)
            assert difference(w, got, error) is None, f"{name}: {difference(w, got, error)}"


if __name__ == "__main__":
    main()
