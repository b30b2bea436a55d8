"""Values of nodes too large to hold: only the elements asked for.

A question is a node and a mesh (see `mesh`); the answer is an array of the mesh's rank that broadcasts to all of its
positions: along an axis that the value does not depend on it has size 1, so the rows of a broadcast matrix are computed
once. Questions travel through the graph on an explicit stack of generators, and equal questions are answered once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from math import prod

import numpy as np

from uopc.evaluate.elementwise import elementwise
from uopc.evaluate.errors import EvaluationTooLarge
from uopc.evaluate.mesh import Listed, Mesh, Positions, Run, array_of, box_runs, boxes, listed, point, scaled, taken
from uopc.evaluate.reduction import combine, finish, identity, partial
from uopc.evaluate.whole import clamped, constant, selects_nothing
from uopc.nptypes import Array, np_dtype
from uopc.ops import ALU, Ops
from uopc.uop import Shape, UOp

Question = tuple[UOp, Mesh]
Answer = Generator[Question, Array, Array]

_MAX_POSITION = (1 << 63) - 1


class Points:
    """Answers questions about a graph some of whose nodes are known in full.

    known: those nodes and their values; chunk: how many elements an intermediate array may have;
    budget: how many elements may be computed over the life of this object before EvaluationTooLarge is raised.
    """

    def __init__(self, known: Mapping[UOp, Array], chunk: int, budget: int) -> None:
        self.known = known
        self.chunk = chunk
        self.budget = budget

    def at(self, u: UOp, mesh: Mesh) -> Array:
        """The elements of `u` at the positions of `mesh`."""
        answers: dict[Question, Array] = {}
        asked: list[tuple[Question, Answer]] = [((u, mesh), self._rule(u, mesh))]
        answer: Array | None = None
        while asked:
            question, rule = asked[-1]
            try:
                wanted = rule.send(answer)  # type: ignore[arg-type]  # the first send of a generator is None
            except StopIteration as stop:
                answers[question] = answer = stop.value
                self._spend(u, stop.value.size)
                asked.pop()
                continue
            answer = answers.get(wanted)
            if answer is None:
                asked.append((wanted, self._rule(*wanted)))
        assert answer is not None
        return answer

    def _spend(self, u: UOp, elements: int) -> None:
        self.budget -= elements
        if self.budget < 0:
            raise EvaluationTooLarge("the value takes too many operations to work out element by element", u)

    def _rule(self, u: UOp, mesh: Mesh) -> Answer:
        known = self.known.get(u)
        if known is not None:
            return _known(known, mesh)
        if u.op is Ops.REDUCE:
            return _reduce(u, mesh, self.chunk)
        if u.op in ALU:
            return _elementwise(u, mesh)
        return _RULES[u.op](u, mesh)


# -- one rule per operation: which elements of the operands make the elements asked for --------------------------------
def _known(value: Array, mesh: Mesh) -> Answer:
    return taken(value, mesh)
    yield  # a generator that asks nothing


def _const(u: UOp, mesh: Mesh) -> Answer:
    return constant(u).reshape((1,) * mesh.rank)
    yield


def _elementwise(u: UOp, mesh: Mesh) -> Answer:
    args = []
    for s in u.src:
        args.append((yield s, mesh))
    return elementwise(u, args)


def _stage(u: UOp, mesh: Mesh) -> Answer:
    return (yield u.src[0], mesh)


def _expand(u: UOp, mesh: Mesh) -> Answer:
    return (yield u.src[0], mesh.moved(point(0) if n == 1 else p for p, n in zip(mesh.at, u.src[0].shape)))


def _permute(u: UOp, mesh: Mesh) -> Answer:
    at = list(mesh.at)
    for k, axis in enumerate(u.arg):
        at[axis] = mesh.at[k]
    return (yield u.src[0], mesh.moved(at))


def _shrink(u: UOp, mesh: Mesh) -> Answer:
    return (yield u.src[0], mesh.moved(scaled(p, b, 1) if b else p for p, (b, _) in zip(mesh.at, u.arg)))


def _flip(u: UOp, mesh: Mesh) -> Answer:
    flipped = frozenset(u.arg)
    at = [scaled(p, n - 1, -1) if k in flipped else p for k, (p, n) in enumerate(zip(mesh.at, u.shape))]
    return (yield u.src[0], mesh.moved(at))


def _pad(u: UOp, mesh: Mesh) -> Answer:
    zero = np.zeros((1,) * mesh.rank, np_dtype(u.dtype))
    inside = np.ones((1,) * mesh.rank, np.bool_)
    at: list[Positions] = []
    for p, (before, _), n in zip(mesh.at, u.arg, u.src[0].shape):
        moved = scaled(p, -before, 1) if before else p
        if not _surely_inside(moved, n):
            where = array_of(moved, mesh.rank)
            inside = inside & (where >= 0) & (where < n)
            moved = listed(np.asarray(np.clip(where, 0, max(n - 1, 0))))
        at.append(moved)
    if not inside.any():
        return zero  # the operand may have no elements at all
    value = yield u.src[0], mesh.moved(at)
    return value if inside.all() else np.where(inside, value, zero)


def _surely_inside(p: Positions, n: int) -> bool:
    return isinstance(p, Run) and p.length > 0 and all(0 <= i < n for i in (p.start, p.start + p.step * (p.length - 1)))


def _stack(u: UOp, mesh: Mesh) -> Answer:
    which, rest = array_of(mesh.at[0], mesh.rank), mesh.moved(mesh.at[1:])
    result = np.zeros((1,) * mesh.rank, np_dtype(u.dtype))
    for k in np.flatnonzero(np.bincount(which.ravel())):
        result = np.where(which == k, (yield u.src[int(k)], rest), result)
    return result


def _index(u: UOp, mesh: Mesh) -> Answer:
    if selects_nothing(u):
        return np.zeros((1,) * mesh.rank, np_dtype(u.dtype))
    leading: list[Positions] = []
    for k, i in enumerate(u.src[1:]):
        leading.append(point(clamped(u, k, (yield i, Mesh(0, ())))))
    return (yield u.src[0], mesh.moved((*leading, *mesh.at)))


def _reshape(u: UOp, mesh: Mesh) -> Answer:
    at: list[Positions] = [point(0)] * len(u.src[0].shape)
    for outer, inner in _groups(u.shape, u.src[0].shape):
        for axis, positions in zip(inner, _regrouped(u, mesh, outer, inner)):
            at[axis] = positions
    return (yield u.src[0], mesh.moved(at))


def _groups(new: Shape, old: Shape) -> Iterator[tuple[list[int], list[int]]]:
    """Runs of axes of `new` and of `old` that hold the same elements, as short as possible; axes of size 1 in none.

    No size may be 0.
    """
    outer = [k for k, n in enumerate(new) if n != 1]
    inner = [k for k, n in enumerate(old) if n != 1]
    i = j = 0
    while i < len(outer):
        begin = i, j
        many, few, i, j = new[outer[i]], old[inner[j]], i + 1, j + 1
        while many != few:
            if many < few:
                many, i = many * new[outer[i]], i + 1
            else:
                few, j = few * old[inner[j]], j + 1
        yield outer[begin[0] : i], inner[begin[1] : j]


def _regrouped(u: UOp, mesh: Mesh, outer: list[int], inner: list[int]) -> list[Positions]:
    """Positions along the axes `inner` of the operand, from those along the axes `outer` of the reshape `u`."""
    old = u.src[0].shape
    if len(outer) == len(inner) == 1:
        return [mesh.at[outer[0]]]
    if prod(old[k] for k in inner) > _MAX_POSITION:
        raise EvaluationTooLarge("a position in this reshape does not fit 64 bits", u)
    flat = np.zeros((1,) * mesh.rank, np.int64)
    for k in outer:
        flat = flat * u.shape[k] + array_of(mesh.at[k], mesh.rank)
    result: list[Positions] = []
    for k in reversed(inner):
        result.append(_one_or_listed(flat % old[k]))
        flat = flat // old[k]
    return result[::-1]


def _one_or_listed(array: Array) -> Run | Listed:
    return point(int(array.item())) if array.size == 1 else listed(array)


def _reduce(u: UOp, mesh: Mesh, chunk: int) -> Answer:
    op, n = u.arg
    x = u.src[0]
    if n == 0:
        return (yield x, mesh)
    rank = mesh.rank + n
    outer = tuple(p if isinstance(p, Run) else listed(p.array.reshape(p.array.shape + (1,) * n)) for p in mesh.at)
    answer_size = prod(np.broadcast_shapes(*(_extent(p, mesh.rank) for p in mesh.at)))
    total = identity(op, u.dtype).reshape((1,) * mesh.rank)
    for box in boxes(x.shape[len(x.shape) - n :], max(1, chunk // max(1, answer_size))):
        part = yield x, Mesh(rank, (*outer, *box_runs(box, mesh.rank)))
        part = np.broadcast_to(part, part.shape[: mesh.rank] + tuple(e - b for b, e in box))
        total = combine(op, u.dtype, total, partial(op, u.dtype, part, tuple(range(mesh.rank, rank))))
    return finish(u.dtype, total)


def _extent(p: Positions, rank: int) -> Shape:
    """The shape along which positions vary."""
    if isinstance(p, Listed):
        return p.array.shape
    return tuple(p.length if k == p.axis else 1 for k in range(rank))


_RULES: dict[Ops, Callable[[UOp, Mesh], Answer]] = {
    Ops.CONST: _const,
    Ops.RESHAPE: _reshape,
    Ops.EXPAND: _expand,
    Ops.PERMUTE: _permute,
    Ops.SHRINK: _shrink,
    Ops.PAD: _pad,
    Ops.FLIP: _flip,
    Ops.STACK: _stack,
    Ops.INDEX: _index,
    Ops.STAGE: _stage,
}
