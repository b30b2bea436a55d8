"""Sums of products too large to hold, as matrix products.

A reduce add over a product of two broadcast values is a contraction: worked out element by element, 1024^3 products
take seconds; as a matrix product in f64 they take milliseconds and are no less accurate, since the order, association
and rounding of the products inside a reduction are free. Only used where nothing can overflow on the way.
"""

from __future__ import annotations

from math import prod

import numpy as np

from uopc.dtype import DType, dtypes
from uopc.evaluate.mesh import Mesh, box_mesh
from uopc.evaluate.points import Points
from uopc.nptypes import Array, np_dtype
from uopc.ops import Ops
from uopc.uop import Shape, UOp

_VIEWS = frozenset({Ops.EXPAND, Ops.PERMUTE, Ops.STAGE})


def contraction(u: UOp, points: Points) -> Array | None:
    """The value of the REDUCE node `u` if it is a contraction of known values, else None."""
    op, n = u.arg
    full = u.src[0].shape
    if op is not Ops.ADD or u.dtype is dtypes.f16 or u.dtype.is_bool:
        return None
    product, mesh = _through_views(u.src[0], box_mesh(tuple((0, size) for size in full)))
    if product.op is not Ops.MUL or not all(_is_view_of_known(f, points) for f in product.src):
        return None
    factors = [points.at(f, mesh) for f in product.src]
    if u.dtype.is_float:
        if not _tame(factors, u.dtype, prod(full[len(full) - n :])):
            return None
        factors = [f.astype(np.float64) for f in factors]
    return _contract(factors[0], factors[1], full, len(full) - n).astype(np_dtype(u.dtype))


def _through_views(x: UOp, mesh: Mesh) -> tuple[UOp, Mesh]:
    """The operand under permutes and stages, and the mesh of it that corresponds to `mesh` of `x`."""
    while x.op in (Ops.PERMUTE, Ops.STAGE):
        if x.op is Ops.PERMUTE:
            mesh = mesh.moved(mesh.at[x.arg.index(k)] for k in range(mesh.rank))
        x = x.src[0]
    return x, mesh


def _is_view_of_known(x: UOp, points: Points) -> bool:
    while x not in points.known and x.op in _VIEWS:
        x = x.src[0]
    return x in points.known


def _tame(factors: list[Array], d: DType, terms: int) -> bool:
    """Whether no product and no partial sum can leave the finite numbers of `d`, in any order."""
    if any(f.size == 0 for f in factors):
        return True
    a, b = (float(np.max(np.abs(f))) for f in factors)
    return a * b * terms < float(np.finfo(np_dtype(d)).max)  # false for NaN and infinities


def _contract(a: Array, b: Array, full: Shape, rank: int) -> Array:
    """sum(a * b) over the axes from `rank` on; `a` and `b` have size 1 on the axes that they do not depend on."""
    reduced = range(rank, len(full))
    for k in reduced:  # an axis that one factor or both do not depend on is summed in the other, or counted
        if a.shape[k] == 1:
            b = b.sum(axis=k, keepdims=True, dtype=b.dtype) if b.shape[k] != 1 else _times(b, full[k])
        elif b.shape[k] == 1:
            a = a.sum(axis=k, keepdims=True, dtype=a.dtype)
    in_a = [a.shape[k] != 1 for k in range(len(full))]
    in_b = [b.shape[k] != 1 for k in range(len(full))]
    batch = [k for k in range(rank) if in_a[k] and in_b[k]]
    rows = [k for k in range(rank) if not in_b[k]]
    columns = [k for k in range(rank) if in_b[k] and not in_a[k]]
    inner = [k for k in reduced if in_a[k] and in_b[k]]
    left = _matrices(a, batch, rows, inner)
    right = _matrices(b, batch, inner, columns)
    order = batch + rows + columns
    sizes = [max(a.shape[k], b.shape[k]) for k in order]
    result = np.matmul(left, right).reshape(sizes).transpose(np.argsort(order))
    return np.broadcast_to(result, full[:rank])


def _times(x: Array, n: int) -> Array:
    """n equal terms; n itself wraps when the dtype is narrow."""
    return np.asarray(x * np.array(n, np.int64).astype(x.dtype))


def _matrices(x: Array, batch: list[int], rows: list[int], columns: list[int]) -> Array:
    """`x` as a stack of matrices; axes in none of the three lists have size 1 in `x`."""
    rest = [k for k in range(x.ndim) if k not in {*batch, *rows, *columns}]
    sizes = [prod(x.shape[k] for k in group) for group in (batch, rows, columns)]
    return np.asarray(x.transpose(batch + rows + columns + rest).reshape(sizes))
