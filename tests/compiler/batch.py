"""Many compiled programs in one C file: a compiler run costs more than most programs' code."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from programs import Array

from uopc.nptypes import np_dtype
from uopc.pipeline import Compiled
from uopc.runtime.errors import BuildError
from uopc.runtime.library import build_library

Run = Callable[[Mapping[int, Array]], list[Array]]


def build_together(programs: Sequence[Compiled]) -> list[Run]:
    """One function per program, from its inputs by slot to its outputs. Their symbols must differ."""
    flags = sorted({flag for p in programs for flag in p.flags})
    try:
        library = _loaded(_joined([p.source for p in programs]), flags)
    except BuildError:  # two programs use one name for different helpers: then each is built by itself
        return [_caller(p, _loaded(p.source, p.flags)) for p in programs]
    return [_caller(p, library) for p in programs]


def _loaded(source: str, flags: Sequence[str]) -> ctypes.CDLL:
    return ctypes.CDLL(str(build_library(source, flags).path))


def _joined(sources: list[str]) -> str:
    """The sources one after the other, each distinct block (between blank lines) once: preludes and helpers repeat. As
    in one program, helpers come before all kernels: a long file is built in pieces that begin with the same helpers."""
    blocks: dict[str, None] = {}
    for source in sources:
        blocks.update(dict.fromkeys(block for block in source.split("\n\n") if block.strip()))
    return "\n\n".join(sorted(blocks, key=lambda block: bool(_FUNCTION.search(block)))) + "\n"


_FUNCTION = re.compile(r"^(?:static (?:__attribute__\S+ )?)?(?:void|int) (?!uir_)\w+\([^;]*\{$", re.MULTILINE)


def _caller(p: Compiled, library: ctypes.CDLL) -> Run:
    function = getattr(library, p.symbol)
    function.argtypes = [ctypes.c_void_p] * len(p.args)
    function.restype = ctypes.c_int if p.checks else None

    def run(inputs: Mapping[int, Array]) -> list[Array]:
        arrays = [inputs[a.slot].copy() if a.slot in inputs else np.full(a.size, 77, np_dtype(a.dtype)) for a in p.args]
        assert not function(*(a.ctypes.data for a in arrays))
        return [arrays[out.arg][: int(np.prod(out.shape))].reshape(out.shape) for out in p.outputs]

    return run
