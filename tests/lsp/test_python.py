"""The child processes of the server: which modules they find."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from uir_lsp.python import command

JOB = {"kind": "showC", "path": "/a.uir", "text": "%0 = buffer 4 : dtype=f32 slot=0\n", "value": None, "plain": True}


def answers(argv: list[str], *jobs: dict[str, Any], cwd: Path) -> list[list[Any]]:
    """What a child process answers to jobs, one after another, as [kind, value]."""
    found = []
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(argv, cwd=cwd, **pipes) as child:
        assert child.stdin is not None and child.stdout is not None
        for job in jobs:
            child.stdin.write(json.dumps(job).encode() + b"\n")
            child.stdin.flush()
            answer = ["stage"]
            while answer[0] == "stage":
                answer = json.loads(child.stdout.read(int(child.stdout.readline())))
            found.append(answer)
        child.stdin.close()
    return found


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A folder with modules that leave a file when somebody imports them."""
    (tmp_path / "folder").mkdir()
    for name in ("json", "numpy", "uopc", "uir_lsp", "logging", "asyncio"):
        trap = tmp_path / f"sprung-{name}"
        (tmp_path / "folder" / f"{name}.py").write_text(f"open({str(trap)!r}, 'w')\n")
    return tmp_path / "folder"


def test_nothing_of_the_current_folder_is_imported(trapped: Path) -> None:
    """An editor starts the server in the folder that it opened."""
    [[kind, value]] = answers(command("uir_lsp.child"), JOB, cwd=trapped)
    assert kind == "answer" and "void a(const float* restrict data0" in value["c"]
    assert [path.name for path in trapped.parent.iterdir()] == ["folder"]


def test_the_traps_work(trapped: Path) -> None:
    subprocess.run([sys.executable, "-c", "import numpy"], cwd=trapped, check=True, timeout=60)
    assert (trapped.parent / "sprung-numpy").exists()


def test_options_go_on_to_the_children(tmp_path: Path) -> None:
    options = ["-E", "-s", "-B", "-X", f"pycache_prefix={tmp_path}"]
    code = f"import sys; sys.path[:] = {sys.path!r}; from uir_lsp.python import command; print(*command('x')[1:-2])"
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == options


def test_without_numpy_a_run_says_so_and_c_is_shown(tmp_path: Path) -> None:
    """A Python without NumPy shows everything; only a run needs it."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; sys.modules['numpy'] = None\nfrom uir_lsp.child import main; main()"
    )
    run = {**JOB, "kind": "run", "verify": True, "timeout": 5, "compiler": None}
    [shown, ran] = answers([sys.executable, "-c", code], JOB, run, cwd=tmp_path)
    assert "void a(const float* restrict data0" in shown[1]["c"]
    assert ran == ["fault", f"NumPy is not installed in {sys.executable}, and a run needs it"]
