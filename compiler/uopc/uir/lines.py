"""One line of a file with everything that its text alone says. Lines are the unit that an edit replaces."""

from __future__ import annotations

import re
from collections.abc import Mapping

from uopc.ops import ALIASES
from uopc.uir import scan
from uopc.uir.bind import Bound, bind
from uopc.uir.directives import Directive, is_directive, parse_directive
from uopc.uir.drafts import Draft, replace
from uopc.uir.model import NO_ATTRS, Attr, Group, Number, Operand, Ref, Span, Statement
from uopc.uir.parser import LineParser, SyntaxFault, statement_head, well_formed

VERSION = "v1"
MAX_LINE = 4_000_000
_HEADER = re.compile(r"#[ \t]*uop[ \t]+(v[0-9][^ \t]*)")
# Operations that the whole program is asked about, beside its last value.
MEMORY = frozenset({"buffer", "alloc"})  # these only about their slots
_SPECIAL = frozenset({"sink", "range", "end", "param", "store", "call"}) | MEMORY


class Line:
    """A parsed line. Compared by identity: two equal lines of a file are two lines.

    name: the value it defines; refs, uses: the values it uses and their names; bound: its arguments when they fit its
    operation; drafts: what is wrong with its text; comment: column of its comment, -1 without; special: the operation,
    if `program` must look at it.
    """

    __slots__ = ("bound", "comment", "directive", "drafts", "name", "refs", "special", "statement", "text", "uses")

    def __init__(self, text: str) -> None:
        self.text = text
        self.statement: Statement | None = None
        self.bound: Bound | None = None
        self.drafts: tuple[Draft, ...] = ()
        self.name: str | None = None
        self.refs: tuple[Ref, ...] = ()
        self.uses: tuple[str, ...] = ()
        self.directive: Directive | None = None
        self.comment = -1
        self.special = ""


def parse_line(text: str) -> Line:
    """The line of a text without line end. Never raises."""
    line = Line(text)
    simple = scan.SIMPLE.match(text)
    if simple is not None and len(text) < scan.MAX_DIGITS:
        _simple(line, simple)
        return line
    head = scan.HEAD.match(text)
    if head is not None:
        _statement(line, head)
    elif not (stripped := text.lstrip(" \t")):
        return line
    elif stripped[0] == "#":
        line.comment = len(text) - len(stripped)
    else:
        _broken_head(line)
    if line.comment >= 0 and is_directive(text[line.comment :]):
        line.directive, said = parse_directive(text, line.comment)
        line.drafts += said
    return line


def _simple(line: Line, found: re.Match[str]) -> None:
    """The same as `_statement` for the most common lines, from one match."""
    _, _, first, first_number, second, second_number, entries = found.groups()
    operand = _ref(found, first, 3) if first is not None else _number(found, first_number, 4)
    operands: tuple[Operand, ...]
    if second is not None:
        operands = (operand, _ref(found, second, 5))
    elif second_number is not None:
        operands = (operand, _number(found, second_number, 6))
    elif entries is not None:
        begin, end = found.span(7)
        places = scan.DIGITS.finditer(line.text, begin, end)
        items = tuple([Number(int(text := m[0]), text, Span(*m.span())) for m in places])
        operands = (operand, Group(items, Span(begin, end), "()"))
    else:
        operands = (operand,)
    _finish(line, found, operands, NO_ATTRS, operands[-1].span.end)


def _ref(found: re.Match[str], name: str, k: int) -> Ref:
    start, end = found.span(k)
    return Ref(name, Span(start - 1, end))


def _number(found: re.Match[str], text: str, k: int) -> Number:
    value = scan.number_value(text)
    assert value is not None  # only a number of very many digits has no value
    return Number(value, text, Span(*found.span(k)))


def _statement(line: Line, head: re.Match[str]) -> None:
    text = line.text
    if len(text) > MAX_LINE:
        line.name = head.group(1)
        message = f"a line of {len(text):,} characters is too long, the limit is {MAX_LINE:,}"
        line.drafts = (Draft(Span(0, 1), "too-large", message),)
        return
    tokens = scan.tokens(text, head.end())
    if tokens and tokens[-1][0] == scan.COMMENT:
        line.comment = tokens.pop()[1]
    operands, attrs = well_formed(text, tokens) or _slowly(line, tokens)
    _finish(line, head, tuple(operands), attrs, tokens[-1][2] if tokens else head.end())


def _finish(
    line: Line, head: re.Match[str], operands: tuple[Operand, ...], attrs: Mapping[str, Attr], end: int
) -> None:
    start, stop = head.span(1)
    name_span = Span(start - 1, stop)
    op_span, span = Span(*head.span(2)), Span(start - 1, end)
    line.statement = st = Statement(head[1], name_span, head[2], op_span, operands, attrs, span)
    line.name = st.name
    line.refs = refs = tuple([o for o in operands if type(o) is Ref])
    line.uses = tuple([ref[0] for ref in refs])
    if not line.drafts:
        line.bound, line.drafts = bind(st)
    line.special = st.op if st.op in _SPECIAL else ""


def _slowly(line: Line, tokens: list[scan.Token]) -> tuple[list[Operand], Mapping[str, Attr]]:
    """What can be read of a line that is not well formed, or not simple; notes what is wrong."""
    parser = LineParser(line.text, tokens)
    try:
        parser.parse()
    except SyntaxFault as fault:
        line.drafts = (fault.draft,)
    return parser.operands, parser.attrs


def _broken_head(line: Line) -> None:
    line.statement, draft = statement_head(line.text)
    line.drafts = (draft,)
    if line.statement is not None:
        line.name = line.statement.name
    elif draft.makers and len(draft.span) == 2:
        # `3 = add ...` with its % forgotten: uses of %3 are not to blame.
        line.name = line.text[draft.span.start : draft.span.end]
        line.statement = Statement(
            line.name, draft.span, "", Span(draft.span.end, draft.span.end), (), NO_ATTRS, draft.span
        )


def header_draft(text: str) -> Draft | None:
    """What is wrong with the header line `# uop v1 ...`; None for a good one and for any other line."""
    found = _HEADER.match(text.lstrip(" \t\ufeff"))
    if found is None or found.group(1) == VERSION:
        return None
    shift = len(text) - len(text.lstrip(" \t\ufeff"))
    span = Span(found.start(1) + shift, found.end(1) + shift)
    message = f"this file says it is {found.group(1)}, and is read as {VERSION}"
    return Draft(span, "version", message, makers=(replace(f"change to {VERSION}", span, VERSION),))


def canonical_op(name: str) -> str:
    """The table's name of an operation: `div` and `mod` are other names."""
    return ALIASES.get(name, name)
