"""Programs for use from Python: built once, called in this process on NumPy arrays, without copies of the inputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from uopc.nptypes import Array, np_dtype
from uopc.runtime.cache import Cache, default_folder
from uopc.runtime.errors import RunError
from uopc.runtime.inputs import BufferUse, buffers_of
from uopc.runtime.library import build_library
from uopc.uop import UOp

if TYPE_CHECKING:
    from uopc.pipeline import Arg, Compiled


class Program:
    """A built program.

    Called with one array per buffer that the program reads, in the order of their slots; gives one array, or a tuple
    when there are several outputs. An input must be C-contiguous and have the buffer's dtype and number of elements
    (any shape), else ValueError. The call runs in this process, without a limit on time or memory.
    """

    def __init__(self, root: UOp, compiled: Compiled) -> None:
        self._compiled = compiled
        self._uses = {use.slot: use for use in buffers_of(root)}
        self.slots = tuple(slot for slot, use in self._uses.items() if use.read)
        self._library = _load(compiled)
        self._function = getattr(self._library, compiled.symbol)
        self._function.restype = ctypes.c_int if compiled.returns else None
        self._function.argtypes = [ctypes.c_void_p] * len(compiled.args)

    @property
    def source(self) -> str:
        """The C."""
        return self._compiled.source

    @property
    def kernels(self) -> tuple[str, ...]:
        """What the program is made of, in order."""
        return self._compiled.kernels

    def __call__(self, *inputs: Array) -> Array | tuple[Array, ...]:
        """The outputs for these inputs. Raises ValueError for an input that does not fit, RunError when the program
        reads or writes outside its buffers."""
        if len(inputs) != len(self.slots):
            raise ValueError(f"the program reads {len(self.slots)} buffers (slots {self.slots}), not {len(inputs)}")
        return self.call(dict(zip(self.slots, inputs)))

    def prepared(self, *inputs: Array) -> Callable[[], None]:
        """A call with everything in place: each time the same inputs, and outputs into the same memory. What it costs
        is the computation alone; for measuring. The inputs must stay alive, which the result sees to. Raises RunError
        as a call does."""
        arrays = [self._argument(a, dict(zip(self.slots, inputs))) for a in self._compiled.args]
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]

        def run(keep: Sequence[Array] = arrays) -> None:
            self._answer(self._function(*pointers))

        return run

    def call(self, inputs: Mapping[int, Array]) -> Array | tuple[Array, ...]:
        """The same with the inputs by slot; a buffer that is stored to may have its first contents among them."""
        for slot in self.slots:
            if slot not in inputs:
                raise ValueError(f"buffer {slot} has no input")
        for slot, array in inputs.items():
            if slot in self._uses:
                _check_input(self._uses[slot], array)
        arrays = [self._argument(a, inputs) for a in self._compiled.args]
        self._answer(self._function(*(array.ctypes.data for array in arrays)))
        # An output without elements is declared with one in C.
        found = tuple(arrays[out.arg][: prod(out.shape)].reshape(out.shape) for out in self._compiled.outputs)
        return found[0] if len(found) == 1 else found

    def _answer(self, code: int | None) -> None:
        """What the function returned: nothing or 0, or what went wrong."""
        if not code:
            return
        if code < 0:
            raise RunError("there is not enough memory for the program's intermediate results")
        access = self._compiled.checks[code - 1]
        raise RunError(f"a {access.op.value} is outside its memory: {access!r}")

    def _argument(self, arg: Arg, inputs: Mapping[int, Array]) -> Array:
        if not arg.output:
            return inputs[arg.slot]
        dtype = np_dtype(arg.dtype)
        given = inputs.get(arg.slot) if arg.slot in self._uses else None
        if given is not None and given.size:
            return np.array(given, dtype, order="C").reshape(-1)
        # A loop program may leave elements of its output unwritten; a shaped one writes them all.
        return np.zeros(arg.size, dtype) if arg.slot in self._uses else np.empty(arg.size, dtype)


def _check_input(use: BufferUse, array: Array) -> None:
    want = np_dtype(use.dtype)
    what = f"the input for buffer {use.slot}"
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{what} is {type(array).__name__}, not an array")
    if array.dtype != want:
        raise ValueError(f"{what} is {array.dtype.name}, the buffer is {want.name}")
    if array.size != use.size:
        raise ValueError(f"{what} has {array.size:,} elements, the buffer {use.size:,}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{what} is not C-contiguous (numpy.ascontiguousarray makes it so)")


def _load(compiled: Compiled) -> ctypes.CDLL:
    built = build_library(compiled.source, compiled.flags)
    try:
        return ctypes.CDLL(str(built.path))
    except OSError:
        if not built.cached:
            raise RunError(f"the built program {built.path} cannot be loaded") from None
    Cache(default_folder()).drop(built.key)  # damaged, or evicted a moment ago
    return ctypes.CDLL(str(build_library(compiled.source, compiled.flags).path))


def build(root: UOp, *, plain: bool = False, threads: int = 1) -> Program:
    """The graph as a program that Python can call. plain: the textbook program; threads: how many it may use.

    Raises CompileError, NoCompilerError or BuildError.
    """
    from uopc.pipeline import compile_program

    return Program(root, compile_program(root, plain=plain, threads=threads))


def run(
    root: UOp, inputs: Mapping[int, Array] | Sequence[Array] = (), *, plain: bool = False, threads: int = 1
) -> Array | tuple[Array, ...]:
    """Builds the graph and computes it in this process; inputs by slot, or in order for slots 0, 1, 2 ..."""
    given = inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))
    return build(root, plain=plain, threads=threads).call(given)


def run_shaped(root: UOp, inputs: Sequence[Array]) -> Array:
    """The value of a shaped graph with one output, computed by the textbook program; inputs[k] is BUFFER slot k."""
    found = run(root, [np.ascontiguousarray(a) for a in inputs], plain=True)
    if isinstance(found, tuple):
        raise ValueError("the graph has several outputs: use run")
    return found
