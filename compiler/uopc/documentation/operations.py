"""docs/reference.md: for each operation its arguments, type rule, index map, an example with its result, and its C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from uopc.documentation.words import index_map, meaning, other_names, signature
from uopc.evaluate import evaluate
from uopc.nptypes import Array
from uopc.ops import OPS, OpSpec
from uopc.pipeline import compile_program
from uopc.runtime.inputs import buffers_of, make_inputs
from uopc.uir import Analysis, analyze

HEADER = """\
# Operations

<!-- Made from the operation table, compiler/uopc/ops.py, by `make docs`: change the table, not this page. -->

Every operation of `.uir`: what it takes, what its result is, a program that you can paste into a file and run, what
that program gives, and the C that it becomes (the textbook program, without its `#include` lines).
[language.md](language.md) says what is common to all of them: numbers, dtypes, broadcasting, directives.

How to read an entry. The first line is how the operation is written: operands and lists by position, then keywords
after a colon. A list may also be a keyword, by the name that it has here: `reshape %0 shape=[3 4]` is the same as
`reshape %0, (3, 4)`. In an index map, `i` is the index of an element of the result, a tuple with one number for each
axis, and `result[i]` is that element.
"""
GROUPS = {
    "memory": ("Memory and constants", "What a program begins with."),
    "elementwise": (
        "Elementwise",
        "One result element from the elements at the same index; shapes [broadcast](language.md#broadcasting).",
    ),
    "movement": ("Movement", "The same elements at other indices. None of them moves data: the C reads elsewhere."),
    "reduce": ("Reductions and staging", "Many elements into one, and where a value is computed."),
    "loop": (
        "Loops, memory and effects",
        "What [loop programs](language.md#shaped-programs-and-loop-programs) are made of; several outputs; functions.",
    ),
}


def operations_page() -> str:
    """The text of the page."""
    parts = [HEADER]
    for group, (title, about) in GROUPS.items():
        specs = [spec for spec in OPS.values() if spec.group == group]
        links = " ".join(f"[{spec.name}](#{spec.name})" for spec in specs)
        parts += [f"## {title}\n\n{about}\n\n{links}\n", *map(_entry, specs)]
    return "\n".join(parts)


def _entry(spec: OpSpec) -> str:
    others = "".join(f" Also written `{name}`." for name in other_names(spec))
    analysis = analyze(spec.example)
    parts = [
        f"### {spec.name}",
        f"{spec.doc}{others}",
        f"```text\n{signature(spec)}\n```",
        "\n".join(f"- `{p.name}{'=' if p.keyword_only else ''}` — {meaning(p)}" for p in spec.params),
        f"Type rule: {spec.rule}.",
    ]
    if spec.index_map:
        parts.append(f"Index map: {index_map(spec)}")
    parts += [f"```uir\n{spec.example}```", _results(analysis), f"```c\n{_plain_c(analysis)}```"]
    return "\n\n".join(parts) + "\n"


def _results(analysis: Analysis) -> str:
    texts = [
        f"%{output.name} : {output.uop.dtype}{list(array.shape)} = {array_text(array)}"
        if analysis.kind == "shaped"
        else f"buffer {output.slot} : {array_text(array)}"
        for output, array in zip(analysis.outputs, results(analysis))
    ]
    return "gives\n\n```text\n" + "\n".join(texts) + "\n```"


def results(analysis: Analysis) -> tuple[Array, ...]:
    """What the reference evaluator says a program gives, with the data that its directives state."""
    assert analysis.root is not None
    inputs = make_inputs(buffers_of(analysis.root), analysis.directives.inputs, Path())
    found = evaluate(analysis.root, inputs)
    return found if isinstance(found, tuple) else (found,)


def array_text(array: Array) -> str:
    """An array as nested lists; floats to six digits, which is enough to see what they are."""
    return _listed(array.tolist())


def _listed(items: Any) -> str:
    if isinstance(items, list):  # as deep as the array has axes
        return f"[{', '.join(map(_listed, items))}]"
    return f"{items:.6g}" if isinstance(items, float) else str(items).lower()


def _plain_c(analysis: Analysis) -> str:
    """The textbook program from its first function on."""
    assert analysis.root is not None
    source = compile_program(analysis.root, "program", plain=True).source
    return source[source.index("\n\n") + 2 :].rstrip("\n") + "\n"
