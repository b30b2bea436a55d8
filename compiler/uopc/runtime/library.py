"""From C text to a shared library, through the cache."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from uopc import cpu
from uopc.runtime import platform
from uopc.runtime.cache import Cache, content_key, default_folder
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import BuildError, NoCompilerError
from uopc.runtime.pieces import pieces
from uopc.runtime.process import Finished, run_process
from uopc.runtime.scratch import scratch_folder
from uopc.runtime.toolchain import Compiler, find_compiler

# gnu11 and contract=off: elementwise operations are rounded one by one. Never -ffast-math: NaN and infinities count.
BASELINE = ("-std=gnu11", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off")
# Speed only: a compiler that lacks one of these (Apple's has no OpenMP) gives the same values without it.
OPTIONAL = ("-march=native", "-fopenmp")

# Compilers are superlinear in the longest function. gcc 12, seconds of CPU for straight-line integer code with selects
# (about 36 bytes a line): 4,000 lines 20 at -O2, 2 without the two passes named here; 10,000 lines 57, 6, and 0.6 at
# -O0. A thousand nested selects (26,000 bytes): 20 at -O2, 1 without.
_O2_UP_TO = 16_000  # bytes of the longest function
_LIGHTER_UP_TO = 160_000
_LIGHTER = ("-O2", "-fno-thread-jumps", "-fno-gcse")

# What a compiler that stopped over a fault of its own is asked for next. gcc 12 does so, in this pass, over a maximum
# in f64 between two conversions from and to f32, all of them in vectors.
_CAUTIOUS = ("-O1", "-fno-tree-forwprop")
_OWN_FAULT = (b"internal compiler error", b"PLEASE submit a bug report")

_MOST_PIECES = 8  # compilers at work at the same time, each with some 50 MB

# In place of what a compiler links by itself. To read the C library's table of names takes 13 of the 24 ms of a link.
_LIGHT_LINK = ("-nostdlib", "-lm", "-lgcc")

DEFAULT_TIMEOUT = 120.0  # seconds for the compiler
_ERROR_LINES = 5


@dataclass(frozen=True)
class Built:
    """A library ready to be loaded. `cached`: nothing was compiled; `key`: its name in the cache."""

    path: Path
    key: str
    cached: bool


def build_library(
    source: str,
    flags: Iterable[str] = (),
    *,
    compiler: Compiler | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    cancel: CancelToken | None = None,
    cache: Cache | None = None,
) -> Built:
    """The shared library of a C file, built unless the cache has it.

    `flags` come from the renderer, never from the program's text. Raises NoCompilerError, BuildError with the
    compiler's first errors, or Cancelled.
    """
    compiler = compiler or find_compiler()
    cache = cache or Cache(default_folder())
    options = all_flags(source, flags, compiler)
    key = content_key((source, *options, compiler.identity, *compiler.command, cpu.identity()))
    found = cache.find(key)
    if found is not None:
        return Built(found, key, cached=True)
    with scratch_folder("build") as folder:
        library = _side_by_side(source, options, compiler, folder, timeout, cancel)
        try:
            return Built(cache.put(key, library), key, cached=False)
        except OSError as error:
            raise BuildError(f"the built program cannot be kept in {cache.folder}: {error.strerror}") from error


def all_flags(source: str, extra: Iterable[str], compiler: Compiler) -> tuple[str, ...]:
    """What the compiler is told: the baseline, the level that this source can afford, and the renderer's own flags."""
    position = () if platform.IS_WINDOWS else ("-fPIC",)
    sane = ("-fno-sanitize=all",) if compiler.is_zig else ()
    chosen = [*BASELINE, *_level(source), "-march=native", *position, *sane, *extra]
    # Zig takes the flag, and the library then lacks functions that nobody has.
    absent = {"-fopenmp"} if compiler.is_zig else set()
    return tuple(flag for flag in dict.fromkeys(chosen) if flag not in absent)


def has_threads(library: Path) -> bool:
    """Whether a library that was built with -fopenmp came out with it: gcc's or clang's runtime is called."""
    text = library.read_bytes()
    return b"GOMP_parallel" in text or b"__kmpc_fork_call" in text


def _level(source: str) -> tuple[str, ...]:
    longest = max(len(body) for body in re.split(r"^}", source, flags=re.MULTILINE))
    return ("-O2",) if longest <= _O2_UP_TO else _LIGHTER if longest <= _LIGHTER_UP_TO else ("-O0",)


