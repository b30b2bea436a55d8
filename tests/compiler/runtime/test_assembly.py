"""Assembly: of every compiler's form only what is read, and every instruction knows its lines."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from uopc.cli import main
from uopc.pipeline import Compiled, compile_program
from uopc.runtime.asm_text import AsmLine, cleaned
from uopc.runtime.assembly import assembly
from uopc.runtime.cache import Cache
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import BuildError, Cancelled, NoCompilerError
from uopc.runtime.library import all_flags
from uopc.runtime.toolchain import Compiler, find_compiler
from uopc.uir import Analysis, analyze

ROOT = Path(__file__).parents[3]
SAMPLES = Path(__file__).parent / "asm"
# static inline float scaled(float x) { return x * 3.0f; }
# void f(float *p) {
#   p[0] = scaled(p[1]);
# }
MULTIPLY = {"elf": "mulss", "macho": "fmul", "coff": "mulss"}


def compiler() -> Compiler:
    try:
        return find_compiler()
    except NoCompilerError:
        pytest.skip("no C compiler on this machine")


@pytest.mark.parametrize("form", MULTIPLY)
def test_clang_in_every_object_format(form: str) -> None:
    lines = cleaned((SAMPLES / f"clang-{form}.s").read_text(), "program.c")
    texts = [line.text.strip() for line in lines]
    assert [t for t in texts if t.endswith(":") and "LCPI" not in t] == ["f:"]
    assert not [t for t in texts if re.match(r"\.(?!long|LCPI)", t)]
    assert not [t for t in texts if "#" in t and "#3.0" not in t and "#4" not in t]
    (multiply,) = (line for line in lines if line.text.split()[0] == MULTIPLY[form])
    assert multiply.c == (0, 2)  # the line in `scaled`, then its call in `f`
    assert lines[-1].text.strip() in ("ret", "retq") and lines[-1].c == (3,)


@pytest.fixture(scope="module")
def gemm() -> tuple[Analysis, Compiled]:
    analysis = analyze((ROOT / "examples" / "gemm_256x256.uir").read_text())
    assert analysis.root is not None
    return analysis, compile_program(analysis.root, plain=True)


def behind(line: AsmLine, analysis: Analysis, compiled: Compiled) -> set[str]:
    return {n for k in line.c for u in compiled.line_origins[k] for n in analysis.names_of(u)}


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "fast"])
def test_the_multiply_add_of_a_product_is_its_line(plain: bool, tmp_path: Path) -> None:
    analysis = analyze((ROOT / "examples" / "gemm_256x256.uir").read_text())
    assert analysis.root is not None
    compiled = compile_program(analysis.root, plain=plain)
    lines = assembly(compiled.source, compiled.flags, compiler=compiler(), cache=Cache(tmp_path, suffix=".json"))
    found = [line for line in lines if re.match(r"\s+v?f?n?m(ul|add|la)\w*[sp]s\b|\s+fml?a?", line.text)]
    assert found
    assert all("ab" in behind(line, analysis, compiled) for line in found)


def test_line_tables_change_no_instruction(gemm: tuple[Analysis, Compiled], tmp_path: Path) -> None:
    _, compiled = gemm
    own = compiler()
    shown = [line.text.split() for line in assembly(compiled.source, compiler=own, cache=Cache(tmp_path, suffix=".j"))]
    (tmp_path / "program.c").write_text(compiled.source)
    flags = all_flags(compiled.source, (), own)
    intel = ["-masm=intel"] if any("PTR" in " ".join(words) for words in shown) else []
    command = [*own.command, *flags, *intel, "-w", "-S", "-o", "plain.s", "program.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    bare = [line.text.split() for line in cleaned((tmp_path / "plain.s").read_text(), "program.c")]
    assert [w[0] for w in bare if not w[0].endswith(":")] == [w[0] for w in shown if not w[0].endswith(":")]


def test_it_is_compiled_once(gemm: tuple[Analysis, Compiled], tmp_path: Path) -> None:
    _, compiled = gemm
    cache = Cache(tmp_path, suffix=".json")
    first = assembly(compiled.source, compiler=compiler(), cache=cache)
    own = compiler()
    gone = Compiler(("/nowhere/cc", *own.command[1:]), own.identity)
    with pytest.raises(NoCompilerError):
        assembly(compiled.source, compiler=gone, cache=cache)
    (kept,) = tmp_path.iterdir()
    assert assembly(compiled.source, compiler=own, cache=cache) == first
    kept.write_text("[[1]]")  # damaged: made again
    assert assembly(compiled.source, compiler=own, cache=cache) == first


def test_what_does_not_compile_and_what_is_cancelled(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="error"):
        assembly("int f( {", compiler=compiler(), cache=Cache(tmp_path, suffix=".json"))
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        assembly("int f(void);", compiler=compiler(), cache=Cache(tmp_path, suffix=".json"), cancel=token)


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    compiler()
    assert main(["asm", str(ROOT / "examples" / "row_sum.uir"), "--plain"]) == 0
    shown = capsys.readouterr().out
    assert "row_sum:" in shown and ".cfi" not in shown and ".loc" not in shown
