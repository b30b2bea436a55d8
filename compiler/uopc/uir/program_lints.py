"""Warnings and hints that only the whole program shows, placed in the text."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from uopc.analysis.cost import Check, never_mind
from uopc.analysis.lints import Finding, program_findings
from uopc.ops import Ops
from uopc.uir.drafts import Placed
from uopc.uir.lints import finding_draft, subject
from uopc.uir.stage_fix import stage_maker
from uopc.uir.state import State
from uopc.uop import UOp

# A program without reductions whose values are all smaller than this cannot be "huge" in any number of lines we read.
LARGE = 1 << 20

Found = tuple[tuple[UOp, Finding], ...]


def whole_findings(state: State, root: UOp, check: Check = never_mind) -> Found:
    """What only the whole program shows, with the node that it is about. `check`: see `program_findings`."""
    if any(u is not None and (_reduces(u) or prod(u.shape) >= LARGE) for u in state.uops):
        return program_findings(root, check=check)
    return ()


def _reduces(u: UOp) -> bool:
    """Whether a line reduces; one with keepdim=true is the reshape around it."""
    return u.op is Ops.REDUCE or (u.op is Ops.RESHAPE and u.src[0].op is Ops.REDUCE)


def placed_findings(state: State, found: Found) -> Iterator[Placed]:
    """Findings at the operation of the first line that makes their node."""
    if not found:
        return
    wanted = {node for node, _ in found}
    lines: dict[UOp, int] = {}
    former = ((state.places[item], u) for item, u in state.ahead.items())
    for k, u in (*enumerate(state.uops), *former):
        if u is not None and (u in wanted or (u.op is Ops.RESHAPE and u.src[0] in wanted)):
            bound = state.items[k].bound
            lines.setdefault(u if bound is None or u in wanted else subject(bound, u), k)
    for node, finding in found:
        line = lines.get(node)
        st = state.items[line].statement if line is not None else None
        if line is not None and st is not None:
            makers = (stage_maker(state, node),) if finding.code == "recomputed-reduce" else ()
            yield line, finding_draft(finding, st.op_span, makers)
