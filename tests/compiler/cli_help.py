"""What the tests of the command line share: programs, and the `uir` command in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GOOD = """\
# uir: input 0 = [1, 2, 3, 4]
%0 = buffer 4 : dtype=f32 slot=0
%1 = reshape %0, (2, 2)
%2 = add %1, 0.5
"""
BAD = """\
%0 = buffer 12 : dtype=f32 slot=0
%1 = reshape %0, (5, 2)
"""
ENDLESS = """\
%0 = buffer 9000000 : dtype=f32 slot=0
%a = reshape %0, (3000, 1, 3000)
%b = reshape %0, (1, 3000, 3000)
%c = mul %a, %b
%d = reduce %c : op=add pop=1
"""


class Uir:
    """Runs `uir` in a folder; afterwards the folder of temporary files must be empty."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.temporary = folder, folder / "tmp"
        self.temporary.mkdir()
        self.environment = {**environment, "TMPDIR": str(self.temporary)}

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_bytes(text.encode())
        return name

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "uopc.cli", *args]

    def __call__(self, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*args),
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert list(self.temporary.iterdir()) == []
        return done
