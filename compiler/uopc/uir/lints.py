"""Warnings and hints about single values, from `uopc.analysis.lints`, placed in the text."""

from __future__ import annotations

from uopc.analysis.lints import Finding, findings
from uopc.ops import ALU, Ops
from uopc.uir.bind import Bound
from uopc.uir.drafts import Draft, FixMaker
from uopc.uir.model import Severity, Span
from uopc.uop import UOp

# Operations that no lint is about: most lines of most files are left alone without asking.
QUIET = ALU - {Ops.CAST}


def finding_draft(finding: Finding, span: Span, makers: tuple[FixMaker, ...] = ()) -> Draft:
    """A finding at a place; its message names values when it is read."""
    severity = Severity(finding.severity)
    return Draft(span, finding.code, finding.message, makers=makers, subjects=finding.operands, severity=severity)


def subject(bound: Bound, uop: UOp) -> UOp:
    """The node a statement is about: for `reduce ... keepdim=true` the reduction, not the reshape around it."""
    if bound.args.get("keepdim") and uop.op is Ops.RESHAPE:
        return uop.src[0]
    return uop


def findings_of(bound: Bound, uop: UOp) -> tuple[Finding, ...]:
    """What the lints say about the node of a statement."""
    return () if uop.op in QUIET else findings(subject(bound, uop))
