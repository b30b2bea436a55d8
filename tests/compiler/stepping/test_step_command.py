"""`uir step`: the loops of a program line by line, from the outside. What it should say is worked out by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from stepping_help import OUTSIDE

# Row sums of [[0, 1, 2], [3, 4, 5]]: 3 and 12.
ROWS = """\
# uir: input 0 = arange
%x = buffer 6 : dtype=f32 slot=0
%m = reshape %x, (2, 3)
%s = reduce %m : op=add pop=1
"""


def step(folder: Path, text: str, *args: str) -> subprocess.CompletedProcess[str]:
    (folder / "p.uir").write_text(text)
    command = [sys.executable, "-m", "uopc.cli", "step", "p.uir", *args]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_load_of_the_input_in_order_with_the_sum_so_far(tmp_path: Path) -> None:
    found = rows(step(tmp_path, ROWS, "--steps", "1000", "--json"))
    loads = [r for r in found if str(r["does"]).startswith("load buffer 0")]
    assert [r["counters"] for r in loads] == [{"i": i, "j": j} for i in range(2) for j in range(3)]
    assert [float(str(r["result"])) for r in loads] == [0, 1, 2, 3, 4, 5]
    sums = [next(iter(dict(r["accumulators"]).values())) for r in loads]  # type: ignore[call-overload]
    assert [text.split()[0] for text in sums] == [
        "0.0", "0.0", "1.0", "0.0", "3.0", "7.0",
    ]  # fmt: skip
    assert [r["places"] for r in loads][4] == ["%m[1, 1]", "%x[4]"]
    stores = [r for r in found if "buffer 1" in str(r["does"])]
    assert ["3.0" in str(stores[0]["does"]), "12.0" in str(stores[-1]["does"])] == [True, True]
    assert {line for r in loads for line in r["source_lines"]} >= {3}  # type: ignore[attr-defined]


def test_for_a_person_it_is_a_line_each_and_says_what_is_left(tmp_path: Path) -> None:
    done = step(tmp_path, ROWS, "--steps", "9")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 9
    assert "--steps N shows more, --skip N begins later" in done.stderr
    assert step(tmp_path, ROWS, "--steps", "1000").stderr == ""


def test_skip_begins_where_the_lines_before_it_ended(tmp_path: Path) -> None:
    whole = rows(step(tmp_path, ROWS, "--steps", "1000", "--json"))
    later = rows(step(tmp_path, ROWS, "--skip", str(whole[6]["step"]), "--steps", "1000", "--json"))
    assert later == whole[6:]


def test_a_value_is_stepped_to(tmp_path: Path) -> None:
    text = ROWS + "%e = exp2 %s\n"
    assert not any("exp2" in str(r["text"]) for r in rows(step(tmp_path, text, "%s", "--steps", "1000", "--json")))
    assert any("exp2" in str(r["text"]) for r in rows(step(tmp_path, text, "--steps", "1000", "--json")))


def test_a_loop_program_is_followed_in_its_own_lines_to_its_fault(tmp_path: Path) -> None:
    done = step(tmp_path, OUTSIDE, "--steps", "1000")
    assert done.returncode == 1
    assert "line 8: " in done.stderr and "index 3 is not in 0..2" in done.stderr
    assert "%x = load %from" in done.stdout


@pytest.mark.parametrize(
    ("text", "args", "code", "message"),
    [
        ("%x = buffer 4 : dtype=f32 slot=0\n%y = reshape %x, (3)\n", (), 1, "line 2"),
        (ROWS, ("%nothing",), 1, "%nothing"),
        (ROWS, ("--steps", "-1"), 2, "0 or more"),
        (ROWS, ("--steps", "x"), 2, "--steps"),
        ("%x = buffer 4000000 : dtype=f32 slot=0\n%y = mul %x, 2.0\n", (), 1, "too large to step through"),
    ],
)
def test_what_cannot_be_stepped_is_said(
    tmp_path: Path, text: str, args: tuple[str, ...], code: int, message: str
) -> None:
    done = step(tmp_path, text, *args)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
