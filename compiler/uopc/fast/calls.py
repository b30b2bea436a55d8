"""The call of a micro-kernel, which is written on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uopc.fast.emit import Counter
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
    steps: str = "",
) -> None:
    """One tile, its rows at `at`. packed: where packed parts are; ahead: what comes next; steps: of a block, and
    whether there were some before (two arguments)."""
    e = w.emitter
    e.env[t.u] = at
    ld = linear(t.nest.store).terms.get(t.u, 0)
    name = w.micro_kernel(t.nest.out, variant, lambda n: micro_kernel(t, n, variant, w.vectors, ld))
    args = [packed(p) if p.packed else base_pointer(e, t, p) for p in t.rowwise]
    args += [packed(p) if p.packed and not variant.packs else base_pointer(e, t, p) for p in t.lanewise]
    if variant.packs:
        args += [packed(p) for p in t.lanewise if p.packed]
    args += ahead
    args.append(e.address(t.nest.out, linear(t.nest.store)))
    if steps:
        args.append(steps)
    w.code.line(f"{name}({', '.join(args)});", t.nest.value)
