"""Which line of the program a run died in, or was stopped in: the same C again, in which each line says that it begins.

What it says goes to a file that is mapped into memory, so it is there whatever ended the process. Where a system has
no such files (Windows), or the program does not die again, nothing is known.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from uopc.nptypes import Array
from uopc.runtime import platform
from uopc.runtime.cache import Cache
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import RunError, Stopped
from uopc.runtime.execute import execute
from uopc.runtime.library import build_library
from uopc.runtime.limits import Limits
from uopc.runtime.scratch import scratch_folder
from uopc.runtime.toolchain import Compiler

if TYPE_CHECKING:
    from uopc.pipeline import Compiled

_SECONDS = 1.0  # that a program gets to die again; what is still running then is where the time goes
_HEAD = """\
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int uir_nowhere, *uir_at = &uir_nowhere;
__attribute__((constructor)) static void uir_open(void) {
  int file = open(%s, O_RDWR);
  if (file < 0) return;
  void* place = mmap(0, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place != MAP_FAILED) uir_at = place;
  close(file);
}
"""


def line_of_death(
    compiled: Compiled, inputs: Mapping[int, Array], compiler: Compiler, limits: Limits, cancel: CancelToken
) -> int | None:
    """The line of the C (from 0) that a run was in when it ended, if it ends so once more. Raises Cancelled."""
    if platform.IS_WINDOWS:
        return None
    with scratch_folder("crash") as folder:
        place = folder / "at"
        try:
            place.write_bytes(bytes(4))
            source = telling(compiled.source, compiled.line_origins, place)
            built = build_library(source, compiled.flags, compiler=compiler, cancel=cancel, cache=Cache(folder))
            again = Limits(min(_SECONDS, limits.seconds), limits.memory, limits.threads)
            execute(
                built.path, compiled.symbol, compiled.args, inputs,
                checked=compiled.returns, limits=again, cancel=cancel,
            )  # fmt: skip
        except Stopped:
            return int.from_bytes(place.read_bytes(), sys.byteorder) - 1 if place.read_bytes() != bytes(4) else None
        except (RunError, OSError):  # it is only an extra: the C may be of a form that this does not know
            return None
    return None


def telling(source: str, origins: Sequence[Sequence[object]], place: Path) -> str:
    """The C in which each line that came from the program first writes its number (from 1) to the file `place`."""
    lines = source.split("\n")
    told = [_HEAD % json.dumps(str(place))]
    before = ""
    for number, line in enumerate(lines):
        known = number < len(origins) and bool(origins[number])
        told.append(f"*uir_at = {number + 1}; {line}" if known and _begins_statement(line, before) else line)
        before = line.strip() or before
    return "\n".join(told)


def _begins_statement(line: str, before: str) -> bool:
    """Whether a statement may stand in front of a line: it is in a body, and begins a statement itself."""
    text = line.strip()
    in_body = line.startswith("  ") and before.endswith((";", "{", "}"))
    return in_body and bool(text) and not text.startswith(("}", "else", "#", "case ", "default", "//"))
