"""`uir run` and `uir tune` from the outside, and what is left when a run is ended by a signal."""

from __future__ import annotations

import json
import signal
import subprocess
import time

import numpy as np
import pytest
from cli_help import BAD, ENDLESS, GOOD, Uir
from processes import alive, children_of
from runtime_help import fake_compiler, wait_until


# -- run -----------------------------------------------------------------------------------------------------------
def test_run(uir: Uir) -> None:
    done = uir("run", uir.write("a.uir", GOOD))
    assert (done.returncode, done.stderr) == (0, "")
    head, *rows = done.stdout.splitlines()
    assert head.startswith("%2 : f32[2, 2]   verified against the reference (largest difference 0)   build ")
    assert " · kernel " in head
    assert rows == ["[[1.5 2.5]", " [3.5 4.5]]"]


def test_run_json(uir: Uir) -> None:
    done = uir("run", "--json", uir.write("a.uir", GOOD), uir.write("b.uir", BAD), "missing.uir")
    good, bad, missing = (json.loads(line) for line in done.stdout.splitlines())
    fields = ["file", "ok", "error", "outputs", "expect", "verified", "build_ms", "kernel_ms", "speed"]
    assert [list(o) for o in (good, bad, missing)] == [fields] * 3
    assert (good["file"], good["ok"], bad["file"], bad["ok"]) == ("a.uir", True, "b.uir", False)
    assert "no such file" in missing["error"]
    assert done.returncode == 2


def test_run_expect(uir: Uir) -> None:
    good = uir("run", uir.write("a.uir", GOOD + "# uir: expect = [1.5, 2.5, 3.5, 4.5]\n"))
    assert good.returncode == 0
    assert "as expected" in good.stdout
    bad = uir("run", uir.write("b.uir", GOOD + "# uir: expect = [1.5, 2.5, 3, 4.5]\n"))
    assert bad.returncode == 1
    assert "b.uir:5: error: not as expected: %2 element [1, 0] is 3.5, expected 3.0" in bad.stderr
    assert "[[1.5 2.5]" in bad.stdout


def test_run_options(uir: Uir) -> None:
    file = uir.write("a.uir", GOOD)
    np.save(uir.folder / "x.npy", np.array([10, 20, 30, 40], np.float32))
    done = uir("run", file, "--input", "0=x.npy", "--out", "y.npy", "--plain", "--no-verify", "--threads", "2")
    assert done.returncode == 0
    assert "verified" not in done.stdout
    np.testing.assert_array_equal(np.load(uir.folder / "y.npy"), np.array([[10.5, 20.5], [30.5, 40.5]], np.float32))
    two = uir.write("two.uir", GOOD + "%3 = neg %2\n%4 = sink %2, %3\n")
    assert uir("run", two, "--out", "z.npy").returncode == 0
    np.testing.assert_array_equal(np.load(uir.folder / "z.1.npy")[0], [-1.5, -2.5])
    assert "%1 : f32[2, 2]" in uir("run", file, "--value", "%1").stdout
    refused = uir("run", file, "--out", "no/such/y.npy")
    assert refused.returncode == 2
    assert "cannot be written" in refused.stderr


