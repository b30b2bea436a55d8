"""exp2, log2 and sin of f32 vectors: within 2 ulp everywhere, NaN, infinities and zeros exact.

exp2: 2**round(x) times a polynomial of the rest, in f32. log2 and sin compute in f64 lanes, where the error is far
below one f32 ulp whatever the argument; arguments of sin beyond 2**20 go to the C library lane by lane. Coefficients:
minimax (exp2) and the functions' own series (log2, sin) on the reduced interval.
"""

from __future__ import annotations

from uopc.dtype import dtypes
from uopc.fast.vectors import Vectors

# 2**r on [-0.5, 0.5], relative error below 2e-9; highest power first, the last coefficient is 1.
EXP2 = (1.5353360e-4, 1.3398875e-3, 9.6184369e-3, 5.5503324e-2, 2.4022648e-1, 6.9314718e-1)


def exp2(v: Vectors, w: int) -> str:
    """Name of the function. What the power of 2 adds to the exponent's bits is right from the smallest normal number up
    to infinity; below it the result is 0."""
    t, i, u = v.raw(dtypes.f32, w), v.raw(dtypes.i32, w), v.raw(dtypes.u32, w)
    fma = v.fused(dtypes.f32, w)
    steps = "".join(f"  p = {fma}(p, r, {v.splat(f'{c!r}f', dtypes.f32, w)});\n" for c in (*EXP2[1:], 1.0))
    return v.declare(
        f"exp2_{t}",
        f"static inline {t} exp2_{t}({t} x) {{\n"
        f"  {t} y;\n  for (int l = 0; l < {w}; l++) y[l] = x[l] < 128.0f ? x[l] : 128.0f;\n"
        f"  {t} big = y + 12582912.0f, r = y - (big - 12582912.0f), p = {v.splat(f'{EXP2[0]!r}f', dtypes.f32, w)};\n"
        f"{steps}"
        f"  {i} q = ({i})(({u})p + (({u})big << 23)) & ~({i})(x < -126.0f), nan = ({i})(x != x);\n"
        f"  return ({t})((({i})x & nan) | (q & ~nan));\n}}",
    )


# log2(m) = 2 / ln 2 * (s + s**3 / 3 + ...) with s = (m - 1) / (m + 1); |s| <= 0.172.
_LOG_TERMS = 9
_TWO_OVER_LN2 = 2.8853900817779268


def log2(v: Vectors, w: int) -> str:
    """Name of the function."""
    t, d, n, u = (v.raw(k, w) for k in (dtypes.f32, dtypes.f64, dtypes.i64, dtypes.u64))
    select = v.select(dtypes.f32, w)
    mask = v.raw(dtypes.i32, w)
    series = [_TWO_OVER_LN2 / (2 * k + 1) for k in range(_LOG_TERMS)]
    steps = "".join(f"  p = p * q + {c!r};\n" for c in reversed(series[:-1]))

    def pick(test: str, value: str, other: str) -> str:
        return f"{select}(({mask})({test}), {v.splat(value, dtypes.f32, w)}, {other})"

    nan = '__builtin_nanf("")'
    return v.declare(
        f"log2_{t}",
        f"static inline {t} log2_{t}({t} x) {{\n"
        f"  {d} y = __builtin_convertvector(x, {d});\n"
        f"  {n} b = ({n})y, e = ({n})(({u})b - 0x3fe6a09e667f3bcdULL) >> 52;\n"
        f"  {d} m = ({d})(({u})b - (({u})e << 52)), s = (m - 1.0) / (m + 1.0), q = s * s;\n"
        f"  {d} p = {v.splat(repr(series[-1]), dtypes.f64, w)};\n{steps}"
        f"  {t} r = __builtin_convertvector(p * s + __builtin_convertvector(e, {d}), {t});\n"
        f"  r = {pick('x == 0.0f', '-__builtin_inff()', 'r')};\n"
        f"  r = {pick('x == __builtin_inff()', '__builtin_inff()', 'r')};\n"
        f"  return {pick('~(x >= 0.0f)', nan, 'r')};\n}}",
    )


# sin(r) = r * (1 - r**2/6 + ...) on [-pi/2, pi/2]; pi as a part with 33 bits, whose products are exact, and the rest.
_SIN_TERMS = (1 / 6, 1 / 120, 1 / 5040, 1 / 362880, 1 / 39916800, 1 / 6227020800, 1 / 1307674368000)
_PI_HIGH, _PI_LOW = 3.14159265346825122834, 1.21542010130123844986e-10


def sin(v: Vectors, w: int) -> str:
    """Name of the function."""
    t, d, n, u = (v.raw(k, w) for k in (dtypes.f32, dtypes.f64, dtypes.i64, dtypes.u64))
    signed = [(-1) ** (k + 1) * c for k, c in enumerate(_SIN_TERMS)]
    steps = "".join(f"  p = p * q + {c!r};\n" for c in (*reversed(signed[:-1]), 1.0))
    return v.declare(
        f"sin_{t}",
        f"static inline {t} sin_{t}({t} x) {{\n"
        f"  {d} y = __builtin_convertvector(x, {d}), big = y * 0.31830988618379067 + 6755399441055744.0;\n"
        f"  {d} k = big - 6755399441055744.0, r = (y - k * {_PI_HIGH!r}) - k * {_PI_LOW!r}, q = r * r;\n"
        f"  {d} p = {v.splat(repr(signed[-1]), dtypes.f64, w)};\n{steps}"
        f"  {t} s = __builtin_convertvector(({d})(({u})(r * p) ^ (({u})({n})big << 63)), {t});\n"
        f"  for (int l = 0; l < {w}; l++)\n"
        f"    if (!(__builtin_fabsf(x[l]) <= 1048576.0f)) s[l] = sinf(x[l]);\n"
        f"  return s;\n}}",
    )


FUNCTIONS = {"exp2": exp2, "log2": log2, "sin": sin}
