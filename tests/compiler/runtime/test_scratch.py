"""Temporary folders go with the block, and what dead processes left is swept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
    swept = [f"uir-{kind}-{dead}.{room}-x" for kind in ("run", "build", "probe", "cache", "kept", "shown")]
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
