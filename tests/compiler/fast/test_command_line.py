"""The plan and the switches from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from uopc.cli import main
from uopc.opt import SWITCHES

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_explain_plan_says_what_is_done_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(EXAMPLES / "gemm_256x256.uir"), "--plan"]) == 0
    assert "stays in registers" in capsys.readouterr().out
    assert main(["explain", str(EXAMPLES / "gemm_256x256.uir"), "--plan", "--without", "tile"]) == 0
    assert "register tiles are switched off" in capsys.readouterr().out


def test_explain_plan_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(EXAMPLES / "softmax.uir"), "--plan", "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["plan"]["kernels"]
    assert any("joined" in note for note in kernel["notes"])
    assert [stage["value"] for stage in kernel["stages"]] == ["%m", "%e", "%s", "%r", "%y"]


def test_c_without_vectors_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["c", str(EXAMPLES / "softmax.uir"), "--without", "vector"]) == 0
    assert "vector_size" not in capsys.readouterr().out


def test_run_without_transformations_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(EXAMPLES / "attention.uir"), "--without", "fuse", "--without", "tile"]) == 0
    assert "verified" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["c", "run", "asm", "explain"])
def test_help_names_every_transformation(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = capsys.readouterr().out.partition("--without")[2].replace("\n", " ")
    assert all(name in said for name in SWITCHES)


def test_an_unknown_transformation_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["c", str(EXAMPLES / "softmax.uir"), "--without", "magic"])
    assert exit_.value.code == 2
    assert "there is no transformation 'magic'" in capsys.readouterr().err
    assert main(["explain", str(EXAMPLES / "softmax.uir")]) == 2
