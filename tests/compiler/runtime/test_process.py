"""Output of a child: read to its end, and nothing breaks when a signal comes before the reading has begun."""

from __future__ import annotations

import io
import sys

from uopc.runtime.process import _Drain, run_process


def test_what_a_child_says_is_kept() -> None:
    done = run_process([sys.executable, "-c", "import sys; print('a'); print('b', file=sys.stderr)"], timeout=30)
    assert (done.returncode, done.stdout.split(), done.stderr.split(), done.timed_out) == (0, [b"a"], [b"b"], False)


def test_a_reader_that_never_began_has_kept_nothing() -> None:
    """A signal may come while its thread is starting; the clean-up must still run to its end."""
    assert _Drain(io.BytesIO(b"unread")).close() == b""
