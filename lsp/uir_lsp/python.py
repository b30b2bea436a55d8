"""Starting another Python like this one."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def command(module: str) -> list[str]:
    """What runs `main` of one of our modules in a new Python that finds exactly what this one finds.

    Never by `-m` or a bare `-c`: both look for modules in the current folder first, and that may be a folder of
    somebody else's that an editor has merely opened.
    """
    code = f"import sys; sys.path[:] = {_search_path()!r}; from {module} import main; main()"
    return [sys.executable, *_flags(), "-c", code]


def _search_path() -> list[str]:
    import uir_lsp
    import uopc

    homes = [str(Path(str(package.__file__)).resolve().parent.parent) for package in (uopc, uir_lsp)]
    try:
        here = os.getcwd()
    except OSError:  # it has been deleted
        here = ""
    others = (entry for entry in sys.path if os.path.isabs(entry) and entry != here)
    return list(dict.fromkeys([*homes, *others]))


def _flags() -> list[str]:
    """The options of this interpreter that decide what it reads and writes."""
    chosen = {"-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site, "-B": sys.flags.dont_write_bytecode}
    prefix = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return [flag for flag, is_set in chosen.items() if is_set] + prefix
