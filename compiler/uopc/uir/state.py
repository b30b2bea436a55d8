"""A file as parsed and elaborated lines: made from scratch, or from the state before an edit at the cost of the edit.

Lists run parallel to the lines of the text. A state is never changed once made; an edit copies the lists and what it
touches.
"""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from itertools import compress
from operator import ne
from typing import TypeAlias, TypeVar

from uopc.uir.alike import alike
from uopc.uir.bind import Bound
from uopc.uir.check import check
from uopc.uir.drafts import Draft
from uopc.uir.elaborate import Around, Owner
from uopc.uir.lines import MEMORY, Line, parse_line
from uopc.uir.model import Ref
from uopc.uir.name_fixes import moved_up, nearest_value, renamed
from uopc.uir.node_names import NodeNames
from uopc.uir.source import BOM
from uopc.uop import UOp

Notes: TypeAlias = tuple[Draft, ...]
SlotKey: TypeAlias = tuple[str, int]
_Key = TypeVar("_Key")


class _Missing:
    """Stands for a name that no line above defines."""


_MISSING = _Missing()


class _Above(dict[str, "UOp | _Missing | None"]):
    """The values of the lines above. (A dictionary, because a function would be called for every operand.)"""

    def __missing__(self, name: str) -> _Missing:
        return _MISSING


_AROUND = {leading: Around("", leading, None) for leading in (False, True)}
Resolve: TypeAlias = "Callable[[str], UOp | _Missing | None]"


