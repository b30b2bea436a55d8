"""Index expressions as sums: an integer plus whole multiples of terms that are no sums themselves.

`4*(j + 1) + i` is the constant 4 and the terms {j: 4, i: 1}. Unlike `symbolic.linear` this reads expressions as they
stand, as sums of exact numbers, and keeps whole what has a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from uopc.uop import Ops, UOp

Leaf = Callable[[UOp], bool]


@dataclass(frozen=True)
class Linear:
    """constant + the sum of coefficient * term. No coefficient is 0."""

    constant: int = 0
    terms: Mapping[UOp, int] = field(default_factory=dict)

    def plus(self, other: Linear) -> Linear:
        """The sum of two forms."""
        terms = dict(self.terms)
        for term, coefficient in other.terms.items():
            total = terms.get(term, 0) + coefficient
            if total:
                terms[term] = total
            else:
                del terms[term]
        return Linear(self.constant + other.constant, terms)

    def times(self, factor: int) -> Linear:
        """A multiple of the form."""
        if factor == 0:
            return Linear()
        return Linear(self.constant * factor, {t: c * factor for t, c in self.terms.items()})


def linear_forms(order: Iterable[UOp], leaf: Leaf) -> dict[UOp, Linear]:
    """The form of every integer node of `order` (operands before users); nodes that `leaf` accepts are single terms."""
    forms: dict[UOp, Linear] = {}
    for u in order:
        if u.dtype.is_int and not u.shape:
            forms[u] = _form(u, forms, leaf)
    return forms


def _form(u: UOp, forms: Mapping[UOp, Linear], leaf: Leaf) -> Linear:
    if u.op is Ops.CONST:
        return Linear(int(u.arg))
    if not leaf(u):
        sources = [forms.get(s) for s in u.src]
        if u.op is Ops.ADD and sources[0] and sources[1]:
            return sources[0].plus(sources[1])
        if u.op is Ops.MUL and sources[0] and sources[1]:
            for a, b in ((0, 1), (1, 0)):
                factor, other = sources[b], sources[a]
                if factor and other and not factor.terms:
                    return other.times(factor.constant)
        if u.op in (Ops.CAST, Ops.ASSUME) and sources[0] and u.dtype.bits >= u.src[0].dtype.bits:
            return sources[0]
    return Linear(0, {u: 1})
