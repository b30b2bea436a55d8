"""docs/diagnostics.md: for each code its meaning, a program that shows it, the program mended, how to switch it off."""

from __future__ import annotations

from uopc.uir import CODES, Analysis, CodeInfo, Diagnostic, Severity, analyze, apply_edits
from uopc.uir import format as format_text

HEADER = """\
# Diagnostics

<!-- Made from the table of diagnostics, compiler/uopc/uir/codes.py, by `make docs`: change the table instead. -->

Everything that the checker says, by its code. An *error* keeps the program from running, a *warning* is about something
that is probably not meant, a *hint* about something that is good to know. One mistake gives one error: a value whose
line has an error is *unknown*, and nothing is said about its uses.

Warnings and hints can be switched off by their codes: everywhere with the setting `uir.diagnostics.allow` of VS Code
(other editors: `allow` in the initializationOptions of the server), and in a file with a line such as

```uir
# uir: allow no-op, unused-value
```
"""
TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.HINT: "Hints"}
NO_EXAMPLE = "No short program shows it."


def diagnostics_page() -> str:
    """The text of the page."""
    parts = [HEADER]
    for severity, title in TITLES.items():
        infos = [info for info in CODES.values() if info.severity is severity]
        links = " ".join(f"[{info.code}](#{info.code})" for info in infos)
        parts += [f"## {title}\n\n{links}\n", *map(_entry, infos)]
    return "\n".join(parts)


def _entry(info: CodeInfo) -> str:
    parts = [f"### {info.code}", f"*{info.severity.value}*: {info.title}. {info.explanation}"]
    if info.example:
        text = info.example.replace("# here\n", "")
        analysis = analyze(text)
        parts += [f"```uir\n{_closed(text)}```", *(_shown(analysis, d) for d in analysis.diagnostics)]
        parts += [_mend(analysis, info), f"```uir\n{_closed(info.mended)}```"]
    else:
        parts.append(NO_EXAMPLE)
    if info.severity is not Severity.ERROR:
        setting = f"`{info.code}` in the setting `uir.diagnostics.allow`"
        parts.append(f"To switch it off: `# uir: allow {info.code}` in the file, or {setting}.")
    return "\n\n".join(parts) + "\n"


def _shown(analysis: Analysis, diagnostic: Diagnostic) -> str:
    """The message below the text that it is about."""
    span = diagnostic.span
    marks = " " * span.start + "^" + "~" * max(0, span.end - span.start - 1)
    line = analysis.lines[diagnostic.line]
    return f"```text\nline {diagnostic.line + 1}: {diagnostic.message}\n\n  {line}\n  {marks}\n```"


def _mend(analysis: Analysis, info: CodeInfo) -> str:
    """What leads to the mended program: the quick fix that makes it, if one does."""
    for diagnostic in analysis.diagnostics:
        for fix in diagnostic.fixes:
            if format_text(apply_edits(analysis.text, fix.edits)) == format_text(info.mended):
                return f"The quick fix *{fix.title}* makes of it:"
    return "Mended:"


def _closed(text: str) -> str:
    return text.rstrip("\n") + "\n"
