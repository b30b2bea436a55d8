"""The data of a program's buffers: what its directives say, else the defaults by slot (language.md, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uopc.dtype import DType
from uopc.nptypes import Array, np_dtype
from uopc.ops import Ops
from uopc.pipeline import resolve_stores
from uopc.runtime.arrays import ArrayFile, load_array
from uopc.runtime.errors import InputError
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.uir.model import InputSpec


@dataclass(frozen=True)
class BufferUse:
    """A buffer of a program: its size in elements, and whether the program reads it, stores to it, or both."""

    slot: int
    dtype: DType
    size: int
    read: bool
    stored: bool


def buffers_of(root: UOp) -> list[BufferUse]:
    """The buffers of a graph by slot. Linear in the graph."""
    root = resolve_stores(root)  # reading what was stored is no read of the buffer
    order = root.toposort()
    behind: dict[UOp, UOp] = {}  # an address or a view -> the memory it belongs to
    for u in order:
        if u.op is Ops.BUFFER:
            behind[u] = u
        elif u.op in (Ops.INDEX, Ops.AFTER, Ops.RESHAPE) and u.src[0] in behind:
            behind[u] = behind[u.src[0]]
    stored = {behind[u.src[0]] for u in order if u.op is Ops.STORE and u.src[0] in behind}
    read = _read_buffers(root, order, behind)
    found = {u.arg.slot: u for u in order if u.op is Ops.BUFFER}
    return [BufferUse(k, u.dtype, u.shape[0], u in read, u in stored) for k, u in sorted(found.items())]


def _read_buffers(root: UOp, order: list[UOp], behind: Mapping[UOp, UOp]) -> set[UOp]:
    """The buffers that some operation takes elements from: every use but as a destination or a place in an order."""
    read = {behind[root]} if root in behind else set()
    for u in order:
        if u in behind:
            continue  # no read by itself: its users decide
        # An INDEX of another value reads its operands; a STORE reads its value only; AFTER's deps are effects.
        operands = u.src[1:] if u.op is Ops.STORE else u.src
        read.update(behind[s] for s in operands if s in behind)
    for u in order:  # the counters of an address are read too
        if u.op is Ops.INDEX and u in behind:
            read.update(behind[s] for s in u.src[1:] if s in behind)
    return read


class Generated:
    """Random numbers made before, which are the same every time; the oldest go first. They cannot be written to."""

    def __init__(self, most_bytes: int = 64 << 20) -> None:
        self._most = most_bytes
        self._arrays: dict[Hashable, Array] = {}

    def get(self, key: Hashable, make: Callable[[], Array]) -> Array:
        """The array of that key, which says all that it depends on."""
        array = self._arrays.pop(key, None)
        if array is None:
            array = make()
            array.setflags(write=False)
        self._arrays[key] = array
        while sum(one.nbytes for one in self._arrays.values()) > self._most:
            del self._arrays[next(iter(self._arrays))]
        return array


def make_inputs(
    uses: list[BufferUse],
    specs: Mapping[int, InputSpec],
    folder: Path,
    files: Mapping[int, ArrayFile] | None = None,
    generated: Generated | None = None,
) -> dict[int, Array]:
    """The first contents of the buffers, flat, by slot.

    specs: the file's directives, with paths relative to `folder`; files: arrays that replace them; generated: where
    random ones are remembered. A buffer that is only stored to, and that neither names, has none and starts as zeros.
    Raises InputError.
    """
    files = files or {}
    unknown = sorted(set(files) - {use.slot for use in uses})
    if unknown:
        have = ", ".join(str(use.slot) for use in uses) or "none"
        raise InputError(f"the program has no buffer {unknown[0]} (its slots: {have})")
    made = {}
    for use in uses:
        if use.slot in files:
            made[use.slot] = load_array(*files[use.slot], use.dtype, use.size, f"buffer {use.slot}")
        elif use.slot in specs:
            try:
                made[use.slot] = from_spec(specs[use.slot], use, folder, generated)
            except InputError as error:
                error.slot = use.slot
                raise
        elif use.read:
            about = use.slot, use.dtype, use.size
            made[use.slot] = _remembered(generated, about, partial(default_input, *about))
    return made


def default_input(slot: int, dtype: DType, size: int) -> Array:
    """What a buffer holds that nothing is said about: standard normal, or small integers; the seed is the slot."""
    generator = np.random.default_rng(slot)
    if dtype.is_float:
        return _floats(generator.standard_normal(size), dtype)
    low, high = (0, 2) if dtype.is_bool else (0, 17) if dtype.is_unsigned else (-8, 9)
    return generator.integers(low, high, size).astype(np_dtype(dtype))


def from_spec(spec: InputSpec, use: BufferUse, folder: Path, generated: Generated | None = None) -> Array:
    """What an `input` directive says. Raises InputError when it does not fit the buffer."""
    want, n = np_dtype(use.dtype), use.size
    if spec.kind == "file":
        return load_array(folder / spec.path, spec.key, use.dtype, n, f"buffer {use.slot}")
    if spec.kind in ("randn", "uniform"):
        about = spec.kind, spec.seed, repr(spec.numbers), use.slot, use.dtype, use.size
        return _remembered(generated, about, partial(_random, spec, use))
    if spec.kind == "arange":
        return np.arange(n).astype(want)
    if spec.kind in ("zeros", "ones"):
        return np.full(n, spec.kind == "ones", want)
    values = array_of(spec.numbers, use.dtype, f"buffer {use.slot}")
    if spec.kind == "full":
        return np.full(n, values[0], want)
    if len(values) != n:
        raise InputError(f"the list for buffer {use.slot} has {len(values):,} numbers, and the buffer {n:,} elements")
    return values


def _remembered(generated: Generated | None, about: Hashable, make: Callable[[], Array]) -> Array:
    return make() if generated is None else generated.get(about, make)


def array_of(numbers: tuple[Any, ...], dtype: DType, what: str) -> Array:
    """Numbers as an array of `dtype`. Raises InputError for one that it cannot hold (only floats round)."""
    if not dtype.is_float:
        for number in numbers:
            if isinstance(number, float):
                raise InputError(f"{what} is {dtype}, and {number} is a float")
    try:
        return _floats(np.array(numbers, np.float64), dtype) if dtype.is_float else np.array(numbers, np_dtype(dtype))
    except OverflowError:
        raise InputError(f"{what} is {dtype}, which cannot hold one of its numbers") from None


def _random(spec: InputSpec, use: BufferUse) -> Array:
    if not use.dtype.is_float:
        raise InputError(f"{spec.kind} gives floats, and buffer {use.slot} is {use.dtype}")
    generator = np.random.default_rng(use.slot if spec.seed is None else spec.seed)
    if spec.kind == "randn":
        return _floats(generator.standard_normal(use.size), use.dtype)
    low, high = spec.numbers
    try:
        return _floats(generator.uniform(low, high, use.size), use.dtype)
    except (OverflowError, ValueError) as error:
        raise InputError(f"uniform {low} {high} for buffer {use.slot}: {error}") from None


def _floats(values: Array, dtype: DType) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(np_dtype(dtype))