class State:
    """lines: text; items: parsed; uops: the node of each line that has one; notes: what is to say about each line.

    special, directed, noted: the lines whose operation `program` looks at, those with a directive, and those that
    something is said about.

    defs: the lines that define a name, in order, the first one counts; slots: the same for buffers and allocs.
    ahead: lines whose node is newer than the nodes that use it, with the node these were made of. Empty in a settled
    state; the notes are right about errors in any state, because a node and the one before it are `alike`.
    """

    def __init__(self, lines: list[str], items: list[Line], has_params: bool = False) -> None:
        self.lines = lines
        self.items = items
        self.uops: list[UOp | None] = []
        self.notes: list[Notes] = []
        self.defs: dict[str, tuple[Line, ...]] = {}
        self.slots: dict[SlotKey, tuple[Line, ...]] = {}
        self.leading = False
        self.ahead: dict[Line, UOp] = {}
        self.has_params = has_params
        self.special: list[int] = []
        self.directed: list[int] = []
        self.noted: list[int] = []
        self.moved = True  # lines were added or removed since the state before
        self.changed: list[int] = []  # lines that were not there in the state before, or are others
        self.replaced: tuple[list[Line], list[Line]] | None = None  # what went and what came since the state before
        self.renamed: frozenset[UOp] | None = None  # nodes called otherwise than in the state before; None: perhaps any
        self._node_names: NodeNames | None = None
        self._places: dict[Line, int] | None = None
        self._users: dict[str, dict[Line, None]] | None = None

    # -- maps made on demand ---------------------------------------------------------------------------------------
    @property
    def places(self) -> dict[Line, int]:
        """Line number of every line."""
        if self._places is None:
            self._places = {item: k for k, item in enumerate(self.items)}
        return self._places

    @property
    def users(self) -> dict[str, dict[Line, None]]:
        """The lines that use a name."""
        if self._users is None:
            users: dict[str, dict[Line, None]] = {}
            for item in self.items:
                for ref in item.refs:
                    users.setdefault(ref.name, {})[item] = None
            self._users = users
        return self._users

    @property
    def node_names(self) -> NodeNames:
        """What nodes are called."""
        if self._node_names is None:
            self._node_names = NodeNames.of(self.items, self.uops, self.ahead)
        return self._node_names

    def line_of(self, name: str) -> int | None:
        """The line of a value's definition."""
        found = self.defs.get(name)
        return self.places[found[0]] if found else None

    def names_of(self, u: UOp) -> list[str]:
        """The names of the values that are a node, in order."""
        item, alone = self.node_names.first(u)
        if item is None:
            return []
        if alone and item.name is not None and self.defs[item.name][0] is item:
            return [item.name]
        found = (i for i, x in zip(self.items, self.uops) if x is u)
        return [i.name for i in found if i.name is not None and self.defs[i.name][0] is i]

    def value_of(self, name: str) -> UOp | None:
        """The node of a name, None when it has none."""
        line = self.line_of(name)
        return self.uops[line] if line is not None else None

    # -- one line --------------------------------------------------------------------------------------------------
    def evaluate(self, item: Line, resolve: Resolve) -> tuple[UOp | None, Notes]:
        """The node of a line and what is to say about it; `resolve` gives the values above it."""
        st = item.statement
        if st is None:
            return None, item.drafts
        bound = item.bound
        known: list[UOp | None] = []
        unknown = bound is None
        notes: list[Draft] = []
        for operand in item.refs if bound is None else bound.values:
            if type(operand) is not Ref:
                known.append(None)
                continue
            u = resolve(operand.name)
            if type(u) is UOp:
                known.append(u)
            elif u is None:
                unknown = True
            else:
                notes.append(self._undefined(item, operand))
                unknown = True
        if self.defs[st.name][0] is not item:
            notes.append(_redefinition(item))
        if bound is None or unknown:
            return None, (*item.drafts, *notes)
        uop, said = check(st, bound, known, self._around(item, bound))
        return uop, (*item.drafts, *notes, *said) if notes or item.drafts else said

    def _around(self, item: Line, bound: Bound) -> Around:
        if item.special not in MEMORY:
            return _AROUND[self.leading]
        name = item.name or ""
        slot = bound.args.get("slot")
        found = self.slots.get((bound.plan.spec.name, slot)) if slot is not None else None
        if not found or found[0] is item or found[0].bound is None:
            return Around(name, self.leading, None)
        first = found[0].bound.args
        return Around(name, self.leading, Owner(found[0].name or "", first["n"], first["dtype"]))

    def _undefined(self, item: Line, ref: Ref) -> Draft:
        name = ref.name
        if name not in self.defs:
            return Draft(ref.span, "undefined-value", f"%{name} is not defined", makers=(nearest_value(ref),))
        if name == item.name:
            message = f"%{name} is used in its own definition"
            return Draft(ref.span, "used-before-definition", message, makers=(nearest_value(ref),))
        message, related = f"%{name} is used before it is defined", ((name, f"%{name} is defined here"),)
        return Draft(ref.span, "used-before-definition", message, related, (moved_up(name), nearest_value(ref)))


def _redefinition(item: Line) -> Draft:
    st = item.statement
    assert st is not None
    related = ((st.name, "the first definition, which stays"),)
    return Draft(st.name_span, "redefinition", f"%{st.name} is defined twice", related, (renamed(st),))


# -- from scratch ---------------------------------------------------------------------------------------------------
def fresh(lines: list[str]) -> State:
    """The state of a text that nothing is known about."""
    with collector_paused():
        items = [parse_line(text) for text in _without_bom(lines)]
        state = State(lines, items, any(item.special == "param" for item in items))
        state.defs = _grouped((i.name, i) for i in state.items)
        state.slots = _grouped((_slot_key(i), i) for i in state.items)
        state.special = [k for k, item in enumerate(items) if item.special and item.special not in MEMORY]
        state.directed = [k for k, item in enumerate(items) if item.directive is not None]
        state.leading = _leading(state.items)
        _evaluate_all(state)
        state.noted = [k for k, notes in enumerate(state.notes) if notes]
    return state


