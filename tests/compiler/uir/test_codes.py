"""THE table of diagnostics: complete, and each example shows its code where it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import uopc
from uopc.analysis.lints import _RULES
from uopc.uir import CODES, Severity, analyze
from uopc.uir.lints import QUIET

SOURCES = Path(uopc.__file__).parent
EXAMPLES = [(code, info.example) for code, info in CODES.items() if info.example]
# What no text of reasonable size shows, or what the elaborator rules out before the type rules could say it.
WITHOUT = {"too-large", "too-many-errors", "shape-mismatch", "stack-empty", "reduce-op", "huge", "needs-64-bit-index"}


def test_every_code_has_an_example() -> None:
    assert {code for code, info in CODES.items() if not info.example} == WITHOUT


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[c for c, _ in EXAMPLES])
def test_example(code: str, example: str) -> None:
    line = example[: example.index("# here\n")].count("\n")
    text = example.replace("# here\n", "")
    found = [d for d in analyze(text).diagnostics if d.code == code]
    assert [(d.line, d.severity) for d in found] == [(line, CODES[code].severity)]
    errors = [d for d in analyze(text).errors if d.code != code]
    assert errors == []


def test_every_code_that_the_sources_name_is_in_the_table() -> None:
    named: set[str] = set()
    text = (SOURCES / "typerules.py").read_text(encoding="utf-8")
    named.update(re.findall(r'_fail\(\s*"([a-z0-9-]+)"', text))
    named.update(re.findall(r', "((?:shrink|pad|permute|flip)-[a-z]+)"\)', text))
    for path in (SOURCES / "uir").glob("*.py"):
        source = path.read_text(encoding="utf-8")
        named.update(re.findall(r'UOpError\(\s*"([a-z0-9-]+)"', source))
        named.update(re.findall(r'(?:SyntaxFault|Misfit|Draft)\(\s*[^"\n]*?,\s*"([a-z0-9-]+)"', source))
        named.update(re.findall(r'_say\([^"\n]*"([a-z0-9-]+)"', source))
    assert len(named) > 50
    assert named - set(CODES) == set()


def test_texts() -> None:
    for code, info in CODES.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert info.explanation.endswith(".")
        assert info.title and not info.title.endswith(".")


def test_switching_off() -> None:
    text = "%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n%2 = reshape %0, (4,)\n"
    codes = [d.code for d in analyze(text).diagnostics]
    assert codes == ["unused-value", "no-op"]
    assert [d.code for d in analyze(text, allow=frozenset({"no-op"})).diagnostics] == ["unused-value"]
    assert analyze("# uir: allow no-op, unused-value\n" + text).diagnostics == ()


def test_errors_cannot_be_switched_off() -> None:
    errors = analyze("%0 = neg %1\n", allow=frozenset({"undefined-value"})).errors
    assert [(d.code, d.severity) for d in errors] == [("undefined-value", Severity.ERROR)]


def test_the_operations_that_lints_are_not_asked_about_have_none() -> None:
    assert not QUIET & set(_RULES)
