"""Folding: comments of several lines, and in loop programs the body of each loop, from its `range` to its `end`."""

from __future__ import annotations

from typing import Any

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, Params
from uir_lsp.kinds import FoldingRangeKind
from uopc.uir import Ref

_COMMENT = FoldingRangeKind.Comment


def _folds(snapshot: Snapshot, _: Params) -> list[dict[str, Any]]:
    return sorted([*_comments(snapshot), *_loops(snapshot)], key=lambda fold: (fold["startLine"], -fold["endLine"]))


def _comments(snapshot: Snapshot) -> list[dict[str, Any]]:
    found = []
    first: int | None = None
    for number, line in enumerate([*snapshot.lines, ""]):
        if line.lstrip().startswith("#"):
            first = number if first is None else first
        elif first is not None:
            if number - first > 1:
                found.append({"startLine": first, "endLine": number - 1, "kind": _COMMENT})
            first = None
    return found


def _loops(snapshot: Snapshot) -> list[dict[str, Any]]:
    begins: dict[str, int] = {}
    found = []
    for line, statement in snapshot.analysis.statements.items():
        if statement.op == "range":
            begins[statement.name] = line
        elif statement.op == "end":
            for operand in statement.operands[1:]:
                begin = begins.pop(operand.name, None) if isinstance(operand, Ref) else None
                if begin is not None and line - begin > 1:
                    found.append({"startLine": begin, "endLine": line - 1})
    return found


FEATURE = Feature("textDocument/foldingRange", _folds)
