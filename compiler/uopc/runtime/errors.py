"""What can go wrong between a program and its result. Each message is a sentence that a person can act on."""

from __future__ import annotations


class RunError(Exception):
    """The program could not be run; the message says why, in words."""


class NoCompilerError(RunError):
    """There is no C compiler on this machine, or the one asked for does not exist."""


class BuildError(RunError):
    """The C compiler did not accept the program, took too long or died."""


class LoadError(RunError):
    """A built library could not be loaded (damaged, removed, or for another machine)."""


class InputError(RunError):
    """The data of a buffer, or of an `expect`, could not be had. slot: the buffer whose directive asked for it."""

    slot: int | None = None


class LimitError(RunError):
    """The program needs more memory, or takes more operations, than it may."""


class Stopped(RunError):
    """The running program died, took too long, or touched what is not its own."""


class Cancelled(RunError):
    """Somebody asked for the work to end."""

    def __init__(self) -> None:
        super().__init__("cancelled")
