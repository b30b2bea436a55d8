"""A sample of fast programs under the address and undefined-behaviour sanitizers, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sanitized import made

from uopc.pipeline import compile_program
from uopc.runtime.errors import NoCompilerError
from uopc.runtime.toolchain import find_compiler

HERE = Path(__file__).parents[1]
KERNELS, PROGRAMS = range(2000, 2024), range(6000, 6040)
FLAGS = ["-O1", "-std=gnu11", "-march=native", "-ffp-contract=off", "-w", "-shared", "-fPIC", "-Wl,-z,muldefs"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def _runtime(name: str) -> str:
    """The sanitizer's library, which must be loaded before Python."""
    try:
        command = [*find_compiler().command, f"-print-file-name={name}"]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (NoCompilerError, subprocess.CalledProcessError):
        found = ""
    if not os.path.isabs(found):
        pytest.skip("this compiler has no sanitizers")
    return found


def test_nothing_is_read_or_written_outside_and_nothing_is_undefined(tmp_path: Path) -> None:
    preload = ":".join(_runtime(f"lib{name}.so") for name in ("asan", "ubsan"))
    sources = []
    for name, p in made(KERNELS, PROGRAMS).items():
        (tmp_path / f"{name}.c").write_text(compile_program(p.root, name).source)
        sources.append(f"{name}.c")
    library = tmp_path / "all.so"
    command = [*find_compiler().command, *FLAGS, *SANITIZERS, *sources, "-o", library.name, "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    numbers = [str(n) for r in (KERNELS, PROGRAMS) for n in (r.start, r.stop)]
    environment = {**os.environ, "LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(
        [sys.executable, str(HERE / "sanitized.py"), str(library), *numbers],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
