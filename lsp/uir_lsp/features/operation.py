"""An operation in words, out of the one table of operations: for hover, completion and signature help."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from uopc.ops import ALIASES, OPS, OpSpec, Param

MEANINGS = {
    "value": "a value or number",
    "values": "values",
    "effects": "effects",
    "int": "an integer",
    "number": "a number",
    "shape": "a list of sizes",
    "order": "a list of axes",
    "bounds": "a (begin, end) for each axis",
    "pads": "a (before, after) for each axis",
    "axes": "a list of axes",
    "word": "a word",
    "dtype": "an element type",
    "bool": "true or false",
}


def spec_of(name: str) -> OpSpec | None:
    """The table's row for a name as it is written, other names included."""
    return OPS.get(ALIASES.get(name, name))


def parameter_texts(spec: OpSpec) -> list[str]:
    """How each parameter is written in a signature."""
    return [_parameter(parameter) for parameter in spec.params]


def signature(spec: OpSpec) -> str:
    """`reduce x : op=add|max|mul pop=`: positional parameters, then keywords."""
    positional = [text for text, p in zip(parameter_texts(spec), spec.params) if not p.keyword_only]
    keywords = [text for text, p in zip(parameter_texts(spec), spec.params) if p.keyword_only]
    head = f"{spec.name} {', '.join(positional)}".rstrip()
    return f"{head} : {' '.join(keywords)}" if keywords else head


def _parameter(parameter: Param) -> str:
    if not parameter.keyword_only:
        return parameter.name + (", ..." if parameter.kind in ("values", "effects") else "")
    return f"{parameter.name}={'|'.join(parameter.words)}"


def meaning(parameter: Param) -> str:
    """What a parameter is, in a few words."""
    kind = " or ".join(parameter.words) if parameter.words else MEANINGS[parameter.kind]
    if not parameter.doc:
        return f"{kind} (optional)" if parameter.optional else kind
    return f"{parameter.doc} ({kind}, optional)" if parameter.optional else f"{parameter.doc} ({kind})"


def described(spec: OpSpec) -> str:
    """An operation in Markdown: meaning, arguments, type rule, index map, example."""
    lines = [f"**{spec.name}**: {spec.doc}", "", f"```uir\n{signature(spec)}\n```", ""]
    lines += [f"- `{parameter.name}`: {meaning(parameter)}" for parameter in spec.params]
    lines += ["", f"result: {spec.rule}"]
    if spec.index_map:
        lines += ["", f"`result[i] = {spec.index_map}`"]
    if spec.example:
        lines += ["", "for example", f"```uir\n{spec.example}\n```"]
    return "\n".join(lines)


def static_arguments(spec: OpSpec, kind: str, shape: tuple[int, ...]) -> list[tuple[str, str]]:
    """Arguments that fit an operand of a shape, as they are written, with what they do."""
    rank = len(shape)
    if kind == "shape":  # of `expand`, the rank stays
        flat = [(_listed([prod(shape)]), "flat")] if rank != 1 and spec.name != "expand" else []
        return [(_listed(shape), "the shape it has"), *flat]
    if kind == "order" and rank > 1:
        swapped = [*range(rank - 2), rank - 1, rank - 2]
        turned = [(_listed(range(rank)[::-1]), "all axes reversed")] if rank > 2 else []
        return [(_listed(swapped), "the last two axes swapped"), *turned]
    if kind == "bounds" and rank:
        return [(_listed([f"(0, {n})" for n in shape]), "everything: make the windows smaller")]
    if kind == "pads" and rank:
        return [(_listed(["(0, 0)"] * rank), "nothing: (before, after) of each axis")]
    if kind == "axes":
        return [(_listed([k]), f"axis {k}, of size {n:,}") for k, n in enumerate(shape)]
    return []


def _listed(items: Iterable[object]) -> str:
    texts = [str(item) for item in items]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
