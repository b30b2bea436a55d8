"""Hover: what a value is and where its elements come from; what an operation does; what a keyword means."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from uir_lsp.document import Snapshot
from uir_lsp.feature import Feature, NotSettled, Params
from uir_lsp.features.code_lenses import EXPLORE, RUN, SHOW_C
from uir_lsp.features.names import name_at
from uir_lsp.features.operation import described, meaning, spec_of
from uir_lsp.pages import link
from uir_lsp.shapes import AT
from uopc.documentation import OPERATIONS
from uopc.uir import Span, near
from uopc.uop import MOVEMENT, Ops, UOp

if TYPE_CHECKING:
    from uopc.analysis.explanation import Explanation


def _hover(snapshot: Snapshot, params: Params) -> dict[str, Any] | None:
    line, column = snapshot.locate(params["position"])
    found = _value(snapshot, line, column) or _word(snapshot, line, column)
    if found is None:
        return None
    text, span = found
    kind, text = ("markdown", text) if snapshot.client.markdown else ("plaintext", as_plain(text))
    return {"contents": {"kind": kind, "value": text}, "range": snapshot.range(line, span)}


def _value(snapshot: Snapshot, line: int, column: int) -> tuple[str, Span] | None:
    from uopc.analysis.explain import explain  # the first diagnostics do not wait for it; see `warm_up`

    place = name_at(snapshot, line, column)
    if place is None or place.name not in snapshot.analysis.values:
        return None
    known = near(snapshot.analysis, place.name)
    if known is None:
        raise NotSettled
    uop = known.values[place.name].uop
    text = laid_out(explain(known, place.name), uop is not None and _is_view(uop))
    if snapshot.client.command_links and uop is not None and uop.dtype.bits:
        text += f"\n\n{_links(snapshot.uri, place.name)}"
    return text, place.span


def _is_view(uop: UOp) -> bool:
    """Whether each element is an element of a buffer as it is (or a pad's zero): then the two may be called equal."""
    while uop.op in MOVEMENT:
        uop = uop.src[0]
    return uop.op is Ops.BUFFER


def _links(uri: str, name: str) -> str:
    """Links to the client's commands, for clients that have them."""
    arguments = quote(json.dumps([{"uri": uri, "value": "%" + name}]), safe="")
    titles = {EXPLORE: "Explore", SHOW_C: "C of this value", RUN: "Run to here"}
    return " · ".join(f"[{title}](command:{command}?{arguments})" for command, title in titles.items())


def laid_out(about: Explanation, is_view: bool) -> str:
    """An explanation in Markdown, also readable as it stands. `is_view`: the value is a view of one buffer."""
    parts = [_headline(about)]
    equation = _equation(about, is_view)
    if equation:
        parts.append("```text\n" + "\n".join(equation) + "\n```")
    parts += [_sentence(facts) for facts in _facts(about) if facts]
    return "\n\n".join(part for part in parts if part)


def _headline(about: Explanation) -> str:
    known = f" : {about.type}" if about.type else ""
    step = f" — `{about.op}` {about.summary}" if about.op else ""
    return f"**{about.name}**{known}{step}"


def _equation(about: Explanation, is_view: bool) -> list[str]:
    """The step, and below its equals sign the places that its elements are in, unless they only repeat it."""
    lines = list(about.equation)
    if not lines:
        return [f"{about.name}: {place}" for place in about.places]
    indent = " " * lines[-1].find("=")
    said = {line.partition("= ")[2] for line in lines}
    places = [place for place in about.places if place not in said]
    if is_view and len(places) == 1:
        return [*lines, f"{indent}= {places[0]}"]
    return [*lines, *(f"{indent}  reads {place}" for place in places)]


def _facts(about: Explanation) -> list[list[str]]:
    """Paragraphs, each a list of facts."""
    layout = about.layout.text if about.layout is not None else about.why_not_strided
    reads = [f"reads {about.reads[0]}"] if len(about.reads) == 1 else []
    several = [f"reads {'; '.join(about.reads)}"] if len(about.reads) > 1 else []
    reduction = [about.reduction.text] if about.reduction is not None else []
    unknown = [f"type unknown: {about.unknown}"] if about.unknown else []
    same = [f"the same value as {', '.join(about.same_as)}"] if about.same_as else []
    zero = "" if any(about.zero in line for line in about.equation) else about.zero
    notes = [[note] if about.unknown else [f"⚠ {note}"] for note in about.notes]
    return [[zero], reduction, [layout, *reads], several, unknown, *notes, same, [_used_by(about)]]


def _sentence(facts: list[str]) -> str:
    return " · ".join(fact for fact in facts if fact)


def _used_by(about: Explanation) -> str:
    users = [f"{user.name} (line {user.line + 1})" for user in about.used_by]
    if not users:
        return ""
    more = f" and {about.more_users:,} more" if about.more_users else ""
    return f"used by {', '.join(users)}{more}"


def _word(snapshot: Snapshot, line: int, column: int) -> tuple[str, Span] | None:
    """The operation or keyword at a column."""
    statement = snapshot.analysis.statements.get(line)
    spec = spec_of(statement.op) if statement is not None else None
    if statement is None or spec is None:
        return None
    if statement.op_span.start <= column <= statement.op_span.end:
        about = link(OPERATIONS, spec.name, True) if snapshot.client.command_links else None
        return described(spec) + (f"\n\n[Reference]({about})" if about else ""), statement.op_span
    for attr in statement.attrs.values():
        if attr.span.start <= column <= attr.span.end:
            parameter = next((p for p in spec.params if p.name == attr.name), None)
            return None if parameter is None else (f"`{attr.name}=` {meaning(parameter)}", attr.span)
    return None


def as_plain(markdown: str) -> str:
    """The text without what only Markdown needs."""
    lines = [line for line in markdown.split("\n") if not line.startswith("```")]
    return re.sub(r"\*\*|`", "", "\n".join(lines))


FEATURE = Feature("textDocument/hover", _hover, AT, brief=True)
