"""`uir explain FILE --stages`, for people and for machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from uopc.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_for_people_it_is_a_table_the_loops_and_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(EXAMPLES / "gemm_256x256.uir"), "--stages", "--plain"]) == 0
    shown = capsys.readouterr().out
    assert "The program as the textbook computes it, in 5 stages" in shown
    assert "for k < 256         reduce   %c = Σ %ab\n      acc += %0[256·i + k] * %1[256·k + j]" in shown
    assert "remainder-one-period" in shown and "x % c = x - m*c when m*c <= x < (m+1)*c" in shown


def test_for_machines_it_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(EXAMPLES / "softmax.uir"), "--stages", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["program"] == "fast"
    assert [s["name"] for s in found["stages"]][-2:] == ["kernels", "c"]


def test_one_value_and_switches(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(EXAMPLES / "softmax.uir")
    assert main(["explain", file, "%m", "--stages", "--without", "vector", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    kernels = next(s for s in found["stages"] if s["name"] == "kernels")["forms"]["loops"]
    assert "vectors are switched off" in kernels and "exp2" not in kernels
    assert main(["explain", file, "%nothing", "--stages"]) == 1


def test_a_file_with_errors_has_no_stages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.uir"
    file.write_text("%0 = buffer 12 : dtype=f32 slot=0\n%1 = reshape %0, (5, 2)\n")
    assert main(["explain", str(file), "--stages"]) == 1
    assert "12 elements cannot become 10" in capsys.readouterr().err
