"""What `uir tune` found to be faster for a program on this machine, and the program as a run executes it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uopc import cpu
from uopc.opt import SWITCHES, Opts, Sizes
from uopc.runtime import platform
from uopc.runtime.cache import content_key
from uopc.runtime.kept import keep, kept
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.pipeline import Compiled


@dataclass(frozen=True)
class Tuned:
    """Transformations to do without and sizes to cut to, in place of what the cost model chooses. gain: the time before
    over the time with it."""

    off: tuple[str, ...] = ()
    sizes: Sizes = field(default_factory=Sizes)
    gain: float = 1.0

    def __str__(self) -> str:
        usual = asdict(Sizes())
        words = [f"without {name}" for name in self.off]
        words += [_SIZE_WORDS[name].format(value) for name, value in asdict(self.sizes).items() if value != usual[name]]
        return ", ".join(words) or "the usual choice"


_SIZE_WORDS = {"panel": "panels of {:,} bytes", "rows": "blocks of {} rows", "stream": "first panels of {:,} bytes"}


def remembered(root: UOp, threads: int) -> Tuned | None:
    """What was found for that program with that many threads; None when nothing was, or not by this version."""
    return _decoded(kept(_path(root, threads)))


def remember(root: UOp, threads: int, tuned: Tuned) -> None:
    """Runs of that program are done so from now on."""
    keep(_path(root, threads), {"off": tuned.off, "sizes": asdict(tuned.sizes), "gain": tuned.gain})


def forget(root: UOp, threads: int) -> bool:
    """Runs of that program are done in the usual way again; gives whether there was something to forget."""
    with contextlib.suppress(OSError):
        _path(root, threads).unlink()
        return True
    return False


def as_run(root: UOp, name: str, *, plain: bool = False, threads: int = 1, off: Iterable[str] = ()) -> Compiled:
    """The program as a run executes it: as it was tuned, unless something is switched off by hand.

    Raises CompileError.
    """
    from uopc.pipeline import compile_program

    found = choice(root, plain, threads, tuple(off))
    return compile_program(root, name, plain=plain, threads=threads, off=found.off, sizes=found.sizes)


def opts_of(root: UOp, plain: bool = False, threads: int = 1, off: tuple[str, ...] = ()) -> Opts:
    """The same as what the code generator is told."""
    from uopc.pipeline import fast_opts

    found = choice(root, plain, threads, off)
    return fast_opts(threads, found.off, found.sizes)


def choice(root: UOp, plain: bool, threads: int, off: tuple[str, ...]) -> Tuned:
    """What a run does without and cuts to: what was asked for, else what was found by tuning, else the usual."""
    return Tuned(off) if plain or off else remembered(root, threads) or Tuned()


def _path(root: UOp, threads: int) -> Path:
    # Two programs of one digest would share a choice, which is then a slower one and never a wrong one.
    parts = (f"{root.digest:x}", str(threads), cpu.identity())
    return platform.cache_dir() / "tuned" / f"{content_key(parts)[:32]}.json"


def _decoded(data: Any) -> Tuned | None:
    try:
        off = tuple(str(name) for name in data["off"])
        sizes = Sizes(**{name: int(data["sizes"][name]) for name in asdict(Sizes())})
        gain = float(data["gain"])
    except (KeyError, TypeError, ValueError):
        return None
    valid = SWITCHES.keys() >= set(off) and min(asdict(sizes).values()) > 0
    return Tuned(off, sizes, gain) if valid else None
