"""Directives against the rest of the file: what they are for must exist, and the numbers must fit it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from uopc.dtype import DType, Scalar, dtypes
from uopc.typerules import count
from uopc.uir.codes import CODES
from uopc.uir.directive_fixes import changed_shape, resized_list, whole_numbers, without_directive
from uopc.uir.directives import Directive, list_entries
from uopc.uir.drafts import Draft, FixMaker, Placed, did_you_mean, hint, replace
from uopc.uir.model import Directives, ExpectSpec, InputSpec, Severity, Span
from uopc.uir.nearest import nearest
from uopc.uir.program import OutputRef
from uopc.uir.state import State


class DirectiveChecks:
    """All directives of a file, the first of each thing counts; `drafts` says what is wrong with them."""

    def __init__(self, state: State, lines: Sequence[int]) -> None:
        self.state = state
        self.drafts: list[Placed] = []
        self.allow: set[str] = set()
        self.inputs: dict[int, tuple[int, Directive]] = {}
        self.expects: dict[int, tuple[int, Directive]] = {}
        self.reduce: tuple[int, Directive] | None = None
        for line in lines:
            directive = state.items[line].directive
            if directive is not None:
                self._collect(line, directive)

    def _collect(self, line: int, d: Directive) -> None:
        if d.kind == "allow":
            self._allow(line, d)
        elif d.kind == "reduce":
            if self.reduce is not None:
                message = f"`reduce` is already said on line {self.reduce[0] + 1}"
                self._say(line, d.span, "duplicate-directive", message, without_directive(d))
            self.reduce = self.reduce or (line, d)
        else:
            known = self.inputs if d.kind == "input" else self.expects
            if d.key in known:
                what = f"input {d.key}" if d.kind == "input" else f"output {d.key}"
                message = f"{what} already has a directive on line {known[d.key][0] + 1}"
                self._say(line, d.span, "duplicate-directive", message, without_directive(d))
            known.setdefault(d.key, (line, d))

    def _say(self, line: int, span: Span, code: str, message: str, *makers: FixMaker) -> None:
        self.drafts.append((line, Draft(span, code, message, (), makers)))

    def _allow(self, line: int, d: Directive) -> None:
        for word, span in d.words:
            info = CODES.get(word)
            if info is None:
                near = nearest(word, (c for c, i in CODES.items() if i.severity is not Severity.ERROR))
                draft = Draft(
                    span, "unknown-code", f"there is no code `{word[:40]}`{hint(near)}", (), did_you_mean(near, span)
                )
                self.drafts.append((line, draft))
            elif info.severity is Severity.ERROR:
                self._say(line, span, "unknown-code", f"`{word}` is an error, and errors cannot be switched off")
            else:
                self.allow.add(word)

    def result(self) -> Directives:
        """The directives as data for a run."""
        return Directives(
            self.reduce[1].source if self.reduce else "trailing",
            {slot: _input_spec(line, d) for slot, (line, d) in self.inputs.items()},
            {k: _expect_spec(line, d) for k, (line, d) in self.expects.items()},
            frozenset(self.allow),
        )

    # -- against buffers and outputs -------------------------------------------------------------------------------
    def check_inputs(self) -> None:
        """Slots that no buffer has; lists and numbers that do not fit the buffer."""
        for slot, (line, d) in self.inputs.items():
            owner = self.state.slots.get(("buffer", slot))
            if not owner or owner[0].bound is None:
                self._unused_slot(line, d)
                continue
            args = owner[0].bound.args
            related = ((owner[0].name or "", f"buffer {slot} has {count('element', args['n'])} of {args['dtype']}"),)
            self.drafts.extend(
                (line, draft._replace(related=related))
                for draft in self._fit(line, d, args["n"], args["dtype"], f"buffer {slot}")
            )

    def _unused_slot(self, line: int, d: Directive) -> None:
        if any(i.name is not None and i.bound is None for i in self.state.items if "buffer" in i.text):
            return  # a broken buffer may be the one
        slots = sorted(slot for op, slot in self.state.slots if op == "buffer")
        free = [s for s in slots if s not in self.inputs]
        makers = tuple(replace(f"change to input {s}", d.key_span, str(s)) for s in free[:3])
        message = f"no buffer has slot {d.key}" + (f", there are {', '.join(map(str, slots[:8]))}" if slots else "")
        self.drafts.append((line, Draft(d.key_span, "unused-slot", message, (), makers)))

    def check_expects(self, outputs: Sequence[OutputRef]) -> None:
        """Outputs that are not there; lists that do not fit the output. Only for a program without errors."""
        for k, (line, d) in self.expects.items():
            if k >= len(outputs):
                span = d.key_span if d.key_span.end else d.span
                message = f"there is no output {k}, the program has {count('output', len(outputs))}"
                free = [n for n in range(len(outputs)) if n not in self.expects] if d.key_span.end else []
                makers = tuple(replace(f"change to expect {n}", span, str(n)) for n in free[:3])
                self.drafts.append((line, Draft(span, "expect-output", message, (), (*makers, without_directive(d)))))
                continue
            out = outputs[k]
            related = ((out.name, f"output {k} is {out.uop.dtype}{list(out.uop.shape)}"),)
            if d.shape is not None and d.shape != out.uop.shape:
                message = f"shape {d.shape} is expected, and the output has shape {out.uop.shape}"
                fits = d.source != "list" or len(d.numbers) == prod(out.uop.shape)
                makers = (changed_shape(out.uop.shape),) if fits else ()
                self.drafts.append((line, Draft(d.span, "list-length", message, related, makers)))
                continue
            found = self._fit(line, d, prod(out.uop.shape), out.uop.dtype, f"output {k}")
            self.drafts.extend((line, draft._replace(related=related)) for draft in found)

    def _fit(self, line: int, d: Directive, n: int, dtype: DType, what: str) -> Iterator[Draft]:
        if d.source in ("randn", "uniform") and not dtype.is_float:
            message = f"{d.source} gives floats, and {what} is {dtype}"
            yield Draft(d.source_span, "list-dtype", message, (), (whole_numbers(d),))
        if d.source == "list" and len(d.numbers) != n:
            message = f"{what} has {count('element', n)}, and this list has {len(d.numbers):,}"
            yield Draft(d.source_span, "list-length", message, (), resized_list(d, n))
        elif d.source in ("list", "full"):
            for k, value in enumerate(d.numbers):
                why = misfit(value, dtype)
                if why:
                    yield Draft(self._number_span(line, d, k), "list-dtype", f"{what} is {dtype}, and this is {why}")
                    return

    def _number_span(self, line: int, d: Directive, k: int) -> Span:
        text = self.state.items[line].text
        if d.source == "list":
            return next(place() for i, (_, place) in enumerate(list_entries(text, d.source_span)) if i == k)
        start = d.source_span.end + len(text[d.source_span.end :]) - len(text[d.source_span.end :].lstrip())
        return Span(start, start + len(text[start:].split()[0]))


def misfit(value: Scalar, dtype: DType) -> str | None:
    """Why a number of a directive cannot be an element of a dtype, in words; None when it can."""
    if dtype.is_float:
        return None
    if isinstance(value, float):
        return f"the float {value}"
    if dtypes.holds(dtype, value):
        return None
    return f"{value:,}, which is out of range" if not dtype.is_bool else f"{value}, which is neither true nor false"


def _input_spec(line: int, d: Directive) -> InputSpec:
    seed = d.option("seed")
    return InputSpec(d.key, d.source, d.numbers, None if seed is None else int(seed), d.path, d.member, d.span, line)


def _expect_spec(line: int, d: Directive) -> ExpectSpec:
    rtol, atol = d.option("rtol"), d.option("atol")
    return ExpectSpec(
        d.key, d.source, d.numbers, d.path, d.member, None if rtol is None else float(rtol),
        None if atol is None else float(atol), d.shape, d.span, line,
    )  # fmt: skip
