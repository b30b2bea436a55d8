"""The `uir` command as a person or an editor runs it: in a process of its own, from the outside."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from cli_help import BAD, GOOD, Uir

COMMANDS = ["check", "fmt", "c", "lower", "asm", "run", "tune", "explain", "step", "lsp", "dap"]


# -- help and wrong use --------------------------------------------------------------------------------------------
def test_help_everywhere(uir: Uir) -> None:
    top = uir("--help")
    assert top.returncode == 0
    for name in COMMANDS:
        assert name in top.stdout
        done = uir(name, "--help")
        assert done.returncode == 0
        assert f"usage: uir {name}" in done.stdout


def test_wrong_use_is_2(uir: Uir) -> None:
    uir.write("a.uir", GOOD)
    for args in (
        [], ["frob"], ["check"], ["check", "--format", "xml", "a.uir"], ["c"], ["explain", "a.uir"],
        ["check", "missing.uir"],
        ["run", "a.uir", "--timeout", "0"], ["run", "a.uir", "--timeout", "nan"], ["run", "a.uir", "--memory", "-1"],
        ["run", "a.uir", "--threads", "0"], ["run", "a.uir", "--input", "0"], ["run", "a.uir", "--input", "x=y"],
        ["run", "a.uir", "a.uir", "--out", "o.npy"], ["run", "missing.uir"], ["check", "."], ["fmt", "missing.uir"],
    ):  # fmt: skip
        done = uir(*args)
        assert done.returncode == 2, args
        assert done.stdout == ""
        assert done.stderr != ""


def test_version(uir: Uir) -> None:
    assert uir("--version").stdout.startswith("uir ")


def test_light_commands_do_not_import_numpy(uir: Uir) -> None:
    uir.write("a.uir", GOOD)
    for args in ([], ["--help"], ["check", "a.uir"], ["run", "--help"], ["fmt", "a.uir"]):
        code = (
            "import sys\nfrom uopc.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
            "assert 'numpy' not in sys.modules"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *args], cwd=uir.folder, env=uir.environment, capture_output=True, check=False
        )
        assert done.returncode == 0, (args, done.stderr)


# -- check ---------------------------------------------------------------------------------------------------------
def test_check_good(uir: Uir) -> None:
    done = uir("check", uir.write("a.uir", GOOD))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_check_bad(uir: Uir) -> None:
    done = uir("check", uir.write("a.uir", BAD))
    assert done.returncode == 1
    first, line, marks, *rest = done.stdout.splitlines()
    assert first.startswith("a.uir:2:18: error[reshape-count]: RESHAPE (12,) -> (5, 2)")
    assert line == "  %1 = reshape %0, (5, 2)"
    assert marks == " " * 19 + "^~~~~~"
    assert any("a.uir:1:1: note:" in r for r in rest)


def test_check_json(uir: Uir) -> None:
    """Columns count code points from 1; the end is excluded."""
    done = uir("check", "--format", "json", uir.write("ä.uir", "# 🙂 é\r\n" + BAD), uir.write("b.uir", GOOD))
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert len(objects) == 1
    found = objects[0]
    assert list(found) == ["file", "line", "column", "end_line", "end_column", "severity", "code", "message"]
    assert (found["file"], found["severity"], found["code"]) == ("ä.uir", "error", "reshape-count")
    assert (found["line"], found["column"], found["end_line"], found["end_column"]) == (3, 18, 3, 24)


def test_check_warning_is_no_failure(uir: Uir) -> None:
    done = uir("check", uir.write("a.uir", GOOD + "%9 = neg %0\n%3 = neg %2\n"))
    assert done.returncode == 0
    assert "[unused-value]" in done.stdout


def test_check_unreadable_files(uir: Uir) -> None:
    (uir.folder / "binary.uir").write_bytes(bytes(range(256)))
    (uir.folder / "latin.uir").write_bytes("# ok\n# größe\n".encode("latin-1"))
    (uir.folder / "empty.uir").write_bytes(b"")
    (uir.folder / "bom.uir").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    (uir.folder / "huge.uir").write_bytes(b"# a line of a huge file\n" * 2_200_000)
    assert (uir.folder / "huge.uir").stat().st_size > 50_000_000
    wanted = {
        "binary.uir": (1, "byte 0 is zero"),
        "latin.uir": (1, "not UTF-8: line 2 has the byte 0xf6"),
        "huge.uir": (1, "larger than 32 MB"),
        "missing.uir": (2, "there is no such file"),
        ".": (2, "this is a folder"),
        "empty.uir": (0, ""),
        "bom.uir": (0, ""),
    }
    for file, (status, said) in wanted.items():
        done = uir("check", file)
        assert done.returncode == status, file
        assert said in done.stderr
        assert done.stdout == ""
        as_json = uir("check", "--format", "json", file)
        assert as_json.returncode == status
        assert all("code" in json.loads(line) for line in as_json.stdout.splitlines())


def test_a_file_cannot_steer_the_terminal(uir: Uir) -> None:
    """Escape sequences of a file come out as harmless signs."""
    done = uir("check", uir.write("a.uir", "%0 = buffer 4 : dtype=f32 slot=0\n%1 = frob\x1b]0;owned\x07 %0\n"))
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


def test_marks_under_wide_signs_tabs_and_long_lines(uir: Uir) -> None:
    text = "%0 = buffer 12 : dtype=f32 slot=0\n%1 =\treshape %0, (5, 2) # 漢字\n"
    lines = uir("check", uir.write("a.uir", text)).stdout.splitlines()
    assert lines[2].index("^") == lines[1].index("(5, 2)")
    text = "%0 = buffer 12 : dtype=f32 slot=0\n" + "%1 =" + " " * 5000 + "reshape %0, (5, 2)" + " " * 5000 + "# end\n"
    lines = uir("check", uir.write("b.uir", text)).stdout.splitlines()
    assert len(lines[1]) < 200
    assert lines[1][lines[2].index("^") :].startswith("(5, 2)")


def on_a_terminal(uir: Uir, args: list[str], **environment: str) -> str:
    """What the command writes when its standard output is a terminal."""
    leader, follower = pty.openpty()
    child = {**uir.environment, "TERM": "xterm", **environment}
    process = subprocess.Popen(
        uir.command(*args), cwd=uir.folder, env=child, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower
    )
    os.close(follower)
    text = b""
    while select.select([leader], [], [], 60)[0]:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # how Linux tells that the other side is closed
            break
        text += chunk
    process.wait(60)
    os.close(leader)
    return text.decode()


def test_colour_only_on_a_terminal(uir: Uir) -> None:
    file = uir.write("a.uir", BAD)
    assert "\x1b[" not in uir("check", file).stdout
    assert "\x1b[1;31merror[reshape-count]:\x1b[0m" in on_a_terminal(uir, ["check", file])
    assert "\x1b[" not in on_a_terminal(uir, ["check", file], NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(uir, ["check", file], TERM="dumb")


def test_reader_that_goes_away(uir: Uir) -> None:
    file = uir.write("a.uir", "".join(f"%{k} = frob\n" for k in range(2000)))
    done = subprocess.run(
        f'"{sys.executable}" -m uopc.cli check {file} | head -1', shell=True, cwd=uir.folder, env=uir.environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.startswith("a.uir:1:")


def test_output_that_cannot_show_all_signs(uir: Uir) -> None:
    done = uir("run", uir.write("a.uir", GOOD), PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0


# -- fmt -----------------------------------------------------------------------------------------------------------
def test_fmt(uir: Uir) -> None:
    file = uir.write("a.uir", "%0   =  buffer   4 :   dtype=f32   slot=0 # kept\n")
    before = (uir.folder / file).read_bytes()
    (uir.folder / file).chmod(0o640)
    checked = uir("fmt", "--check", file)
    assert checked.returncode == 1
    assert "a.uir" in checked.stdout
    assert (uir.folder / file).read_bytes() == before
    done = uir("fmt", file)
    assert (done.returncode, done.stdout) == (0, "")
    assert (uir.folder / file).read_text() == "%0 = buffer 4 : dtype=f32 slot=0  # kept\n"
    assert (uir.folder / file).stat().st_mode & 0o777 == 0o640
    again = uir("fmt", "--check", file)
    assert (again.returncode, again.stdout) == (0, "")
    assert [p.name for p in uir.folder.iterdir() if p.is_file()] == ["a.uir"]


def test_fmt_keeps_line_ends_and_links(uir: Uir) -> None:
    file = uir.write("real.uir", "%0  = buffer 4 : dtype=f32 slot=0\r\n")
    (uir.folder / "link.uir").symlink_to(file)
    assert uir("fmt", "link.uir").returncode == 0
    assert (uir.folder / "link.uir").is_symlink()
    assert (uir.folder / file).read_bytes() == b"%0 = buffer 4 : dtype=f32 slot=0\r\n"


# -- c, lower, explain ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("plain", [True, False])
def test_c_compiles_by_hand(uir: Uir, plain: bool) -> None:
    names = {"a.uir": "a", "2 fast-ones.uir": "uir_2_fast_ones", "while.uir": "uir_while", "größe.uir": "gr__e"}
    for file, symbol in names.items():
        done = uir("c", uir.write(file, GOOD), *(["--plain"] if plain else []))
        assert done.returncode == 0
        assert f" {symbol}(" in done.stdout
        assert done.stdout.startswith("/")
        (uir.folder / "out.c").write_text(done.stdout)
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-Werror", "out.c", "-o", "out.so", "-lm"], cwd=uir.folder, check=True
        )


def test_c_of_a_program_with_errors(uir: Uir) -> None:
    done = uir("c", uir.write("a.uir", BAD))
    assert (done.returncode, done.stdout) == (1, "")
    assert "a.uir:2:18: error[reshape-count]" in done.stderr


def test_lower_parses_and_runs_again(uir: Uir) -> None:
    done = uir("lower", uir.write("a.uir", GOOD))
    assert done.returncode == 0
    assert "range" in done.stdout
    uir.write("loops.uir", done.stdout)
    assert uir("check", "loops.uir").returncode == 0
    result = json.loads(uir("run", "--json", "loops.uir").stdout)
    assert (result["ok"], result["verified"]) == (True, True)
    assert result["outputs"][0]["preview"] == "[1.5 2.5 3.5 4.5]"


def test_explain(uir: Uir) -> None:
    text = """\
