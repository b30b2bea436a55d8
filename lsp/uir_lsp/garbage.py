"""When Python's cycle collector runs: not in the middle of an answer.

A large file is hundreds of thousands of objects, hardly any of them in cycles, and a full collection looks at all of
them, which a person who types would feel. So what a file that was opened is made of is frozen (the collector leaves it
alone; what is not used any more is freed all the same), and young objects are looked at when the person pauses.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_YOUNG = 500_000  # new objects that are looked at whatever else happens
_WORTH = 5_000  # new objects that are worth a look when there is time


def begin() -> None:
    """What is imported by now stays; the collector is on from here."""
    gc.freeze()
    gc.set_threshold(_YOUNG, 20, 50)
    gc.enable()


@contextmanager
def kept() -> Iterator[None]:
    """What is made inside stays for long."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def tidy() -> None:
    """There is time: look at what is new."""
    if gc.get_count()[0] > _WORTH:
        gc.collect(0)


def let_go() -> None:
    """What was kept may be garbage now: look at everything once."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
