"""THE table of diagnostics: complete, and each example shows its code where it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import uopc
from uopc.analysis.lints import _RULES
from uopc.errors import UOpError
from uopc.ops import Ops
from uopc.uir import CODES, Severity, analyze, apply_edits
from uopc.uir import format as format_text
from uopc.uir.analysis import MAX_LINES
from uopc.uir.lints import QUIET
from uopc.uop import UOp, buf

SOURCES = Path(uopc.__file__).parent
EXAMPLES = [(code, info.example) for code, info in CODES.items() if info.example]
# What no text of reasonable size shows, and what only a graph built in Python can have.
TOO_LONG = {
    "too-large": "%0 = neg %1\n" * (MAX_LINES + 1),
    "too-many-errors": "%0 = neg %1\n" * 300,
}
ONLY_BUILT: dict[str, Callable[[], UOp]] = {
    "shape-mismatch": lambda: UOp(Ops.ADD, (buf(0, 3), buf(1, 4))),
    "stack-empty": lambda: UOp(Ops.STACK, ()),
    "reduce-op": lambda: UOp(Ops.REDUCE, (buf(0, 3),), (Ops.CMPLT, 1)),
}
# No mend follows from the text alone.
WITHOUT_FIX = frozenset(
    """
    bad-number unknown-word missing-argument void-memory void-cast stack-shape index-rank index-type
    needs-address effect-operand after-dep end-body end-range group-value sink-mixed call-arity call-type free-param
    bad-directive list-dtype empty-max huge needs-64-bit-index
    """.split()  # noqa: SIM905 (a list of words reads better as words)
)
LEFT = {"sink-not-last": ["unused-value"]}  # the statement that came after the sink


def test_every_code_has_an_example() -> None:
    assert {code for code, info in CODES.items() if not info.example} == {*TOO_LONG, *ONLY_BUILT}
    assert all(bool(info.example) == bool(info.mended) for info in CODES.values())


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[c for c, _ in EXAMPLES])
def test_example_shows_its_code_and_no_other(code: str, example: str) -> None:
    line = example[: example.index("# here\n")].count("\n")
    found = analyze(example.replace("# here\n", "")).diagnostics
    assert [(d.line, d.code, d.severity) for d in found] == [(line, code, CODES[code].severity)]


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[c for c, _ in EXAMPLES])
def test_mended_example_has_nothing_and_a_quick_fix_makes_it(code: str, example: str) -> None:
    mended = CODES[code].mended
    assert [d.code for d in analyze(mended).diagnostics] == LEFT.get(code, [])
    text = example.replace("# here\n", "")
    fixes = [fix for d in analyze(text).diagnostics for fix in d.fixes]
    assert bool(fixes) == (code not in WITHOUT_FIX)
    if fixes:
        assert format_text(mended) in [format_text(apply_edits(text, fix.edits)) for fix in fixes]


@pytest.mark.parametrize("code", TOO_LONG)
def test_long_text_shows_its_code(code: str) -> None:
    assert code in [d.code for d in analyze(TOO_LONG[code]).diagnostics]


@pytest.mark.parametrize("code", ONLY_BUILT)
def test_graph_built_in_python_shows_its_code(code: str) -> None:
    with pytest.raises(UOpError) as raised:
        ONLY_BUILT[code]()
    assert raised.value.code == code


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
        assert code == info.code
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
