"""Random chains of movement operations against NumPy: composed maps, counts, strides and dependence."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from uopc.analysis import expressions
from uopc.analysis.dependence import varies
from uopc.analysis.digits import axes_of
from uopc.analysis.index_map import index_map
from uopc.analysis.strides import as_strided, is_contiguous, why_not
from uopc.uop import UOp, buf

Array = npt.NDArray[np.int64]

SIZE = 24
CHAINS = 150


class Chain(NamedTuple):
    """A chain over one buffer, and what it is when the buffer holds 1, 2, 3, ... (so that 0 is a pad's zero)."""

    node: UOp
    value: Array
    padded: bool
    cut: bool


def random_chain(seed: int, pads: bool) -> Chain:
    rng = np.random.default_rng(seed)
    u, v = buf(0, SIZE).reshape((2, 3, 4)), np.arange(1, SIZE + 1).reshape(2, 3, 4)
    padded = cut = False
    for _ in range(rng.integers(1, 8)):
        kind = rng.integers(8 if pads else 7)
        if kind == 0:
            order = tuple(map(int, rng.permutation(v.ndim)))
            u, v = u.permute(order), v.transpose(order)
        elif kind == 1:
            bounds = [_window(rng, n) for n in v.shape]
            cut = cut or any(b != (0, n) for b, n in zip(bounds, v.shape))
            u, v = u.shrink(bounds), v[tuple(slice(b, e) for b, e in bounds)]
        elif kind == 2 and v.ndim < 4 and v.size < 200:
            at, n = int(rng.integers(v.ndim + 1)), int(rng.integers(1, 4))
            one = (*v.shape[:at], 1, *v.shape[at:])
            wide = (*v.shape[:at], n, *v.shape[at:])
            u, v = u.reshape(one).expand(wide), np.broadcast_to(v.reshape(one), wide)
        elif kind == 3:
            u, v = u.reshape((v.size,)), v.reshape(-1)
        elif kind in (4, 5):
            shape = _factored(rng, v.size)
            u, v = u.reshape(shape), v.reshape(shape)
        elif kind == 6:
            axes = tuple(k for k in range(v.ndim) if rng.integers(2))
            u, v = u.flip(axes), np.flip(v, axes)
        elif kind == 7 and v.size < 100:
            widths = [(int(rng.integers(3)), int(rng.integers(3))) for _ in v.shape]
            padded = padded or any(w != (0, 0) for w in widths)
            u, v = u.pad(widths), np.pad(v, widths)
    return Chain(u, v, padded, cut)


def _window(rng: np.random.Generator, n: int) -> tuple[int, int]:
    if rng.integers(2):
        return 0, n
    begin = int(rng.integers(n))
    return begin, int(rng.integers(begin + 1, n + 1))


def _factored(rng: np.random.Generator, n: int) -> tuple[int, ...]:
    sizes = []
    while n > 1:
        divisor = int(rng.choice([d for d in range(2, n + 1) if n % d == 0]))
        sizes.append(divisor)
        n //= divisor
    if rng.integers(3) == 0:
        sizes.insert(int(rng.integers(len(sizes) + 1)), 1)
    return tuple(sizes)


@pytest.mark.parametrize("seed", range(CHAINS))
def test_composed_map_is_where_the_elements_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "MAX_LENGTH", 1 << 20)
    chain = random_chain(seed, pads=True)
    (place,) = index_map(chain.node).places()
    position, _, guard = place.removeprefix("buffer 0 at ").partition(", 0 unless ")
    letters = ["i", "j", "k", "l", "m", "n", *(f"i{k}" for k in range(6, 30))]
    want = np.zeros_like(chain.value)
    for idx in np.ndindex(chain.value.shape):
        names = dict(zip(letters, idx), true=True, false=False)
        inside = eval(guard.replace(" = ", " == "), {}, names) if guard else True
        if inside:
            found = eval(position, {}, names)
            assert 0 <= found < SIZE
            want[idx] = found + 1
    np.testing.assert_array_equal(want, chain.value, err_msg=place)


@pytest.mark.parametrize("seed", range(CHAINS))
def test_count_of_elements_read(seed: int) -> None:
    chain = random_chain(seed, pads=True)
    (read,) = index_map(chain.node).composition.reads
    distinct = len(set(chain.value.reshape(-1).tolist()) - {0})
    assert read.count.exact
    assert (read.count.number, read.total) == (distinct, SIZE)


