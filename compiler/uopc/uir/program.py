"""What a file computes: its root, its kind, its outputs; and the rules that only the whole file can break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from uopc.dtype import dtypes
from uopc.ops import Ops
from uopc.typerules import is_destination
from uopc.uir.drafts import Draft, FixContext, FixMaker, Placed
from uopc.uir.lines import Line
from uopc.uir.model import Fix, Ref, Statement
from uopc.uir.program_fixes import closed_range, move_to_end, one_sink, remove_unused
from uopc.uir.state import State
from uopc.uop import UOp


class OutputRef(NamedTuple):
    """One result: the value (or the buffer of a loop program), the line that names it, its slot if it has one."""

    name: str
    uop: UOp
    line: int
    slot: int | None


class Program(NamedTuple):
    """root: what is computed, None when there are errors or nothing; root_line: its statement;
    kind: "shaped" (tensor values), "loop" (ranges, loads and stores) or "empty"; drafts: (line, what is wrong).
    """

    root: UOp | None
    root_line: int | None
    kind: str
    drafts: tuple[Placed, ...]


def program_of(state: State, special: list[int], sound: bool) -> Program:
    """The program of a file. `special`: lines with operations to look at; `sound`: no line has an error."""
    sinks = [k for k in special if state.items[k].special == "sink"]
    last = _last_statement(state)
    if last is None:
        return Program(None, None, "empty", ())
    drafts = list(_sink_rules(state, sinks, last))
    root_line = sinks[0] if sinks else last
    root = state.uops[root_line]
    drafts.extend(_range_rules(state, special, root if sound else None))
    if sound and root is not None:
        drafts.extend(_param_rules(state, special, root, root_line))
    kind = _kind(state, special, root)
    return Program(root if sound and not drafts else None, root_line, kind, tuple(drafts))


def _last_statement(state: State) -> int | None:
    return next((k for k in range(len(state.items) - 1, -1, -1) if state.items[k].name is not None), None)


def _statement(state: State, line: int) -> Statement:
    st = state.items[line].statement
    assert st is not None
    return st


# -- kinds ----------------------------------------------------------------------------------------------------------
_LOOP_WORDS = ("range", "end")


def _kind(state: State, special: list[int], root: UOp | None) -> str:
    if root is None:  # unknown: what the words of the file look like
        return "loop" if any(state.items[k].special in _LOOP_WORDS for k in special) else "shaped"
    if root.dtype is not dtypes.void:
        return "shaped"
    effects = root.src if root.op is Ops.SINK else (root,)
    return "loop" if any(e.dtype is dtypes.void and not is_output_store(e) for e in effects) else "shaped"


def is_output_store(u: UOp) -> bool:
    """Whether an effect writes a whole buffer (or a reshape of one): an output of a shaped program."""
    return u.op is Ops.STORE and is_destination(u.src[0])


# -- rules ----------------------------------------------------------------------------------------------------------
def _sink_rules(state: State, sinks: list[int], last: int) -> Iterator[Placed]:
    for k in sinks[1:]:
        first = _statement(state, sinks[0]).name
        message = "a program has one sink (`group` joins effects inside it)"
        related, makers = ((first, "the first sink"),), (one_sink(sinks[0]),)
        yield k, Draft(_statement(state, k).op_span, "second-sink", message, related, makers)
    if sinks and last != sinks[0] and sinks[-1] != last:
        st, after = _statement(state, sinks[0]), state.items[last].name or ""
        message = f"the sink must be the last statement, and %{after} comes after it"
        makers = (move_to_end,)
        yield sinks[0], Draft(st.op_span, "sink-not-last", message, ((after, "this comes after the sink"),), makers)


def _range_rules(state: State, special: list[int], root: UOp | None) -> Iterator[Placed]:
    """A range is closed by an `end` that names it. A broken line that names it may be the one that closes it."""
    ranges = [k for k in special if state.items[k].special == "range" and state.uops[k] is not None]
    if not ranges:
        return
    closed = _closed(state, special)
    for k in ranges:
        u, st = state.uops[k], _statement(state, k)
        if u is not None and u not in closed:
            message = f"no `end` closes the range %{st.name}"
            yield k, Draft(st.op_span, "unclosed-range", message, (), (_closing(state, special, u),))
        elif root is not None and u in root.ranges:
            message = f"the range %{st.name} is used outside of the `end` that closes it"
            yield k, Draft(st.op_span, "unclosed-range", message)


def _closing(state: State, special: list[int], u: UOp) -> FixMaker:
    """The fix that closes a range: around what the sink names, or what nothing names where there is no sink."""

    def make(context: FixContext, line: int) -> Fix | None:
        sink = next((k for k in special if state.items[k].special == "sink"), None)
        if sink is not None:
            return closed_range(context, u, sink, None)
        last = _last_statement(state)
        names = [state.items[k].name or "" for k in special if state.items[k].special in ("store", "end")]
        ends = [name for name in names if not state.users.get(name)]
        return closed_range(context, u, last, ends) if last is not None else None

    return make


def _closed(state: State, special: list[int]) -> set[UOp | None]:
    closed: set[UOp | None] = set()
    for k in special:
        item = state.items[k]
        if item.special == "end":
            closed.update(state.value_of(ref.name) for ref in item.refs[1:])
    for item in (i for i in state.items if i.drafts and i.name is not None):
        closed.update(state.value_of(ref.name) for ref in item.refs)
    return closed


def _param_rules(state: State, special: list[int], root: UOp, root_line: int) -> Iterator[Placed]:
    """A param must be replaced by a call before the root."""
    params = [k for k in special if state.items[k].special == "param"]
    if not params:
        return
    free = _free_params(root)
    for k in params:
        if state.uops[k] in free:
            st = _statement(state, k)
            yield k, Draft(st.op_span, "free-param", f"no `call` gives the param %{st.name} a value")


def _free_params(root: UOp) -> set[UOp]:
    """The params that the root needs other than through the body of a call."""
    seen: set[UOp] = {root}
    stack = [root]
    while stack:
        u = stack.pop()
        for s in u.src[1:] if u.op is Ops.CALL else u.src:
            if s not in seen:
                seen.add(s)
                stack.append(s)
    return {u for u in seen if u.op is Ops.PARAM}


# -- unused values --------------------------------------------------------------------------------------------------
def unused_items(state: State, root: Line) -> list[Line]:
    """The lines of values that the root does not need: one look at each line, from the last to the first."""
    live = {root.name}
    needs = live.update
    unused = []
    for item in reversed(state.items):
        if item.name in live:
            needs(item.uses)
        elif item.name is not None:
            unused.append(item)
    return unused[::-1]


def still_unused(state: State, unused: list[Line], root_before: Line, root: Line) -> list[Line] | None:
    """The unused lines after an edit that left every name and use as it was; None when it may have changed them."""
    if state.replaced is None:
        return None
    old, new = ([i for i in items if i.name is not None] for items in state.replaced)
    if len(old) != len(new) or any(a.name != b.name or a.uses != b.uses for a, b in zip(old, new)):
        return None
    now = dict(zip(old, new))
    return [now.get(i, i) for i in unused] if now.get(root_before, root_before) is root else None


def unused_draft(state: State, line: int) -> Draft:
    """The diagnostic of a value that no root needs."""
    st, u = _statement(state, line), state.uops[line]
    what = "this effect never happens" if u is not None and u.dtype is dtypes.void else "it is not computed"
    message = f"%{st.name} is not used by the result: {what}"
    return Draft(st.name_span, "unused-value", message, (), (remove_unused,), True)


# -- outputs --------------------------------------------------------------------------------------------------------
def outputs_of(state: State, program: Program) -> tuple[OutputRef, ...]:
    """The results, in order: of a shaped program as its sink names them, of a loop program by slot."""
    root, line = program.root, program.root_line
    if root is None or line is None:
        return ()
    if program.kind == "loop":
        return _stored_buffers(state)
    refs = state.items[line].refs
    if root.op is not Ops.SINK:
        return (_output(state, state.items[line], root),)
    found = []
    named = iter(refs)
    for u, operand in zip(root.src, _statement(state, line).operands):
        item = (
            state.items[state.places[state.defs[next(named).name][0]]]
            if isinstance(operand, Ref)
            else state.items[line]
        )
        found.append(_output(state, item, u))
    return tuple(found)


def _output(state: State, item: Line, u: UOp) -> OutputRef:
    line = state.places[item]
    if not is_output_store(u):
        return OutputRef(item.name or "", u, line, None)
    to = u.src[0]
    while to.op is Ops.RESHAPE:
        to = to.src[0]
    value = item.statement.operands[1] if item.statement is not None and len(item.statement.operands) > 1 else None
    return OutputRef(value.name if isinstance(value, Ref) else item.name or "", u.src[1], line, to.arg.slot)


def _stored_buffers(state: State) -> tuple[OutputRef, ...]:
    found: dict[int, UOp] = {}
    bases: dict[UOp, UOp] = {}
    for item, u in zip(state.items, state.uops):
        if item.special == "store" and u is not None:
            base = _base(u.src[0], bases)
            if base.op is Ops.BUFFER:
                found[base.arg.slot] = base
    lines = {
        u: (k, i.name or "")
        for k, (i, u) in reversed(list(enumerate(zip(state.items, state.uops))))
        if i.special == "buffer"
    }
    return tuple(OutputRef(lines[u][1], u, lines[u][0], slot) for slot, u in sorted(found.items()))


def _base(u: UOp, known: dict[UOp, UOp]) -> UOp:
    """The memory behind an address, walking each chain of index, after and reshape once."""
    path = []
    while u not in known and u.op in (Ops.INDEX, Ops.AFTER, Ops.RESHAPE):
        path.append(u)
        u = u.src[0]
    base = known.get(u, u)
    known.update(dict.fromkeys(path, base))
    return base


__all__ = [
    "OutputRef",
    "Program",
    "is_output_store",
    "outputs_of",
    "program_of",
    "still_unused",
    "unused_draft",
    "unused_items",
]