def _side_by_side(
    source: str,
    options: tuple[str, ...],
    compiler: Compiler,
    folder: Path,
    timeout: float,
    cancel: CancelToken | None,
) -> Path:
    """The library of a C file; of a long one in pieces, one for every processor."""
    parts = pieces(source, min(os.cpu_count() or 1, _MOST_PIECES))
    if len(parts) == 1:
        return compile_file(source, options, compiler, folder, timeout, cancel)

    from concurrent.futures import ThreadPoolExecutor

    def one(k: int) -> str:
        own = folder / str(k)
        own.mkdir()
        made = compile_file(parts[k], options, compiler, own, timeout, cancel, kind=("-c",), suffix=".o")
        return str(made.relative_to(folder))

    try:
        with ThreadPoolExecutor(len(parts)) as pool:
            objects = list(pool.map(one, range(len(parts))))
    except BuildError:  # as a whole it may be built, and if not, the message is about the file that people see
        return compile_file(source, options, compiler, folder, timeout, cancel)
    made = folder / ("program" + platform.SHARED_SUFFIX)
    done = _call(compiler, (*options, "-shared"), folder, made.name, timeout, cancel, objects)
    if done.returncode != 0 or not made.exists():
        return compile_file(source, options, compiler, folder, timeout, cancel)
    return made


def compile_file(
    source: str,
    options: tuple[str, ...],
    compiler: Compiler,
    folder: Path,
    timeout: float = DEFAULT_TIMEOUT,
    cancel: CancelToken | None = None,
    *,
    kind: tuple[str, ...] = ("-shared",),
    suffix: str = platform.SHARED_SUFFIX,
) -> Path:
    """What the compiler makes of a C file, in `folder`: a library, or what `kind` asks for. Raises as build_library."""
    (folder / "program.c").write_text(source, encoding="utf-8")
    made = folder / ("program" + suffix)
    options = (*options, *kind)
    done = _call(compiler, options, folder, made.name, timeout, cancel)
    if done.returncode != 0 and not done.timed_out:
        missing = [flag for flag in options if flag in OPTIONAL and not _accepts(compiler, flag)]
        if missing:
            fewer = tuple(flag for flag in options if flag not in missing)
            done = _call(compiler, fewer, folder, made.name, timeout, cancel)
    if done.returncode != 0 and any(words in done.stderr for words in _OWN_FAULT):
        done = _call(compiler, (*options, *_CAUTIOUS), folder, made.name, timeout, cancel)
    if done.timed_out:
        raise BuildError(f"the C compiler took longer than {timeout:g} s")
    if done.returncode != 0 or not made.exists():
        raise BuildError(_failure(compiler, done, folder))
    return made


def _call(
    compiler: Compiler,
    options: Iterable[str],
    folder: Path,
    output: str,
    timeout: float,
    cancel: CancelToken | None,
    inputs: Sequence[str] = ("program.c",),
) -> Finished:
    # The compiler's own temporary files go into our folder too, and vanish with it even when it is killed.
    own = {"TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder), "LC_ALL": "C"}
    if compiler.is_zig:  # it keeps all that it builds: only its own library, which takes seconds, is worth that
        own["ZIG_LOCAL_CACHE_DIR"] = str(folder)
        own["ZIG_GLOBAL_CACHE_DIR"] = os.environ.get("ZIG_GLOBAL_CACHE_DIR") or str(platform.cache_dir() / "zig")
    options = tuple(options)
    argv = [*compiler.command, *options, "-w", "-o", output, *inputs]
    environment = {**os.environ, **own}
    try:
        if _links_lightly(options, compiler):
            done = run_process([*argv, *_LIGHT_LINK], timeout=timeout, env=environment, cwd=folder, cancel=cancel)
            if done.returncode == 0 or b"-lgcc" not in done.stderr:
                return done
        return run_process([*argv, "-lm"], timeout=timeout, env=environment, cwd=folder, cancel=cancel)
    except OSError as error:
        raise NoCompilerError(f"{compiler.name} cannot be started: {error.strerror}") from error


def _links_lightly(options: tuple[str, ...], compiler: Compiler) -> bool:
    """Whether a library can be linked without the C library, which every process that loads it has already."""
    told = (*options, *compiler.command)
    others = ("-fopenmp", "-fsanitize", "-static", "-fuse-ld", "-flto", "--coverage", "-fprofile")
    return (
        platform.IS_GLIBC
        and "-shared" in options
        and not compiler.is_zig
        and not any(flag.startswith(others) for flag in told)
    )


@lru_cache(maxsize=64)
def _accepts(compiler: Compiler, flag: str) -> bool:
    """Whether the compiler builds an empty library with that flag."""
    with scratch_folder("probe") as folder:
        (folder / "program.c").write_text("int uir_probe;\n", encoding="utf-8")
        return _call(compiler, (flag, "-shared"), folder, "probe" + platform.SHARED_SUFFIX, 60.0, None).returncode == 0


def _failure(compiler: Compiler, done: Finished, folder: Path) -> str:
    death = platform.death_words(done.returncode)
    if death is not None:
        return f"the C compiler ({compiler.name}) was stopped by {death}"
    text = (done.stderr or done.stdout).decode(errors="replace").replace(str(folder) + os.sep, "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines
    shown = "\n  ".join(errors[:_ERROR_LINES]) or f"exit code {done.returncode}, and no message"
    return f"the C compiler ({compiler.name}) failed:\n  {shown}"
