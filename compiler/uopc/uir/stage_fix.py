"""The quick fix of `recomputed-reduce`: a `stage` after the reduction. Offered where it is known to help, by trying."""

from __future__ import annotations

from uopc.analysis.lints import program_findings
from uopc.uir.drafts import FixContext, FixMaker
from uopc.uir.edits import apply_edits
from uopc.uir.leading import MAX_LINES
from uopc.uir.model import Edit, Fix, Span
from uopc.uir.program import program_of
from uopc.uir.source import split_lines
from uopc.uir.state import State, updated
from uopc.uop import UOp


def stage_maker(state: State, node: UOp) -> FixMaker:
    """The fix that computes the value of a line once; none if the reduction `node` is still computed again after it."""

    def make(context: FixContext, line: int) -> Fix | None:
        st = context.statement_at(line)
        uses = context.uses_of(st.name) if st is not None else []
        if st is None or not uses or len(context.definitions(st.name)) > 1 or context.line_count() > MAX_LINES:
            return None
        new = context.fresh(f"{st.name}_staged")
        end = context.line_length(line)
        stage = Edit(line, Span(end, end), f"{context.eol}%{new} = stage %{st.name}")
        edits = (stage, *(Edit(k, span, f"%{new}") for k, span in uses))
        return Fix(f"stage %{st.name}: compute it once", edits) if _helps(state, edits, node) else None

    return make


def _helps(state: State, edits: tuple[Edit, ...], node: UOp) -> bool:
    """Whether a reduction is no longer computed again once the edits are made."""
    after = updated(state, split_lines(apply_edits("\n".join(state.lines), edits)))
    root = program_of(after, after.special, sound=True).root
    if root is None:
        return False
    return all(u is not node for u, finding in program_findings(root) if finding.code == "recomputed-reduce")
