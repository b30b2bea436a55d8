"""A snapshot of what is known about a text, and the functions that make one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from uopc.uir.directive_checks import DirectiveChecks
from uopc.uir.drafts import Placed
from uopc.uir.leading import with_leading_fix
from uopc.uir.lines import Line, header_draft, parse_line
from uopc.uir.model import Diagnostic, Directives, Severity, Span, Statement
from uopc.uir.nearby import Age
from uopc.uir.program import OutputRef, Program, outputs_of, program_of, still_unused, unused_draft, unused_items
from uopc.uir.program_lints import Found, placed_findings, whole_findings
from uopc.uir.report import ERROR_CODES, Messages, Reporter, has_error, placed_notes
from uopc.uir.source import LineTable, split_lines
from uopc.uir.state import State, Stop, Superseded, changed_region, fresh, settled, updated
from uopc.uir.values import Statements, Value, Values
from uopc.uop import MOVEMENT, Ops, UOp

MAX_CHARACTERS = 16_000_000
MAX_LINES = 250_000
MENDED = 8  # lines that one edit mends


class ParseError(Exception):
    """A text that is no program. `diagnostics` are its errors."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class Analysis:
    """Everything known about one text. Immutable.

    statements and values read the state when asked; root is None when there are errors. settled: nothing was left
    for `settle`; until then errors and types are right, but nodes, warnings and hints may be those of the text before.
    """

    def __init__(
        self, text: str, state: State, before: Analysis | None, allow: frozenset[str], quick: bool = False
    ) -> None:
        self.text = text
        self.state = state
        self.lines = state.lines
        self.statements: Mapping[int, Statement] = Statements(state)
        self.values: Mapping[str, Value] = Values(state)
        drafts = placed_notes(state)
        header = _header(state)
        if header is not None:
            drafts.append(header)
        sound = not has_error(drafts)
        about_lines = len(drafts)
        self._program = program_of(state, state.special, sound)
        drafts.extend(self._program.drafts)
        checks = DirectiveChecks(state, state.directed)
        checks.check_inputs()
        if self._program.root is not None:
            checks.check_expects(self.outputs)
        drafts.extend(checks.drafts)
        self.directives: Directives = checks.result()
        self.has_errors = not sound or has_error(drafts[about_lines:])
        if not self.has_errors:
            drafts.extend(self._unused(before))
        self._drafts: list[Placed] = drafts
        self._allow = allow | self.directives.allow
        self._sound: Analysis | None = before.last_sound if before is not None and self.has_errors else None
        self._own_allow = allow
        self._quick = quick
        self._found: tuple[UOp, Found] | None = None if before is None else before._found
        self._messages: Messages | None = None
        self._messages_before = None if before is None else before._messages

    @property
    def last_sound(self) -> Analysis | None:
        """The last analysis without errors that led to this one by edits, if there was one: this one if it has none."""
        return self._sound if self.has_errors else self

    @property
    def settled(self) -> bool:
        """Whether nothing was left for `settle`."""
        known = self.root is None or not self._quick or (self._found is not None and self._found[0] is self.root)
        return known and not self.state.ahead

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is to say about the text, by line and column. Made when first asked for."""
        drafts = self._drafts
        if self.root is not None:
            if not self._quick:
                self._look_at_all(lambda: False)
            if self._found is not None:
                drafts = [*drafts, *placed_findings(self.state, self._found[1])]
        drafts = with_leading_fix(self.state, drafts, ERROR_CODES)
        reporter = Reporter(self.state, self._messages_before)
        found = reporter.diagnostics(drafts, self._allow, self.text)
        self._messages, self._messages_before = reporter.messages, None
        return found

    def _look_at_all(self, stop: Stop) -> None:
        """Finds what only the whole program shows. Raises Superseded once `stop` says so."""
        root = self.root
        if root is None or (self._found is not None and self._found[0] is root):
            return

        def check() -> None:
            if stop():
                raise Superseded

        self._found = (root, whole_findings(self.state, root, check))

    def _unused(self, before: Analysis | None) -> list[Placed]:
        state, line = self.state, self._program.root_line
        if line is None:
            return []
        self._root_item = root = state.items[line]
        found = None
        if before is not None and before._unused_items is not None and before._root_item is not None:
            found = still_unused(state, before._unused_items, before._root_item, root)
        self._unused_items = unused_items(state, root) if found is None else found
        return [(k, unused_draft(state, k)) for k in (state.places[item] for item in self._unused_items)]

    _unused_items: list[Line] | None = None
    _root_item: Line | None = None

    @property
    def kind(self) -> str:
        """ "shaped" (tensor values), "loop" (ranges, loads and stores) or "empty"."""
        return self._program.kind

    @property
    def root(self) -> UOp | None:
        """What the program computes; None when there are errors or there is nothing."""
        return None if self.has_errors else self._program.root

    @cached_property
    def outputs(self) -> tuple[OutputRef, ...]:
        """The results in order; empty while there are errors in statements."""
        return outputs_of(self.state, self._program)

    @cached_property
    def line_table(self) -> LineTable:
        """Offsets and code units of the text."""
        return LineTable(self.text)

    @property
    def root_line(self) -> int | None:
        """The line of the statement that is the root, if there is one."""
        return self._program.root_line

    @cached_property
    def age(self) -> Age:
        """Which lines have nodes that are not the newest; for a text that is not settled."""
        return Age(self.state)

    @cached_property
    def _known_names(self) -> dict[UOp, list[str]]:
        return {}

    def names_of(self, uop: UOp) -> list[str]:
        """The names of the values that are this node, in order; without %."""
        known = self._known_names.get(uop)
        if known is None:
            known = self._known_names[uop] = self.state.names_of(uop)
        return known

    def line_of(self, uop: UOp) -> int | None:
        """The line of the first value that is this node."""
        names = self.names_of(uop)
        return self.values[names[0]].line if names else None

    @cached_property
    def owners(self) -> dict[UOp, str]:
        """The value that a computing node without a name is a part of: sugar such as `sub` and `axes=` makes some."""
        found: dict[UOp, str] = {}
        for item, u in zip(self.state.items, self.state.uops):
            pending = [] if u is None or item.name is None else list(u.src)
            while pending:
                node = pending.pop()
                if node not in found and self.state.node_names.get(node) is None:
                    found[node] = item.name or ""
                    pending += node.src
        return {node: name for node, name in found.items() if node.op not in MOVEMENT and node.op is not Ops.CONST}

    def makers_of(self, uop: UOp) -> list[str]:
        """The names of the values whose statements make this node.

        Those that are it, or else the value that it is a part of.
        """
        names = self.names_of(uop)
        return names if names or uop not in self.owners else [self.owners[uop]]

    def expect_edits(self) -> None:
        """Makes the maps that the first edit or hover would wait for."""
        _ = self.state.places, self.state.users, self.state.node_names

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are errors."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)


def _header(state: State) -> Placed | None:
    """The header is the first line that is not blank, if it is one."""
    for k, text in enumerate(state.lines):
        if text.strip(" \t\ufeff"):
            draft = header_draft(text)
            return (k, draft) if draft is not None else None
    return None


def analyze(
    text: str,
    previous: Analysis | None = None,
    *,
    allow: frozenset[str] = frozenset(),
    quick: bool = False,
    lines: list[str] | None = None,
) -> Analysis:
    """What there is to know about a text. Never raises.

    With the analysis of a text before an edit, only changed lines are parsed and only what depends on them is
    elaborated again; the result equals that of an analysis from scratch. `allow`: codes of warnings and hints that are
    switched off. `quick`: leave what takes long and seldom matters to `settle` (see `Analysis.settled`). `lines`: those
    of the text, where they are known; the list is the analysis's from then on.
    """
    if len(text) > MAX_CHARACTERS:
        return _refused(text, f"{len(text):,} characters are too many, the limit is {MAX_CHARACTERS:,}", allow)
    lines = split_lines(text) if lines is None else lines
    if len(lines) > MAX_LINES:
        return _refused(text, f"{len(lines):,} lines are too many, the limit is {MAX_LINES:,}", allow)
    if previous is None:
        return Analysis(text, fresh(lines), None, allow, quick)
    start = _start(previous, lines) if quick and previous.has_errors else previous
    return Analysis(text, updated(start.state, lines, quick), start, allow, quick)


def _start(previous: Analysis, lines: list[str]) -> Analysis:
    """What an edit of a text with errors is analysed from: what was known before they came, if it mends them.

    All that depends on a broken line is unknown until the line is mended. It is then most often as it was before.
    """
    sound = previous.last_sound
    if sound is None or not len(sound.lines) == len(previous.lines) == len(lines):
        return previous
    start, end = changed_region(previous.lines, lines)
    first, last = changed_region(sound.lines, lines)
    same_place = last - first <= end - start <= MENDED
    mended = same_place and not any(parse_line(lines[k]).drafts for k in range(first, last))
    return sound if mended else previous


def settle(analysis: Analysis, stop: Stop = lambda: False) -> Analysis:
    """All that there is to know about the text of a quick analysis; equals an analysis from scratch.

    Raises Superseded soon after `stop` gives True, which is for work that is not wanted any more.
    """
    if analysis.settled:
        return analysis
    state = settled(analysis.state, stop) if analysis.state.ahead else analysis.state
    whole = Analysis(analysis.text, state, analysis, analysis._own_allow)
    whole._look_at_all(stop)
    return whole


def _refused(text: str, message: str, allow: frozenset[str]) -> Analysis:
    """The analysis of a text that is not read: one error, nothing else."""
    analysis = Analysis("", fresh([""]), None, allow)
    analysis.text = text
    analysis.has_errors = True
    analysis.diagnostics = (Diagnostic(0, Span(0, 0), Severity.ERROR, "too-large", message),)
    return analysis


def parse(text: str) -> UOp:
    """The root of a program. Raises ParseError with the errors of the text, or when there is nothing in it."""
    analysis = analyze(text)
    if analysis.root is not None:
        return analysis.root
    errors = analysis.errors
    if not errors:
        raise ParseError("the file has no statement: there is nothing to compute")
    first = errors[0]
    more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
    raise ParseError(f"line {first.line + 1}: {first.message} [{first.code}]{more}", errors)


__all__ = ["MAX_CHARACTERS", "Analysis", "ParseError", "Program", "Value", "analyze", "parse", "settle"]
