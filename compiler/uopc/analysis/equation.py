"""One step as an equation: `%3[i, j] = %2[i + 1, j]`, `%7[i, j] = Σ k<4  %6[i, j, k]`.

Operands that a line of the file names are written by their names. What has no name (the reshape and expand of a
broadcast, the product of a `sub`) is written out, as it belongs to the step.
"""

from __future__ import annotations

from uopc.analysis.composition import step_index
from uopc.analysis.expressions import LeafName, expression, loop_letter
from uopc.analysis.names import Names, constant_text
from uopc.analysis.style import ASCII, Style, axis_name, grouped
from uopc.dtype import dtypes
from uopc.indexmap import Index, released, valid
from uopc.uop import ALU, MOVEMENT, Ops, UOp, range_

MAX_CASES = 4  # operands of a stack that are written
MAX_UNNAMED = 16  # unnamed nodes a step is written out through

_INFIX = {
    Ops.ADD: ("+", 4), Ops.MUL: ("*", 5), Ops.FLOORDIV: ("//", 5), Ops.FLOORMOD: ("%", 5), Ops.SHL: ("<<", 3),
    Ops.SHR: (">>", 3), Ops.AND: ("&", 2), Ops.OR: ("|", 2), Ops.XOR: ("^", 2), Ops.CMPLT: ("<", 1),
}  # fmt: skip
_TIGHT = 9
_LEFT_ASSOCIATIVE = frozenset({Ops.ADD, Ops.MUL, Ops.FLOORDIV, Ops.FLOORMOD})
_REDUCE_WORDS = {Ops.MAX: "max", Ops.MUL: "product"}

_Written = tuple[str, int]  # a text and how tightly it binds


def axis_loops(u: UOp) -> tuple[UOp, ...]:
    """A loop counter for every axis of a value, numbered like the axes."""
    return tuple(range_(n, k) for k, n in enumerate(u.shape))


def equation(u: UOp, names: Names, style: Style = ASCII) -> tuple[str, ...]:
    """The step that `u` is, as lines; none for effects and for loops, which have no elements."""
    writer = _Equation(u, names, style)
    if u.op is Ops.STACK:
        return writer.cases(u)
    if not u.dtype.bits or u.op in (Ops.RANGE, Ops.ALLOC, Ops.CALL):
        return ()
    idx = axis_loops(u)
    text = writer.step(u, idx)[0]
    if u.op is Ops.PAD:
        text += writer.guarded(u, idx)
    return (f"{writer.named(names(u) or 'result', idx)} = {text}",)


def right_side(u: UOp, names: Names, style: Style) -> str:
    """What stands right of the equals sign of a one-line step, without the guard of a pad; empty for other steps."""
    if u.op is Ops.STACK or not u.dtype.bits or u.op in (Ops.RANGE, Ops.ALLOC, Ops.CALL):
        return ""
    return _Equation(u, names, style).step(u, axis_loops(u))[0]


def subtrahend(u: UOp, names: Names) -> UOp | None:
    """b where an ADD is a `sub`, that is a + b * -1 with the product not named by any line; else None."""
    product = u.src[1]
    while product.op in (Ops.EXPAND, Ops.RESHAPE) and names(product) is None:
        product = product.src[0]
    if product.op is not Ops.MUL or names(product) is not None:
        return None
    factor = product.src[1]
    while factor.op in (Ops.EXPAND, Ops.RESHAPE):
        factor = factor.src[0]
    minus_one = dtypes.max(factor.dtype) if factor.dtype.is_unsigned else -1
    return product.src[0] if factor.op is Ops.CONST and factor.arg == minus_one else None


