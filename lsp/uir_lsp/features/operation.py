"""An operation in words, out of the one table of operations: for hover, completion and signature help."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from uopc.documentation.words import index_map as index_map
from uopc.documentation.words import meaning as meaning
from uopc.documentation.words import other_names as other_names
from uopc.documentation.words import parameter_texts as parameter_texts
from uopc.documentation.words import signature as signature
from uopc.documentation.words import spec_of as spec_of
from uopc.ops import OpSpec


def described(spec: OpSpec) -> str:
    """An operation in Markdown: meaning, arguments, type rule, index map, a program that runs and what it gives."""
    others = "".join(f" Also written `{name}`." for name in other_names(spec))
    lines = [f"**{spec.name}**: {spec.doc}{others}", "", f"```uir\n{signature(spec)}\n```", ""]
    lines += [f"- `{parameter.name}`: {meaning(parameter)}" for parameter in spec.params]
    lines += ["", f"type rule: {spec.rule}"]
    if spec.index_map:
        lines += ["", index_map(spec)]
    return "\n".join([*lines, "", "for example, with what it gives as `expect`", f"```uir\n{spec.example}```"])


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
