"""Files that are shown to the person: C, loops, assembly, for clients that have no place of their own for them."""

from __future__ import annotations

import shutil
from pathlib import Path

from uir_lsp.uris import uri_of


class ShownFiles:
    """The files that are shown to the person, in a folder of their own that goes when the server ends."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def write(self, name: str, text: str) -> str:
        """Write a file and give its URI; the same name replaces what was shown before."""
        if self._folder is None:
            from uopc.runtime.scratch import new_folder

            self._folder = new_folder("shown")
        path = self._folder / name
        path.write_text(text, encoding="utf-8")
        return uri_of(str(path))

    def remove(self) -> None:
        """Remove them all."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
