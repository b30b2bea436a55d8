"""Watching the simplifier: which rule did what, how often, and how long it took; or switching it off.

Nobody watches a normal compilation: the simplifier asks once a call, and a rule asks once when it has applied.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from uopc.uop import forget

EXAMPLES = 8  # of one rule; whoever shows them picks from these


@dataclass
class Fired:
    """What one rule did. law: what it says; seconds: from what the watcher saw before to each of its rewrites, so that
    trying the rules before it is part of it; examples: (before, after), in the words of the module of the rule."""

    law: str
    count: int = 0
    seconds: float = 0.0
    examples: list[tuple[Any, Any]] = field(default_factory=list)


@dataclass
class Recorder:
    """What has happened while it watched. rules: by name, in the order in which they first applied; seconds: spent in
    the simplifier."""

    rules: dict[str, Fired] = field(default_factory=dict)
    seconds: float = 0.0
    total: int = 0
    seen: float | None = None  # when it saw something last; None outside the simplifier

    def look(self) -> None:
        """Something new begins: what took its time before belongs to no rule."""
        self.seen = time.perf_counter()

    def fired(self, name: str, law: str, before: Any, after: Any) -> None:
        """A rule has made `after` of `before`."""
        self.total += 1
        rule = self.rules.setdefault(name, Fired(law))
        rule.count += 1
        if self.seen is not None:
            rule.seconds += time.perf_counter() - self.seen
        if len(rule.examples) < EXAMPLES and (before, after) not in rule.examples:
            rule.examples.append((before, after))
        if self.seen is not None:
            self.look()


recorder: Recorder | None = None
raw = False  # the simplifier leaves everything as it is


@contextmanager
def recording() -> Iterator[Recorder]:
    """The simplifier is watched inside. It begins with nothing remembered, so that the counts are those of a first
    compilation whatever was compiled before. For one thread."""
    global recorder
    forget("simple")
    recorder = Recorder()
    try:
        yield recorder
    finally:
        recorder = None


@contextmanager
def unsimplified() -> Iterator[None]:
    """Inside, nothing is simplified: what the definition gives, before any rewrite. For one thread."""
    global raw
    raw = True
    try:
        yield
    finally:
        raw = False


def timed(work: Any, *args: Any) -> Any:
    """work(*args), its time counted as the simplifier's."""
    if recorder is None or recorder.seen is not None:  # nobody watches, or this is a part of what is timed already
        return work(*args)
    began = time.perf_counter()
    recorder.look()
    try:
        return work(*args)
    finally:
        recorder.seen = None
        recorder.seconds += time.perf_counter() - began
