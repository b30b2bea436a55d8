"""The reference pages: committed as the tables make them, and every example gives what its row says by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from batch import build_together

import uopc.documentation
from uopc.documentation import DIAGNOSTICS, OPERATIONS, TRANSFORMATIONS, page
from uopc.documentation.diagnostics import diagnostics_page
from uopc.documentation.operations import GROUPS, array_text, operations_page, results
from uopc.documentation.transformations import PROGRAMS, plan, transformations_page
from uopc.documentation.words import index_map
from uopc.ops import ALIASES, OPS, Ops, OpSpec
from uopc.opt import SWITCHES
from uopc.pipeline import compile_program
from uopc.runtime.compare import check_expect
from uopc.runtime.inputs import buffers_of, make_inputs
from uopc.uir import CODES, Analysis, analyze
from uopc.uir import format as format_text

DOCS = Path(__file__).parents[2] / "docs"
SPECS = list(OPS.values())
PAGES = {OPERATIONS: operations_page, DIAGNOSTICS: diagnostics_page, TRANSFORMATIONS: transformations_page}


@pytest.mark.parametrize("name", PAGES)
def test_page_is_what_the_table_makes(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "`make docs` writes it anew"


@pytest.mark.parametrize("name", PAGES)
def test_page_is_found_in_a_checkout(name: str) -> None:
    assert page(name) == DOCS / name


def test_page_is_found_in_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uopc.documentation, "_HERE", tmp_path)
    assert page(DIAGNOSTICS) is None
    (tmp_path / DIAGNOSTICS).write_text("")
    assert page(DIAGNOSTICS) == tmp_path / DIAGNOSTICS


def test_every_operation_and_every_code_has_its_heading() -> None:
    pages = (operations_page(), diagnostics_page())
    operations, codes = (re.findall(r"^### (\S+)$", text, re.MULTILINE) for text in pages)
    assert sorted(operations) == sorted(OPS)
    assert sorted(codes) == sorted(CODES)


def test_every_transformation_is_shown_where_it_is_applied() -> None:
    assert list(PROGRAMS) == list(SWITCHES)
    for name in PROGRAMS:
        with_it, without = plan(name, ()), plan(name, (name,))
        assert "switched off" not in with_it
        assert f"{name} is switched off" in without or f"switched off here: {name} (" in without


@pytest.mark.parametrize("file", sorted(DOCS.glob("*.md")), ids=lambda file: file.name)
def test_links_between_pages_lead_somewhere(file: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target, anchor in re.findall(r"\]\(([\w./-]*)(?:#([\w-]+))?\)", prose):
        other = (file.parent / target) if target else file
        assert other.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings], anchor


# -- the table ------------------------------------------------------------------------------------------------------
def test_every_operation_of_the_text_has_a_row() -> None:
    assert {spec.op for spec in SPECS if spec.op is not None} == {*Ops} - {Ops.ASSUME}
    assert [spec.name for spec in SPECS if spec.op is None] == ["sub"]
    assert all(spec.op is None or spec.name == spec.op.value for spec in SPECS)
    assert set(ALIASES.values()) <= set(OPS) and not set(ALIASES) & set(OPS)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_row_is_complete(spec: OpSpec) -> None:
    assert spec.group in GROUPS
    assert spec.doc.endswith(".") and spec.rule and not spec.rule.endswith(".")
    assert not spec.index_map or index_map(spec).startswith("`result[i] = ")
    names = [p.name for p in spec.params]
    assert len(set(names)) == len(names) > 0


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_example_is_about_its_operation_and_gives_what_it_says(spec: OpSpec) -> None:
    analysis = analyze(spec.example)
    assert analysis.diagnostics == ()
    assert format_text(spec.example) == spec.example
    assert spec.name in [statement.op for statement in analysis.statements.values()]
    check(analysis, results(analysis))


def test_examples_give_the_same_in_c() -> None:
    analyses = [analyze(spec.example) for spec in SPECS]
    programs = [compile_program(a.root, f"example_{k}", plain=True) for k, a in enumerate(analyses) if a.root]
    assert len(programs) == len(SPECS)
    for analysis, run in zip(analyses, build_together(programs)):
        assert analysis.root is not None
        check(analysis, run(make_inputs(buffers_of(analysis.root), analysis.directives.inputs, Path())))


def check(analysis: Analysis, arrays: list[np.ndarray] | tuple[np.ndarray, ...]) -> None:
    """Compares with what the example's directives say, which was written by hand."""
    expects = analysis.directives.expects
    assert sorted(expects) == list(range(len(arrays)))
    for k, array in enumerate(arrays):
        assert check_expect(expects[k], array, analysis.outputs[k].uop.dtype, Path()) is None


def test_arrays_as_text() -> None:
    assert array_text(np.array([[1, 2], [3, 4]])) == "[[1, 2], [3, 4]]"
    assert array_text(np.array([0.5, np.nan, -np.inf, 1e30, -0.0], np.float32)) == "[0.5, nan, -inf, 1e+30, -0]"
    assert array_text(np.array(True)) == "true"
    assert array_text(np.zeros((2, 0))) == "[[], []]"
