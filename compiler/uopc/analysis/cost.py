"""What a run of a graph needs: bytes of memory, operations, and how often each reduction is evaluated.

All counts are exact Python integers, found in time linear in the nodes. An element that nothing asks for (a window of
it is taken, say) costs nothing, and an element that is asked for costs one operation a node, however often it is read:
a contraction (M, N, K) costs 2*M*N*K. What a program without `stage` pays on top of that for computing a reduction
again is told by `evaluations`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

from uopc.analysis.dependence import Needed, needed_reductions
from uopc.typerules import Shape
from uopc.uop import ALU, Ops, UOp

MAX_CONTEXTS = 1024  # places a program's reductions are followed to
MAX_NEST = 32  # loops around a reduction, beyond which it is not followed further


Check = Callable[[], None]  # called now and then; raises when the answer is not wanted any more


def never_mind() -> None:
    """The check of an answer that is wanted in any case."""


@dataclass(frozen=True)
class ReduceCost:
    """One reduction: how many elements it has, how many the lowering evaluates in all, over how many operands each.

    exact: false where the program was too large to follow to its end; `evaluations` is then the least there can be.
    """

    node: UOp
    elements: int
    evaluations: int
    length: int
    exact: bool = True


@dataclass(frozen=True)
class Cost:
    """memory_bytes: inputs, outputs and staged values; operations: elementwise and reducing steps."""

    memory_bytes: int
    operations: int
    reductions: tuple[ReduceCost, ...]


def estimate(root: UOp, check: Check = never_mind) -> Cost:
    """The cost of running `root`: a value, a SINK of values or stores, or a loop program. `check`: see `Check`."""
    order = root.toposort()
    check()
    outputs = output_values(root)
    if any(not u.dtype.bits for u in outputs):  # effects in loops
        return Cost(_memory(order, ()), _loop_operations(root), ())
    staged = [u.src[0] for u in order if u.op is Ops.STAGE]
    reductions = tuple(_reduction_costs((*outputs, *staged), check))
    return Cost(_memory(order, outputs), _operations(order, outputs), reductions)


def output_values(root: UOp) -> tuple[UOp, ...]:
    """The tensor values a shaped root names: those of a SINK, with stores to whole buffers taken off."""
    named = root.src if root.op in (Ops.SINK, Ops.GROUP) else (root,)
    return tuple(u.src[1] if u.op is Ops.STORE else u for u in named)


def _memory(order: Iterable[UOp], outputs: Iterable[UOp]) -> int:
    held = {u: prod(u.shape) * u.dtype.itemsize for u in outputs}
    for u in order:
        if u.op in (Ops.BUFFER, Ops.ALLOC, Ops.STAGE):
            held[u] = prod(u.shape) * u.dtype.itemsize
    return sum(held.values())


# -- shaped programs -----------------------------------------------------------------------------------------------
def _operations(order: list[UOp], outputs: Iterable[UOp]) -> int:
    """Walks from users to operands with the number of elements asked for, which a node's size caps."""
    asked: dict[UOp, int] = {}
    for u in outputs:
        asked[u] = prod(u.shape)
    total = 0
    for u in reversed(order):
        n = asked.get(u, 0)
        if not n:
            continue
        size = prod(u.shape)
        n = size if u.op is Ops.STAGE else min(n, size)
        if u.op in ALU:
            total += n
        elif u.op is Ops.REDUCE:
            n *= reduced_length(u)
            total += n
        for k, s in enumerate(u.src):
            asked[s] = asked.get(s, 0) + (1 if u.op is Ops.INDEX and k else n)
    return total


def reduced_length(u: UOp) -> int:
    """How many operands one element of a REDUCE combines."""
    return prod(u.src[0].shape[len(u.shape) :])


