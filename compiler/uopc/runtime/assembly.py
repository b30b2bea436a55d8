"""The assembly of a built kernel, each line with the line of the C that it was made for."""

from __future__ import annotations

import json
import os
import platform as machine
from collections.abc import Iterable
from pathlib import Path

from uopc import cpu
from uopc.runtime.asm_text import AsmLine, cleaned
from uopc.runtime.cache import Cache, content_key, default_folder
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import BuildError
from uopc.runtime.library import DEFAULT_TIMEOUT, all_flags, compile_file
from uopc.runtime.scratch import scratch_folder
from uopc.runtime.toolchain import Compiler, find_compiler

# Line tables change no instruction. -dA makes gcc say in comments which call an inlined function stands for; clang says
# that of itself, and does not know the flag.
_ASSEMBLY = ("-S", "-g1")
_ANNOTATED = (*_ASSEMBLY, "-dA")
_FORMAT = "1"  # of what is kept in the cache
MAX_BYTES = 64 << 20  # of what the compiler wrote


def assembly(
    source: str,
    flags: Iterable[str] = (),
    *,
    compiler: Compiler | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    cancel: CancelToken | None = None,
    cache: Cache | None = None,
) -> list[AsmLine]:
    """The assembly of a C file as it is built to be run, without directives. Raises as `build_library` does."""
    compiler = compiler or find_compiler()
    cache = cache or Cache(default_folder(), suffix=".asm.json")
    options = (*all_flags(source, flags, compiler), *_syntax())
    key = content_key((_FORMAT, source, *options, compiler.identity, *compiler.command, cpu.identity()))
    found = _kept(cache.find(key))
    if found is not None:
        return found
    with scratch_folder("build") as folder:
        lines = cleaned(_compiled(source, options, compiler, folder, timeout, cancel), "program.c")
        made = folder / "lines.json"
        made.write_text(json.dumps(lines), encoding="utf-8")
        try:
            cache.put(key, made)
        except OSError:
            return lines  # it is made again the next time
    return lines


def _syntax() -> tuple[str, ...]:
    """Intel's way of writing, where there is one: destination first, as every manual has it."""
    return ("-masm=intel",) if machine.machine().lower() in ("x86_64", "amd64", "i686", "i386") else ()


def _compiled(
    source: str, options: tuple[str, ...], compiler: Compiler, folder: Path, timeout: float, cancel: CancelToken | None
) -> str:
    kinds = (_ASSEMBLY,) if compiler.is_zig else (_ANNOTATED, _ASSEMBLY)
    for kind in kinds:
        try:
            made = compile_file(source, options, compiler, folder, timeout, cancel, kind=kind, suffix=".s")
            break
        except BuildError:
            if kind is kinds[-1]:
                raise
    if os.path.getsize(made) > MAX_BYTES:
        raise BuildError(f"its assembly is longer than {MAX_BYTES >> 20} MB: nobody could read it")
    return made.read_text(encoding="utf-8", errors="replace")


def _kept(path: Path | None) -> list[AsmLine] | None:
    """What the cache has, unless it is damaged."""
    if path is None:
        return None
    try:
        return [AsmLine(str(text), tuple(map(int, lines))) for text, lines in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return None
