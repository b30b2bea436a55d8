"""Neovim and Emacs with the lines of docs/editors.md: the real editors, the real server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from client import ROOT, environment

HERE = Path(__file__).parent
PATIENCE = 20  # seconds for one step

# The fourth line is wrong until somebody writes a 4 for its 5.
PROGRAM = """\
# uir: input 0 = arange
%0 = buffer 12 : dtype=f32 slot=0
# uir: expect = [6, 22, 38]
%x = reshape %0, (3, 5)
%y = reduce %x : op=add pop=1
"""
CHECKS = ("attach", "diagnostics", "hover", "edit", "run", "no fault")


def lines_of(language: str) -> str:
    """What docs/editors.md tells people to put into their editor's configuration, in a language."""
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return str(block)


def needs(editor: str, package: str) -> None:
    """Leaves a test out where its editor is missing."""
    if shutil.which(editor) is None:
        pytest.skip(f"{editor} is not installed (Debian: apt-get install {package}): nothing is known of it")


class Desk:
    """A folder with a home for the editor, the program, and `uir-lsp` on the PATH."""

    def __init__(self, folder: Path, server: str = "-m uir_lsp") -> None:
        self.file = folder / "program.uir"
        self.file.write_text(PROGRAM, encoding="utf-8")
        self.pids = folder / "pids"
        self.folder = folder
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        command = bin_folder / "uir-lsp"
        command.write_text(f'#!/bin/sh\necho $$ >>"{self.pids}"\nexec "{sys.executable}" {server} "$@"\n')
        command.chmod(0o755)
        homes = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        self.env = {
            **environment(),
            **homes,
            "HOME": str(folder),
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "UIR_FILE": str(self.file),
            "UIR_PATIENCE": str(PATIENCE),
        }

    def write(self, name: str, text: str) -> str:
        """A file of the folder."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """What the editor did and said."""
        return subprocess.run(
            command,
            env=self.env,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=8 * PATIENCE,
        )

    def servers_are_gone(self) -> bool:
        """Whether every server that the editor started has ended, some seconds after the editor did."""
        end = time.monotonic() + 10
        pids = [int(pid) for pid in self.pids.read_text().split()]
        assert pids
        while (alive := any(os.path.exists(f"/proc/{pid}") for pid in pids)) and time.monotonic() < end:
            time.sleep(0.05)
        return not alive


def neovim(desk: Desk) -> subprocess.CompletedProcess[str]:
    """A session of Neovim, set up as the page says."""
    init = desk.write("init.lua", lines_of("lua"))
    script = f"lua dofile([[{HERE / 'check.lua'}]])"
    return desk.run("nvim", "--headless", "-n", "-i", "NONE", "-u", init, "-c", script)


def emacs(desk: Desk) -> subprocess.CompletedProcess[str]:
    """A session of Emacs, set up as the page says; `-Q` leaves the person's own set-up and Debian's packages out."""
    packages = desk.write(
        "packages.el",
        '(unless (locate-library "eglot")\n'
        '  (dolist (folder (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*-[0-9]*"))\n'
        "    (push folder load-path)))\n",
    )
    init = desk.write("init.el", lines_of("elisp"))
    return desk.run("emacs", "--batch", "-Q", "-l", packages, "-l", init, "-l", str(HERE / "check.el"))


def passed(output: str) -> list[str]:
    """The names of the checks that went well."""
    return re.findall(r"^ok ([^\r\n]*)", output, re.MULTILINE)


def test_neovim(tmp_path: Path) -> None:
    needs("nvim", "neovim")
    desk = Desk(tmp_path)
    done = neovim(desk)
    assert done.returncode == 0, done.stdout
    assert {*CHECKS, "run from the lens"} <= set(passed(done.stdout)), done.stdout
    assert desk.servers_are_gone()


def test_emacs(tmp_path: Path) -> None:
    needs("emacs", "emacs-nox elpa-eglot")
    desk = Desk(tmp_path)
    done = emacs(desk)
    if "Cannot open load file" in done.stdout and "eglot" in done.stdout:
        pytest.skip("this Emacs has no Eglot (Debian: apt-get install elpa-eglot): nothing is known of it")
    assert done.returncode == 0, done.stdout
    assert set(CHECKS) <= set(passed(done.stdout)), done.stdout
    assert desk.servers_are_gone()
