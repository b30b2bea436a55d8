"""Settings for the VS Code that `make run` opens: written once, later only the interpreter is brought up to date.

Arguments: the settings file, the interpreter.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DEFAULTS: dict[str, Any] = {
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": False,  # the examples are this project's own
}


def main(file: Path, interpreter: str) -> None:
    """A file that is no plain JSON (a person may write comments) is left as it is."""
    try:
        settings = json.loads(file.read_text()) if file.exists() else dict(DEFAULTS)
    except json.JSONDecodeError:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**settings, "uir.interpreter": interpreter}, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
