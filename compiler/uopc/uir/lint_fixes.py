"""Quick fixes of warnings and hints about single values."""

from __future__ import annotations

from uopc.analysis.lints import Finding
from uopc.analysis.products import Contraction
from uopc.dtype import dtypes
from uopc.uir.bind import Bound
from uopc.uir.contraction import contraction_maker
from uopc.uir.drafts import FixContext, FixMaker, insert_above, line_removed
from uopc.uir.model import Edit, Fix, Ref
from uopc.uop import UOp


def lint_makers(finding: Finding, bound: Bound, node: UOp) -> tuple[FixMaker, ...]:
    """The quick fixes of what a lint says about the node of a statement."""
    if isinstance(finding.data, Contraction):
        return (contraction_maker(finding.data),)
    if finding.code == "no-op":
        value = bound.values[0]
        return (_without(value),) if isinstance(value, Ref) else ()
    return _wrapped(finding, bound, node) if finding.code == "unprovable-index" else ()


def _without(value: Ref) -> FixMaker:
    """The line removed, and its operand used instead of its value."""

    def make(context: FixContext, line: int) -> Fix | None:
        st = context.statement_at(line)
        if st is None or context.has_directive(line) or len(context.definitions(st.name)) > 1:
            return None
        uses = context.uses_of(st.name)
        if not uses and context.next_statement(line, 1) is None:
            before = context.next_statement(line, -1)  # which is the result then
            if before is None or before.name != value.name:
                return None
        title = f"remove this line, use %{value.name} instead" if uses else "remove this line"
        return Fix(title, (line_removed(context, line), *(Edit(k, span, f"%{value.name}") for k, span in uses)))

    return make


def _wrapped(finding: Finding, bound: Bound, node: UOp) -> tuple[FixMaker, ...]:
    """The index brought inside the axis by a floormod with its size."""
    k = int(finding.at[1])
    value, size, dtype = bound.values[k], node.src[0].shape[k - 1], node.src[k].dtype
    if not isinstance(value, Ref) or not size or not dtypes.holds(dtype, size):
        return ()

    def statement(name: str) -> str:
        return f"%{name} = floormod %{value.name}, {size}"

    title = f"wrap %{value.name} around into 0..{size - 1} with floormod"
    return (insert_above(title, statement, f"{value.name}_in", value.span),)
