"""The call of a micro-kernel, which is written on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uopc.fast.emit import Counter
from uopc.fast.epilogue import others
from uopc.fast.group import Workshop
from uopc.fast.microkernel import Variant, micro_kernel
from uopc.fast.tile import Part, Tile, base_pointer
from uopc.symbolic.linear import linear


def call(
    w: Workshop,
    t: Tile,
    variant: Variant,
    at: Counter,
    packed: Callable[[Part], str],
    ahead: Sequence[str] = (),
) -> None:
    """One tile, its rows at `at`. packed: where packed parts are; ahead: what comes next. A block of steps is
    described by the variables that `open_blocks` declares."""
    e = w.emitter
    e.env[t.u] = at
    ld = linear(t.result.store).terms.get(t.u, 0)
    name = w.micro_kernel(t.nest.out, variant, lambda n: micro_kernel(t, n, variant, w.vectors, ld))
    args = [packed(p) if p.packed else base_pointer(e, t, p) for p in t.rowwise]
    args += [packed(p) if p.packed and not variant.packs else base_pointer(e, t, p) for p in t.lanewise]
    if variant.packs:
        args += [packed(p) for p in t.lanewise if p.packed]
    args += ahead
    if t.epilogue is not None:
        args += [e.address(n.src[0].src[0], linear(n.src[0].src[1])) for n in others(t.nest, t.epilogue)]
    args.append(e.address(t.result.out, linear(t.result.store)))
    if t.blocked:
        args += ["steps", "more", *["last"] * bool(t.epilogue)]
    w.code.line(f"{name}({', '.join(args)});", t.nest.value)
