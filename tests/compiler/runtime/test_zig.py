"""With Zig's C compiler from the wheel `ziglang` alone: `pip install ziglang`, or nothing here is run."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from uopc.runtime.job import RunOptions, run_job
from uopc.runtime.library import build_library
from uopc.runtime.toolchain import Compiler, _zig_wheels, find_compiler

ZIG = next(_zig_wheels(), "")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not ZIG, reason="the wheel ziglang is not installed")]

PRODUCT = """\
# uir: input 0 = randn seed=1
# uir: input 1 = randn seed=2
%0 = buffer 65536 : dtype=f32 slot=0
%1 = buffer 65536 : dtype=f32 slot=1
%a = reshape %0, (256, 1, 256)
%b = reshape %1, (256, 256)
%bt = permute %b, (1, 0)
%b3 = reshape %bt, (1, 256, 256)
%ab = mul %a, %b3
%c = reduce %ab : op=add pop=1
"""


@pytest.fixture(autouse=True)
def _only_zig(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("no-compilers")))
    monkeypatch.delenv("UIR_CC", raising=False)


@pytest.mark.parametrize(("plain", "threads"), [(True, 1), (False, 1), (False, 2)])
def test_a_product_is_numpys(tmp_path: Path, plain: bool, threads: int) -> None:
    result = run_job(PRODUCT, tmp_path / "a.uir", RunOptions(plain=plain, threads=threads))
    a, b = (np.random.default_rng(seed).standard_normal(65536).reshape(256, 256) for seed in (1, 2))
    assert result.error is None
    assert result.verified is True
    np.testing.assert_allclose(result.outputs[0].array, a @ b, rtol=1e-4, atol=1e-4)
    said = [note for note in result.notes if "one thread" in note]
    assert len(said) == (threads > 1), result.notes


def test_the_machines_own_vectors_are_used() -> None:
    """-march=native means the same as for other compilers."""
    source = (
        "int wide(void) {\n#ifdef __AVX2__\nreturn 2;\n#elif defined(__ARM_NEON)\nreturn 1;\n#endif\nreturn 0;\n}\n"
    )
    words = Path("/proc/cpuinfo").read_text().split()
    wanted = 2 if "avx2" in words else 1 if "asimd" in words else 0
    assert ctypes.CDLL(str(build_library(source).path)).wide() == wanted


def test_it_says_what_it_is() -> None:
    found = find_compiler()
    assert found == Compiler((ZIG, "cc"), found.identity)
    assert "clang" in found.version()
    assert subprocess.run([ZIG, "version"], capture_output=True, check=True).stdout[:1].isdigit()
