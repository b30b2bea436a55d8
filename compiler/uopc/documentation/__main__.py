"""`python -m uopc.documentation FOLDER` writes the pages that are made from the tables into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from uopc.documentation import DIAGNOSTICS, OPERATIONS, TRANSFORMATIONS
from uopc.documentation.diagnostics import diagnostics_page
from uopc.documentation.operations import operations_page
from uopc.documentation.transformations import transformations_page


def main() -> int:
    """Writes the pages; 2 when it is not told where."""
    if len(sys.argv) != 2:
        print("usage: python -m uopc.documentation FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    pages = {OPERATIONS: operations_page, DIAGNOSTICS: diagnostics_page, TRANSFORMATIONS: transformations_page}
    for name, page in pages.items():
        (folder / name).write_text(page(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
