"""Fills a folder with the language server and all that it needs but NumPy, so that any Python can run it as it is.

    python scripts/bundle_server.py vscode-extension/server

The folder runs by its path (`python vscode-extension/server`), with nothing installed. What goes in is what our own
wheel says that it requires, on every Python that we support; nothing that was compiled may come along, and no package
without its licence. The packages of others are kept in .cache/, so that only the first time needs the network.
"""

from __future__ import annotations

import email.message
import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
ANY_MACHINE = ("--python-version", PYTHONS[0], "--implementation", "py", "--abi", "none", "--platform", "any")
NOT_CARRIED = {"numpy"}  # compiled: it belongs to the machine's Python
COMPILED = {".so", ".pyd", ".dll", ".dylib", ".exe", ".a", ".o"}
OF_THE_INSTALLER = ("INSTALLER", "RECORD", "REQUESTED", "WHEEL", "direct_url.json", "entry_points.txt")

START = '''\
"""The language server: `python THIS_FOLDER`, with `dap` after it the debug adapter.

That puts this folder first on the path, and not the current one.
"""

import sys

if sys.argv[1:] == ["dap"]:
    from uir_dap.__main__ import main

    sys.exit(main())

from uir_lsp.__main__ import main

main(sys.argv[1:])
'''


def main(target: Path) -> None:
    """Makes the folder anew. What was there stays until all of it is made."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".bundle-") as name:
        folder = Path(name) / "server"
        install(["--no-build-isolation", "--no-deps", str(ROOT)], folder)
        shutil.copytree(packages_of_others(folder), folder, dirs_exist_ok=True)
        (folder / "__main__.py").write_text(START, encoding="utf-8")
        tidy(folder)
        judge(folder)
        shutil.rmtree(target, ignore_errors=True)
        folder.replace(target)


def install(what: list[str], folder: Path) -> None:
    """Unpacks packages into a folder."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, "--upgrade", "--target", str(folder), *what], check=True)


def packages_of_others(ours: Path) -> Path:
    """A folder with all that the package in `ours` requires: the one of last time, while it requires the same."""
    wanted = sorted(str(requirement) for all_of_one in required(ours).values() for requirement in all_of_one)
    key = hashlib.sha256("\n".join([*wanted, *PYTHONS]).encode()).hexdigest()[:16]
    kept = ROOT / ".cache" / "server-packages" / key
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".new-") as name:
            folder = Path(name) / "packages"
            while missing := (wanted if not folder.exists() else still_required(folder)):
                install(["--no-deps", "--only-binary=:all:", *ANY_MACHINE, *missing], folder)
            folder.replace(kept)
    return kept


def still_required(folder: Path) -> list[str]:
    """What packages in a folder require that is not there. pip would ask what the Python that it runs on needs."""
    found = required(folder)
    return [str(requirement) for name in sorted(set(found) - present(folder)) for requirement in found[name]]


def present(folder: Path) -> set[str]:
    """The names of the packages in a folder."""
    return {canonicalize_name(str(about["Name"])) for about in metadata(folder)}


def metadata(folder: Path) -> Iterator[email.message.Message]:
    """What each package in a folder says of itself."""
    for file in sorted(folder.glob("*.dist-info/METADATA")):
        yield email.message_from_string(file.read_text(encoding="utf-8"))


def required(folder: Path) -> dict[str, list[Requirement]]:
    """What the packages in a folder require on some Python that we support."""
    found: dict[str, list[Requirement]] = {}
    for about in metadata(folder):
        for text in about.get_all("Requires-Dist", []):
            requirement = Requirement(text)
            name = canonicalize_name(requirement.name)
            if name in NOT_CARRIED or not holds(requirement):
                continue
            requirement.marker = None
            found.setdefault(name, []).append(requirement)
    return found


def holds(requirement: Requirement) -> bool:
    """Whether a requirement is one on any Python that we support."""
    if requirement.marker is None:
        return True
    said = [{"extra": "", "python_version": v, "python_full_version": f"{v}.0"} for v in PYTHONS]
    return any(requirement.marker.evaluate(environment) for environment in said)


def tidy(folder: Path) -> None:
    """Takes away what only an installer uses."""
    for cache in [*folder.rglob("__pycache__"), folder / "bin"]:
        shutil.rmtree(cache, ignore_errors=True)
    for about in folder.glob("*.dist-info"):
        for name in OF_THE_INSTALLER:
            (about / name).unlink(missing_ok=True)


def judge(folder: Path) -> None:
    """Ends with a message when something is in the folder that must not be, or is not that must."""
    compiled = [file for file in folder.rglob("*") if file.suffix in COMPILED or ".so." in file.name]
    if compiled:
        sys.exit(f"compiled files would be carried: {', '.join(map(str, compiled))}")
    for about in folder.glob("*.dist-info"):
        if not any(file.name.upper().startswith(("LICEN", "COPYING")) for file in about.rglob("*")):
            sys.exit(f"{about.name} has no licence beside it")
    if present(folder) & NOT_CARRIED:
        sys.exit(f"{NOT_CARRIED} must not be carried")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
