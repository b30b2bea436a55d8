"""Warnings and hints about values that are legal but probably not meant.

`findings(u)` looks at one node and its operands and is remembered on the node; `program_findings(root)` says what only
the whole program shows. Codes, with their severity:

    uncontracted-product   warning  a sum over a product one factor of which does not vary along a summed axis
                           (hint)   ... when only one factor was broadcast, so that it may well be meant
    recomputed-reduce      hint     the lowering evaluates a reduction more often than it has elements
    no-op                  hint     an operation that changes nothing
    unprovable-index       hint     an index that bounds analysis cannot keep inside
    empty-max              warning  a maximum of nothing
    needs-64-bit-index     hint     more elements than a 32-bit position counts
    huge                   warning  a run would need more memory or operations than the limit

A message refers to values as {0}, {1}, ...: entries of `Finding.operands`. `Finding.text(names)` fills in the names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from uopc.analysis.cost import Check, Cost, ReduceCost, estimate, never_mind, output_values, reduced_length
from uopc.analysis.names import Names, called, constant_text
from uopc.analysis.products import Contraction, uncontracted
from uopc.analysis.style import amount, counted, elements, grouped
from uopc.dtype import dtypes
from uopc.errors import Where
from uopc.uop import Ops, UOp

WARNING, HINT = "warning", "hint"
LARGEST_I32 = 2**31 - 1
MEMORY_LIMIT = 4 << 30  # bytes a run may use unless it is told otherwise
OPERATION_LIMIT = 10**12  # about ten minutes of one core


@dataclass(frozen=True)
class Finding:
    """One thing to say about a node.

    at: the part of the statement it is about, as `UOpError.at`; operands: the values the message names; data: what a
    quick fix needs (a `Contraction`, a `ReduceCost`, or None).
    """

    code: str
    severity: str
    message: str
    at: Where = ()
    operands: tuple[UOp, ...] = ()
    data: Contraction | ReduceCost | Cost | None = None

    def text(self, names: Names) -> str:
        """The message with values called by their names."""
        return self.message.format(*(called(u, names) for u in self.operands))


def findings(u: UOp) -> tuple[Finding, ...]:
    """What there is to say about this node, seen with its operands. Remembered on the node."""
    found: tuple[Finding, ...] = u.cached("findings", _findings)
    return found


def _findings(u: UOp) -> tuple[Finding, ...]:
    rules = _RULES.get(u.op, ())
    return tuple(f for rule in rules for f in rule(u))


# -- operations that change nothing --------------------------------------------------------------------------------
def _no_op(u: UOp) -> list[Finding]:
    why = _unchanged(u)
    if why is None:
        return []
    at: Where = ("attr", "pop") if u.op is Ops.REDUCE else ("attr", "dtype") if u.op is Ops.CAST else ("arg",)
    return [Finding("no-op", HINT, f"this changes nothing: {why}", at, u.src[:1])]


def _unchanged(u: UOp) -> str | None:
    """Why the result is the operand itself, or None."""
    old = u.src[0].shape
    if u.op in (Ops.RESHAPE, Ops.EXPAND) and u.shape == old:
        return f"{{0}} has shape {old} already"
    if u.op is Ops.PERMUTE and u.arg == tuple(range(len(old))):
        return "every axis stays where it is"
    if u.op is Ops.SHRINK and u.shape == old:
        return f"the window is all of {{0}}, whose shape is {old}"
    if u.op is Ops.PAD and u.shape == old:
        return "it adds no zeros"
    if u.op is Ops.FLIP and all(old[k] <= 1 for k in u.arg):
        return "it reverses no axis" if not u.arg else "an axis of one entry is its own reverse"
    if u.op is Ops.REDUCE and u.arg[1] == 0:
        return "it removes no axis"
    return f"{{0}} is {u.dtype} already" if u.op is Ops.CAST and u.dtype is u.src[0].dtype else None


# -- reductions ----------------------------------------------------------------------------------------------------
def _uncontracted_product(u: UOp) -> list[Finding]:
    found = uncontracted(u)
    if found is None:
        return []
    severity = WARNING if found.looks_like_contraction else HINT
    return [Finding("uncontracted-product", severity, found.message, ("attr", "op"), found.factors, found.contraction)]


def _empty_max(u: UOp) -> list[Finding]:
    if u.arg[0] is not Ops.MAX or reduced_length(u) or not elements(u.shape):
        return []
    least = constant_text(UOp.const(dtypes.min(u.dtype), u.dtype))
    return [Finding("empty-max", WARNING, f"a maximum of no elements: every element is {least}", (), u.src[:1])]


# -- indices -------------------------------------------------------------------------------------------------------
def _unprovable_index(u: UOp) -> list[Finding]:
    from uopc.symbolic import bounds  # most programs have no index to prove, and do not wait for it

    found = []
    for k, i in enumerate(u.src[1:]):
        size = u.src[0].shape[k]
        if i.op is Ops.CONST:
            continue
        low, high = bounds(i)
        if low >= 0 and high < size:
            continue
        inside = f"0..{size - 1}" if size else "nothing, as the axis is empty"
        range_text = _known_bounds(i, low, high)
        then = "the run checks it and stops when it is outside" if u.ranges else "it is clamped into this range"
        message = f"this index is not known to stay inside {inside}{range_text}: {then}"
        found.append(Finding("unprovable-index", HINT, message, ("src", k + 1), (i,)))
    return found


def _known_bounds(i: UOp, low: int, high: int) -> str:
    full = (dtypes.min(i.dtype), dtypes.max(i.dtype))
    return "" if (low, high) == full else f" (it is known to be {grouped(low)}..{grouped(high)})"


def _wide_index(u: UOp) -> list[Finding]:
    n = elements(u.shape)
    if n - 1 <= LARGEST_I32 or (u.op is Ops.RESHAPE and u.src[0].op in (Ops.BUFFER, Ops.RESHAPE)):
        return []
    return [_wide_finding(n)]


def _wide_finding(n: int) -> Finding:
    message = f"{counted(n, 'element')}: positions do not fit 32 bits and are computed in 64"
    return Finding("needs-64-bit-index", HINT, message)


_Rule = Callable[[UOp], Sequence[Finding]]
_RULES: dict[Ops, tuple[_Rule, ...]] = {
    Ops.BUFFER: (_wide_index,),
    Ops.RESHAPE: (_no_op, _wide_index),
    **dict.fromkeys((Ops.EXPAND, Ops.PERMUTE, Ops.SHRINK, Ops.PAD, Ops.FLIP, Ops.CAST), (_no_op,)),
    Ops.REDUCE: (_no_op, _uncontracted_product, _empty_max),
    Ops.INDEX: (_unprovable_index,),
}


# -- the whole program ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Limits:
    """What a run may need before `huge` says so."""

    memory_bytes: int = MEMORY_LIMIT
    operations: int = OPERATION_LIMIT


def program_findings(
    root: UOp, limits: Limits | None = None, check: Check = never_mind
) -> tuple[tuple[UOp, Finding], ...]:
    """(node, finding) for what only the whole program shows: `recomputed-reduce`, `huge`, wide outputs.

    check: called now and then; it raises when the answer is not wanted any more.
    """
    outputs = output_values(root)
    found: list[tuple[UOp, Finding]] = []
    if any(u.dtype.bits == 0 for u in outputs):
        return ()
    cost = estimate(root, check)
    found.extend((c.node, _recomputed(c)) for c in cost.reductions if _is_recomputed(c))
    found.extend((u, _wide_finding(elements(u.shape))) for u in outputs if _is_wide(u))
    found.extend(_huge(root, cost, limits or Limits()))
    return tuple(found)


def _is_wide(u: UOp) -> bool:
    return elements(u.shape) - 1 > LARGEST_I32 and u.op not in (Ops.BUFFER, Ops.RESHAPE)


def _is_recomputed(cost: ReduceCost) -> bool:
    """A reduction over one operand or none is no loop; one without elements is never evaluated."""
    return cost.length > 1 and 0 < cost.elements < cost.evaluations


def _recomputed(cost: ReduceCost) -> Finding:
    times, rest = divmod(cost.evaluations * 10 // max(1, cost.elements), 10)
    factor = f"{grouped(times)}.{rest}" if rest else grouped(times)
    least = "" if cost.exact else "at least "
    evaluations, entries = counted(cost.evaluations, "evaluation"), counted(cost.elements, "element")
    where = "in the loops of its users (`stage` computes it once)"
    message = f"{least}{evaluations} for {entries}, {factor} times each, {where}"
    return Finding("recomputed-reduce", HINT, message, (), (cost.node,), cost)


def _huge(root: UOp, cost: Cost, limits: Limits) -> list[tuple[UOp, Finding]]:
    needs = []
    if cost.memory_bytes > limits.memory_bytes:
        needs.append(f"{amount(cost.memory_bytes)} of memory (the limit is {amount(limits.memory_bytes)})")
    if cost.operations > limits.operations:
        needs.append(f"{grouped(cost.operations)} operations (the limit is {grouped(limits.operations)})")
    message = "a run would need " + " and ".join(needs)
    return [(root, Finding("huge", WARNING, message, (), (), cost))] if needs else []
