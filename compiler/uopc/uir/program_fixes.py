"""Quick fixes of what only the whole file can break: its sinks, its loops, its unused lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from uopc.dtype import dtypes
from uopc.typerules import count
from uopc.uir.drafts import FixContext, FixMaker, line_removed
from uopc.uir.model import Edit, Fix, Operand, Ref, Span, Statement
from uopc.uop import UOp


def remove_unused(context: FixContext, line: int) -> Fix:
    """The fix that removes the line of an unused value, with the lines that use it: these are unused, too."""
    lines, todo = {line}, [line]
    while todo:
        st = context.statement_at(todo.pop())
        users = {k for k, _ in context.uses_of(st.name)} - lines if st is not None else set()
        lines |= users
        todo += users
    more = f" and the {count('line', len(lines) - 1)} that need it" if len(lines) > 1 else ""
    return Fix(f"remove this line{more}", tuple(line_removed(context, k) for k in sorted(lines)))


# -- sinks ----------------------------------------------------------------------------------------------------------
def move_to_end(context: FixContext, line: int) -> Fix:
    """The fix that makes the line of the diagnostic the last one."""
    end = context.line_count() - 1
    at = Span(context.line_length(end), context.line_length(end))
    moved = context.eol + context.line_text(line)
    return Fix("move the sink to the end", (line_removed(context, line), Edit(end, at, moved)))


def one_sink(first: int) -> FixMaker:
    """The fix of a second sink: removed when it names nothing new, else the one on line `first` joined to it."""

    def make(context: FixContext, line: int) -> Fix | None:
        a, b = context.statement_at(first), context.statement_at(line)
        if a is None or b is None or any(context.has_directive(k) or context.uses_of(st.name)
                                         for k, st in ((first, a), (line, b))):  # fmt: skip
            return None
        before = [_text(context, first, o) for o in a.operands]
        new = [text for o in b.operands if (text := _text(context, line, o)) not in before]
        if not new:
            return Fix("remove this sink, which names nothing new", (line_removed(context, line),))
        if not _alike(context, (*a.operands, *b.operands)):
            return None
        span = Span(b.operands[0].span.start, b.operands[-1].span.end)
        return Fix("join both sinks here", (line_removed(context, first), Edit(line, span, ", ".join(before + new))))

    return make


def _text(context: FixContext, line: int, operand: Operand) -> str:
    return context.line_text(line)[operand.span.start : operand.span.end]


def _alike(context: FixContext, operands: Iterable[Operand]) -> bool:
    """Whether all operands are known to be effects, or all to be values."""
    nodes = [context.node(o.name) if isinstance(o, Ref) else None for o in operands]
    return None not in nodes and len({u.dtype is dtypes.void for u in nodes if u is not None}) == 1


# -- loops ----------------------------------------------------------------------------------------------------------
class _Effect(NamedTuple):
    """A store, `end` or `group` at the end of the program."""

    name: str
    node: UOp


def closed_range(context: FixContext, u: UOp, root: int, ends: Sequence[str] | None) -> Fix | None:
    """The fix that closes the range `u` (and those open with it) around the effects of the program.

    root: the line of the sink when `ends` is None; else the last statement's, and `ends` are what nothing names.
    """
    st = context.statement_at(root)
    if st is None:
        return None
    names = list(dict.fromkeys(o.name if isinstance(o, Ref) else "" for o in st.operands)) if ends is None else ends
    effects = [_Effect(name, node) for name in names if (node := context.node(name)) is not None]
    if len(effects) < len(names) or any(e.node.dtype is not dtypes.void for e in effects):
        return None
    closing = _closing(context, u, effects)
    if closing is None:
        return None
    title = f"close %{_name(context, u)} with an `end`"
    return Fix(title, _above_sink(context, root, st, *closing) if ends is None else _below(context, root, *closing))


def _below(context: FixContext, root: int, lines: list[str], left: list[str]) -> tuple[Edit, ...]:
    sink = [f"%{context.fresh('out')} = sink {_list(left)}"] if len(left) > 1 else []
    end = Span(context.line_length(root), context.line_length(root))
    return (Edit(root, end, "".join(context.eol + text for text in lines + sink)),)


def _above_sink(context: FixContext, root: int, st: Statement, lines: list[str], left: list[str]) -> tuple[Edit, ...]:
    above = "".join(text + context.eol for text in lines)
    operands = Span(st.operands[0].span.start, st.operands[-1].span.end)
    return Edit(root, Span(0, 0), above), Edit(root, operands, _list(left))


def _closing(context: FixContext, u: UOp, effects: list[_Effect]) -> tuple[list[str], list[str]] | None:
    """The lines that close the loops around the effects, and the effects that are left; None if it is not clear how."""
    groups: dict[frozenset[UOp], list[str]] = {}
    for effect in effects:
        groups.setdefault(effect.node.ranges, []).append(effect.name)
    opened = [r for ranges in groups for r in ranges]
    if u not in opened or len(opened) > len(set(opened)):
        return None  # not around any effect; or one loop around some, with more loops inside it for others
    lines: list[str] = []
    left: list[str] = []
    for ranges, names in groups.items():
        if not ranges:
            left += names
            continue
        body = names[0] if len(names) == 1 else context.fresh(f"{names[0]}_all")
        if len(names) > 1:
            lines.append(f"%{body} = group {_list(names)}")
        end = context.fresh(f"{names[0]}_end")
        loops = [_name(context, r) for r in sorted(ranges, key=lambda r: (int(r.arg.idx), r.digest))]
        lines.append(f"%{end} = end %{body}, {_list(loops)}")
        left.append(end)
    return lines, left


def _name(context: FixContext, node: UOp) -> str:
    found = context.written_as(node)
    assert found is not None  # a range is only ever made by a line
    return found[1].name


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"%{name}" for name in names)
