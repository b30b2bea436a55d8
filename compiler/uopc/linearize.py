"""From a graph of effects to an ordered program: a flat list in which RANGE opens a loop and its END closes it.

Each node is placed in the innermost loop that it depends on, so what does not change in a loop is computed before it.
Inside one loop body the order is a topological order of its statements and inner loops, nearest to the graph's own.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator

from uopc.errors import UOpError
from uopc.ops import Ops
from uopc.uop import UOp

# A body is the loop that it is the inside of; None is the program itself. An item of a body is a node, or the RANGE
# that stands for a whole inner loop.
_Body = UOp | None


def linearize(root: UOp) -> list[UOp]:
    """The nodes of a loop program in execution order; constants and buffers come first in the body that uses them.

    Raises UOpError when loops cannot be nested: a range closed twice or never, or loops that wait for each other.
    """
    nodes = root.toposort()
    nest = _Nest(nodes)
    before = _dependencies(nodes, nest)
    return _emit(nodes, nest, before)


class _Nest:
    """Which loop is inside which, and in which body each node stands."""

    def __init__(self, nodes: list[UOp]) -> None:
        self.end: dict[UOp, UOp] = {}  # range -> the END that closes it
        self.parent: dict[UOp, _Body] = {}
        self.depth: dict[_Body, int] = {None: 0}
        self._forced: dict[UOp, UOp] = {}  # an effect -> the loop whose body it is
        for node in reversed(nodes):
            if node.op is Ops.END:
                self._open(node)
        for node in nodes:
            if node.op is Ops.RANGE and node not in self.end:
                raise UOpError("open-range", f"range {node.arg.idx} is not closed by an end")

    def _open(self, end: UOp) -> None:
        outer = self._innermost(end.ranges)
        forced = self._forced.get(end)
        if forced is not None and self.depth[forced] > self.depth[outer]:
            outer = forced
        for loop in sorted(end.src[1:], key=lambda r: (r.arg.idx, r.digest)):
            if loop in self.end:
                raise UOpError("closed-range", f"range {loop.arg.idx} is closed by two ends")
            self.end[loop], self.parent[loop] = end, outer
            self.depth[loop] = self.depth[outer] + 1
            outer = loop
        if outer is not None:
            self._force(end.src[0], outer)

    def _force(self, effect: UOp, body: UOp) -> None:
        """The body of an END runs once per iteration, even where nothing in it mentions the counter."""
        todo = [effect]
        while todo:
            node = todo.pop()
            self._forced[node] = body
            if node.op in (Ops.GROUP, Ops.SINK):
                todo.extend(node.src)

    def _innermost(self, ranges: frozenset[UOp]) -> _Body:
        found: _Body = None
        for r in ranges:
            if r not in self.depth:
                raise UOpError("range-order", f"a value in range {r.arg.idx} is used where that range is closed")
            if self.depth[r] > self.depth[found]:
                found = r
        return found

    def body(self, node: UOp) -> _Body:
        """The body that a node stands in; for an END that of its outermost loop."""
        if node.op is Ops.END and len(node.src) > 1:
            return self.parent[self.loop(node)]
        own = self._innermost(node.ranges)
        forced = self._forced.get(node)
        return forced if forced is not None and self.depth[forced] > self.depth[own] else own

    def loop(self, end: UOp) -> UOp:
        """The outermost of the loops that an END closes."""
        return min(end.src[1:], key=lambda r: self.depth[r])

    def encloses(self, outer: _Body, inner: _Body) -> bool:
        """Whether `inner` is `outer` or a body inside it."""
        while self.depth[inner] > self.depth[outer]:
            assert inner is not None
            inner = self.parent[inner]
        return inner is outer

    def item(self, node: UOp) -> UOp:
        """What stands for a node in its body: the node, or for an END its outermost loop."""
        return self.loop(node) if node.op is Ops.END and len(node.src) > 1 else node


def _dependencies(nodes: list[UOp], nest: _Nest) -> dict[UOp, set[UOp]]:
    """item -> the items of the same body that must come before it."""
    before: dict[UOp, set[UOp]] = defaultdict(set)
    body = {n: nest.body(n) for n in nodes}
    for node in nodes:
        for s in node.src:
            if s.op is not Ops.RANGE:
                _order(s, node, body, nest, before)
    for first, then in _reads_before_writes(nodes, nest, body):
        _order(first, then, body, nest, before)
    return before


def _order(first: UOp, then: UOp, body: dict[UOp, _Body], nest: _Nest, before: dict[UOp, set[UOp]]) -> None:
    a, b = body[first], body[then]
    x, y = nest.item(first), nest.item(then)
    while nest.depth[a] > nest.depth[b]:
        assert a is not None
        x, a = a, nest.parent[a]
    while nest.depth[b] > nest.depth[a]:
        assert b is not None
        y, b = b, nest.parent[b]
    while a is not b:
        assert a is not None and b is not None
        x, a, y, b = a, nest.parent[a], b, nest.parent[b]
    if x is not y:
        before[y].add(x)


def _reads_before_writes(nodes: list[UOp], nest: _Nest, body: dict[UOp, _Body]) -> Iterator[tuple[UOp, UOp]]:
    """(access, store) of the same state of the same memory: loads must see what was there before any of the stores."""
    loads: dict[UOp, list[UOp]] = defaultdict(list)
    for n in nodes:
        if n.op is Ops.LOAD:
            loads[n.src[0].src[0]].append(n)
    stored: dict[UOp, dict[_Body, UOp]] = {}  # state -> body -> its latest store there
    for n in nodes:
        state = n.src[0].src[0] if n.op is Ops.STORE and n.src[0].op is Ops.INDEX else None
        if state is None or state not in loads:
            continue
        seen, own = stored.setdefault(state, {}), body[n]
        if own in seen:
            yield seen[own], n  # which the loads precede: a chain, not every load with every store
        else:
            yield from ((load, n) for load in loads[state] if not seen or nest.encloses(body[load], own))
        seen[own] = n


def _emit(nodes: list[UOp], nest: _Nest, before: dict[UOp, set[UOp]]) -> list[UOp]:
    members: dict[_Body, list[UOp]] = defaultdict(list)
    rank: dict[UOp, int] = {}
    for k, n in enumerate(nodes):
        if n.op is Ops.RANGE:
            continue
        x = nest.item(n)
        if x not in rank:
            rank[x] = k
            members[nest.body(n)].append(x)
    for loop in nest.end:
        if loop not in rank:  # an inner loop of an END with several ranges
            rank[loop] = 0
            members[nest.parent[loop]].append(loop)
    return _walk({b: _sorted(items, before, rank) for b, items in members.items()}, nest)


def _sorted(items: list[UOp], before: dict[UOp, set[UOp]], rank: dict[UOp, int]) -> list[UOp]:
    """The items of one body in dependency order; of those that could come next, the one that the graph has first."""
    waiting = {x: len(before.get(x, ())) for x in items}
    after: dict[UOp, list[UOp]] = defaultdict(list)
    for x in items:
        for y in before.get(x, ()):
            after[y].append(x)
    ready = [(rank[x], x.digest, x) for x in items if not waiting[x]]
    heapq.heapify(ready)
    out: list[UOp] = []
    while ready:
        x = heapq.heappop(ready)[2]
        out.append(x)
        for y in after[x]:
            waiting[y] -= 1
            if not waiting[y]:
                heapq.heappush(ready, (rank[y], y.digest, y))
    if len(out) < len(items):
        raise UOpError("loop-cycle", "the loops of this program wait for each other")
    return out


def _walk(order: dict[_Body, list[UOp]], nest: _Nest) -> list[UOp]:
    out: list[UOp] = []
    stack: list[tuple[_Body, int]] = [(None, 0)]
    while stack:
        body, k = stack.pop()
        items = order.get(body, [])
        if k == len(items):
            if body is not None and body is _last_loop(nest.end[body], nest):
                out.append(nest.end[body])
            continue
        stack.append((body, k + 1))
        item = items[k]
        out.append(item)
        if item in nest.end:
            stack.append((item, 0))
    return out


def _last_loop(end: UOp, nest: _Nest) -> UOp:
    """The innermost loop of an END: where its body ends, and with it all its loops."""
    return max(end.src[1:], key=lambda r: nest.depth[r])
