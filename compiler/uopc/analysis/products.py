"""Sums over products that are no contractions: which factor comes out of the sum, and what was meant.

In `reduce add` of a * b a factor that does not vary along a summed axis comes out of the sum over that axis:
sum over k of A[i, j] * B[i, k] is A[i, j] * (sum over k of B[i, k]). That is legal, and seldom what was meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from uopc.analysis.dependence import varies
from uopc.analysis.digits import axes_of
from uopc.typerules import Shape
from uopc.uop import Ops, UOp

MAX_FACTORS = 8

Axes = frozenset[int]


@dataclass(frozen=True)
class Regroup:
    """How a written RESHAPE must read for a contraction: `steps` are operations on its operand, in order."""

    node: UOp
    steps: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Contraction:
    """The reshapes that make a product the contraction A @ B of row-major matrices."""

    left: Regroup
    right: Regroup


@dataclass(frozen=True)
class Uncontracted:
    """A sum over a product that falls apart. message: refers to `factors` as {0}, {1}, ..."""

    message: str
    factors: tuple[UOp, ...]
    looks_like_contraction: bool
    contraction: Contraction | None


def uncontracted(u: UOp) -> Uncontracted | None:
    """What is wrong with a REDUCE over a product, or None when every factor varies along every summed axis."""
    if u.arg[0] is not Ops.ADD or not u.arg[1] or 0 in u.src[0].shape:
        return None
    product, order = _under_permutes(u.src[0])
    if product.op is not Ops.MUL:
        return None
    summed = frozenset(k for k in order[len(u.shape) :] if product.shape[k] > 1)
    factors = sorted(_factors(product), key=lambda f: not varies(f))  # constants last
    along = {f: axes_of(varies(f)) for f in factors}
    varying = [f for f in factors if along[f]]
    bad = [k for k in sorted(summed) if 0 < sum(k in along[f] for f in varying) < len(varying)]
    if not bad:
        return None
    sums = [summed & along[f] for f in factors]
    every = frozenset(k for k, n in enumerate(product.shape) if n > 1)
    return Uncontracted(
        f"not a contraction over {_axes(bad)}: {_missing(bad, sums[: len(varying)])}, so this is {_algebra(sums)}",
        tuple(factors),
        all(every - along[f] for f in varying),
        _contraction(product, varying, summed),
    )


def _under_permutes(u: UOp) -> tuple[UOp, tuple[int, ...]]:
    """The value below permutes, and which of its axes each axis of `u` is."""
    order = tuple(range(len(u.shape)))
    while u.op is Ops.PERMUTE:
        order = tuple(u.arg[k] for k in order)
        u = u.src[0]
    return u, order


def _factors(product: UOp) -> list[UOp]:
    """The factors of nested products, left to right, a multiple of one value as one factor; a product of many is taken
    as its two operands."""
    found: list[UOp] = []
    stack = [product]
    while stack:
        u = stack.pop()
        if u.op is Ops.MUL and (u is product or all(varies(s) for s in u.src)):
            stack.extend(reversed(u.src))
        else:
            found.append(u)
        if len(found) + len(stack) > MAX_FACTORS:
            return list(product.src)
    return list(dict.fromkeys(found))


def _axes(axes: Iterable[int]) -> str:
    """`axis 2`, `axes 0 and 2`."""
    names = [str(k) for k in sorted(axes)]
    return f"axis {names[0]}" if len(names) == 1 else f"axes {', '.join(names[:-1])} and {names[-1]}"


def _missing(bad: list[int], sums: list[Axes]) -> str:
    """Which factor does not vary along which axis."""
    parts = []
    for k, own in enumerate(sums):
        lacks = [axis for axis in bad if axis not in own]
        if lacks:
            where = "it" if len(bad) == 1 else "them" if lacks == bad else _axes(lacks)
            parts.append(f"{{{k}}} does not vary along {where}")
    return ", ".join(parts)


def _algebra(sums: list[Axes]) -> str:
    """The same sum with every factor moved as far out as it goes: `{0} * sum({1} over axis 2)`."""
    groups: dict[Axes, list[str]] = {}
    for k, own in enumerate(sums):
        groups.setdefault(own, []).append(f"{{{k}}}")
    shared = frozenset(axis for own in groups for axis in own if sum(axis in other for other in groups) > 1)
    outer: list[str] = []
    inner: list[str] = []
    for own, names in groups.items():
        text = " * ".join(names)
        alone = own - shared
        text = f"sum({text} over {_axes(alone)})" if alone else text
        (inner if own & shared else outer).append(text)
    if inner:
        outer.append(f"sum({' * '.join(inner)} over {_axes(shared)})")
    return " * ".join(outer)


# -- what was meant ------------------------------------------------------------------------------------------------
def _contraction(product: UOp, factors: list[UOp], summed: Axes) -> Contraction | None:
    """The reshapes for A @ B, when the product has two kept axes and one summed one and the element counts fit."""
    kept = [k for k, n in enumerate(product.shape) if n > 1 and k not in summed]
    shapes = [_written_reshape(f) for f in factors]
    if len(kept) != 2 or len(summed) != 1 or len(shapes) != 2 or not shapes[0] or not shapes[1]:
        return None
    (axis,) = summed
    left = _regroup(shapes[0], product.shape, (kept[0], axis))
    right = _regroup(shapes[1], product.shape, (axis, kept[1]))
    return Contraction(left, right) if left and right else None


def _written_reshape(factor: UOp) -> UOp | None:
    u = factor
    while u.op is Ops.EXPAND:
        u = u.src[0]
    return u if u.op is Ops.RESHAPE and u.src[0].op is not Ops.CONST else None


def _regroup(node: UOp, shape: Shape, matrix_axes: tuple[int, int]) -> Regroup | None:
    """The row-major matrix in `node`'s operand, laid along two axes of the product."""
    sizes = tuple(shape[k] for k in matrix_axes)
    if prod(node.shape) != prod(sizes):
        return None
    target = tuple(n if k in matrix_axes else 1 for k, n in enumerate(shape))
    if matrix_axes[0] < matrix_axes[1]:
        return Regroup(node, (("reshape", target),))
    return Regroup(node, (("reshape", sizes), ("permute", (1, 0)), ("reshape", target)))
