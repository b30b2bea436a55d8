"""Generated programs as an executable of their own, with the address and undefined-behaviour sanitizers watching."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from programs import Array

from uopc.nptypes import np_dtype
from uopc.pipeline import Compiled
from uopc.render.types import C_TYPES
from uopc.runtime.toolchain import find_compiler

FLAGS = (
    "-std=gnu11",
    "-O0",
    "-w",
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fsanitize=address,undefined,float-cast-overflow",
    "-fno-sanitize-recover=all",
)


def run_sanitized(programs: Sequence[tuple[Compiled, Mapping[int, Array]]], folder: Path) -> list[list[Array]]:
    """The outputs of every program, each buffer in a piece of memory of its own of exactly its size.

    Symbols must differ. Fails with the sanitizer's report.
    """
    files = []
    for k, (p, _) in enumerate(programs):
        files.append(f"p{k}.c")
        (folder / files[-1]).write_text(p.source, encoding="utf-8")
    (folder / "main.c").write_text(_main([p for p, _ in programs]), encoding="utf-8")
    flags = sorted({flag for p, _ in programs for flag in p.flags})
    command = [*find_compiler().command, *FLAGS, *flags, "main.c", *files, "-o", "main", "-lm"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[:3000]
    with open(folder / "in", "wb") as data:
        for p, inputs in programs:
            for a in p.args:
                data.write(_contents(a.size, np_dtype(a.dtype), inputs.get(a.slot)).tobytes())
    options = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1", "OMP_NUM_THREADS": "2"}
    ran = subprocess.run([folder / "main"], cwd=folder, capture_output=True, text=True, env={**os.environ, **options})
    assert ran.returncode == 0 and not ran.stderr, f"after {ran.stdout.split()[-1:]}:\n{ran.stderr[:4000]}"
    return _outputs([p for p, _ in programs], (folder / "out").read_bytes())


def _contents(size: int, kind: np.dtype[np.generic], given: Array | None) -> Array:
    return np.full(size, 77, kind) if given is None else np.ascontiguousarray(given, kind).reshape(-1)


def _main(programs: Sequence[Compiled]) -> str:
    """Reads every argument from `in`, calls the programs one after the other, writes their outputs to `out`."""
    lines = ["#include <stdbool.h>", "#include <stdint.h>", "#include <stdio.h>", "#include <stdlib.h>", ""]
    calls = []
    for p in programs:
        types = ", ".join(f"{'' if a.output else 'const '}{C_TYPES[a.dtype]}*" for a in p.args)
        lines.append(f"{'int' if p.returns else 'void'} {p.symbol}({types or 'void'});")
        calls.append(f'  printf("{p.symbol}\\n"); fflush(stdout);')
        sizes = [a.size * a.dtype.itemsize for a in p.args]
        for k, n in enumerate(sizes):
            calls.append(
                f"  void* {p.symbol}_{k} = malloc({n}); if (fread({p.symbol}_{k}, 1, {n}, in) != {n}) return 3;"
            )
        call = f"{p.symbol}({', '.join(f'{p.symbol}_{k}' for k in range(len(sizes)))})"
        calls.append(f"  if ({call}) return 2;" if p.returns else f"  {call};")
        calls += [f"  fwrite({p.symbol}_{k}, 1, {n}, out);" for k, n in enumerate(sizes) if p.args[k].output]
        calls += [f"  free({p.symbol}_{k});" for k in range(len(sizes))]
    opened = ['  FILE* in = fopen("in", "rb");', '  FILE* out = fopen("out", "wb");']
    return "\n".join([*lines, "", "int main(void) {", *opened, *calls, "  return fclose(out);", "}", ""])


def _outputs(programs: Sequence[Compiled], data: bytes) -> list[list[Array]]:
    found, at = [], 0
    for p in programs:
        arrays: dict[int, Array] = {}
        for k, a in enumerate(p.args):
            if a.output:
                arrays[k] = np.frombuffer(data, np_dtype(a.dtype), a.size, at)
                at += arrays[k].nbytes
        found.append([arrays[o.arg][: int(np.prod(o.shape))].reshape(o.shape) for o in p.outputs])
    assert at == len(data)
    return found
