"""Building and running programs.

From Python: `build`, `run`, `run_shaped`, which run in this process. For files: `job.run_job`, which runs in a child
process with limits. Importing this package is cheap; NumPy comes with the first name that is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uopc.runtime.program import Program, build, run, run_shaped

__all__ = ["Program", "build", "run", "run_shaped"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from uopc.runtime import program

    return getattr(program, name)
