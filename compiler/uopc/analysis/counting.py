"""How many distinct positions an index expression takes while its loops run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from uopc.analysis.numeric import box, positions, tabulate
from uopc.symbolic.linear import linear
from uopc.uop import Ops, UOp

MAX_COUNTED = 1 << 12  # loop positions that are tried one by one


@dataclass(frozen=True)
class Count:
    """A number of elements; exact, or at most."""

    number: int
    exact: bool


def count_positions(position: UOp, guard: UOp | None, loops: Sequence[UOp], total: int, chosen: bool) -> Count:
    """Distinct values of `position` where `guard` holds. `total`: how many there could be; `chosen`: one of the loops
    stands for an index that has one value in a run, so that the count is no more than a bound."""
    if any(r.arg.size == 0 for r in loops):
        return Count(0, True)
    used = [r for r in loops if r in position.ranges or (guard is not None and r in guard.ranges)]
    sizes = {r: r.arg.size for r in used}
    simple = guard is None or _narrowed(guard, sizes)
    if simple and any(n <= 0 for n in sizes.values()):
        return Count(0, True)
    number = _of_sum(position, sizes) if simple else None
    if number is None:
        number = _tried(position, guard, used)
    if number is None:
        return Count(min(total, positions(used)), False)
    return Count(min(number, total), not chosen)


def _tried(position: UOp, guard: UOp | None, loops: Sequence[UOp]) -> int | None:
    n = positions(loops)
    if n > MAX_COUNTED:
        return None
    columns = box(loops)
    found = tabulate(position, columns, n)
    held = [1] * n if guard is None else tabulate(guard, columns, n)
    return None if found is None or held is None else len({p for p, h in zip(found, held) if h})


def _of_sum(position: UOp, sizes: dict[UOp, int]) -> int | None:
    """The count for a sum of multiples of loop counters whose ranges have these sizes; None when it is not so simple.

    Counters are taken from the smallest coefficient up. The values so far are `count` of them over `span`, and evenly
    spaced by `step` while that lasts: a coefficient inside them makes them longer, one beyond them multiplies them.
    """
    form = linear(position)
    if any(t not in sizes for t in form.terms):
        return None
    count, span, step = 1, 0, 0
    even = True
    for size, c in sorted(((sizes[t], abs(c)) for t, c in form.terms.items()), key=lambda sc: sc[1]):
        if size == 1:
            continue
        if count == 1:
            count, span, step = size, c * (size - 1), c
        elif even and c % step == 0 and c <= step * count:
            span += c * (size - 1)
            count = span // step + 1
        elif c > span:
            count, span, even = count * size, span + c * (size - 1), False
        else:
            return None
    return count


def _narrowed(guard: UOp, sizes: dict[UOp, int]) -> bool:
    """Whether the guard only narrows single loops; `sizes` is then the sizes of what is left of each."""
    lows = dict.fromkeys(sizes, 0)
    highs = dict(sizes)
    for part, negated in _conjuncts(guard):
        if part.op is not Ops.CMPLT:
            return False
        less = linear(part.src[0]), linear(part.src[1])
        terms = [(t, c) for t, c in less[0].terms.items()] + [(t, -c) for t, c in less[1].terms.items()]
        if len(terms) != 1 or terms[0][0] not in sizes:
            return False
        ((r, c),) = terms
        limit = less[1].const - less[0].const  # the part says c * r < limit
        _narrow(r, c, limit, negated, lows, highs)
    for r in sizes:
        sizes[r] = max(0, highs[r] - lows[r])
    return True


def _narrow(r: UOp, c: int, limit: int, negated: bool, lows: dict[UOp, int], highs: dict[UOp, int]) -> None:
    """Takes c * r < limit (or its negation, c * r >= limit) into the bounds of r."""
    if negated:  # -c * r < 1 - limit
        c, limit = -c, 1 - limit
    if c > 0:
        highs[r] = min(highs[r], -(-limit // c))
    else:  # r > limit / c
        lows[r] = max(lows[r], -limit // -c + 1)


def _conjuncts(guard: UOp) -> Iterable[tuple[UOp, bool]]:
    stack = [guard]
    while stack:
        u = stack.pop()
        if u.op in (Ops.AND, Ops.MUL):
            stack.extend(u.src)
        else:
            yield (u.src[0], True) if u.op is Ops.NOT else (u, False)
