"""Index expressions as a person writes them: `4*j + i + 1`, `(j + 1) // 3 % 2`, `min(i, 2)`, `1 <= i < 4`.

An expression is a scalar graph over loop counters. Sums come in a stable order (largest coefficient first, then the
order of the loops); `//` and `%` bind like `*` and get only the parentheses they need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from uopc.analysis.linear import Linear, linear_forms
from uopc.analysis.style import ASCII, Style, axis_name
from uopc.uop import Ops, UOp

LeafName = Callable[[UOp], "str | None"]

MAX_NODES = 300  # an expression with more nodes than this is shown as "..."
MAX_LENGTH = 160  # and so is a part whose text is longer than this

_SUM, _PRODUCT, _ATOM = 1, 2, 3  # how tightly a text binds
_CALLS = {Ops.WHERE: "where", Ops.MAX: "max"}
_PRODUCTS = {Ops.FLOORDIV: "//", Ops.FLOORMOD: "%", Ops.MUL: "*"}
_INFIX = {Ops.AND: "&", Ops.OR: "|", Ops.XOR: "^", Ops.SHL: "<<", Ops.SHR: ">>", Ops.ADD: "+"}


def loop_letter(u: UOp) -> str | None:
    """The default name of a loop counter: i, j, k, ... by its number."""
    return axis_name(u.arg.idx) if u.op is Ops.RANGE else None


@dataclass(frozen=True)
class _Text:
    text: str
    binds: int

    def at(self, level: int) -> str:
        return self.text if self.binds >= level else f"({self.text})"


def expression(u: UOp, name: LeafName = loop_letter, style: Style = ASCII) -> str:
    """The text of an integer or condition `u`. `name` gives loop counters and other leaves their names."""
    return _Writer(name, style).write(u)


def index_text(idx: Sequence[UOp], name: LeafName = loop_letter, style: Style = ASCII) -> str:
    """An index tuple: `[i + 1, j]`."""
    return "[" + ", ".join(expression(i, name, style) for i in idx) + "]"


class _Writer:
    """One expression's texts, computed operands first, without recursion."""

    def __init__(self, name: LeafName, style: Style) -> None:
        self.name, self.style = name, style
        self.texts: dict[UOp, _Text] = {}
        self.leaves: dict[UOp, str] = {}
        self.forms: dict[UOp, Linear] = {}
        self.rank: dict[UOp, int] = {}

    def write(self, u: UOp) -> str:
        order = self._order(u)
        if order is None:
            return self.style.more
        self.forms = linear_forms(order, lambda x: x in self.leaves)
        self.rank = {x: k for k, x in enumerate(order)}
        for x in order:
            self.texts[x] = self._cut(self._text(x))
        return self.texts[u].text

    def _order(self, root: UOp) -> list[UOp] | None:
        """Operands before users, down to the named leaves; None when there are too many nodes to read."""
        done: dict[UOp, None] = {}
        stack = [(root, False)]
        while stack:
            u, expanded = stack.pop()
            if u in done:
                continue
            if expanded or self._is_leaf(u):
                done[u] = None
                if len(done) > MAX_NODES:
                    return None
                continue
            if len(stack) > 4 * MAX_NODES:
                return None
            stack.append((u, True))
            stack.extend((s, False) for s in reversed(u.src) if s not in done)
        return list(done)

    def _is_leaf(self, u: UOp) -> bool:
        if u.op is Ops.CONST:
            return True
        named = self.name(u)
        if named is None and u.src and not u.shape:
            return False
        self.leaves[u] = named if named is not None else f"<{u.op.value}>"
        return True

    def _cut(self, t: _Text) -> _Text:
        return t if len(t.text) <= MAX_LENGTH else _Text(self.style.more, _ATOM)

    def _text(self, u: UOp) -> _Text:
        if u in self.leaves:
            return _Text(self.leaves[u], _ATOM)
        if u.op is Ops.CONST:
            return _Text(str(u.arg).lower() if u.dtype.is_bool else str(u.arg), _ATOM if u.arg >= 0 else _SUM)
        if u.dtype.is_bool and (u.op in (Ops.CMPLT, Ops.AND, Ops.NOT, Ops.CMPNE) or u.op is Ops.MUL):
            return _Text(self._condition(u), 0)
        if u in self.forms and self.forms[u].terms != {u: 1}:
            return self._sum(self.forms[u])
        return self._term(u)

    # -- terms -----------------------------------------------------------------------------------------------------
    def _term(self, u: UOp) -> _Text:
        parts = [self.texts[s] for s in u.src]
        if u.op in _PRODUCTS:
            sign = self.style.times if u.op is Ops.MUL else f" {_PRODUCTS[u.op]} "
            left = _ATOM if u.op is Ops.MUL else _PRODUCT
            return _Text(f"{parts[0].at(left)}{sign}{parts[1].at(_ATOM)}", _PRODUCT)
        if u.op in _INFIX:
            return _Text(f"{parts[0].at(_ATOM)} {_INFIX[u.op]} {parts[1].at(_ATOM)}", 0)
        if u.op is Ops.INDEX:
            return _Text(f"{parts[0].at(_ATOM)}[{', '.join(p.text for p in parts[1:])}]", _ATOM)
        if u.op in (Ops.CAST, Ops.LOAD, Ops.AFTER, Ops.ASSUME):
            return parts[0]
        word = _CALLS.get(u.op, u.op.value)
        return _Text(f"{word}({', '.join(p.text for p in parts)})", _ATOM)

    def _min(self, u: UOp) -> str | None:
        """The text of -max(a, b) as min(-a, -b), when a and b are written with minus signs."""
        if u.op is not Ops.MAX or u in self.leaves:
            return None
        negated = [self.forms[s].times(-1) for s in u.src]
        if any(f.constant < 0 or any(c < 0 for c in f.terms.values()) for f in negated):
            return None
        return f"min({', '.join(self._sum(f).text for f in negated)})"

    # -- sums ------------------------------------------------------------------------------------------------------
    def _sum(self, form: Linear) -> _Text:
        parts = self._signed_parts(form)
        if not parts:
            return _Text("0", _ATOM)
        first_sign, first, first_binds = parts[0]
        if first_sign < 0:  # -i // 3 would read as (-i) // 3
            first = f"-({first})" if " // " in first or " % " in first else f"-{first}"
        text = first
        text += "".join(f" {'-' if sign < 0 else '+'} {part}" for sign, part, _ in parts[1:])
        return _Text(text, _SUM if len(parts) > 1 or first_sign < 0 else first_binds)

    def _signed_parts(self, form: Linear) -> list[tuple[int, str, int]]:
        """(sign, text, how it binds) of each part: largest coefficient first, the constant last, a minus never first
        if anything is positive."""
        terms = sorted(form.terms.items(), key=lambda tc: (-abs(tc[1]), self._loop_order(tc[0])))
        parts = [self._multiple(t, c) for t, c in terms]
        if form.constant:
            parts.append((1 if form.constant > 0 else -1, str(abs(form.constant)), _ATOM))
        if parts and parts[0][0] < 0:
            k = len(parts) - 1 if parts[-1][0] > 0 else next((k for k, p in enumerate(parts) if p[0] > 0), 0)
            parts.insert(0, parts.pop(k))
        return parts

    def _loop_order(self, term: UOp) -> tuple[int, int]:
        return (0, term.arg.idx) if term.op is Ops.RANGE else (1, self.rank.get(term, 0))

    def _multiple(self, term: UOp, coefficient: int) -> tuple[int, str, int]:
        least = self._min(term) if coefficient < 0 else None
        if least is not None:
            sign, part = 1, _Text(least, _ATOM)
        else:
            sign, part = (1 if coefficient > 0 else -1), self.texts.get(term) or self._term(term)
        factor = abs(coefficient)
        if factor == 1:
            return sign, part.at(_PRODUCT), part.binds if part.binds >= _PRODUCT else _ATOM
        return sign, f"{factor}{self.style.times}{part.at(_ATOM)}", _PRODUCT

    # -- conditions ------------------------------------------------------------------------------------------------
    def _condition(self, u: UOp) -> str:
        """Conjunctions of comparisons with one middle are written as one chain: `1 <= i < 4`."""
        bounds: dict[tuple[tuple[UOp, int], ...], list[int | None]] = {}
        others: list[str] = []
        for part, negated in self._conjuncts(u):
            found = self._bound(part, negated)
            if found is None:
                others.append(self._other_condition(part, negated))
                continue
            middle, low, high = found
            limits = bounds.setdefault(middle, [None, None])
            limits[0] = low if limits[0] is None else limits[0] if low is None else max(low, limits[0])
            limits[1] = high if limits[1] is None else limits[1] if high is None else min(high, limits[1])
        chains = [self._chain(self._sum(Linear(0, dict(m))).text, lo, hi) for m, (lo, hi) in bounds.items()]
        return " and ".join(chains + others)

    def _conjuncts(self, u: UOp) -> list[tuple[UOp, bool]]:
        """(part, whether it is negated) of a conjunction; where(a, b, false) is one too."""
        parts: list[tuple[UOp, bool]] = []
        stack = [u]
        while stack:
            x = stack.pop()
            if x not in self.leaves and x.dtype.is_bool and x.op in (Ops.AND, Ops.MUL):
                stack.extend(reversed(x.src))
            elif x not in self.leaves and x.op is Ops.NOT:
                parts.append((x.src[0], True))
            else:
                parts.append((x, False))
        return parts

    def _bound(self, u: UOp, negated: bool) -> tuple[tuple[tuple[UOp, int], ...], int | None, int | None] | None:
        """A comparison as (middle, lowest value or None, first value too large or None)."""
        if u in self.leaves or u.op is not Ops.CMPLT or any(s not in self.forms for s in u.src):
            return None
        form = self.forms[u.src[0]].plus(self.forms[u.src[1]].times(-1))  # u says form < 0
        if not form.terms:
            return None
        flipped = all(c < 0 for c in form.terms.values())
        if not flipped and any(c < 0 for c in form.terms.values()):
            return None
        sign = -1 if flipped else 1
        middle = tuple(sorted(((t, sign * c) for t, c in form.terms.items()), key=lambda tc: self.rank.get(tc[0], 0)))
        if flipped:  # constant - middle < 0, so middle >= constant + 1; negated: middle < constant + 1
            limit = form.constant + 1
            return (middle, None, limit) if negated else (middle, limit, None)
        limit = -form.constant
        return (middle, limit, None) if negated else (middle, None, limit)

    def _chain(self, middle: str, low: int | None, high: int | None) -> str:
        if low is not None and high is not None and low == high - 1:
            return f"{middle} = {low}"
        start = f"{low} {self.style.less_equal} " if low is not None else ""
        return f"{start}{middle}" + (f" < {high}" if high is not None else "")

    def _other_condition(self, u: UOp, negated: bool) -> str:
        compared = u not in self.leaves and u.op in (Ops.CMPLT, Ops.CMPNE)
        if compared:
            a, b = (self.texts[s].at(_SUM) for s in u.src)
            if u.op is Ops.CMPLT:
                return f"{b} {self.style.less_equal} {a}" if negated else f"{a} < {b}"
            return f"{a} = {b}" if negated else f"{a} {self.style.not_equal} {b}"
        part = self.texts[u] if u in self.texts else self._term(u)
        return f"not {part.at(_ATOM)}" if negated else part.text