# -- loop programs -------------------------------------------------------------------------------------------------
def _loop_operations(root: UOp) -> int:
    """Elementwise steps that make stored values (not addresses), each as often as the loops it depends on run."""
    seen: set[UOp] = set()
    stack = [root]
    total = 0
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        if u.op in ALU:
            total += prod(r.arg.size for r in u.ranges)
        stack.extend(u.src[:1] if u.op is Ops.INDEX else u.src)
    return total


# -- how often reductions are evaluated ----------------------------------------------------------------------------
Loop = tuple[int, int]  # (number, size); a loop has a larger number than those around it
Nest = frozenset[Loop]
_NO_LOOPS: Nest = frozenset()


class _Places:
    """The loop nests that the lowering puts reductions in.

    A reduction is computed inside every loop its index mentions and the loops around those. Its own loops come inside
    these. The same reduction at the same index is computed once.
    """

    def __init__(self) -> None:
        self.loops = 0
        self.exact = True
        self.evaluations: dict[UOp, int] = {}
        self.seen: set[tuple[UOp, tuple[Nest, ...]]] = set()
        self.waiting: deque[tuple[Needed, tuple[Nest, ...]]] = deque()  # in the order found: users before operands

    def nests(self, shape: Shape, around: Nest) -> tuple[Nest, ...]:
        """New loops for the axes of `shape`, one inside the other: for each axis, its loop and those around it."""
        found = []
        for n in shape:
            if n != 1:
                around = around | {(self.loops, n)}
                self.loops += 1
            found.append(around if n != 1 else _NO_LOOPS)
        return tuple(found)

    def enter(self, value: UOp, axes: tuple[Nest, ...]) -> None:
        """Notes the reductions that a value at an index in these loops needs."""
        needs = needed_reductions(value)
        self.exact = self.exact and needs.complete
        self.waiting.extend((needed, axes) for needed in needs.found)

    def place(self, needed: Needed, user: tuple[Nest, ...]) -> None:
        u = needed.node
        axes = tuple(_NO_LOOPS.union(*(user[axis] for axis, _, _ in parts)) for parts in needed.axes)
        if (u, axes) in self.seen:
            return
        self.seen.add((u, axes))
        nest = _NO_LOOPS.union(*axes)
        self.evaluations[u] = self.evaluations.get(u, 0) + prod(size for _, size in nest)
        if len(nest) > MAX_NEST:
            self.exact = False
        else:
            self.enter(u.src[0], axes + self.nests(u.src[0].shape[len(u.shape) :], nest))


def reduction_costs(root: UOp) -> tuple[ReduceCost, ...]:
    """Every reduction of a shaped program, with its evaluations. In a large one, only those nearest to the outputs."""
    outputs = output_values(root)
    staged = [u.src[0] for u in root.toposort() if u.op is Ops.STAGE]
    return tuple(_reduction_costs((*outputs, *staged)))


def evaluations_in(root: UOp, u: UOp) -> int | None:
    """How many elements of the reduction `u` a shaped program evaluates; None when it has none or is too large to tell.

    Remembered on the root, by the nodes' identities: a root that is a reduction must not keep itself alive.
    """
    known: dict[int, int] = root.cached("evaluations", _exact_evaluations)
    return known.get(id(u))


def _exact_evaluations(root: UOp) -> dict[int, int]:
    return {id(c.node): c.evaluations for c in reduction_costs(root) if c.exact}


def _reduction_costs(kernels: Iterable[UOp], check: Check = never_mind) -> list[ReduceCost]:
    """`kernels`: what is computed in loops of its own, namely outputs and staged values."""
    places = _Places()
    for value in kernels:
        check()
        places.enter(value, places.nests(value.shape, _NO_LOOPS))
    while places.waiting and len(places.seen) < MAX_CONTEXTS:
        check()
        places.place(*places.waiting.popleft())
    exact = places.exact and not places.waiting
    return [ReduceCost(u, prod(u.shape), n, reduced_length(u), exact) for u, n in places.evaluations.items()]
