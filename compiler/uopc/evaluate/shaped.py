"""Values of shaped graphs.

Small nodes are worked out whole, in order, and dropped after their last use. A large one is formed if it is used more
than once; otherwise it is only asked for the elements that its user needs, piece by piece (see `points`), so a chain of
operations runs through the cache and a sum over a product never holds the product. Beyond `limit` elements nothing is
formed but reductions, stages and outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import prod

import numpy as np
import numpy.typing as npt

from uopc.evaluate.contraction import contraction
from uopc.evaluate.errors import EvaluationError, EvaluationTooLarge
from uopc.evaluate.inline import inlined, outputs_of
from uopc.evaluate.memory import input_array
from uopc.evaluate.mesh import box_mesh, boxes
from uopc.evaluate.points import Points
from uopc.evaluate.whole import constant, whole_value
from uopc.nptypes import Array, np_dtype
from uopc.ops import MOVEMENT, Ops
from uopc.uop import UOp, toposort

WHOLE_LIMIT = 1 << 24  # elements up to which a value is held whole
BUDGET = 1 << 34  # elements that may be computed in pieces: about a minute

_SMALL = 1 << 18  # elements up to which every value is formed
_FORMED = frozenset({Ops.REDUCE, Ops.STAGE})
_COPIES = MOVEMENT | {Ops.STACK, Ops.INDEX}
_MAX_FORMED = 1 << 28  # elements of a large reduction or stage that is kept
_MAX_OUTPUT = 1 << 31  # elements of one output
_IN_FLIGHT = 1 << 25  # elements of all intermediate arrays of one question together
_CHUNKS = (1 << 12, 1 << 18)  # smallest and largest intermediate array of a question


def evaluate_shaped(root: UOp, given: Mapping[int, npt.ArrayLike], limit: int, budget: int) -> list[Array]:
    """The outputs of a shaped graph, each in its own shape, in order.

    given: the elements of each buffer that is read, by slot. Raises EvaluationError, and EvaluationTooLarge beyond
    `budget`.
    """
    values = outputs_of(inlined(root))
    for v in values:
        if prod(v.shape) > _MAX_OUTPUT:
            raise EvaluationTooLarge(f"an output of {prod(v.shape):,} elements", v)
    return _Evaluation(values, given, limit, budget).run()


class _Evaluation:
    def __init__(self, outputs: list[UOp], given: Mapping[int, npt.ArrayLike], limit: int, budget: int) -> None:
        self.outputs = outputs
        self.given = given
        self.order = toposort(outputs)
        self.formed = self._choose(limit)
        self.known: dict[UOp, Array] = {}
        unformed = len(self.order) - len(self.formed)
        chunk = min(max(_IN_FLIGHT // max(1, unformed), _CHUNKS[0]), _CHUNKS[1])
        self.points = Points(self.known, chunk, budget)

    def _choose(self, limit: int) -> set[UOp]:
        """The nodes that are worked out whole."""
        uses = Counter(s for u in self.order for s in u.src)
        formed = set(self.outputs)
        for u in self.order:
            size = prod(u.shape)
            if (
                u.op is Ops.BUFFER
                or size <= min(limit, _SMALL)
                or (u.op in _FORMED and size <= _MAX_FORMED)
                or (u.op is not Ops.EXPAND and size <= limit and (uses[u] > 1 or _is_copy(u, formed)))
            ):
                formed.add(u)
        return formed

    def run(self) -> list[Array]:
        last_use = self._dropped_after()
        for k, u in enumerate(self.order):
            if u in self.formed:
                self.known[u] = self._value(u)
            for done in last_use[k]:
                self.known.pop(done, None)
        return [_own(self.known[v], v) for v in self.outputs]

    def _dropped_after(self) -> list[list[UOp]]:
        """For each position of the order, the nodes that nothing after it needs.

        A node that is not formed is worked out where it is used, so what it needs must live as long as its users do.
        """
        end = len(self.order)
        needed = dict.fromkeys(self.order, -1)
        needed.update(dict.fromkeys(self.outputs, end))
        for k in range(end - 1, -1, -1):
            u = self.order[k]
            until = k if u in self.formed else needed[u]
            for s in u.src:
                needed[s] = max(needed[s], until)
        dropped: list[list[UOp]] = [[] for _ in range(end + 1)]
        for u, k in needed.items():
            dropped[k].append(u)
        return dropped

    def _value(self, u: UOp) -> Array:
        if u.op is Ops.CONST:
            return constant(u)
        if u.op is Ops.BUFFER:
            return input_array(self.given, u)
        if not u.src:
            raise EvaluationError(f"{u.op.value} has no value in a shaped program", u)
        if all(s in self.formed for s in u.src):
            return whole_value(u, [self.known[s] for s in u.src])
        return self._piecewise(u)

    def _piecewise(self, u: UOp) -> Array:
        """A node some of whose operands are too large to hold, box by box."""
        terms = 1
        if u.op is Ops.REDUCE:
            product = contraction(u, self.points)
            if product is not None:
                return product
            terms = prod(u.src[0].shape[len(u.shape) :])
        if u.op is Ops.REDUCE and prod(u.src[0].shape) > self.points.budget:
            raise EvaluationTooLarge(f"a reduction of {prod(u.src[0].shape):,} elements", u)
        result = np.empty(u.shape, np_dtype(u.dtype))
        for box in boxes(u.shape, max(1, self.points.chunk // max(1, terms))):
            result[tuple(slice(b, e) for b, e in box)] = self.points.at(u, box_mesh(box))
        return result


def _is_copy(u: UOp, formed: set[UOp]) -> bool:
    """Whether `u` only moves elements that are at hand: NumPy does that better as a whole."""
    return u.op in _COPIES and all(s in formed for s in u.src)


def _own(value: Array, u: UOp) -> Array:
    """The value as an array of its own: contiguous, and no view of an input or of another output."""
    may_be_shared = u.op in MOVEMENT or u.op in (Ops.BUFFER, Ops.INDEX, Ops.STAGE, Ops.REDUCE)
    if may_be_shared or not (value.flags.owndata and value.flags.c_contiguous):
        return np.array(value, order="C")
    return value
