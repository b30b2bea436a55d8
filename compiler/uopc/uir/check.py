"""One line in its place: from the nodes of its operands to its own node, or to what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from uopc.analysis.lints import Finding
from uopc.dtype import dtypes
from uopc.errors import UOpError
from uopc.ops import Ops
from uopc.uir.bind import Bound
from uopc.uir.drafts import Draft
from uopc.uir.elaborate import Around, elaborate
from uopc.uir.fix_case import Case
from uopc.uir.fixes import makers_for
from uopc.uir.lint_fixes import lint_makers
from uopc.uir.lints import finding_draft, findings_of, subject
from uopc.uir.model import Group, Number, Ref, Span, Statement
from uopc.uop import UOp

_ABOUT_DTYPES = frozenset(
    {"dtype-mismatch", "bool-arithmetic", "needs-integer", "needs-float", "needs-bool", "bitcast-size", "number-range"}
)


def check(
    st: Statement, bound: Bound, known: Sequence[UOp | None], around: Around
) -> tuple[UOp | None, tuple[Draft, ...]]:
    """The node of a statement and what is to say about it. `known` has None at numbers only."""
    try:
        uop = elaborate(bound, known, around)
    except UOpError as error:
        return None, (_type_error(st, bound, tuple(known), around, error),)
    found = findings_of(bound, uop)
    return uop, tuple([_said(f, st, bound, uop) for f in found]) if found else ()


def _said(finding: Finding, st: Statement, bound: Bound, uop: UOp) -> Draft:
    return finding_draft(finding, locate(finding.at, st, bound), lint_makers(finding, bound, subject(bound, uop)))


def _type_error(st: Statement, bound: Bound, known: tuple[UOp | None, ...], around: Around, error: UOpError) -> Draft:
    span = locate(error.at, st, bound)
    related = _related(bound, known, error)
    if error.code == "slot-conflict" and around.owner is not None:
        related = ((around.owner.name, "the slot's first definition"),)
    makers = makers_for(Case(st, bound, known, error, span))
    return Draft(span, error.code, error.message, related, makers)


def _related(bound: Bound, known: tuple[UOp | None, ...], error: UOpError) -> tuple[tuple[str, str], ...]:
    said: dict[str, str] = {}
    for value, u in zip(bound.values, known):
        if isinstance(value, Ref) and u is not None and len(said) < 4:
            said[value.name] = _describe(value.name, u, error.code)
    return tuple(said.items())


def _describe(name: str, u: UOp, code: str) -> str:
    if u.dtype is dtypes.void:
        return f"%{name} is an effect"
    if code in _ABOUT_DTYPES:
        return f"%{name} is {u.dtype}"
    if u.op is Ops.RANGE:
        return f"%{name} is a range of {u.arg.size:,}"
    return f"%{name} has shape {u.shape}"


def locate(at: Sequence[str | int], st: Statement, bound: Bound) -> Span:
    """The text at fault: the operand, the entry of a list, the keyword's value, or the operation's name."""
    if not at:
        return st.op_span
    if at[0] == "src":
        k = int(at[1])
        return bound.values[k].span if k < len(bound.values) else st.op_span
    rest = at[1:]
    if at[0] == "attr":
        name, rest = str(at[1]), at[2:]
    else:
        name = next((p.name for p in bound.plan.fixed if p.kind != "value"), "")
    place = bound.places.get(name)
    if place is None:
        return st.op_span
    return _entry(place, [int(k) for k in rest]) if isinstance(place, Group) else place.span


def _entry(group: Group, path: list[int]) -> Span:
    if (
        path
        and group.items
        and path[0] * 2 < len(group.items)
        and isinstance(group.items[0], Number)
        and len(path) == 2
    ):
        return group.items[2 * path[0] + path[1]].span  # a flat list of pairs
    for k in path:
        if k >= len(group.items):
            break
        item = group.items[k]
        if not isinstance(item, Group):
            return item.span
        group = item
    return group.span
