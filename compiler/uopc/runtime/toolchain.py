"""Finding a C compiler on this machine."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from uopc.runtime import platform
from uopc.runtime.errors import NoCompilerError
from uopc.runtime.process import run_process


@dataclass(frozen=True)
class Compiler:
    """A C compiler: the beginning of its argument list, and a text that changes whenever it does."""

    command: tuple[str, ...]
    identity: str

    @property
    def is_zig(self) -> bool:
        """Whether this is Zig's C compiler: it turns on sanitizers by itself, takes -fopenmp without having OpenMP, and
        keeps what it builds unless told where."""
        return Path(self.command[0]).stem == "zig" or "ziglang" in self.command

    @property
    def name(self) -> str:
        """How to call it in a message."""
        return " ".join((Path(self.command[0]).name, *self.command[1:]))

    def version(self) -> str:
        """The first line that it prints about itself. Raises NoCompilerError when it cannot be started."""
        try:
            done = run_process([*self.command, "--version"], timeout=20)
        except OSError as error:
            raise NoCompilerError(f"{self.name} cannot be started: {error.strerror}") from error
        return (done.stdout or done.stderr).decode(errors="replace").strip().partition("\n")[0]


def find_compiler(setting: str | None = None) -> Compiler:
    """The compiler to use: `setting`, else UIR_CC, else cc, gcc, clang or zig on the PATH, else Zig's from the wheel
    `ziglang`: of the environment that UIR_ENVIRONMENT names (an editor may make one for us), or of this Python.

    `setting` is a path, a name on the PATH, or one of these followed by arguments ("ccache gcc").
    Raises NoCompilerError with what to install or to mend.
    """
    chosen = setting or os.environ.get("UIR_CC")
    if chosen:
        return _chosen(chosen)
    for compiler in _present():
        return compiler
    raise NoCompilerError(f"no C compiler found: {platform.install_hint()}")


def _chosen(text: str) -> Compiler:
    words = [text] if _which(text) else shlex.split(text, posix=not platform.IS_WINDOWS)
    program = _which(words[0]) if words else None
    if program is None:
        raise NoCompilerError(f"the compiler {text!r} does not exist: {platform.install_hint()}")
    if _is_tcc(program):
        raise NoCompilerError(f"{program} is tcc, which compiles vectors wrongly: {platform.install_hint()}")
    return Compiler((program, *words[1:]), _identity(Path(program), *words[1:]))


def _present() -> Iterator[Compiler]:
    names = ("clang", "gcc") if platform.IS_WINDOWS else ("cc", "gcc", "clang")
    for name in names:
        program = _which(name)
        if program is not None and not _is_tcc(program) and not platform.is_stub(program):
            yield Compiler((program,), _identity(Path(program)))
    for program in (_which("zig"), *_zig_wheels()):
        if program is not None:
            yield Compiler((program, "cc"), _identity(Path(program), "cc"))


def _zig_wheels() -> Iterator[str]:
    """The programs of installed `ziglang` wheels. Each is called itself: through Python it would start later, and
    under Windows not end when it is told to."""
    folders = []
    environment = os.environ.get("UIR_ENVIRONMENT", "")
    if os.path.isabs(environment):
        folders += [packages / "ziglang" for packages in platform.site_packages(Path(environment))]
    found = importlib.util.find_spec("ziglang")
    if found is not None:
        folders += [Path(folder) for folder in found.submodule_search_locations or ()]
    for folder in folders:
        program = folder / ("zig" + platform.PROGRAM_SUFFIX)
        if os.access(program, os.X_OK) and program.is_file():
            yield str(program)


def _which(name: str) -> str | None:
    """The program of that name or path. Only absolute folders of the PATH count, never the current one: opening a
    folder of somebody else's must not run what lies in it."""
    if os.path.dirname(name):
        return os.path.abspath(name) if os.access(name, os.X_OK) and os.path.isfile(name) else None
    folders = [p for p in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(p)]
    found = shutil.which(name, path=os.pathsep.join(folders)) if folders else None
    # Windows looks into the current folder first, whatever the path says.
    return found if found is not None and os.path.dirname(found) in folders else None


def _is_tcc(program: str) -> bool:
    """tcc accepts vector_size and ignores it: wrong values without an error."""
    return "tcc" in Path(program).resolve().name


def _identity(program: Path, *more: str) -> str:
    real = program.resolve()
    status = real.stat()
    return "\0".join((str(real), str(status.st_size), str(status.st_mtime_ns), *more))