class _Equation:
    def __init__(self, root: UOp, names: Names, style: Style) -> None:
        self.root, self.names, self.style = root, names, style
        self.axes = len(root.shape)  # letters in use
        self.budget = MAX_UNNAMED

    def leaf(self, u: UOp) -> str | None:
        return loop_letter(u) or self.names(u)

    def expression(self, u: UOp) -> str:
        leaf: LeafName = self.leaf
        return expression(released(u) if u.ranges else u, leaf, self.style)

    def named(self, name: str, idx: Index) -> str:
        return f"{name}[{', '.join(map(self.expression, idx))}]" if idx else name

    def cases(self, u: UOp) -> tuple[str, ...]:
        """A stack, one operand a line."""
        rest = axis_loops(u)[1:]
        inner = ", ".join(map(self.expression, rest))
        lines = []
        for k, s in enumerate(u.src[:MAX_CASES]):
            lines.append(f"{self.names(u) or 'result'}[{k}{', ' if inner else ''}{inner}] = {self.operand(s, rest)[0]}")
        if len(u.src) > MAX_CASES:
            lines.append(f"{self.style.more} {grouped(len(u.src))} operands in all")
        return tuple(lines)

    def guarded(self, u: UOp, idx: Index) -> str:
        guard = valid(u, idx)
        return "" if guard is None else f", 0 unless {self.expression(guard)}"

    def operand(self, u: UOp, idx: Index) -> _Written:
        """A value at an index: by its name if it has one, else written out."""
        name = self.names(u)
        if name is not None:
            return self.named(name, idx), _TIGHT
        if u.op is Ops.CONST:
            return constant_text(u), _TIGHT
        self.budget -= 1
        if self.budget < 0:
            return f"{u.op.value}({self.style.more})", _TIGHT
        return self.step(u, idx)

    def step(self, u: UOp, idx: Index) -> _Written:
        """A value at an index, in terms of its operands."""
        if u.op in MOVEMENT:
            return self._moved(u, idx)
        if u.op is Ops.INDEX:
            return self.operand(u.src[0], u.src[1:] + idx)
        if u.op in ALU:
            return self._elementwise(u, idx)
        if u.op is Ops.REDUCE:
            return self._reduced(u, idx)
        if u.op in (Ops.STAGE, Ops.LOAD, Ops.AFTER, Ops.ASSUME):
            return self.operand(u.src[0], idx)
        if u.op is Ops.BUFFER:
            return f"buffer {u.arg.slot} at {', '.join(map(self.expression, idx))}", 0
        if u.op is Ops.PARAM:
            return self.named(f"argument {u.arg.slot}", idx), _TIGHT
        if u.op is Ops.CONST:
            return constant_text(u), _TIGHT
        return self.named(f"{u.op.value}({self.style.more})", idx), _TIGHT

    def _moved(self, u: UOp, idx: Index) -> _Written:
        below = self.operand(u.src[0], step_index(u, idx))
        guard = valid(u, idx) if u.op is Ops.PAD and u is not self.root else None
        return (f"where({self.expression(guard)}, {below[0]}, 0)", _TIGHT) if guard is not None else below

    def _elementwise(self, u: UOp, idx: Index) -> _Written:
        subtracted = subtrahend(u, self.names) if u.op is Ops.ADD else None
        if subtracted is not None:
            a, b = self.operand(u.src[0], idx), self.operand(subtracted, self._broadcast_index(u.src[1], idx))
            return f"{_at(a, 4)} - {_at(b, 5)}", 4
        parts = [self.operand(s, idx) for s in u.src]
        if u.op is Ops.CMPNE:
            return f"{_at(parts[0], 2)} {self.style.not_equal} {_at(parts[1], 2)}", 1
        if u.op in _INFIX:
            sign, level = _INFIX[u.op]
            left = level if u.op in _LEFT_ASSOCIATIVE else level + 1
            return f"{_at(parts[0], left)} {sign} {_at(parts[1], level + 1)}", level
        if u.op is Ops.NEG:
            return f"-{_at(parts[0], 6)}", 6
        if u.op is Ops.RECIP:
            return f"1 / {_at(parts[0], 6)}", 5
        word = u.dtype.name if u.op is Ops.CAST else f"{u.op.value}_{u.dtype}" if u.op is Ops.BITCAST else u.op.value
        return f"{word}({', '.join(p[0] for p in parts)})", _TIGHT

    def _broadcast_index(self, u: UOp, idx: Index) -> Index:
        """The index under the broadcast that was inserted on an operand."""
        while u.op in (Ops.EXPAND, Ops.RESHAPE):
            idx = step_index(u, idx)
            u = u.src[0]
        return idx

    def _reduced(self, u: UOp, idx: Index) -> _Written:
        sizes = u.src[0].shape[len(u.shape) :]
        if not sizes:
            return self.operand(u.src[0], idx)
        loops = tuple(range_(n, self.axes + k) for k, n in enumerate(sizes))
        self.axes += len(loops)
        how = _REDUCE_WORDS.get(u.arg[0], self.style.sum)
        over = ", ".join(f"{axis_name(r.arg.idx)}<{grouped(r.arg.size)}" for r in loops)
        return f"{how} {over}  {_at(self.operand(u.src[0], idx + loops), 1)}", 0


def _at(part: _Written, level: int) -> str:
    return part[0] if part[1] >= level else f"({part[0]})"
