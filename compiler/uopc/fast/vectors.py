"""Vectors of the GCC/Clang extension: how they are named, loaded, stored, compared and selected.

A vector `f32x8` has eight lanes. In vectors a bool is a mask: i32 lanes, 0 or -1. Half precision is computed in f32
lanes that are rounded after every operation. Nothing here needs a header: all of it is the compiler's own language.
"""

from __future__ import annotations

from uopc.dtype import DType, dtypes
from uopc.ops import Ops
from uopc.render.scalar import Helpers
from uopc.render.types import C_TYPES, UNSIGNED

_UNSIGNED_DTYPES = {8: dtypes.u8, 16: dtypes.u16, 32: dtypes.u32, 64: dtypes.u64}
# The instruction of x86 for a * b + c in all lanes, as gcc names it.
_X86_FMA = {
    (dtypes.f32, 4): "__builtin_ia32_vfmaddps",
    (dtypes.f32, 8): "__builtin_ia32_vfmaddps256",
    (dtypes.f64, 2): "__builtin_ia32_vfmaddpd",
    (dtypes.f64, 4): "__builtin_ia32_vfmaddpd256",
}
_SIGNED_DTYPES = {8: dtypes.i8, 16: dtypes.i16, 32: dtypes.i32, 64: dtypes.i64}


def lane_dtype(d: DType) -> DType:
    """The dtype of the lanes that hold values of dtype d."""
    return dtypes.i32 if d.is_bool else dtypes.f32 if d is dtypes.f16 else d


