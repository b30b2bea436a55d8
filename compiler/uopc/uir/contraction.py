"""The quick fix of `uncontracted-product`: the reshapes rewritten so that the sum is the matrix product A @ B."""

from __future__ import annotations

from collections.abc import Iterator

from uopc.analysis.products import Contraction, Regroup
from uopc.uir.drafts import FixContext, FixMaker
from uopc.uir.fix_case import tuple_text
from uopc.uir.model import Edit, Fix, Ref, Span, Statement


def contraction_maker(wanted: Contraction) -> FixMaker:
    """A fix that rewrites the two reshapes of a product; none where they are not written as reshapes of values."""

    def make(context: FixContext, line: int) -> Fix | None:
        if wanted.left.node is wanted.right.node and wanted.left.steps != wanted.right.steps:
            return None
        sides = (wanted.left,) if wanted.left.node is wanted.right.node else (wanted.left, wanted.right)
        edits: list[Edit] = []
        for side in sides:
            found = context.written_as(side.node)
            if found is None or not isinstance(found[1].operands[0], Ref):
                return None
            edits.extend(_rewritten(side, *found, context))
        return Fix("reshape the factors for A @ B, both row-major", tuple(edits)) if edits else None

    return make


def _rewritten(side: Regroup, line: int, st: Statement, context: FixContext) -> Iterator[Edit]:
    """The written reshape with the last step's shape, the steps before it on lines above."""
    x = st.operands[0]
    assert isinstance(x, Ref)
    shape = st.attrs["shape"].value if "shape" in st.attrs else st.operands[1]
    above, name = "", x.name
    for op, argument in side.steps[:-1]:
        new = context.fresh(f"{x.name}_{'t' if op == 'permute' else 'm'}")
        above += f"%{new} = {op} %{name}, {tuple_text(argument)}{context.eol}"
        name = new
    if above:
        yield Edit(line, Span(0, 0), above)
        yield Edit(line, x.span, f"%{name}")
    if side.steps[-1][1] != side.node.shape:
        yield Edit(line, shape.span, tuple_text(side.steps[-1][1]))
