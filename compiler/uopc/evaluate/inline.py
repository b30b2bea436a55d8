"""A shaped graph without the operations that only arrange other ones: CALL, LOAD and AFTER."""

from __future__ import annotations

from collections.abc import Iterator

from uopc.ops import EFFECTS, Ops
from uopc.uop import UOp

_JOINS = frozenset({Ops.GROUP, Ops.SINK})


def inlined(root: UOp) -> UOp:
    """The graph with every call replaced by its body, every load by what it reads, every `after` by its value.

    A param belongs to the innermost call whose body it stands in, so bodies are substituted from the inside out.
    """
    new: dict[UOp, UOp] = {}
    for u in root.toposort():
        src = tuple(new[s] for s in u.src)
        if u.op is Ops.CALL:
            new[u] = _called(src[0], src[1:])
        elif u.op is Ops.LOAD:
            new[u] = src[0]
        elif u.op is Ops.AFTER:
            new[u] = _after(src[0], src[1:])
        else:
            new[u] = u if src == u.src else u.replace(src=src)
    return new[root]


def _called(body: UOp, args: tuple[UOp, ...]) -> UOp:
    return body.substitute({p: args[p.arg.slot] for p in body.toposort() if p.op is Ops.PARAM})


def _after(x: UOp, effects: tuple[UOp, ...]) -> UOp:
    """`x` once whole buffers have been stored: memory among them is read as what was stored, a value stays itself."""
    views, base = [], x
    while base.op in (Ops.RESHAPE, Ops.INDEX):
        views.append(base)
        base = base.src[0]
    stored = [s for s in _stores(effects) if base.op is Ops.BUFFER and buffer_of(s.src[0]) is base]
    if not stored:
        return x
    value = stored[-1].src[1].reshape(base.shape)
    for view in reversed(views):
        value = view.replace(src=(value, *view.src[1:]))
    return value


def _stores(effects: tuple[UOp, ...]) -> Iterator[UOp]:
    pending = list(reversed(effects))
    while pending:
        u = pending.pop()
        if u.op is Ops.STORE:
            yield u
        elif u.op in _JOINS:
            pending.extend(reversed(u.src))


def outputs_of(root: UOp) -> list[UOp]:
    """The values that a shaped graph gives, in order: those stored or named by a sink, or the root itself."""
    if root.op not in EFFECTS:
        return [root]
    if root.op is Ops.SINK and not any(s.op in EFFECTS for s in root.src):
        return list(root.src)
    return [store.src[1] for store in _stores((root,))]


def buffer_of(destination: UOp) -> UOp:
    """The buffer that a store to `destination` (a buffer, or a reshape of one) writes."""
    while destination.op is Ops.RESHAPE:
        destination = destination.src[0]
    return destination
