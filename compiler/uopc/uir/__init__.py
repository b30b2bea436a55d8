"""The text of a program: analysis with errors at their place, printing and formatting."""

from uopc.uir.analysis import Analysis, ParseError, Value, analyze, parse, settle
from uopc.uir.codes import CODES, CodeInfo
from uopc.uir.edits import apply_edits
from uopc.uir.formatter import format
from uopc.uir.model import (
    Attr,
    Diagnostic,
    Directives,
    Edit,
    ExpectSpec,
    Fix,
    Group,
    InputSpec,
    Number,
    Ref,
    Related,
    Severity,
    Span,
    Statement,
    Word,
)
from uopc.uir.nearby import Near, near
from uopc.uir.printer import dump
from uopc.uir.program import OutputRef
from uopc.uir.source import LineTable
from uopc.uir.state import Superseded

__all__ = [
    "CODES",
    "Analysis",
    "Attr",
    "CodeInfo",
    "Diagnostic",
    "Directives",
    "Edit",
    "ExpectSpec",
    "Fix",
    "Group",
    "InputSpec",
    "LineTable",
    "Near",
    "Number",
    "OutputRef",
    "ParseError",
    "Ref",
    "Related",
    "Severity",
    "Span",
    "Statement",
    "Superseded",
    "Value",
    "Word",
    "analyze",
    "apply_edits",
    "dump",
    "format",
    "near",
    "parse",
    "settle",
]
