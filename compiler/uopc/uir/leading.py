"""The quick fix "declare reduce=leading": offered where it is known to help, by analyzing the file with it."""

from __future__ import annotations

from collections.abc import Sequence

from uopc.uir.directive_checks import DirectiveChecks
from uopc.uir.drafts import Draft, FixContext, FixMaker, Placed
from uopc.uir.model import Edit, Fix, Span
from uopc.uir.program import outputs_of, program_of
from uopc.uir.report import is_error, placed_notes
from uopc.uir.source import BOM
from uopc.uir.state import State, updated

MAX_LINES = 2000  # a second analysis of a larger file would be felt
_MAY_HELP = frozenset({"broadcast", "reshape-count", "expand-rank", "expand-size", "permute-rank", "permute-order",
                       "shrink-rank", "shrink-window", "pad-rank", "store-shape", "stack-shape", "index-range",
                       "list-length", "uncontracted-product"})  # fmt: skip
_DIRECTIVE = "# uir: reduce=leading"


def with_leading_fix(state: State, drafts: Sequence[Placed], errors: frozenset[str]) -> list[Placed]:
    """The drafts, those that the directive would make go away with a fix that declares it."""
    if state.leading or len(state.items) > MAX_LINES or not any(d.code in _MAY_HELP for _, d in drafts):
        return list(drafts)
    if not any(_pops(state, k) for k in range(len(state.items))):
        return list(drafts)
    line, lines, shift = _declared(state)
    after = updated(state, lines, quick=bool(state.ahead))
    left = {(k - shift if k > line else k, d.code) for k, d in _said(after, drafts)}
    before = sum(d.code in errors for notes in state.notes for d in notes)
    now = sum(d.code in errors for notes in after.notes for d in notes)
    if now > before or (now == before and now):
        return list(drafts)
    maker = _maker(line, shift)
    return [(k, _offered(d, maker) if d.code in _MAY_HELP and (k, d.code) not in left else d) for k, d in drafts]


def _said(after: State, drafts: Sequence[Placed]) -> list[Placed]:
    """What is said about the lines; about their data only if that is asked."""
    said = placed_notes(after)
    if any(d.code == "list-length" for _, d in drafts):
        checks = DirectiveChecks(after, after.directed)
        checks.check_inputs()
        program = program_of(after, after.special, not any(is_error(d) for _, d in said))
        checks.check_expects(outputs_of(after, program) if program.root is not None else ())
        said += checks.drafts
    return said


def _offered(draft: Draft, maker: FixMaker) -> Draft:
    return draft._replace(makers=(*draft.makers, maker))


def _pops(state: State, k: int) -> bool:
    bound = state.items[k].bound
    return bound is not None and "pop" in bound.args


def _declared(state: State) -> tuple[int, list[str], int]:
    """(line of the directive, the lines with it, how many it adds): over a `trailing` one, else below the header."""
    lines = state.lines
    for k, item in enumerate(state.items):
        if item.directive is not None and item.directive.kind == "reduce":
            start = item.directive.span.start
            return k, [*lines[:k], lines[k][:start] + _DIRECTIVE, *lines[k + 1 :]], 0
    at = 1 if lines[0].lstrip(BOM).lstrip().startswith("# uop") or lines[0].startswith(BOM) else 0
    return at, [*lines[:at], _DIRECTIVE, *lines[at:]], 1


def _maker(line: int, shift: int) -> FixMaker:
    title = "declare reduce=leading: `pop` removes the first axes"

    def make(context: FixContext, _: int) -> Fix:
        if shift and line < context.line_count():
            return Fix(title, (Edit(line, Span(0, 0), _DIRECTIVE + context.eol),))
        start = context.directive_start(line)
        return Fix(title, (Edit(line, Span(start, context.line_length(line)), _DIRECTIVE),))

    return make
