"""The reference pages, made from tables (operations, diagnostics, transformations), and where they are found.

`python -m uopc.documentation docs` writes them (`make docs`); the tests fail while a page is not what the tables say.
"""

from __future__ import annotations

from pathlib import Path

OPERATIONS = "reference.md"
DIAGNOSTICS = "diagnostics.md"
TRANSFORMATIONS = "transformations.md"

_HERE = Path(__file__).resolve().parent


def page(name: str) -> Path | None:
    """The file of a page: inside the installed package, or in the docs/ of a checkout. None when neither has it."""
    for folder in (_HERE, _HERE.parents[2] / "docs"):
        if (folder / name).is_file():
            return folder / name
    return None
