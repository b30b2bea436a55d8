"""A token by which one thread asks another to end its work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from uopc.runtime.errors import Cancelled


class CancelToken:
    """Set once, from any thread. Work checks it between steps; a running child process registers its own end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._set = False
        self._actions: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether the work should end."""
        return self._set

    def cancel(self) -> None:
        """Asks for the end: runs what is registered, in this thread. A second call does nothing."""
        with self._lock:
            actions, self._actions, self._set = self._actions, [], True
        for action in actions:
            action()

    def check(self) -> None:
        """Raises Cancelled when the work should end."""
        if self._set:
            raise Cancelled

    @contextmanager
    def on_cancel(self, action: Callable[[], None]) -> Iterator[None]:
        """Inside the block, cancelling runs `action`; at once if that has happened already."""
        with self._lock:
            already = self._set
            if not already:
                self._actions.append(action)
        if already:
            action()
        try:
            yield
        finally:
            with self._lock:
                if action in self._actions:
                    self._actions.remove(action)
