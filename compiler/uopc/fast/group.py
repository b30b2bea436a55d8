"""What a kernel is made of: stages that run in one loop over their common rows, and the C that comes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import prod

from uopc.fast.emit import Code, Counter, Emitter, Memory
from uopc.fast.microkernel import Variant
from uopc.fast.nest import Nest
from uopc.fast.vectors import Vectors
from uopc.opt import Choice, Opts, parallel
from uopc.render.types import C_TYPES
from uopc.uop import UOp

_NAME = "@"  # stands for the name of a micro-kernel while its text is compared


@dataclass(frozen=True)
class Member:
    """One stage of a kernel: its loops, how they are computed, and whether its result is wanted outside the kernel."""

    nest: Nest
    choice: Choice
    wanted: bool

    def own(self, outer: int) -> tuple[UOp, ...]:
        """Its output loops inside the common ones."""
        return self.nest.dims[outer:]

    def row(self, outer: int) -> int:
        """Elements of one row of its result."""
        return prod(r.arg.size for r in self.own(outer))


@dataclass(frozen=True)
class Group:
    """A kernel before it is written: `outer` loops in common (their sizes are equal), members in order."""

    members: tuple[Member, ...]
    outer: int


@dataclass
class Kernel:
    """A C function. code: its lines and those of the functions only it calls; shared, private: bytes of scratch that it
    needs, once and for each thread; params: buffers in order, and which of them it writes."""

    code: list[Code]
    shared: int
    private: int
    written: frozenset[UOp]
    params: list[UOp]


@dataclass
class Workshop:
    """State of writing one kernel."""

    name: str
    group: Group
    opts: Opts
    vectors: Vectors
    params: Sequence[UOp]
    functions: list[Code] = field(default_factory=list)
    code: Code = field(default_factory=Code)
    micro: dict[tuple[UOp, Variant], str] = field(default_factory=dict)
    texts: dict[tuple[str, ...], str] = field(default_factory=dict)  # micro-kernels of the whole program, by their text
    shared: int = 0
    private: int = 0

    def __post_init__(self) -> None:
        self.emitter = Emitter(self.code, self.vectors, {})
        for b in self.params:
            self.emitter.memory[b] = Memory(f"data{b.arg.slot}")

    @property
    def threads(self) -> int:
        """Threads that the kernel is shared between."""
        return self.opts.threads if any(parallel(m.nest, self.opts) for m in self.group.members) else 1

    def micro_kernel(self, out: UOp, variant: Variant, write: Callable[[str], Code]) -> str:
        """The name of a micro-kernel: written on first use, and shared with every kernel that needs the same text."""
        key = out, variant
        if key not in self.micro:
            code = write(_NAME)
            text = tuple(line for line, _ in code.lines)
            if text not in self.texts:
                name = self.texts[text] = f"{self.name}_{len(self.texts)}_{variant.suffix()}"
                code.lines = [(line.replace(_NAME, name), nodes) for line, nodes in code.lines]
                self.functions.append(code)
            self.micro[key] = self.texts[text]
        return self.micro[key]

    def reserve(self, size: int, *, shared: bool) -> int:
        """Scratch of `size` bytes: its offset."""
        at = self.shared if shared else self.private
        end = (at + size + 63) // 64 * 64
        if shared:
            self.shared = end
        else:
            self.private = end
        return at

    def pragma(self, loops: int = 1) -> None:
        """The next `loops` loops are shared between threads."""
        if self.threads > 1 and loops:
            collapse = f" collapse({loops})" if loops > 1 else ""
            self.code.line(f"#pragma omp parallel for num_threads({self.threads}) schedule(static){collapse}")

    def finish(self, written: frozenset[UOp]) -> Kernel:
        """The function around what has been written."""
        parts = [
            f"{'' if b in written else 'const '}{C_TYPES[b.dtype]}* restrict data{b.arg.slot}" for b in self.params
        ]
        if self.shared or self.private:
            parts.append("char* restrict scratch")
        nodes = tuple(m.nest.value for m in self.group.members)
        head = Code(indent=0)
        head.line(f"static void {self.name}({', '.join(parts)}) {{", *nodes)
        tail = Code(indent=0)
        tail.line("}", *nodes)
        return Kernel([*self.functions, head, self.code, tail], self.shared, self.private, written, list(self.params))

    def own_scratch(self) -> str:
        """C for the private scratch of the thread that asks."""
        if self.threads == 1:
            return f"scratch + {self.shared}"
        self.vectors.declare(
            "thread_number",
            "#ifdef _OPENMP\nint omp_get_thread_num(void);\n#define THREAD omp_get_thread_num()\n#else\n"
            "#define THREAD 0\n#endif",
        )
        return f"scratch + {self.shared} + (long)THREAD*{self.private}"


def open_loops(e: Emitter, stack: ExitStack, ranges: Sequence[UOp], stem: str = "i") -> None:
    """Nested loops over whole counters; closed by the stack."""
    for r in ranges:
        name = f"{stem}{r.arg.idx}"
        stack.enter_context(e.loop(f"for (long {name} = 0; {name} < {r.arg.size}; {name}++)", r))
        e.env[r] = Counter(name)


def readers(group: Group) -> Mapping[UOp, list[Member]]:
    """Members by the buffer that they read."""
    found: dict[UOp, list[Member]] = {}
    for m in group.members:
        for load in m.nest.loads():
            found.setdefault(load.src[0].src[0], []).append(m)
    return found
