"""A machine as a stranger has it, in a folder: a bare Python, tools but no compiler, and wheels to install from.

    python make_machine.py FOLDER [numpy] [wheels]

FOLDER/python   a virtual environment with nothing in it; with `numpy`, this Python's NumPy is
FOLDER/tools    what a shell script needs: no compiler, no Python
FOLDER/wheels   with `wheels`: NumPy, and a `ziglang` whose compiler is this machine's, so that no network is needed
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
import venv
import zipfile
from pathlib import Path

TOOLS = ("sh", "cat", "uname", "sed", "env")
# Zig's own options are no options of gcc; the paths are those of the machine, which the test's PATH hides.
ZIG = """#!/bin/sh
[ "$1" = cc ] || exit 2
shift
PATH=/usr/local/bin:/usr/bin:/bin
export PATH
exec {compiler} "$@"
"""


def main(folder: Path, wanted: set[str]) -> None:
    """Makes all of it."""
    venv.create(folder / "python", with_pip=False, symlinks=True)
    (folder / "tools").mkdir()
    for name in TOOLS:
        (folder / "tools" / name).symlink_to(str(shutil.which(name)))
    if "numpy" in wanted:
        packages = next((folder / "python" / "lib").glob("python3.*/site-packages"))
        for name in tops(files_of("numpy")):
            (packages / name).symlink_to(packages_here() / name)
    if "wheels" in wanted:
        (folder / "wheels").mkdir()
        numpy_wheel(folder / "wheels")
        zig_wheel(folder / "wheels")


def packages_here() -> Path:
    """The folder that this Python's NumPy is in."""
    return Path(str(importlib.metadata.distribution("numpy").locate_file("")))


def files_of(package: str) -> list[str]:
    """The files that an installed package is made of."""
    found = importlib.metadata.distribution(package).files or []
    return [str(file) for file in found if not str(file).startswith("..") and "__pycache__" not in str(file)]


def tops(files: list[str]) -> set[str]:
    """The files and folders of a folder of packages that these are in."""
    return {file.split("/", 1)[0] for file in files}


def numpy_wheel(folder: Path) -> None:
    """The NumPy that is installed here, packed again."""
    about = importlib.metadata.distribution("numpy")
    tags = str(about.read_text("WHEEL")).split("Tag: ")[1].split()[0]
    with zipfile.ZipFile(
        folder / f"numpy-{about.version}-{tags}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=1
    ) as wheel:
        for file in files_of("numpy"):
            if not file.endswith(("/INSTALLER", "/REQUESTED", "/direct_url.json")):
                wheel.write(packages_here() / file, file)


def zig_wheel(folder: Path) -> None:
    """A package `ziglang` as the real one is laid out."""
    info = "ziglang-9.9.dist-info"
    compiler = shutil.which("gcc") or shutil.which("cc") or "cc"
    texts = {
        "ziglang/__init__.py": "",
        "ziglang/zig": ZIG.format(compiler=compiler),
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: ziglang\nVersion: 9.9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    texts[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*texts, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / "ziglang-9.9-py3-none-any.whl", "w") as wheel:
        for name, text in texts.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100755 if name.endswith("/zig") else 0o100644) << 16
            wheel.writestr(entry, text)


if __name__ == "__main__":
    os.umask(0o022)
    main(Path(sys.argv[1]), set(sys.argv[2:]))
