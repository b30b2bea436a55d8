"""The stages of a schedule as one program again: as a graph that says `stage`, and as one loop program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from uopc.ops import Ops
from uopc.pipeline import Shaped
from uopc.rangeify import Ctx, lower_outputs
from uopc.schedule import Stage
from uopc.stages.text import Namer
from uopc.uop import UOp, buf, sink


@dataclass(frozen=True)
class LoopProgram:
    """Loops, and for their nodes those of the program that they come from."""

    root: UOp
    behind: Mapping[UOp, list[UOp]]


def staged(root: UOp, pieces: Sequence[Stage], namer: Namer) -> tuple[UOp, dict[UOp, str]]:
    """The graph with a `stage` around every value that is cut out, and the reason for each of them.

    What only reads from a stage now keeps its name.
    """
    why = {p.node: p.why for p in pieces if p.temporary}
    new: dict[UOp, UOp] = {}
    reasons: dict[UOp, str] = {}
    for u in root.toposort():
        src = tuple(new[s] for s in u.src)
        if u.op is Ops.STAGE and src[0].op is Ops.STAGE:
            new[u] = src[0]
            continue
        made = u if src == u.src else u.replace(src=src)
        if made is not u:
            namer.names.setdefault(made, namer.name(u))
        if u in why:
            made = made.stage()
            reasons[made] = why[u]
        new[u] = made
    return new[root], reasons


def lowered(pieces: Sequence[Stage], program: Shaped, namer: Namer) -> LoopProgram:
    """One loop program that computes stage after stage; what is between them is memory with a slot of its own."""
    behind: dict[UOp, list[UOp]] = {}
    effects: list[UOp] = []
    ready: dict[UOp, UOp] = {}  # buffer of a stage -> the same, once it is written
    ctx = Ctx()
    slots = _free_slots(program)
    for piece in pieces:
        own = piece.out
        if piece.temporary:
            own = buf(slots + len(ready), piece.out.arg.shape[0], piece.out.dtype)
            name = namer.about(piece.node) or f"scratch {len(ready) + 1}"
            namer.places[own] = namer.places[piece.out] = name
        value = piece.value
        back = {u: u for u in value.toposort()}
        ctx = Ctx(next_range=ctx.next_range, next_alloc=ctx.next_alloc)
        loops = lower_outputs([(value, own)], ctx)
        moved = _substituted(loops, ready)
        for node, sources in ctx.origin.items():
            nodes = [piece.origin.get(back[s], piece.node) for s in sources if s in back]
            behind.setdefault(moved.get(node, node), []).extend(nodes or [piece.node])
        done = moved[loops].src
        effects += done
        ready[piece.out] = own.after(*done)
    return LoopProgram(sink(*effects), behind)


def _substituted(root: UOp, changes: Mapping[UOp, UOp]) -> dict[UOp, UOp]:
    """Every node of a graph -> what it becomes when the keys of `changes` are replaced."""
    new: dict[UOp, UOp] = {}
    for u in root.toposort():
        src = tuple(new[s] for s in u.src)
        new[u] = changes[u] if u in changes else u if src == u.src else u.replace(src=src)
    return new


def _free_slots(program: Shaped) -> int:
    nodes = sink(*program.values).toposort()
    used = [u.arg.slot for u in (*nodes, *program.targets) if u.op is Ops.BUFFER]
    return max(used, default=-1) + 1
