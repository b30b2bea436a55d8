"""Start the debug adapter on standard input and output."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from uir_dap.connection import Connection

_MEMORY = 4 << 30  # bytes of address space: what a run may use


def main() -> int:
    """Serve one session and return the exit code."""
    stdin, stdout = _take_standard_streams()
    connection = Connection(stdin, stdout)
    from uir_dap.adapter import Adapter  # takes numpy along: the client is being read already

    _limit_memory()
    Adapter(connection).serve()
    return 0


def _take_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """The protocol's two streams, as descriptors that nothing else knows; what is printed goes to standard error."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return stdin, stdout


def _limit_memory() -> None:
    """The limit of a run, where the system has such limits."""
    try:
        import resource
    except ImportError:  # Windows: the limits on elements and steps are what there is
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (ValueError, OSError):  # macOS refuses for a process that has more mapped already
        return


if __name__ == "__main__":
    sys.exit(main())
