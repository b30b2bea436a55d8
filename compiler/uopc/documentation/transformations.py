"""docs/transformations.md: each transformation of the fast program, where it is applied, what it changes."""

from __future__ import annotations

from uopc.fast.program import fast_program
from uopc.opt import SWITCHES, Machine, Opts
from uopc.pipeline import shaped
from uopc.stages.naming import namer_of
from uopc.uir import analyze

HEADER = """\
# Transformations

<!-- Made from the table of transformations in compiler/uopc/opt.py by `make docs`: change the table instead. -->

What *Run* executes is not the textbook's C, but C to which a compiler's transformations were applied. Which of them, to
what, and which were not and why: `uir explain FILE --plan`. Each can be left out: `uir run FILE --without NAME`, and
likewise `uir c`, `uir asm`, `uir explain`. They change the order in which sums are added and nothing else: NaN and
infinities keep their meaning, and the number of threads changes no bit. `uir tune FILE` measures whether a program is
faster without one, or with other sizes of blocks, and remembers what it found.

Below, for every transformation, a program to which it is applied and its plan with and without, on a CPU with AVX2.
"""


def product(m: int, n: int, k: int, more: str = "") -> str:
    """A matrix product as text: (m, k) times (k, n)."""
    return (
        f"%0 = buffer {m * k} : dtype=f32 slot=0\n"
        f"%1 = buffer {k * n} : dtype=f32 slot=1\n"
        f"%a = reshape %0, ({m}, 1, {k})\n"
        f"%t = reshape %1, ({k}, {n})\n"
        f"%u = permute %t, (1, 0)\n"
        f"%b = reshape %u, (1, {n}, {k})\n"
        f"%m = mul %a, %b\n"
        f"%c = reduce %m : op=add axes=(2,)\n{more}"
    )


def _matrix(rest: str) -> str:
    return f"%0 = buffer 262144 : dtype=f32 slot=0\n%x = reshape %0, (512, 512)\n{rest}"


# For every transformation a program to which it is applied.
PROGRAMS: dict[str, str] = {
    "epilogue": product(512, 512, 512, "%d = mul %c, 0.125\n"),
    "fuse": _matrix(
        "%top = reduce %x : op=max axes=(1,) keepdim=true\n%d = sub %x, %top\n%e = exp2 %d\n"
        "%sum = reduce %e : op=add axes=(1,) keepdim=true\n%r = recip %sum\n%y = mul %e, %r\n"
    ),
    "vector": _matrix("%y = mul %x, %x\n"),
    "tile": product(64, 64, 64),
    "pack": product(512, 512, 512),
    "block": product(512, 512, 2048),
    "stream": product(32, 1024, 1024),
    "columns": _matrix("%s = reduce %x : op=add axes=(0,)\n"),
    "copies": _matrix("%s = reduce %x : op=add axes=(1,)\n"),
    "transpose": _matrix("%y = permute %x, (1, 0)\n"),
    "threads": product(512, 512, 512),
}


def transformations_page() -> str:
    """The text of the page."""
    return "\n".join([HEADER, *map(_entry, SWITCHES)])


def _entry(name: str) -> str:
    with_it, without = plan(name, ()), plan(name, (name,))
    return "\n\n".join(
        [
            f"## {name}",
            f"{SWITCHES[name][0].upper()}{SWITCHES[name][1:]}.",
            f"```uir\n{PROGRAMS[name]}```",
            f"```text\n{with_it}\n```",
            f"`--without {name}`:",
            f"```text\n{without}\n```\n",
        ]
    )


def plan(name: str, off: tuple[str, ...]) -> str:
    """The plan of a transformation's program, on a CPU with 16 registers of 32 bytes."""
    analysis = analyze(PROGRAMS[name])
    assert analysis.root is not None and not analysis.has_errors
    opts = Opts(frozenset(off), 2 if name == "threads" else 1, Machine())
    made = fast_program(shaped(analysis.root).pairs, name, opts)
    return "\n".join(made.plan.lines(namer_of(analysis).about))
