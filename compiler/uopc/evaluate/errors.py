"""What the evaluator says when it has no value to give."""

from __future__ import annotations

from uopc.uop import UOp


class EvaluationError(Exception):
    """The program has no value for these inputs. `node` is where, when it is one place of the graph."""

    def __init__(self, message: str, node: UOp | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.node = node


class EvaluationTooLarge(EvaluationError):
    """The value exists, but working it out exceeds the budget: the caller can say "not verified"."""
