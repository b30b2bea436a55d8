"""Small things that are worth remembering from one command to the next, as JSON in the user's cache."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def keep(path: Path, data: Any) -> None:
    """The file appears whole or not at all; in a cache that cannot be written it does not, and nothing is said."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".kept-", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file)
        os.replace(name, path)


def kept(path: Path) -> Any:
    """What `keep` wrote; None when there is nothing that can be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
