"""Long C files are built in pieces, which together are what the file is."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest
from transformer import Transformer

from uopc.evaluate import evaluate
from uopc.pipeline import Compiled, compile_program
from uopc.runtime.cache import Cache
from uopc.runtime.errors import BuildError
from uopc.runtime.library import build_library
from uopc.runtime.pieces import pieces
from uopc.uop import buf


@pytest.fixture(scope="module")
def model() -> Transformer:
    return Transformer(32, 16, 2)


@pytest.fixture(scope="module")
def compiled(model: Transformer) -> Compiled:
    return compile_program(model.layers(2), "model")


def functions(text: str) -> list[str]:
    return re.findall(r"^(?:static|__attribute__\(\(visib).*void (model_\w+)\(.*\{$", text, re.MULTILINE)


def test_every_function_is_in_one_piece_and_declared_in_all(compiled: Compiled) -> None:
    parts = pieces(compiled.source, 3)
    assert len(parts) == 3
    assert sorted(name for part in parts for name in functions(part)) == sorted(functions(compiled.source))
    for part in parts:
        assert all(re.search(rf"{name}\(.*\);$", part, re.MULTILINE) for name in functions(compiled.source))
    assert [bool(re.search(r"^int model\(", part, re.MULTILINE)) for part in parts] == [True, False, False]
    lengths = list(map(len, parts))
    assert max(lengths) < 2 * min(lengths)


def test_lines_keep_their_numbers(compiled: Compiled) -> None:
    lines, found = compiled.source.split("\n"), 0
    for part in pieces(compiled.source, 2):
        number = 1
        for text in part.split("\n"):
            jump = re.fullmatch(r"#line (\d+)", text)
            if jump is None and text.startswith("  "):
                assert lines[number - 1] == text
                found += 1
            number = int(jump[1]) if jump else number + 1
    assert found > 0.9 * len(lines)


def test_what_is_short_stays_whole(compiled: Compiled) -> None:
    small = compile_program(buf(0, 64) + buf(1, 64)).source
    assert pieces(small, 8) == [small]
    assert pieces(compiled.source, 1) == [compiled.source]
    assert pieces("int answer(void) { return 42; }\n", 8) == ["int answer(void) { return 42; }\n"]


def run(path: Path, compiled: Compiled, inputs: dict[int, np.ndarray]) -> np.ndarray:
    function = getattr(ctypes.CDLL(str(path)), compiled.symbol)
    arrays = [np.zeros(a.size, np.float32) if a.output else inputs[a.slot].copy() for a in compiled.args]
    assert function(*(ctypes.c_void_p(a.ctypes.data) for a in arrays)) == 0
    return arrays[compiled.outputs[0].arg]


def test_the_library_is_the_same(
    model: Transformer, compiled: Compiled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    root = Transformer(32, 16, 2).layers(2)
    inputs = {k: rng.standard_normal(n).astype(np.float32) for k, n in enumerate(model.sizes)}
    results = []
    for n in (1, 2):
        monkeypatch.setattr("os.cpu_count", lambda n=n: n)
        folder = tmp_path / str(n)
        folder.mkdir()
        results.append(run(build_library(compiled.source, compiled.flags, cache=Cache(folder)).path, compiled, inputs))
    np.testing.assert_array_equal(*results)
    want = np.asarray(evaluate(root, inputs))
    np.testing.assert_allclose(results[1].reshape(want.shape), want, rtol=1e-3, atol=1e-3)


def test_an_error_is_about_the_whole_file(compiled: Compiled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    lines = compiled.source.split("\n")
    k = next(k for k, text in enumerate(lines) if text.startswith("    "))
    broken = "\n".join([*lines[:k], "    no_such_name = 1;", *lines[k + 1 :]])
    assert len(pieces(broken, 2)) == 2
    with pytest.raises(BuildError, match=rf"program\.c:{k + 1}:.*no_such_name"):
        build_library(broken, compiled.flags, cache=Cache(tmp_path))
