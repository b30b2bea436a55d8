"""The protocol's numbers, under the protocol's names: those that are used here."""

from __future__ import annotations


class MessageType:
    Error, Warning, Info = 1, 2, 3


class DiagnosticSeverity:
    Error, Warning, Information, Hint = 1, 2, 3, 4


class DiagnosticTag:
    Unnecessary = 1


class DocumentHighlightKind:
    Read, Write = 2, 3


class InlayHintKind:
    Type = 1


class SymbolKind:
    Variable, Constant, Number, Array, Event, TypeParameter = 13, 14, 16, 18, 24, 26


class CompletionItemKind:
    Function, Variable, Property, Value, Keyword, EnumMember = 3, 6, 10, 12, 14, 20


class CodeActionKind:
    QuickFix = "quickfix"


class FoldingRangeKind:
    Comment = "comment"