def test_run_takes_arrays_by_name(uir: Uir) -> None:
    file = uir.write("a.uir", GOOD)
    np.savez(uir.folder / "x.npz", a=np.zeros(4, np.float32), b=np.array([1, 2, 3, 4], np.float32))
    head = b'{"w:2":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'
    raw = np.array([5, 6, 7, 8], "<f4").tobytes()
    (uir.folder / "x.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + raw)
    (uir.folder / "odd.npz:b").write_bytes((uir.folder / "x.npz").read_bytes())  # a name that looks like a key
    taken = {"x.npz:b": "[[1.5 2.5]", "x.safetensors:w:2": "[[5.5 6.5]", "x.safetensors": "[[5.5 6.5]"}
    for given, want in taken.items():
        done = uir("run", file, "--input", f"0={given}")
        assert done.returncode == 0 and want in done.stdout, given
    refused = {"x.npz:c": "no array 'c' in it, there is a, b", "x.npz": "which of its arrays is meant: a, b"}
    for given, said in refused.items():
        assert said in uir("run", file, "--input", f"0={given}").stderr
    assert "this is not a .npy file" in uir("run", file, "--input", "0=odd.npz:b").stderr
    directive = '# uir: input 0 = file "x.safetensors" "w:2"\n# uir: expect = file "x.npz" "b"\n'
    done = uir("run", uir.write("b.uir", directive + GOOD.partition("\n")[2]))
    assert "%2 element [0, 0] is 5.5, expected 1.0 (4 of 4 elements differ, by 4.5 at most)" in done.stderr


def test_run_shows_the_errors_of_the_file(uir: Uir) -> None:
    done = uir("run", uir.write("a.uir", BAD))
    assert (done.returncode, done.stdout) == (1, "")
    assert "a.uir:2:18: error[reshape-count]" in done.stderr
    assert "^~~~~~" in done.stderr


def test_run_too_large(uir: Uir) -> None:
    done = uir("run", uir.write("a.uir", "%0 = buffer 1000000000000000 : dtype=f32 slot=0\n%1 = neg %0\n"))
    assert done.returncode == 1
    assert "1,000,000,000,000,000" in done.stderr


def test_run_without_a_compiler(uir: Uir) -> None:
    empty = uir.folder / "empty"
    empty.mkdir()
    done = uir("run", uir.write("a.uir", GOOD), PATH=str(empty))
    assert done.returncode == 1
    assert "no C compiler found" in done.stderr


def test_run_with_a_failing_compiler(uir: Uir) -> None:
    fake = fake_compiler(uir.folder / "bin", 'echo "program.c:1:2: error: out of licences" >&2; exit 1')
    done = uir("run", uir.write("a.uir", GOOD.replace("0.5", "0.75")), UIR_CC=str(fake))
    assert done.returncode == 1
    assert "out of licences" in done.stderr


def test_run_timeout(uir: Uir) -> None:
    done = uir("run", uir.write("a.uir", ENDLESS), "--plain", "--timeout", "0.5")
    assert done.returncode == 1
    assert "took longer than 0.5 s (raise --timeout)" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_no_child_behind(uir: Uir, number: signal.Signals) -> None:
    file = uir.write("a.uir", ENDLESS)
    process = subprocess.Popen(
        uir.command("run", file, "--plain", "--timeout", "60"), cwd=uir.folder, env=uir.environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        wait_until(lambda: any(uir.temporary.glob("uir-run-*/job")), 60)
        wait_until(lambda: len(children_of(process.pid)) == 1)
        time.sleep(0.3)
        child = children_of(process.pid)[0]
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    wait_until(lambda: not alive([child]), 10)
    assert b"Traceback" not in err
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert list(uir.temporary.iterdir()) == []


def test_signal_while_compiling(uir: Uir) -> None:
    fake = fake_compiler(uir.folder / "bin", f"echo $$ > {uir.folder}/pid; sleep 60")
    process = subprocess.Popen(
        uir.command("run", uir.write("a.uir", GOOD.replace("0.5", "0.875"))), cwd=uir.folder,
        env={**uir.environment, "UIR_CC": str(fake)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        wait_until(lambda: (uir.folder / "pid").exists() and (uir.folder / "pid").read_text().strip() != "", 60)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    finally:
        process.kill()
    wait_until(lambda: not alive([int((uir.folder / "pid").read_text())]), 10)
    assert list(uir.temporary.iterdir()) == []


# -- tune ----------------------------------------------------------------------------------------------------------
def test_tune_says_what_it_tried_and_what_it_remembers(uir: Uir) -> None:
    uir.write("a.uir", GOOD)
    done = uir("tune", "a.uir", "--seconds", "20")
    assert done.returncode == 0 and "a.uir: " in done.stdout
    found = json.loads(uir("tune", "a.uir", "--json", "--seconds", "20").stdout)
    assert found["complete"] and found["before"] > 0
    assert {"off", "sizes", "milliseconds", "ratio", "refused"} == set(found["tries"][0])
    assert "in the usual way" in uir("tune", "a.uir", "--forget").stdout


def test_tune_of_what_does_not_run(uir: Uir) -> None:
    uir.write("bad.uir", BAD)
    done = uir("tune", "bad.uir")
    assert done.returncode == 1 and "bad.uir:2:" in done.stderr and done.stdout == ""
    uir.write("lost.uir", GOOD.replace("[1, 2, 3, 4]", 'file "no.npy"'))
    done = uir("tune", "lost.uir")
    assert done.returncode == 1 and "no.npy" in done.stderr
    assert uir("tune", "bad.uir", "--seconds", "0").returncode == 2