class Vectors:
    """The vector types and helper functions that a program uses; they are declared in `helpers` on first use."""

    def __init__(self, helpers: Helpers) -> None:
        self.helpers = helpers

    def declare(self, name: str, text: str) -> str:
        """A helper definition, once; its name."""
        self.helpers.texts.setdefault(name, text)
        return name

    def raw(self, d: DType, w: int) -> str:
        """The vector type of w elements of exactly dtype d."""
        name = f"{d.name}x{w}"
        size = w * d.itemsize
        return self.declare(name, f"typedef {C_TYPES[d]} {name} __attribute__((vector_size({size})));")

    def of(self, d: DType, w: int) -> str:
        """The vector type that holds w values of dtype d."""
        return self.raw(lane_dtype(d), w)

    def unaligned(self, d: DType, w: int) -> str:
        """The type of w elements in memory, at any address."""
        name = f"{d.name}x{w}u"
        c, size = C_TYPES[d], w * d.itemsize
        return self.declare(
            name, f"typedef {c} {name} __attribute__((vector_size({size}), aligned({d.itemsize}), may_alias));"
        )

    def signed(self, d: DType, w: int) -> str:
        """The integer vector whose lanes are as wide as those of dtype d: what a comparison of them gives."""
        return self.raw(_SIGNED_DTYPES[lane_dtype(d).bits], w)

    def wrapping(self, d: DType, w: int) -> str:
        """The unsigned vector as wide as d, in which arithmetic wraps."""
        return self.raw(_UNSIGNED_DTYPES[d.bits], w)

    # -- values ----------------------------------------------------------------------------------------------------
    def splat(self, text: str, d: DType, w: int) -> str:
        """A scalar of dtype d (as C) in every lane."""
        v = self.of(d, w)
        if d.is_bool:
            return f"(({v}){{}} - (int)({text}))"
        if d.is_float:  # x - 0 is x, the sign of a zero included; x + 0 is not
            return f"(({'double' if d is dtypes.f64 else 'float'})({text}) - ({v}){{}})"
        return f"(({v}){{}} + ({C_TYPES[d]})({text}))"

    def iota(self, d: DType, w: int) -> str:
        """0, 1, 2, ... in the lanes."""
        return f"({self.of(d, w)}){{{', '.join(map(str, range(w)))}}}"

    def convert(self, text: str, to: str) -> str:
        """Lanes converted one by one."""
        return f"__builtin_convertvector({text}, {to})"

    def select(self, d: DType, w: int) -> str:
        """Name of a function (mask, a, b): a where the mask is set, else b."""
        v, s, m = self.of(d, w), self.signed(d, w), self.raw(dtypes.i32, w)
        name = f"select_{v}"
        wide = "m" if s == m else f"__builtin_convertvector(m, {s})"
        return self.declare(
            name,
            f"static inline {v} {name}({m} m, {v} a, {v} b) {{\n"
            f"  {s} k = {wide};\n  return ({v})((({s})a & k) | (({s})b & ~k));\n}}",
        )

    def maximum(self, d: DType, w: int) -> str:
        """Name of a function (a, b): the larger one; of floats NaN if either is."""
        v, s = self.of(d, w), self.signed(d, w)
        name = f"max_{'mask' if d.is_bool else v}"
        if d.is_float:  # compilers make one instruction of each line, the CPU's own maximum of the first
            body = (
                f"  {v} r;\n  for (int l = 0; l < {w}; l++) r[l] = a[l] > b[l] ? a[l] : b[l];\n"
                f"  {s} k = ({s})(a != a);\n  return ({v})((({s})a & k) | (({s})r & ~k));\n"
            )
        elif d.is_int and d.bits == 32:
            body = f"  {v} r;\n  for (int l = 0; l < {w}; l++) r[l] = a[l] > b[l] ? a[l] : b[l];\n  return r;\n"
        else:
            body = f"  {s} k = ({s})(a > b);\n  return ({v})((({s})a & k) | (({s})b & ~k));\n"
        return self.declare(name, f"static inline {v} {name}({v} a, {v} b) {{\n{body}}}")

    def fused(self, d: DType, w: int) -> str:
        """Name of a function (a, b, c): a * b + c, rounded once where the CPU can do that quickly."""
        v = self.of(d, w)
        name = f"fma_{v}"
        call = "__builtin_fma" if d is dtypes.f64 else "__builtin_fmaf"
        # gcc takes a quarter longer for a whole product of matrices to see one instruction in a loop over the lanes.
        whole = _X86_FMA.get((d, w))
        instruction = f"#if defined(__FMA__) && !defined(__clang__)\n  return {whole}(a, b, c);\n#el" if whole else "#"
        return self.declare(
            name,
            f"static inline {v} {name}({v} a, {v} b, {v} c) {{\n"
            f"{instruction}if defined(__FMA__) || defined(__ARM_FEATURE_FMA)\n"
            f"  {v} r;\n  for (int l = 0; l < {w}; l++) r[l] = {call}(a[l], b[l], c[l]);\n  return r;\n"
            f"#else\n  return a * b + c;\n#endif\n}}",
        )

    def exchange(self, d: DType, w: int, distance: int, *, high: bool) -> str:
        """Name of a function (a, b): one half of turning squares of 2 * distance lanes (see `turned`)."""
        v = self.of(d, w)
        if high:
            picks = [k + distance if not k & distance else w + k for k in range(w)]
        else:
            picks = [k if not k & distance else w + k - distance for k in range(w)]
        lanes = ", ".join(map(str, picks))
        mask = f"({self.signed(d, w)}){{{lanes}}}"
        name = f"{'high' if high else 'low'}{distance}_{v}"
        return self.declare(
            name,
            f"static inline {v} {name}({v} a, {v} b) {{\n"
            f"#ifdef __clang__\n  return __builtin_shufflevector(a, b, {lanes});\n"
            f"#else\n  return __builtin_shuffle(a, b, {mask});\n#endif\n}}",
        )

    def lanewise(self, name: str, call: str, d: DType, w: int) -> str:
        """Name of a function that applies the C expression `call` lane by lane (compilers see one instruction)."""
        v = self.of(d, w)
        full = f"{name}_{v}"
        return self.declare(
            full,
            f"static inline {v} {full}({v} x) {{\n"
            f"  {v} r;\n  for (int l = 0; l < {w}; l++) r[l] = {call};\n  return r;\n}}",
        )

    # -- memory ----------------------------------------------------------------------------------------------------
    def load(self, pointer: str, d: DType, w: int, active: int) -> str:
        """The elements at `pointer` as lanes; lanes from `active` on are 0 and not read."""
        if active == w and not d.is_bool and d is not dtypes.f16:
            return f"*(const {self.unaligned(d, w)}*)({pointer})"
        v = self.of(d, w)
        part = "" if active == w else f"_{active}"
        name = f"load{part}_{d.name}x{w}"
        if d is dtypes.f16:
            body = f"{v} r = {{}};\n  for (int l = 0; l < {active}; l++) r[l] = (float)p[l];\n  return r;"
        elif d.is_bool:
            u = self.raw(dtypes.u8, w)
            body = f"{u} b = {{}};\n  __builtin_memcpy(&b, p, {active});\n  return -__builtin_convertvector(b, {v});"
        else:
            body = f"{v} r = {{}};\n  __builtin_memcpy(&r, p, {active * d.itemsize});\n  return r;"
        self.declare(name, f"static inline {v} {name}(const {C_TYPES[d]}* p) {{\n  {body}\n}}")
        return f"{name}({pointer})"

    def store(self, pointer: str, value: str, d: DType, w: int, active: int) -> str:
        """The statement that writes the first `active` lanes."""
        if active == w and not d.is_bool and d is not dtypes.f16:
            return f"*({self.unaligned(d, w)}*)({pointer}) = {value};"
        v = self.of(d, w)
        part = "" if active == w else f"_{active}"
        name = f"store{part}_{d.name}x{w}"
        if d is dtypes.f16:
            body = f"for (int l = 0; l < {active}; l++) p[l] = (_Float16)x[l];"
        elif d.is_bool:
            u = self.raw(dtypes.u8, w)
            body = f"{u} b = __builtin_convertvector(x & 1, {u});\n  __builtin_memcpy(p, &b, {active});"
        else:
            body = f"__builtin_memcpy(p, &x, {active * d.itemsize});"
        self.declare(name, f"static inline void {name}({C_TYPES[d]}* p, {v} x) {{\n  {body}\n}}")
        return f"{name}({pointer}, {value});"

    # -- reductions ------------------------------------------------------------------------------------------------
    def combine(self, op: Ops, d: DType, w: int, a: str, b: str) -> str:
        """One step of a reduction of lanes of dtype d."""
        if d.is_bool:
            return f"({a} | {b})" if op is Ops.MAX else f"({a} & {b})"
        if op is Ops.MAX:
            return f"{self.maximum(d, w)}({a}, {b})"
        sign = "+" if op is Ops.ADD else "*"
        if d.is_float or d.is_unsigned:
            return f"({a} {sign} {b})"
        u = self.wrapping(d, w)
        return f"({self.of(d, w)})(({u}){a} {sign} ({u}){b})"

    def lane(self, text: str, d: DType, k: int | str) -> str:
        """Lane k as a scalar of dtype d."""
        value = f"{text}[{k}]"
        return f"({value} != 0)" if d.is_bool else f"((_Float16){value})" if d is dtypes.f16 else value


def scalar_combine(op: Ops, d: DType, a: str, b: str, helpers: Helpers) -> str:
    """One step of a reduction as C scalars of dtype d (f16 is reduced in f32)."""
    from uopc.render.helpers import maximum

    if d.is_bool:
        return f"({a} || {b})" if op is Ops.MAX else f"({a} && {b})"
    if op is Ops.MAX:
        return helpers.call(f"max_{d}", maximum(d), a, b)
    sign = "+" if op is Ops.ADD else "*"
    if d.is_float:
        return f"({a} {sign} {b})"
    u = UNSIGNED[max(d.bits, 32)]
    return f"({C_TYPES[d]})(({u}){a} {sign} ({u}){b})"
