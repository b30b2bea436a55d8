"""What the text front end hands out: spans, diagnostics, statements, directives. Data only.

Lines and columns are 0-based; a column counts code points inside its line. Lines end at LF, CRLF or CR only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from uopc.dtype import Scalar


class Span(NamedTuple):
    """Columns start..end (end excluded) inside one line."""

    start: int
    end: int


class Severity(Enum):
    """How bad a diagnostic is; only an ERROR keeps a program from running."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"

    __hash__ = object.__hash__


class Related(NamedTuple):
    """Another place that explains a diagnostic."""

    line: int
    span: Span
    message: str


class Edit(NamedTuple):
    """A change of text: `span` of `line` becomes `text`. An empty span inserts.

    `breaks` line ends after the span are removed too (0, except where whole lines are deleted).
    """

    line: int
    span: Span
    text: str
    breaks: int = 0

    @property
    def end(self) -> tuple[int, int]:
        """(line, column) where the replaced text ends."""
        return (self.line + self.breaks, 0) if self.breaks else (self.line, self.span.end)


class Fix(NamedTuple):
    """A mechanical mend: after its edits the diagnostic is gone."""

    title: str
    edits: tuple[Edit, ...]


class Diagnostic(NamedTuple):
    """One thing to say about the text, at the smallest place that is wrong. `code` is a key of `codes.CODES`."""

    line: int
    span: Span
    severity: Severity
    code: str
    message: str
    related: tuple[Related, ...] = ()
    fixes: Sequence[Fix] = ()
    unnecessary: bool = False


class Ref(NamedTuple):
    """`%name` as an operand."""

    name: str
    span: Span


class Number(NamedTuple):
    """A number or truth value as written."""

    value: Scalar
    text: str
    span: Span


class Word(NamedTuple):
    """A bare word, as in `dtype=f32`."""

    text: str
    span: Span


class Group(NamedTuple):
    """A list in ( ) or [ ]; the items may be lists themselves."""

    items: tuple[Operand, ...]
    span: Span
    brackets: str


Operand: TypeAlias = "Ref | Number | Group"
AttrValue: TypeAlias = "Ref | Number | Group | Word"


class Attr(NamedTuple):
    """`name=value`."""

    name: str
    name_span: Span
    value: AttrValue
    span: Span


NO_ATTRS: Mapping[str, Attr] = MappingProxyType({})


class Statement(NamedTuple):
    """`%name = op operand, ... : key=value ...`; `op` is "" when it was not written. `span` leaves comments out."""

    name: str
    name_span: Span
    op: str
    op_span: Span
    operands: tuple[Operand, ...]
    attrs: Mapping[str, Attr]
    span: Span


@dataclass(frozen=True)
class InputSpec:
    """Data for a buffer: `# uir: input SLOT = ...`.

    kind: "arange" "zeros" "ones" "full" "randn" "uniform" "file" or "list"; numbers: the list, the value of `full`, or
    lo and hi of `uniform`; seed: None means the slot; path is as written, relative to the file.
    """

    slot: int
    kind: str
    numbers: tuple[Scalar, ...]
    seed: int | None
    path: str
    key: str | None
    span: Span
    line: int


@dataclass(frozen=True)
class ExpectSpec:
    """What output number `index` must be: `# uir: expect [INDEX] = ...`. kind: "file" or "list"."""

    index: int
    kind: str
    numbers: tuple[Scalar, ...]
    path: str
    key: str | None
    rtol: float | None
    atol: float | None
    shape: tuple[int, ...] | None
    span: Span
    line: int


@dataclass(frozen=True)
class Directives:
    """All directives of a file. reduce: "trailing" or "leading"; allow: the codes switched off."""

    reduce: str
    inputs: Mapping[int, InputSpec]
    expects: Mapping[int, ExpectSpec]
    allow: frozenset[str]
