"""Bounds analysis and simplification of integer expressions and loop programs.

interval   what values an expression can have
alignment  which remainder by which modulus it has
linear     expressions as sums of multiples: the canonical form
parts      a sum taken apart by a divisor
divmod     quotients and remainders: the table of rules
compare    comparisons
logic      bits, truth values and choices
fold       operations on constants
affine     sums that no rule finds, by evaluation
rewrite    the simplifier: one pass over a graph
watch      which rule did what, for whoever wants to show it
"""

from uopc.symbolic.interval import bounds
from uopc.symbolic.rewrite import simplify

__all__ = ["bounds", "simplify"]
