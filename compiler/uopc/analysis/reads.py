"""What one line of a program reads: each operand with the index that its elements are taken at.

What has no name (the reshape and expand of a broadcast, the permute of `reduce axes=`) belongs to the line: the maps
through it are put together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from uopc.analysis.composition import step_index
from uopc.analysis.inverse import possible
from uopc.indexmap import Index, conjunction, released, valid
from uopc.symbolic import simplify
from uopc.typerules import is_destination
from uopc.uop import ALU, MOVEMENT, Ops, UOp, range_

MAX_INNER = 400  # nodes that a line is followed through
_FIRST_CHOICE = 1_000


class Choice(NamedTuple):
    """An index known only when the program runs: a counter for it, the value it is, its first and last entry."""

    counter: UOp
    value: UOp
    first: int
    last: int


class Reading(NamedTuple):
    """One operand on the way down from a line's value.

    at: the index of the operand's element, in terms of the value's axes, the `loops` of reductions and the `choices`;
    guard: where it is read (else a pad's zero is); case: which elements come from here (those of a stack come each from
    one operand); way: (node, which source) from the value down.
    """

    operand: UOp
    at: Index
    guard: UOp | None
    case: UOp | None
    loops: tuple[UOp, ...]
    choices: tuple[Choice, ...]
    way: tuple[tuple[UOp, int], ...]


def readings(u: UOp, is_operand: Callable[[UOp], bool]) -> tuple[list[Reading], bool]:
    """What the elements of `u` are made of, from left to right, down to operands and to what has no operands;
    and whether nothing was left out. Constants are not elements."""
    axes = tuple(range_(n, k) for k, n in enumerate(u.shape))
    found: list[Reading] = []
    start = Reading(u, axes, None, None, (), (), ())
    if is_operand(u):  # a call that gives its argument
        return [start], True
    stack = [start]
    visited = 0
    while stack:
        reading = stack.pop()
        if is_operand(reading.operand) or not reading.operand.src:
            if reading.operand.op is not Ops.CONST and reading.operand is not u:
                found.append(reading)
            continue
        visited += 1
        if visited > MAX_INNER:
            return found, False
        stack.extend(reversed(_below(reading, len(axes))))
    return found, True


def _below(r: Reading, rank: int) -> list[Reading]:
    u, idx = r.operand, r.at

    def down(k: int, index: Index) -> Reading:
        return r._replace(operand=u.src[k], at=index, way=(*r.way, (u, k)))

    if u.op in MOVEMENT:
        return [down(0, step_index(u, idx))._replace(guard=conjunction(r.guard, valid(u, idx)))]
    if u.op is Ops.REDUCE:
        first = rank + len(r.loops)
        loops = tuple(range_(n, first + k) for k, n in enumerate(u.src[0].shape[len(idx) :]))
        return [down(0, idx + loops)._replace(loops=r.loops + loops)]
    if u.op is Ops.STACK:
        return [down(k, idx[1:])._replace(case=_case(r.case, idx[0], k)) for k in range(len(u.src))]
    if u.op is Ops.INDEX:
        return _indexed(r, down)
    if u.op in ALU:
        return [down(k, idx) for k in range(len(u.src))]
    if u.op is Ops.STAGE:
        return [down(0, idx)]
    if u.op in (Ops.CALL, Ops.AFTER):
        return [r._replace(operand=_body(u) if u.op is Ops.CALL else _stored(u), way=(*r.way, (u, 0)))]
    return []


def _indexed(r: Reading, down: Callable[[int, Index], Reading]) -> list[Reading]:
    u = r.operand
    entries: list[UOp] = []
    choices = r.choices
    for which, size in zip(u.src[1:], u.src[0].shape):
        first, last = possible(which, size)
        if first == last:
            entries.append(UOp.const(first))
            continue
        counter = range_(size, _FIRST_CHOICE + len(choices))
        choices = (*choices, Choice(counter, which, first, last))
        entries.append(counter)
    below = [down(0, (*entries, *r.at))._replace(choices=choices)]
    return below + [down(k, ()) for k, which in enumerate(u.src[1:], 1) if _is_data(which)]


def _body(u: UOp) -> UOp:
    """What a call computes: its body with the arguments in it."""
    body, args = u.src[0], u.src[1:]
    return body.substitute({p: args[p.arg.slot] for p in body.toposort() if p.op is Ops.PARAM})


def _stored(u: UOp) -> UOp:
    """What is read after a store: the value stored to the whole of it, else what was there."""
    for dep in u.src[1:]:
        if dep.op is Ops.STORE and is_destination(u.src[0]) and _memory(dep.src[0]) is _memory(u.src[0]):
            return dep.src[1].reshape(u.shape)
    return u.src[0]


def _memory(u: UOp) -> UOp:
    while u.op is Ops.RESHAPE:
        u = u.src[0]
    return u


def _is_data(which: UOp) -> bool:
    return simplify(which).op is not Ops.CONST


def _case(case: UOp | None, which: UOp, k: int) -> UOp:
    which = released(which)
    own = simplify((UOp.const(k - 1, which.dtype) < which).alu(Ops.AND, which < k + 1))
    return own if case is None else simplify(case.alu(Ops.AND, own))