@contextmanager
def collector_paused() -> Iterator[None]:
    """Python's cycle collector walks everything alive again and again while a large text is read, and finds nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _evaluate_all(state: State) -> None:
    values = _Above()
    resolve = values.__getitem__
    for item in state.items:
        uop, notes = state.evaluate(item, resolve)
        state.uops.append(uop)
        state.notes.append(notes)
        if item.name is not None and item.name not in values:
            values[item.name] = uop


def _without_bom(lines: list[str]) -> Iterable[str]:
    """The lines with a byte order mark read as a blank, so that columns stay."""
    return [" " + lines[0][1:], *lines[1:]] if lines and lines[0].startswith(BOM) else lines


def _grouped(pairs: Iterable[tuple[_Key | None, Line]]) -> dict[_Key, tuple[Line, ...]]:
    """The lines of each key, in order."""
    found: dict[_Key, list[Line]] = {}
    for key, item in pairs:
        if key is not None:
            found.setdefault(key, []).append(item)
    return {key: tuple(items) for key, items in found.items()}


def _slot_key(item: Line) -> SlotKey | None:
    if item.special not in MEMORY or item.bound is None or "slot" not in item.bound.args:
        return None
    return item.special, item.bound.args["slot"]


def _leading(items: list[Line]) -> bool:
    """Whether the first `reduce` directive says leading."""
    orders = (i.directive.source for i in items if i.directive is not None and i.directive.kind == "reduce")
    return next(orders, "trailing") == "leading"


# -- from the state before ------------------------------------------------------------------------------------------
Stop: TypeAlias = "Callable[[], bool]"


FEW = 200  # changed nodes, up to which their names are carried over an edit


class Superseded(Exception):
    """Nobody wants the result any more."""


def updated(old: State, lines: list[str], quick: bool = False) -> State:
    """The state of `lines`, equal to `fresh(lines)`: parses what changed and elaborates what depends on it.

    quick: what depends on a node that another one `alike` replaced is left for `settled`.
    """
    if lines[0] != old.lines[0] and BOM in (lines[0][:1], old.lines[0][:1]):
        return fresh(lines)  # the mark means another thing on another line
    start, end = changed_region(old.lines, lines)
    if len(lines) == len(old.lines):
        changed = sum(a != b for a, b in zip(old.lines[start:end], lines[start:end]))
    else:
        changed = end - start
    if 2 * changed > len(lines) + 200:
        return fresh(lines)
    return _Update(old, lines, start, end, quick).run()


def settled(state: State, stop: Stop = lambda: False) -> State:
    """The same text with every node made of the newest nodes of its operands. Raises Superseded once `stop` says so."""
    end = len(state.lines)
    with collector_paused():
        return _Update(state, state.lines, end, end, stop=stop).run()


def changed_region(old: list[str], new: list[str]) -> tuple[int, int]:
    """First and last changed line of `new` (end excluded): all before and all after is as it was."""
    shortest = min(len(old), len(new))
    start = next(compress(range(shortest), map(ne, old, new)), shortest)
    end = next(compress(range(shortest - start), map(ne, reversed(old), reversed(new))), shortest - start)
    return start, len(new) - end


class _Update:
    """One edit: the new state in the making, and the lines that have to be looked at again."""

    def __init__(
        self, old: State, lines: list[str], start: int, end: int, quick: bool = False, stop: Stop = lambda: False
    ) -> None:
        self.old, self.lines, self.stop = old, lines, stop
        self.quick = quick and not old.has_params  # a call looks for the params deep in what it calls
        tail = len(lines) - end
        self.start, self.end, self.old_end = start, end, len(old.lines) - tail
        self.dirty: set[int] = set()
        self.renewed: dict[int, UOp | None] = {}  # lines with another node, and the one before it

    def run(self) -> State:
        """See `updated`."""
        old = self.old
        new = self.state = State(self.lines, old.items.copy())
        new.uops, new.notes = old.uops.copy(), old.notes.copy()
        new.defs, new.slots, new.leading = old.defs.copy(), old.slots.copy(), old.leading
        new.moved = len(self.lines) != len(old.lines)
        new.replaced = removed, added = self._splice()
        self._carry_maps(removed, added)
        self._names(removed, added)
        self._slots(removed, added)
        self._directive(removed, added)
        self._ahead(removed)
        self._work()
        self._noted()
        self._carry_names(removed)
        return new

    def _splice(self) -> tuple[list[Line], list[Line]]:
        """Puts the new lines in; lines of the region that stay what they were at their place are kept."""
        old, new, start = self.old, self.state, self.start
        texts = list(_without_bom(self.lines[start : self.end])) if start == 0 else self.lines[start : self.end]
        before = old.items[start : self.old_end]
        if new.moved:
            items = [parse_line(text) for text in texts]
            changed = list(range(start, self.end))
        else:
            items = [b if b.text == t else parse_line(t) for b, t in zip(before, texts)]
            changed = [start + k for k, (b, i) in enumerate(zip(before, items)) if b is not i]
        new.items[start : self.old_end] = items
        if new.moved:
            new.uops[start : self.old_end] = [None] * len(items)
            new.notes[start : self.old_end] = [()] * len(items)
        new.changed = changed
        self.dirty.update(changed)
        special = [k for k, i in enumerate(items, start) if i.special and i.special not in MEMORY]
        new.special = self._shifted(old.special, special)
        new.directed = self._shifted(old.directed, [k for k, i in enumerate(items, start) if i.directive is not None])
        new.has_params = old.has_params or any(item.special == "param" for item in items)
        self.quick = self.quick and not new.has_params
        kept = set(items)
        return [b for b in before if b not in kept], [new.items[k] for k in changed]

    def _shifted(self, places: list[int], inside: list[int]) -> list[int]:
        """Line numbers after the edit, with those inside the changed region put in."""
        below = len(self.lines) - len(self.old.lines)
        head, tail = bisect_left(places, self.start), bisect_left(places, self.old_end)
        return [*places[:head], *inside, *(k + below for k in places[tail:])]

    def _carry_maps(self, removed: list[Line], added: list[Line]) -> None:
        """Copies the maps of lines and of users with the edit applied."""
        new, old = self.state, self.old
        if not new.moved:
            places = old.places.copy()
            for item in removed:
                del places[item]
            places.update((new.items[k], k) for k in new.changed)
            new._places = places
        users = old.users.copy()
        own: set[str] = set()  # names whose set of users is ours to change
        for items, add in ((removed, False), (added, True)):
            for item in items:
                for ref in item.refs:
                    if ref.name not in own:
                        own.add(ref.name)
                        users[ref.name] = users.get(ref.name, {}).copy()
                    if add:
                        users[ref.name][item] = None
                    else:
                        users[ref.name].pop(item, None)
        new._users = users

    def _noted(self) -> None:
        """Which lines something is said about: of those that were looked at, that may be others now."""
        notes, looked = self.state.notes, self.dirty
        kept = [k for k in self._shifted(self.old.noted, []) if k not in looked]
        inside = [k for k in range(self.start, self.end) if k not in looked and notes[k]]
        self.state.noted = sorted({*kept, *inside, *(k for k in looked if notes[k])})

    def _carry_names(self, removed: list[Line]) -> None:
        """What nodes are called, from what they were called before: most edits change the nodes of a few lines."""
        old, new = self.old, self.state
        if old._node_names is None or len(self.renewed) + len(removed) > FEW or len(new.ahead) > FEW:
            return
        lost = {u for u in self.renewed.values() if u is not None}
        lost.update(u for item in removed if (u := old.uops[old.places[item]]) is not None)
        touched = sorted({*self.renewed, *new.changed})
        new._node_names, new.renamed = old._node_names.carried(
            lost, touched, new.items, new.uops, new.places, new.ahead
        )

    def _names(self, removed: list[Line], added: list[Line]) -> None:
        """Updates who defines what, and marks the users of names whose definition came, went or is not alone."""
        new = self.state
        gone = set(removed)
        self.values: dict[str, UOp | None] = {}
        for name in {i.name for i in (*removed, *added) if i.name is not None}:
            self.values[name] = self.old.value_of(name)
        for name in self.values:
            before = new.defs.pop(name, ())
            after = [i for i in before if i not in gone] + [i for i in added if i.name == name]
            if after:
                new.defs[name] = tuple(sorted(after, key=new.places.__getitem__) if len(after) > 1 else after)
            if len(before) != 1 or len(after) != 1 or self._passed_lines(before[0], after[0]):
                self._mark(after)
                self._mark(new.users.get(name, ()))

    def _passed_lines(self, before: Line, after: Line) -> bool:
        """Whether a definition changed places with lines that were kept. (Where lines moved, none in between is.)"""
        return not self.state.moved and self.old.places[before] != self.state.places[after]

    def _slots(self, removed: list[Line], added: list[Line]) -> None:
        new, gone = self.state, set(removed)
        for key in {k for i in (*removed, *added) if (k := _slot_key(i)) is not None}:
            before = new.slots.pop(key, ())
            after = [i for i in before if i not in gone] + [i for i in added if _slot_key(i) == key]
            after.sort(key=new.places.__getitem__)
            if after:
                new.slots[key] = tuple(after)
            if before[:1] != tuple(after[:1]):
                self._mark(after)

    def _directive(self, removed: list[Line], added: list[Line]) -> None:
        new = self.state
        if any(i.directive is not None and i.directive.kind == "reduce" for i in (*removed, *added)):
            new.leading = _leading(new.items)
            if new.leading != self.old.leading:
                self.dirty.update(k for k, i in enumerate(new.items) if i.statement and i.statement.op == "reduce")

    def _ahead(self, removed: list[Line]) -> None:
        """What the state before left undone: left again, or to be done now."""
        new, gone = self.state, set(removed)
        for item, node in self.old.ahead.items():
            if item not in gone and self.quick:
                new.ahead[item] = node
            elif item not in gone:
                self._mark(new.users.get(item.name or "", ()))

    def _mark(self, items: Iterable[Line]) -> None:
        self.dirty.update(self.state.places[item] for item in items)

    def _work(self) -> None:
        """Looks at every marked line in order; a line whose node became another marks the lines that use it."""
        new = self.state
        heap = list(self.dirty)
        heapify(heap)
        while heap:
            k = heappop(heap)
            item = new.items[k]
            self.at = k
            uop, new.notes[k] = new.evaluate(item, self._resolve)
            was = new.uops[k]
            before = self.values.get(item.name or "", was)
            if uop is not was:
                new.uops[k] = uop
                self.renewed.setdefault(k, was)
            if uop is before or item.name is None or new.defs[item.name][0] is not item:
                continue
            if self.quick and alike(before, uop):
                new.ahead.setdefault(item, before)
                continue
            if self.stop():
                raise Superseded
            for place in self._silenced(item, k) if uop is None else self._users(item.name, k):
                if place not in self.dirty:
                    self.dirty.add(place)
                    heappush(heap, place)

    def _users(self, name: str, line: int) -> Iterator[int]:
        """The lines below that use a name."""
        places = self.state.places
        return (place for user in self.state.users.get(name, ()) if (place := places[user]) > line)

    def _silenced(self, item: Line, line: int) -> list[int]:
        """Makes everything below that needs an unknown value unknown; gives the lines that have to be looked at.

        A line that nothing is said about is silent without its operands too: only the others need a look.
        """
        new, dirty, renewed = self.state, self.dirty, self.renewed
        places, users, uops, notes, defs = new.places, new.users, new.uops, new.notes, new.defs
        found, todo = [], [(item.name or "", line)]
        while todo:
            name, line = todo.pop()
            for user in users.get(name, ()):
                place = places[user]
                if place <= line:
                    continue
                if place in dirty or notes[place]:
                    found.append(place)
                elif (was := uops[place]) is not None:
                    uops[place] = None
                    renewed.setdefault(place, was)
                    its_name = user.name or ""
                    if defs[its_name][0] is user:
                        todo.append((its_name, place))
        return found

    def _resolve(self, name: str) -> UOp | _Missing | None:
        line = self.state.line_of(name)
        return self.state.uops[line] if line is not None and line < self.at else _MISSING


__all__ = ["Notes", "State", "Stop", "Superseded", "changed_region", "fresh", "settled", "updated"]
