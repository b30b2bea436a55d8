"""The reference evaluator: what a program means, in NumPy.

It shares no code with the compiler's own passes (index maps, rangeify, simplification, rendering), so that it can judge
them. Read `elementwise` and `whole` for the meaning of each operation, `points` for how values too large to hold are
evaluated, `loops` for the step-by-step interpreter of loop programs.
"""

from __future__ import annotations

import numpy as np

from uopc.evaluate.errors import EvaluationError, EvaluationTooLarge
from uopc.evaluate.loops import MAX_STEPS, evaluate_loops
from uopc.evaluate.memory import Inputs, by_slot
from uopc.evaluate.shaped import BUDGET, WHOLE_LIMIT, evaluate_shaped
from uopc.nptypes import Array
from uopc.ops import EFFECTS, Ops
from uopc.typerules import is_address
from uopc.uop import UOp

__all__ = ["MAX_STEPS", "EvaluationError", "EvaluationTooLarge", "evaluate", "evaluate_loops", "is_loop_program"]


def evaluate(
    root: UOp, inputs: Inputs, *, limit: int = WHOLE_LIMIT, budget: int = BUDGET, steps: int = MAX_STEPS
) -> Array | tuple[Array, ...]:
    """What the program `root` computes from `inputs`, flat arrays by buffer slot.

    A shaped program gives one array of the root's shape, or a tuple when its sink names several outputs. A loop program
    gives the buffers it stores to, flat, by slot. `limit`: elements up to which a value is held whole; `budget`:
    elements that may be computed one by one beyond that; `steps`: of a loop program. Raises EvaluationError when an
    input is missing or does not fit, or the program has no value; EvaluationTooLarge beyond the budget or the steps.
    """
    if is_loop_program(root):
        stored = evaluate_loops(root, inputs, steps=steps)
        outputs = [stored[slot] for slot in sorted(stored)]
    else:
        with np.errstate(all="ignore"):
            outputs = evaluate_shaped(root, by_slot(inputs), limit, budget)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def is_loop_program(root: UOp) -> bool:
    """Whether `root` is a program of loops and effects rather than of whole tensor values."""
    if root.op not in EFFECTS:
        return False
    for u in root.toposort():
        if u.op in (Ops.RANGE, Ops.END, Ops.ALLOC) or (u.op is Ops.STORE and is_address(u.src[0])):
            return True
    return False
