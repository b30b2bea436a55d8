"""An operation in words, out of the one table of operations: for the reference page, hover, completion, signatures."""

from __future__ import annotations

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


def other_names(spec: OpSpec) -> list[str]:
    """The other names that an operation may be written by."""
    return [alias for alias, name in ALIASES.items() if name == spec.name]


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


def index_map(spec: OpSpec) -> str:
    """The element of the result at index i, in Markdown: a formula, and in words what its other letters are."""
    formula, where, words = spec.index_map.partition(" where ")
    return f"`result[i] = {formula}`{where}{words}" if formula else ""
