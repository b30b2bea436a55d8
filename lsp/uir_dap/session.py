"""One program that is stepped through: its machine, its breakpoints, and what is said of a moment."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from uir_dap import stack
from uir_dap.breakpoints import make_breakpoint
from uir_dap.source_lines import in_shown, in_source, source_lines
from uir_dap.variables import Variables
from uopc.dtype import dtypes
from uopc.stepping.control import Breakpoint, Control, Stopped, Watch, Why
from uopc.stepping.describe import Describer
from uopc.stepping.expressions import ExpressionError, Unknown, compile_expression
from uopc.stepping.names import MomentNames
from uopc.stepping.program import SteppedProgram, too_many_steps
from uopc.uir.printer import number_text

_IN_FILE = "file:"
_MOST_NOTES = 400  # lines with a note at their end, those nearest to the current one


class BadRequest(Exception):
    """A request that cannot be answered; the text is a sentence."""


class Session:
    """asked_at: the time at which the client last asked to go on; view: the client shows lines and notes by itself."""

    def __init__(self, program: SteppedProgram, tell: Callable[[str], None], first_line: int) -> None:
        self.program, self.first_line = program, first_line
        self.machine = program.machine()
        self.control = Control(self.machine, tell)
        self.describer = Describer(program, self.machine)
        self.variables = Variables(self.describer)
        self.names = MomentNames(program, self.machine)
        self.source_names = MomentNames(program, self.machine, from_source=True)
        self.asked_at = 0
        self.view = False
        self._breakpoints: dict[str, list[Breakpoint]] = {}  # of one source each
        self._numbers = 0

    # -- where we are --------------------------------------------------------------------------------------------------
    def source(self) -> dict[str, Any]:
        """The program that is shown."""
        return stack.shown_source(self.describer)

    def frames(self) -> list[dict[str, Any]]:
        """The stack, with the client's line numbers."""
        found = stack.frames(self.describer)
        return [{**frame, "line": frame["line"] + self.first_line, "column": self.first_line} for frame in found]

    def words(self, stopped: Stopped) -> tuple[str, str]:
        """(the protocol's reason, what to say) of a stop."""
        if stopped.why is Why.END:
            return "step", "The program has ended. Step back to look again, or continue to leave."
        if stopped.why is Why.BEGIN:
            return "step", "This is the beginning."
        if stopped.why is Why.LIMIT:
            return "pause", stopped.text or too_many_steps(self.program, self.control.most_steps)
        if stopped.why is Why.FAULT:
            return "exception", self.fault_text()
        return stopped.why.value, ""

    def fault_text(self) -> str:
        """Why the current line has no result, with the line it is on; "" when it has one."""
        if self.machine.ended:
            return ""
        facts = self.describer.line(self.machine.position)
        if not facts.fault:
            return ""
        op = self.machine.code.ops[self.machine.position]
        name, counters = self.program.name(op.node), self.describer.where()
        what = f"{name} ({op.node.op.value}): " if name else ""
        return f"line {op.line + 1}: {what}{facts.fault}" + (f", at {counters}" if counters else "")

    def moment(self) -> dict[str, Any]:
        """For a view beside: the lines of the file behind the current one, and what to note at the ends of lines."""
        lines = source_lines(self.program, self.machine.position)
        return {"path": str(self.program.path), "lines": lines, "notes": self._notes(), "time": self.machine.time}

    def _notes(self) -> list[dict[str, Any]]:
        """What each line gave that was executed in this round, and what the current one is about to do."""
        at, ops = self.machine.position, self.machine.code.ops
        here = ops[at].line if at < len(ops) else 0
        found: dict[int, str] = {}
        for k in range(max(0, at - _MOST_NOTES), at):
            if self.machine.is_current(k):
                text = self.describer.outcome(k)
                if text:
                    found[ops[k].line] = text
        if at < len(ops):
            facts = self.describer.line(at)
            found[here] = " = ".join([facts.sentence, *facts.places]) if facts.result else facts.sentence
            if not facts.result and facts.places:
                found[here] += f"  ({', '.join(facts.places)})"
        return [{"line": line, "text": text} for line, text in sorted(found.items())]

    # -- expressions ---------------------------------------------------------------------------------------------------
    def evaluate(self, text: str) -> str:
        """The value of an expression as text. Raises BadRequest with a sentence."""
        in_file = text.startswith(_IN_FILE)  # a hover over the file, where names are those of its values
        text, names = text.removeprefix(_IN_FILE), self.source_names if in_file else self.names
        try:
            return self._text(compile_expression(text, names)(), text, names)
        except (ExpressionError, Unknown) as error:
            raise BadRequest(str(error)) from error

    def _text(self, value: Any, text: str, names: MomentNames) -> str:
        places = names.places(text.strip().removeprefix("%"), self.describer)
        return plain_text(value) + (f"  = {' = '.join(places)}" if places else "")

    # -- breakpoints ---------------------------------------------------------------------------------------------------
    def set_breakpoints(self, source: dict[str, Any], asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Replaces the breakpoints of a source."""
        shown = source.get("sourceReference") == stack.LISTING
        if not shown and not self._is_file(source.get("path")):
            return [{"verified": False, "message": "this file is not the one that is stepped through"} for _ in asked]
        made: list[Breakpoint] = []
        answers = []
        for one in asked:
            line = int(one["line"]) - self.first_line
            found = in_shown(self.program, line) if shown else in_source(self.program, line)
            self._numbers += 1
            names = self.names
            breakpoint_, message = make_breakpoint(self._numbers, one, found, names, plain_text)
            answer = {"id": self._numbers, "verified": breakpoint_ is not None, "line": found.line + self.first_line}
            answers.append({**answer, **({"message": message} if message else {})})
            made += [breakpoint_] if breakpoint_ is not None else []
        self._breakpoints["shown" if shown else "file"] = made
        self.control.breakpoints = [b for group in self._breakpoints.values() for b in group]
        return answers

    def _is_file(self, path: Any) -> bool:
        if not isinstance(path, str):
            return False
        return os.path.normcase(os.path.realpath(path)) == os.path.normcase(os.path.realpath(self.program.path))

    def data_breakpoint_info(self, reference: int, name: str) -> dict[str, Any]:
        """Whether an element can be watched, and under which id."""
        found = self.variables.element_of(reference, name)
        if found is None:
            return {"dataId": None, "description": "only elements of buffers and accumulators can be watched"}
        memory, element = found
        number = self.variables.memories.index(memory)
        what = self.program.name(memory.node) or "memory"
        return {
            "dataId": f"{number}:{element}",
            "description": f"{what}[{element}]",
            "accessTypes": ["read", "write", "readWrite"] if memory.stored else ["read"],
        }

    def set_data_breakpoints(self, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Replaces the watched elements."""
        watches, answers = [], []
        for one in asked:
            number, _, element = str(one.get("dataId")).partition(":")
            self._numbers += 1
            known = number.isdigit() and element.isdigit() and int(number) < len(self.variables.memories)
            answers.append({"id": self._numbers, "verified": known})
            if known:
                access = one.get("accessType", "write")
                node = self.variables.memories[int(number)].node
                reads, writes = access in ("read", "readWrite"), access in ("write", "readWrite")
                watches.append(Watch(self._numbers, node, int(element), reads, writes))
        self.control.watches = watches
        return answers


def plain_text(value: Any) -> str:
    """A number as the language writes it: an expression has no dtype, so the digits are those of a double or fewer."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        single = math.isfinite(value) and dtypes.round(dtypes.f32, value) == value
        return number_text(value, dtypes.f32 if single else dtypes.f64)
    return str(value)
