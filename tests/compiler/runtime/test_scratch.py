"""Temporary folders go with the block, and what dead processes left is swept."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from uopc.runtime import scratch
from uopc.runtime.scratch import _room, new_folder, scratch_folder, sweep


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_folder_is_gone_after_its_block(scratch: Path) -> None:
    with scratch_folder("run") as folder:
        assert folder.parent == scratch
        (folder / "more").mkdir()
        (folder / "more" / "file").write_bytes(b"x")
    assert not folder.exists()


def test_only_what_dead_processes_left_is_swept(tmp_path: Path) -> None:
    dead, room = dead_pid(), _room()
    swept = [f"uir-{kind}-{dead}.{room}-x" for kind in ("run", "build", "probe", "cache", "crash", "kept", "shown")]
    kept = [
        f"uir-run-{os.getpid()}.{room}-x",  # it lives
        f"uir-run-{dead}.{room}0-x",  # numbers of another container
        f"uir-run-{dead}-x",  # not ours
        f"uir rig {dead}.{room}-x",
        f"my-uir-run-{dead}.{room}-x",
    ]
    for name in (*swept, *kept):
        (tmp_path / name / "inside").mkdir(parents=True)
    (tmp_path / f"uir-run-{dead}.{room}-file").write_text("a file is none of our folders")
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / f"uir-run-{dead}.{room}-link").symlink_to(target)
    assert sweep(tmp_path) == len(swept)
    left = {p.name for p in tmp_path.iterdir()}
    assert left == {*kept, "target", f"uir-run-{dead}.{room}-file", f"uir-run-{dead}.{room}-link"}
    assert target.is_dir()


def test_a_folder_says_whose_it_is(scratch: Path) -> None:
    folder = new_folder("build")
    assert folder.name.startswith(f"uir-build-{os.getpid()}.")
    assert sweep(scratch) == 0
    folder.rmdir()


@pytest.mark.skipif(sys.platform != "linux", reason="who still waits for an exit code is told by /proc")
def test_what_ended_and_nobody_asked_after_is_dead(tmp_path: Path) -> None:
    """A killed owner whose own parent is gone too may be kept for its exit code for as long as the machine runs."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT) is None:
            pass
        (tmp_path / f"uir-build-{process.pid}.{_room()}-x").mkdir()
        assert sweep(tmp_path) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="where a process works is asked of /proc")
def test_what_is_at_work_for_a_dead_process_is_ended(tmp_path: Path) -> None:
    """A compiler goes on when its owner is killed; one that is at work for somebody who lives is left alone."""
    left = tmp_path / f"uir-build-{dead_pid()}.{_room()}-x" / "0"
    lives = tmp_path / f"uir-build-{os.getpid()}.{_room()}-x"
    working = []
    for folder in (left, lives, tmp_path):
        folder.mkdir(parents=True, exist_ok=True)
        working.append(subprocess.Popen([sys.executable, "-c", "input()"], cwd=folder, stdin=subprocess.PIPE))
    try:
        assert sweep(tmp_path) == 1
        assert working[0].wait(10) == -9
        assert [process.poll() for process in working[1:]] == [None, None]
    finally:
        for process in working:
            process.kill()
            process.communicate()


def test_every_folder_that_is_made_is_known_to_the_sweep() -> None:
    """Each kind of folder that some module makes is in the pattern, and nothing makes one by another way."""
    root = Path(scratch.__file__).parents[2]
    made = set()
    for path in [*root.glob("uopc/**/*.py"), *root.parent.glob("lsp/**/*.py")]:
        text = path.read_text(encoding="utf-8")
        made |= set(re.findall(r'(?:new_folder|scratch_folder)\("(\w+)"\)', text))
        assert path.name == "scratch.py" or not re.search(r"TemporaryDirectory|mkdtemp", text), path
    assert {"run", "build", "crash", "kept"} <= made
    assert all(scratch._NAME.match(f"uir-{kind}-1.0-x") for kind in made)
