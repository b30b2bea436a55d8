"""Nothing of a file reaches the compiler but numbers: not as an argument, not as text in the C."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from runtime_help import fake_compiler

from uopc.runtime.job import RunOptions, run_job

MARK = "PWNED"
NAMES = [
    "a b.uir",
    '"; touch PWNED; ".uir',
    "$(touch PWNED).uir",
    "`touch PWNED`.uir",
    "-oPWNED.uir",
    "--PWNED",
    "line\nbreak PWNED.uir",
    "it's PWNED.uir",
    "*/ PWNED /*.uir",
    "@PWNED.uir",
    "ünï PWNED.uir",
]
PROGRAM = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = mul %0, 2.0\n"
HOSTILE = [
    f"%{MARK} = buffer 4 : dtype=f32 slot=0\n%{MARK}_1 = mul %{MARK}, 2.0\n",
    f"# */ {MARK} \\\n{PROGRAM}# ??/ {MARK}\n",
    f"# uir: cc -o {MARK}\n{PROGRAM}",
    f'# uir: flags "-o {MARK}"\n{PROGRAM}',
    f"# uir: allow {MARK}\n{PROGRAM}",
    f"# uop v1 {MARK} */\n{PROGRAM}",
    f'# uir: input 0 = file "{MARK}$(x).npy"\n{PROGRAM}',
    f'# uir: input 0 = file "-o{MARK}"\n{PROGRAM}',
    f"%0 = buffer 4 : dtype=f32 slot=0 {MARK}=1\n%1 = mul %0, 2.0\n",
    f'%0 = buffer 4 : dtype=f32 slot="{MARK}"\n%1 = mul %0, 2.0\n',
    f"%0 = buffer 4 : dtype=f32 slot=0\n%1 = mul %0, {MARK}\n",
    "%0 = buffer 4 : dtype=f32 slot=99999999999999999999\n%1 = mul %0, 2.0\n",
    "%0 = buffer 4 : dtype=f32 slot=-1\n%1 = mul %0, 2.0\n",
    f"%$({MARK}) = buffer 4 : dtype=f32 slot=0\n",
    f"%a;{MARK} = buffer 4 : dtype=f32 slot=0\n%1 = mul %a;{MARK}, 2.0\n",
    f'%f = param 0 : dtype=f32 shape=(4,)\n%b = mul %f, 2.0\n%c = call "{MARK}", %b\n',
]
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on this machine")


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that writes down its arguments, one a line, keeps the C, and does the work."""
    monkeypatch.setenv("UIR_CACHE_DIR", str(tmp_path / "cache"))
    log = tmp_path / "log"
    log.mkdir()
    script = f"""case "$*" in *program.c*) ;; *) exec cc "$@";; esac
n=$(ls "{log}" | wc -l)
for a in "$@"; do printf '%s\\n' "$a"; done > "{log}/$n.args"
cat program.c > "{log}/$n.c"
exec cc "$@"
"""
    return fake_compiler(tmp_path / "bin", script)


def runs(spy: Path, text: str, path: Path) -> tuple[list[str], list[str]]:
    """The arguments and the C of each call of the compiler."""
    log = spy.parent.parent / "log"
    for old in log.iterdir():
        old.unlink()
    run_job(text, path, RunOptions(compiler=str(spy)))
    return tuple([p.read_text() for p in sorted(log.glob(f"*.{kind}"))] for kind in ("args", "c"))  # type: ignore[return-value]


@needs_compiler
@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_the_file_reaches_nothing(spy: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "dir $(touch PWNED) '\" -x"
    folder.mkdir()
    text = PROGRAM.replace("2.0", f"{2 + NAMES.index(name)}.5")  # so that it is built
    usual = runs(spy, PROGRAM.replace("2.0", f"{100 + NAMES.index(name)}.5"), tmp_path / "usual.uir")
    args, sources = runs(spy, text, folder / name)
    assert args == usual[0]
    assert len(args) == 1
    assert all(MARK not in source for source in sources)
    assert list(tmp_path.rglob(MARK)) == []  # what `touch` would have made


@needs_compiler
@pytest.mark.parametrize("text", HOSTILE)
def test_the_text_reaches_the_c_only_as_numbers(spy: Path, tmp_path: Path, text: str) -> None:
    usual, _ = runs(spy, PROGRAM, tmp_path / "usual.uir")
    args, sources = runs(spy, text, tmp_path / "hostile.uir")
    assert all(MARK not in said for said in (*args, *sources))
    assert set(args) <= set(usual)


@pytest.mark.parametrize("name", NAMES)
def test_the_function_that_is_shown_has_a_name_of_letters(name: str) -> None:
    from uopc.cli.c import function_name

    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", function_name(name))


def test_no_shell_anywhere() -> None:
    """No way to start a program in this code goes through a shell."""
    root = Path(__file__).parents[3]
    ways = re.compile(r"shell\s*=\s*True|os\.system|os\.popen|subprocess_shell|getoutput|getstatusoutput")
    for folder in (root / "compiler" / "uopc", root / "lsp" / "uir_lsp"):
        for path in folder.rglob("*.py"):
            found = ways.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{path}: {found}"
    for path in (root / "vscode-extension" / "src").rglob("*.ts"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"shell:\s*true|\bexecSync\(|[^.\w]exec\(", text), path