def brute_force_strides(v: Array) -> tuple[tuple[int, ...], int] | None:
    """Strides and offset that give every element's position, or None: found from differences, checked everywhere."""
    where = np.asarray(v) - 1
    origin = int(where[(0,) * where.ndim])
    strides = []
    for axis, n in enumerate(where.shape):
        step = tuple(int(k == axis) for k in range(where.ndim))
        strides.append(int(where[step]) - origin if n > 1 else 0)
    expected = np.full(where.shape, origin)
    for axis, s in enumerate(strides):
        shape = [1] * where.ndim
        shape[axis] = -1
        expected = expected + s * np.arange(where.shape[axis]).reshape(shape)
    return (tuple(strides), origin) if np.array_equal(expected, where) else None


@pytest.mark.parametrize("seed", range(2 * CHAINS))
def test_strides_exactly_when_there_are_some(seed: int) -> None:
    chain = random_chain(seed, pads=False)
    want = brute_force_strides(chain.value)
    found = as_strided(chain.node)
    if want is None:
        assert found is None
        assert why_not(chain.node)
        return
    assert found == (chain.value.shape, *want)
    assert why_not(chain.node) == ""
    base = np.arange(1, SIZE + 1)
    view = np.lib.stride_tricks.as_strided(
        base[found[2] :], found[0], [s * base.itemsize for s in found[1]], writeable=False
    )
    np.testing.assert_array_equal(view, chain.value)
    assert is_contiguous(found) == view.flags.c_contiguous


@pytest.mark.parametrize("seed", range(CHAINS))
def test_what_a_value_varies_along(seed: int) -> None:
    chain = random_chain(seed, pads=True)
    v = chain.value
    differs = {k for k in range(v.ndim) if np.any(v != np.take(v, [0], axis=k))}
    found = axes_of(varies(chain.node))
    assert differs <= found
    if not chain.padded and not chain.cut:
        assert found == differs


def test_digits_survive_a_round_trip() -> None:
    column = buf(0, 3).reshape((3, 1)).expand((3, 4))
    assert varies(column.reshape((12,))) == {(0, 4, 12)}
    assert axes_of(varies(column.reshape((12,)).reshape((3, 4)))) == {0}
    assert axes_of(varies(column.reshape((2, 6)))) == {0, 1}
    assert axes_of(varies(column.reshape((3, 2, 2)).reshape((6, 2)))) == {0}


STRIDED = [
    (buf(0, 12).reshape((3, 4)).permute((1, 0)).shrink(((1, 3), (0, 3))), ((2, 3), (1, 4), 1)),
    (buf(0, 12).reshape((3, 4)).permute((1, 0)).reshape((12,)), None),
    (buf(0, 12).reshape((3, 4)).permute((1, 0)).reshape((12,)).shrink(((0, 3),)), ((3,), (4,), 0)),
    (buf(0, 12).reshape((3, 4)).permute((1, 0)).reshape((12,)).reshape((4, 3)), ((4, 3), (1, 4), 0)),
    (buf(0, 12).flip((0,)), ((12,), (-1,), 11)),
    (buf(0, 4).reshape((1, 4)).expand((3, 4)), ((3, 4), (0, 1), 0)),
    (buf(0, 12).reshape((3, 4)).index(2), ((4,), (1,), 8)),
    (buf(0, 12).reshape((3, 4)).pad(((0, 0), (1, 0))), None),
    (buf(0, 12).reshape((3, 4)).pad(((0, 0), (0, 0))), ((3, 4), (4, 1), 0)),
    (buf(0, 12).reshape((3, 4)) * 2.0, None),
    (buf(0, 12).stage(), None),
    (buf(0, 0).reshape((0, 5)), ((0, 5), (0, 0), 0)),
    (buf(0, 1 << 40).reshape((1 << 20, 1 << 20)).permute((1, 0)), ((1 << 20, 1 << 20), (1, 1 << 20), 0)),
]


@pytest.mark.parametrize(("node", "want"), STRIDED, ids=[str(k) for k in range(len(STRIDED))])
def test_strides_by_hand(node: UOp, want: object) -> None:
    assert as_strided(node) == want


def test_why_not_names_the_reshape_and_the_axes() -> None:
    turned = buf(0, 12).reshape((3, 4)).permute((1, 0))
    flat = turned.reshape((12,))
    text = why_not(flat.shrink(((0, 9),)), lambda u: "%3" if u is flat else None)
    assert "reshape %3 (4, 3) -> (12,)" in text
    assert "axes 0 and 1" in text
    assert "zeros" in why_not(turned.pad(((1, 0), (0, 0))))
    assert "computed" in why_not(turned + 1.0)


def test_a_long_chain_needs_no_recursion_and_stays_cheap() -> None:
    u = buf(0, 64).reshape((8, 8))
    for _ in range(20_000):
        u = u.permute((1, 0)).flip((0,))
    assert as_strided(u) is not None
    assert prod(u.shape) == 64
