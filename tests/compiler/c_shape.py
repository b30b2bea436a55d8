"""Generated C as structure: loops, accumulators, loads and stores, with index arithmetic as sums of terms.

Names that the C gives to parts of an index are put back, so that it does not matter what was hoisted where; where it
matters, `Let` and `Load` say in which body they stand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Terms = dict[tuple[str, ...], int]


@dataclass
class Loop:
    var: str
    size: int
    body: list[Loop | Statement] = field(default_factory=list)


@dataclass
class Statement:
    """kind: "declare" (an accumulator), "start", "update" or "read" of one, "load", "store", "let" (a named part)."""

    kind: str
    name: str  # of the accumulator, buffer or part
    text: str  # start value, index, or expression
    value: str = ""  # of a store or update: what is written


Body = Sequence["Loop | Statement"]
_FOR = re.compile(r"for \((?:int|int64_t) (\w+) = 0; \1 < (\d+); \1\+\+\) \{")
_DECLARE = re.compile(r"[\w ]+ (acc\d+);")
_NAMED = re.compile(r"\w+ (alu\d+|val\d+) = (.*);")
_STORE = re.compile(r"(data\d+)\[(.*)\] = (.*);")
_ASSIGN = re.compile(r"(acc\d+) = (.*);")
_READ = re.compile(r"(data\d+)\[(.*)\]")


def body_of(source: str, name: str) -> list[Loop | Statement]:
    """The statements of the C function `name`."""
    lines = source.split("\n")
    start = next(k for k, line in enumerate(lines) if re.match(rf"(void|int) {name}\(", line))
    stack: list[list[Loop | Statement]] = [[]]
    for line in lines[start + 1 :]:
        text = line.strip()
        if text == "}":
            if len(stack) == 1:
                return stack[0]
            stack.pop()
            continue
        loop = _FOR.fullmatch(text)
        if loop:
            made = Loop(loop[1], int(loop[2]))
            stack[-1].append(made)
            stack.append(made.body)
        else:
            stack[-1].append(_statement(text, stack))
    raise AssertionError("the function does not end")


def _statement(text: str, stack: list[list[Loop | Statement]]) -> Statement:
    if declared := _DECLARE.fullmatch(text):
        return Statement("declare", declared[1], "")
    if assigned := _ASSIGN.fullmatch(text):
        begun = any(isinstance(s, Statement) and s.kind == "start" and s.name == assigned[1] for b in stack for s in b)
        return Statement("update" if begun else "start", assigned[1], assigned[2], assigned[2])
    if stored := _STORE.fullmatch(text):
        return Statement("store", stored[1], stored[2], stored[3])
    named = _NAMED.fullmatch(text)
    assert named, f"not understood: {text}"
    if read := _READ.fullmatch(named[2]):
        return Statement("load", read[1], read[2], named[1])
    return Statement("read" if named[2].startswith("acc") else "let", named[1], named[2])


def statements(body: Body) -> Iterator[Statement]:
    """All statements, those in loops too."""
    for s in body:
        if isinstance(s, Loop):
            yield from statements(s.body)
        else:
            yield s


# -- index arithmetic ------------------------------------------------------------------------------------------------
def terms(text: str, names: dict[str, str]) -> Terms:
    """An integer expression as {product of names: coefficient}; x/c and x%c are names of their own."""
    return {k: c for k, c in _terms(ast.parse(text.replace("/", "//"), mode="eval").body, names).items() if c}


def _terms(node: ast.expr, names: dict[str, str]) -> Terms:
    if isinstance(node, ast.Constant):
        return {(): int(node.value)}
    if isinstance(node, ast.Name):
        return terms(names[node.id], names) if node.id in names else {(node.id,): 1}
    if isinstance(node, ast.UnaryOp):
        return {k: -c for k, c in _terms(node.operand, names).items()}
    assert isinstance(node, ast.BinOp), ast.dump(node)
    a, b = _terms(node.left, names), _terms(node.right, names)
    if isinstance(node.op, (ast.Add, ast.Sub)):
        sign = 1 if isinstance(node.op, ast.Add) else -1
        return {k: a.get(k, 0) + sign * b.get(k, 0) for k in (*a, *b)}
    if isinstance(node.op, ast.Mult):
        out: Terms = {}
        for (k, c), (j, d) in ((x, y) for x in a.items() for y in b.items()):
            key = tuple(sorted((*k, *j)))
            out[key] = out.get(key, 0) + c * d
        return out
    sign_name = "//" if isinstance(node.op, ast.FloorDiv) else "%"
    return {(f"({words(a)}){sign_name}{words(b)}",): 1}


def words(t: Terms) -> str:
    """A sum in one canonical spelling."""
    rows = sorted((k, c) for k, c in t.items() if c)
    return " + ".join("*".join((*((str(c),) if c != 1 or not k else ()), *k)) for k, c in rows) or "0"


def index_words(text: str, body: Body) -> str:
    """An index of the function, loop counters as i0, i1, ..., in one canonical spelling."""
    names = {s.name: s.text for s in statements(body) if s.kind == "let" and "?" not in s.text}
    return words(terms(text.replace("ridx", "i"), {k: v.replace("ridx", "i") for k, v in names.items()}))


def spelled(text: str) -> str:
    """The canonical spelling of an index that a test states."""
    return words(terms(text, {}))


# -- outlines ----------------------------------------------------------------------------------------------------------
def outline(body: Body, whole: Body | None = None) -> list[object]:
    """What a body does, in order and without names of values: ("for", size, [...]), ("start", accumulator, value),
    ("load", buffer, index), ("update", accumulator), ("read", accumulator), ("store", buffer, index)."""
    whole = body if whole is None else whole
    out: list[object] = []
    for s in body:
        if isinstance(s, Loop):
            out.append(("for", s.var.replace("ridx", "i"), s.size, outline(s.body, whole)))
        elif s.kind in ("load", "store"):
            out.append((s.kind, s.name, index_words(s.text, whole)))
        elif s.kind == "start":
            out.append((s.kind, s.name, s.text))
        elif s.kind in ("update", "declare"):
            out.append((s.kind, s.name))
    return out