%0 = buffer 12 : dtype=f32 slot=0
%1 = reshape %0, (3, 4)
%2 = permute %1, (1, 0)
%3 = shrink %2, ((1, 3), (0, 3))
"""
    file = uir.write("a.uir", text)
    done = uir("explain", file, "%3")
    assert done.returncode == 0
    assert done.stdout.startswith("%3 : f32[2, 3]")
    assert "strides (1, 4), offset 1" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()[-4:]]
    assert [(row[0], row[1]) for row in rows] == [
        ("%3", "shrink"),
        ("%2", "permute"),
        ("%1", "reshape"),
        ("%0", "buffer"),
    ]
    assert "[4*j + i + 1]" in done.stdout
    as_json = json.loads(uir("explain", file, "3", "--json").stdout)
    assert as_json["name"] == "%3"
    assert as_json["line"] == 4
    missing = uir("explain", file, "%9")
    assert missing.returncode == 1
    assert "there is no value %9" in missing.stderr


def test_explain_unknown(uir: Uir) -> None:
    done = uir("explain", uir.write("a.uir", BAD), "%1")
    assert done.returncode == 1
    assert "unknown" in done.stdout


# -- lsp -----------------------------------------------------------------------------------------------------------
def test_lsp_without_the_server(uir: Uir) -> None:
    """As on a machine where only the compiler is installed: its folder is on the path, nothing else is."""
    import uopc

    packages = uir.folder / "packages"
    packages.mkdir()
    (packages / "uopc").symlink_to(Path(uopc.__file__).parent)
    code = f"import sys; sys.path.insert(0, {str(packages)!r}); from uopc.cli import main; sys.exit(main(['lsp']))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], env=uir.environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "uir lsp: error: uir_lsp is not installed: run `pip install uir`\n"


def test_lsp_speaks(uir: Uir) -> None:
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
    )
    done = subprocess.run(
        uir.command("lsp", "--stdio", "--log", "error"), env=uir.environment, capture_output=True, timeout=60,
        input=b"Content-Length: %d\r\n\r\n%s" % (len(body), body), check=False,
    )  # fmt: skip
    assert done.stdout.startswith(b"Content-Length: ")
    assert b'"capabilities"' in done.stdout
