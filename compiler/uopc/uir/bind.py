"""A statement's arguments matched with the row of its operation in THE table (`uopc.ops.OPS`): names, counts and kinds.

Depends on the text of one line only, so the result lives as long as the line's text does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

from uopc.dtype import dtypes
from uopc.ops import ALIASES, OPS, OpSpec, Param
from uopc.typerules import count
from uopc.uir.drafts import Draft, FixContext, FixMaker, did_you_mean, hint, listed, replace
from uopc.uir.model import Attr, AttrValue, Edit, Fix, Group, Number, Operand, Ref, Span, Statement, Word
from uopc.uir.nearest import nearest

INT_MIN, INT_MAX = -(1 << 63), (1 << 64) - 1
_MANY = ("values", "effects")
_MAY_BE_ALONE = ("index", "after", "call")  # their further operands may be none


class Plan(NamedTuple):
    """A row of the table, sorted for binding."""

    spec: OpSpec
    fixed: tuple[Param, ...]  # positional, one operand each
    variadic: Param | None  # takes all further operands
    keywords: Mapping[str, Param]
    required: tuple[Param, ...]  # static arguments that must be given
    values_only: int  # how many values it takes, if it takes nothing else; -1


class Bound(NamedTuple):
    """Arguments of a statement by role. `args` are Python values by parameter name, `places` where each was written."""

    plan: Plan
    values: tuple[Ref | Number, ...]
    has_number: bool
    args: Mapping[str, Any]
    places: Mapping[str, AttrValue]


def _plan(spec: OpSpec) -> Plan:
    positional = [p for p in spec.params if not p.keyword_only]
    many = [p for p in positional if p.kind in _MANY]
    fixed = tuple(p for p in positional if p.kind not in _MANY)
    static = [p for p in spec.params if p.kind not in ("value", *_MANY)]
    return Plan(
        spec,
        fixed,
        many[0] if many else None,
        {p.name: p for p in static},
        tuple(p for p in static if not p.optional),
        len(fixed) if len(fixed) == len(spec.params) and all(p.kind == "value" for p in fixed) else -1,
    )


PLANS: dict[str, Plan] = {name: _plan(spec) for name, spec in OPS.items()}
PLANS.update({alias: PLANS[name] for alias, name in ALIASES.items()})


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Misfit(Exception):
    """An argument that does not fit its parameter."""

    def __init__(self, span: Span, code: str, message: str, *makers: FixMaker) -> None:
        super().__init__(message)
        self.draft = Draft(span, code, message, makers=makers)


def usage(spec: OpSpec) -> str:
    """The arguments of an operation in one line: `reduce x : op= [pop=] [axes=]`."""
    positional = [p.name + (", ..." if p.kind in _MANY else "") for p in spec.params if not p.keyword_only]
    keywords = [f"[{p.name}=]" if p.optional else f"{p.name}=" for p in spec.params if p.keyword_only]
    return f"{spec.name} {', '.join(positional)}" + (f" : {' '.join(keywords)}" if keywords else "")


def bind(st: Statement) -> tuple[Bound | None, tuple[Draft, ...]]:
    """The arguments of a statement by role, or what is wrong with them."""
    plan = PLANS.get(st.op)
    if plan is None:
        return None, (_unknown_operation(st),)
    try:
        bound = _fitting(st, plan)
    except Misfit:
        bound = None
    return (bound, ()) if bound is not None else _Binder(st, plan).bind()


def _fitting(st: Statement, plan: Plan) -> Bound | None:
    """The fast way: the arguments of a statement where everything fits, else None (or Misfit)."""
    spec, attrs, operands = plan.spec, st.attrs, st.operands
    kinds = set(map(type, operands))
    if len(operands) == plan.values_only and not attrs and Group not in kinds:
        return Bound(plan, operands, Number in kinds, _NOTHING, _NOTHING)  # type: ignore[arg-type]  # there is no Group
    fixed = plan.fixed if not attrs else [p for p in plan.fixed if p.name not in attrs]
    n = len(fixed)
    if len(operands) != n and (plan.variadic is None or len(operands) < n):
        return None
    if plan.variadic is not None and len(operands) == n and spec.name not in _MAY_BE_ALONE:
        return None
    values: list[Ref | Number] = []
    args: dict[str, Any] = {}
    places: dict[str, AttrValue] = {}
    for k, operand in enumerate(operands):
        if k < n and fixed[k].kind != "value":
            param = fixed[k]
            args[param.name] = _CONVERT[param.kind](spec, param, operand)
            places[param.name] = operand
        elif isinstance(operand, Group):
            return None
        else:
            values.append(operand)
    for name, attr in attrs.items():
        found = plan.keywords.get(name)
        if found is None:
            return None
        args[name] = _CONVERT[found.kind](spec, found, attr.value)
        places[name] = attr.value
    if any(p.name not in args for p in plan.required) or (
        spec.name == "reduce" and ("pop" in args) == ("axes" in args)
    ):
        return None
    return Bound(plan, tuple(values), any(isinstance(v, Number) for v in values), args, places)


def _unknown_operation(st: Statement) -> Draft:
    word = nearest(st.op, PLANS) or _OTHER_NAMES.get(st.op.lower())
    fixes = did_you_mean(word, st.op_span)
    return Draft(st.op_span, "unknown-operation", f"there is no operation `{st.op[:40]}`{hint(word)}", makers=fixes)


# What the operations are called elsewhere.
_OTHER_NAMES = {
    "multiply": "mul",
    "maximum": "max",
    "subtract": "sub",
    "plus": "add",
    "minus": "sub",
    "times": "mul",
    "lt": "cmplt",
    "ne": "cmpne",
    "view": "reshape",
    "broadcast": "expand",
    "broadcast_to": "expand",
    "transpose": "permute",
    "slice": "shrink",
    "sum": "reduce",
    "reverse": "flip",
    "input": "buffer",
    "constant": "const",
    "select": "where",
    "convert": "cast",
    "astype": "cast",
    "view_as": "bitcast",
    "negate": "neg",
    "reciprocal": "recip",
    "for": "range",
    "loop": "range",
    "contiguous": "stage",
    "concat": "stack",
    "gather": "index",
    "remainder": "floormod",
    "divide": "div",
    "negative": "neg",
    "padding": "pad",
    "crop": "shrink",
    "swapaxes": "permute",
    "truncate": "trunc",
    "ifelse": "where",
}


class _Binder:
    def __init__(self, st: Statement, plan: Plan) -> None:
        self.st, self.plan = st, plan
        self.drafts: list[Draft] = []
        self.values: list[Ref | Number] = []
        self.args: dict[str, Any] = {}
        self.places: dict[str, AttrValue] = {}

    def bind(self) -> tuple[Bound | None, tuple[Draft, ...]]:
        """See `bind`."""
        self._positional()
        for attr in self.st.attrs.values():
            self._keyword(attr.name, attr.name_span, attr.value)
        if not self.drafts:
            self._missing()
        if self.drafts:
            return None, tuple(self.drafts)
        has_number = any(isinstance(v, Number) for v in self.values)
        return Bound(self.plan, tuple(self.values), has_number, self.args, self.places), ()

    def _positional(self) -> None:
        fixed, variadic = self.plan.fixed, self.plan.variadic
        # A keyword takes its parameter's place, so that later positional ones move up.
        slots = [p for p in fixed if p.kind == "value" or p.name not in self.st.attrs]
        for k, operand in enumerate(self.st.operands):
            param = slots[k] if k < len(slots) else variadic
            if param is None:
                self._too_many(k)
                return
            self._take(param, operand)

    def _too_many(self, k: int) -> None:
        operands, spec = self.st.operands, self.plan.spec
        span = Span(operands[k].span.start, operands[-1].span.end)
        given = [p.name for p in self.plan.fixed if p.kind != "value" and p.name in self.st.attrs]
        if given:
            message = f"`{given[0]}` is given twice, here and as a keyword"
            self.drafts.append(Draft(span, "duplicate-argument", message))
            return
        start = operands[k - 1].span.end if k else self.st.op_span.end
        message = f"{spec.name} takes {count('argument', k)}, this is one too many: {usage(spec)}"
        remove = replace("remove it", Span(start, span.end), "")
        self.drafts.append(Draft(span, "too-many-arguments", message, makers=(remove,)))

    def _take(self, param: Param, value: AttrValue) -> None:
        try:
            if param.kind == "value" or param.kind in _MANY:
                self.values.append(_as_value(self.plan.spec, param, value))
            else:
                self.args[param.name] = _CONVERT[param.kind](self.plan.spec, param, value)
                self.places[param.name] = value
        except Misfit as misfit:
            self.drafts.append(self._with_fix(misfit.draft, param, value))

    def _with_fix(self, draft: Draft, param: Param, value: AttrValue) -> Draft:
        if self.plan.spec.name == "buffer" and param.name == "n" and isinstance(value, Group):
            return draft._replace(makers=_flat_buffer(self.st, value))
        return draft

    def _keyword(self, name: str, span: Span, value: AttrValue) -> None:
        param = self.plan.keywords.get(name)
        if param is not None:
            self._take(param, value)
            return
        spec = self.plan.spec
        if any(p.name == name for p in spec.params):
            message = f"`{name}` is written as an operand, not as a keyword: {usage(spec)}"
            self.drafts.append(Draft(span, "argument-kind", message))
            return
        free = [k for k in self.plan.keywords if k not in self.st.attrs]
        word = nearest(name, free)
        known = f", it takes {listed(self.plan.keywords)}" if self.plan.keywords and not word else ""
        message = f"{spec.name} has no argument `{name[:40]}`{hint(word)}{known}"
        self.drafts.append(Draft(span, "unknown-argument", message, makers=did_you_mean(word, span)))

    def _missing(self) -> None:
        """One error that names everything that is missing."""
        spec, st = self.plan.spec, self.st
        values = [p.name for p in self.plan.fixed if p.kind == "value"][len(self.values) :]
        if not values and self.plan.variadic and spec.name not in _MAY_BE_ALONE:
            values = [self.plan.variadic.name] if len(self.values) == len(self.plan.fixed) else []
        missing = values + [p.name for p in self.plan.required if p.name not in self.args]
        if spec.name == "reduce" and not {"pop", "axes"} & set(st.attrs):
            missing.append("pop")
        if missing:
            makers = (_with_slot(st),) if missing == ["slot"] else ()
            message = f"{spec.name} needs {listed(f'`{name}`' for name in missing)}: {usage(spec)}"
            self.drafts.append(Draft(st.op_span, "missing-argument", message, makers=makers))
        if spec.name == "reduce":
            self._reduce()

    def _reduce(self) -> None:
        pop, axes = self.st.attrs.get("pop"), self.st.attrs.get("axes")
        if pop is not None and axes is not None:
            remove = self._without("remove pop", pop), self._without("remove axes", axes)
            second = max(pop, axes, key=lambda a: a.span)
            message = "`pop` and `axes` both say what is removed: give one of them"
            self.drafts.append(Draft(second.span, "duplicate-argument", message, makers=remove))

    def _without(self, title: str, attr: Attr) -> FixMaker:
        """The fix that removes a keyword with the blanks beside it. There is another keyword."""
        attrs = sorted(self.st.attrs.values(), key=lambda a: a.span)
        k = attrs.index(attr)
        span = Span(attrs[k - 1].span.end, attr.span.end) if k else Span(attr.span.start, attrs[1].span.start)
        alone = any(span.start <= o.span.start < span.end for o in self.st.operands)
        return replace(title, attr.span if alone else span, "")


def _with_slot(st: Statement) -> FixMaker:
    def make(context: FixContext, line: int) -> Fix:
        slot = context.free_slot()
        colon = "" if st.attrs else " :"
        return Fix(f"add slot={slot}", (Edit(line, Span(st.span.end, st.span.end), f"{colon} slot={slot}"),))

    return make


def _flat_buffer(st: Statement, group: Group) -> tuple[FixMaker, ...]:
    """`buffer (a, b)` as a flat buffer and a reshape."""
    sizes = [i.value for i in group.items if isinstance(i, Number) and type(i.value) is int and i.value >= 0]
    if len(sizes) != len(group.items):
        return ()

    def make(context: FixContext, line: int) -> Fix:
        flat = context.fresh(f"{st.name}_flat")
        reshape = f"{context.eol}%{st.name} = reshape %{flat}, {_tuple(sizes)}"
        return Fix(
            "make it a flat buffer and a reshape",
            (
                Edit(line, st.name_span, f"%{flat}"),
                Edit(line, group.span, str(prod(sizes))),
                Edit(line, Span(context.line_length(line), context.line_length(line)), reshape),
            ),
        )

    return (make,)


def _tuple(items: list[int]) -> str:
    return str(tuple(items))


# -- conversion of one argument -------------------------------------------------------------------------------------
_KIND_WORDS = {
    "value": "a value",
    "int": "a whole number",
    "number": "a number",
    "shape": "a list of sizes like (3, 4)",
    "order": "a list of axes like (1, 0)",
    "axes": "a list of axes like (0, 1)",
    "word": "a word",
    "dtype": "a dtype like f32",
    "bounds": "a list of pairs like ((0, 2), (1, 3))",
    "pads": "a list of pairs like ((1, 1), (0, 0))",
    "bool": "true or false",
    "values": "a value",
    "effects": "a value",
}


def _written(value: AttrValue) -> str:
    if isinstance(value, Group):
        return "a list"
    if isinstance(value, Ref):
        return f"the value %{value.name}"
    return f"`{value.text[:40]}`"


def _wrong(spec: OpSpec, param: Param, value: AttrValue, *makers: FixMaker) -> Misfit:
    message = f"`{param.name}` of {spec.name} is {_KIND_WORDS[param.kind]}, not {_written(value)}"
    return Misfit(value.span, "argument-kind", message, *makers)


def _as_value(spec: OpSpec, param: Param, value: AttrValue) -> Ref | Number:
    if isinstance(value, (Ref, Number)):
        return value
    raise _wrong(spec, param, value)


def _int(spec: OpSpec, param: Param, value: AttrValue) -> int:
    if spec.name == "buffer" and param.name == "n" and isinstance(value, Group):
        raise Misfit(
            value.span,
            "buffer-shape",
            "a buffer is flat: it takes the number of its elements, and a reshape gives it a shape",
        )
    if not isinstance(value, Number) or type(value.value) is not int:
        raise _wrong(spec, param, value)
    if param.keyword_only and param.name in ("slot", "idx") and value.value < 0:
        raise Misfit(value.span, "argument-kind", f"`{param.name}` of {spec.name} must not be negative")
    return _in_64_bits(value)


def _in_64_bits(value: Number) -> int:
    assert isinstance(value.value, int)
    if not INT_MIN <= value.value <= INT_MAX:
        raise Misfit(value.span, "number-range", f"{value.text[:40]} is beyond 64 bits")
    return value.value


def _number(spec: OpSpec, param: Param, value: AttrValue) -> bool | int | float:
    if not isinstance(value, Number):
        raise _wrong(spec, param, value)
    return _in_64_bits(value) if type(value.value) is int else value.value


def _ints(spec: OpSpec, param: Param, value: AttrValue) -> tuple[int, ...]:
    if not isinstance(value, Group):
        if isinstance(value, Number) and type(value.value) is int:
            if param.kind == "axes":
                return (value.value,)
            raise _wrong(spec, param, value, replace(f"change to ({value.text},)", value.span, f"({value.text},)"))
        raise _wrong(spec, param, value)
    return tuple([_entry(spec, param, item) for item in value.items])


def _entry(spec: OpSpec, param: Param, item: Operand) -> int:
    if isinstance(item, Number) and type(item.value) is int:
        return _in_64_bits(item)
    message = f"an entry of `{param.name}` is a whole number, not {_written(item)}"
    raise Misfit(item.span, "argument-kind", message)


def _pairs(spec: OpSpec, param: Param, value: AttrValue) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, Group):
        raise _wrong(spec, param, value)
    if value.items and all(isinstance(item, Number) for item in value.items):
        flat = [_entry(spec, param, item) for item in value.items]
        if len(flat) % 2:
            message = f"`{param.name}` of {spec.name} are pairs, and {len(flat)} numbers do not pair up"
            raise Misfit(value.span, "argument-kind", message)
        return tuple(zip(flat[::2], flat[1::2]))
    return tuple(_pair(spec, param, item) for item in value.items)


def _pair(spec: OpSpec, param: Param, item: Operand) -> tuple[int, int]:
    if not isinstance(item, Group):
        raise Misfit(
            item.span, "argument-kind", f"an entry of `{param.name}` is a pair like (0, 2), not {_written(item)}"
        )
    if len(item.items) != 2:
        message = f"an entry of `{param.name}` is a pair like (0, 2), this has {count('number', len(item.items))}"
        raise Misfit(item.span, "argument-kind", message)
    return _entry(spec, param, item.items[0]), _entry(spec, param, item.items[1])


def _word(spec: OpSpec, param: Param, value: AttrValue) -> str:
    if not isinstance(value, Word):
        raise _wrong(spec, param, value)
    if value.text in param.words:
        return value.text
    near = nearest(value.text, param.words)
    message = f"`{param.name}` of {spec.name} is {listed(param.words)}, not `{value.text[:40]}`".replace(
        " and ", " or "
    )
    raise Misfit(value.span, "unknown-word", message + hint(near), *did_you_mean(near, value.span))


_OTHER_DTYPES = {
    "float": "f32",
    "double": "f64",
    "half": "f16",
    "int": "i32",
    "long": "i64",
    "uint": "u32",
    "char": "i8",
    "short": "i16",
    "byte": "u8",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "boolean": "bool",
    "i1": "bool",
    "none": "void",
    **{f"int{b}": f"i{b}" for b in (8, 16, 32, 64)},
    **{f"uint{b}": f"u{b}" for b in (8, 16, 32, 64)},
}


def _dtype(spec: OpSpec, param: Param, value: AttrValue) -> Any:
    if not isinstance(value, Word):
        raise _wrong(spec, param, value)
    dtype = dtypes.from_name(value.text)
    if dtype is not None:
        return dtype
    near = _OTHER_DTYPES.get(value.text.lower()) or nearest(value.text, (d.name for d in dtypes.all))
    message = f"there is no dtype `{value.text[:40]}`{hint(near)}"
    raise Misfit(value.span, "unknown-dtype", message, *did_you_mean(near, value.span))


def _bool(spec: OpSpec, param: Param, value: AttrValue) -> bool:
    if isinstance(value, Number) and isinstance(value.value, bool):
        return value.value
    raise _wrong(spec, param, value)


_CONVERT: dict[str, Callable[[OpSpec, Param, AttrValue], Any]] = {
    "int": _int,
    "number": _number,
    "shape": _ints,
    "order": _ints,
    "axes": _ints,
    "bounds": _pairs,
    "pads": _pairs,
    "word": _word,
    "dtype": _dtype,
    "bool": _bool,
}

__all__ = ["PLANS", "Bound", "Plan", "bind", "usage"]
