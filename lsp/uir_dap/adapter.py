"""The requests of the protocol, one session. What executes is cut into slices, so that a pause is heard at once."""

from __future__ import annotations

import gc
import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from uir_dap.connection import Connection, Message
from uir_dap.session import BadRequest, Session
from uir_dap.stack import LISTING
from uopc.runtime.source import SourceError, read_program
from uopc.stepping.code import StepError
from uopc.stepping.control import Stopped, Why
from uopc.stepping.program import open_program

NO_MEMORY = "there is not enough memory for that"
ROOM = 16 << 20  # bytes that a slice begins with: an interpreter that has none left may end in place of saying so
SLICE = 20_000  # operations between two looks at what the client says: some hundredths of a second

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsDataBreakpoints": True,
    "supportsStepBack": True,
    "supportsEvaluateForHovers": True,
    "supportsExceptionInfoRequest": True,
    "supportsLoadedSourcesRequest": True,
    "supportsTerminateRequest": True,
    "supportsDelayedStackTraceLoading": True,
}

Slice = Callable[[], "Stopped | None"]


class Adapter:
    """Serves one client until it disconnects."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.session: Session | None = None
        self.running: Slice | None = None
        self.first_line = 1
        self.ending = False
        self._wait_for_view = False
        self._stop_on_entry = True

    def serve(self) -> None:
        """Answers until the end."""
        while not self.ending:
            if self.running is None or not self.connection.messages.empty():
                message = self.connection.messages.get()
                if message is None:
                    return
                if message.get("type") == "request":
                    self._handle(message)
            else:
                stopped = self._slice(self.running)
                if stopped is not None:
                    self._stopped(stopped)

    def _slice(self, work: Slice) -> Stopped | None:
        try:
            _leave_room()
            return work()
        except MemoryError:
            return Stopped(Why.LIMIT, f"{NO_MEMORY}: step back, or make the program smaller.")

    def _handle(self, request: Message) -> None:
        handler = _HANDLERS.get(str(request.get("command")))
        if handler is None:
            self.connection.refuse(request, f"there is no request {request.get('command')}")
            return
        arguments = request.get("arguments")
        try:
            handler(self, request, arguments if isinstance(arguments, dict) else {})
        except (BadRequest, StepError) as error:
            self.connection.refuse(request, str(error), shown=isinstance(error, StepError))
        except MemoryError:
            self.connection.refuse(request, NO_MEMORY, shown=True)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            self.connection.refuse(request, f"the request cannot be read: {type(error).__name__}: {error}")

    @property
    def opened(self) -> Session:
        """The session. Raises BadRequest before a launch."""
        if self.session is None:
            raise BadRequest("nothing has been launched")
        return self.session

    # -- beginning and end ---------------------------------------------------------------------------------------------
    def initialize(self, request: Message, arguments: Message) -> None:
        self.first_line = 1 if arguments.get("linesStartAt1", True) else 0
        self.connection.answer(request, CAPABILITIES)

    def launch(self, request: Message, arguments: Message) -> None:
        path = Path(str(arguments.get("program") or ""))
        if not arguments.get("program"):
            raise StepError("the launch configuration names no program: set `program` to a .uir file")
        text = arguments.get("text")
        if not isinstance(text, str):
            try:
                text = read_program(path)
            except SourceError as error:
                raise StepError(f"{path.name}: {error}") from error
        gc.set_threshold(200_000, 50, 50)  # graphs have no cycles, and looking for some takes a third of the time
        program = open_program(text, path, str(arguments.get("value") or ""))
        self.session = Session(program, lambda message: self._say(message), self.first_line)
        most = arguments.get("maxSteps")
        if isinstance(most, int) and most > 0:
            self.session.control.most_steps = most
        self._wait_for_view = bool(arguments.get("view"))
        self._stop_on_entry = bool(arguments.get("stopOnEntry", True))
        self.connection.answer(request)
        self.connection.event("initialized")

    def configuration_done(self, request: Message, arguments: Message) -> None:
        session = self.opened
        self.connection.answer(request)
        if self._wait_for_view:
            self.connection.event("uirListing", {"source": session.source()})
        else:
            self._begin()

    def shown(self, request: Message, arguments: Message) -> None:
        """The client's own view is ready (only one that launched with `view`)."""
        self.connection.answer(request)
        if self._wait_for_view and self.running is None:
            self._wait_for_view, view = False, True
            self._begin(view)

    def _begin(self, view: bool = False) -> None:
        self.opened.view = view
        if self.opened.machine.ended:  # a program of nothing
            self._stopped(Stopped(Why.END))
        elif self._stop_on_entry:
            self._report("entry", "")
        else:
            self._run(lambda: self.opened.control.go(SLICE))

    def disconnect(self, request: Message, arguments: Message) -> None:
        self.running = None
        self.connection.answer(request)
        self.ending = True

    def terminate(self, request: Message, arguments: Message) -> None:
        self.running = None
        self.connection.answer(request)
        self.connection.event("terminated")

    # -- moving --------------------------------------------------------------------------------------------------------
    def _run(self, slice_: Slice) -> None:
        self.opened.asked_at = self.opened.machine.time
        self.running = slice_

    def _start(self, request: Message, slice_: Slice, body: Any = None) -> None:
        if self.running is not None:
            raise BadRequest("the program is running")
        if self._wait_for_view:
            raise BadRequest("the program has not begun")
        self.connection.answer(request, body)
        self._run(slice_)

    def proceed(self, request: Message, arguments: Message) -> None:
        control = self.opened.control
        self._start(request, lambda: control.go(SLICE), {"allThreadsContinued": True})

    def reverse(self, request: Message, arguments: Message) -> None:
        control = self.opened.control
        self._start(request, lambda: control.go_back(SLICE))

    def next_line(self, request: Message, arguments: Message) -> None:
        self._start(request, self.opened.control.line)

    def line_back(self, request: Message, arguments: Message) -> None:
        self._start(request, self.opened.control.line_back)

    def step_in(self, request: Message, arguments: Message) -> None:
        control = self.opened.control
        until = control.next_round()
        self._start(request, lambda: control.go(SLICE, until))

    def step_out(self, request: Message, arguments: Message) -> None:
        control = self.opened.control
        until = control.out_of_loop() if self.opened.machine.open_loops() else None
        self._start(request, lambda: control.go(SLICE, until))

    def pause(self, request: Message, arguments: Message) -> None:
        self.connection.answer(request)
        if self.running is not None:
            self._stopped(Stopped(Why.PAUSE))

    def _stopped(self, stopped: Stopped) -> None:
        self.running = None
        session = self.opened
        if stopped.why is Why.END and session.machine.time == session.asked_at and session.machine.time:
            self.connection.event("terminated")  # asked to go on after the end
            return
        reason, text = session.words(stopped)
        if stopped.why in (Why.END, Why.LIMIT, Why.FAULT):
            self._say(text)
        self._report(reason, text, stopped.met)

    def _report(self, reason: str, text: str, met: tuple[int, ...] = ()) -> None:
        body: Message = {"reason": reason, "threadId": 1, "allThreadsStopped": True}
        if text:
            body |= {"description": text, "text": text}
        if met:
            body["hitBreakpointIds"] = list(met)
        if self.opened.view:
            self.connection.event("uirMoment", self.opened.moment())
        self.connection.event("stopped", body)

    def _say(self, text: str) -> None:
        self.connection.event("output", {"category": "console", "output": text + "\n"})

    # -- looking -------------------------------------------------------------------------------------------------------
    def threads(self, request: Message, arguments: Message) -> None:
        self.connection.answer(request, {"threads": [{"id": 1, "name": "loops"}]})

    def stack_trace(self, request: Message, arguments: Message) -> None:
        found = self.opened.frames()
        start, levels = int(arguments.get("startFrame") or 0), int(arguments.get("levels") or 0)
        part = found[start : start + levels] if levels else found[start:]
        self.connection.answer(request, {"stackFrames": part, "totalFrames": len(found)})

    def scopes(self, request: Message, arguments: Message) -> None:
        self.connection.answer(request, {"scopes": self.opened.variables.scopes()})

    def variables(self, request: Message, arguments: Message) -> None:
        start, count = int(arguments.get("start") or 0), int(arguments.get("count") or 0)
        named = arguments.get("filter") == "named" and int(arguments["variablesReference"]) >= 100
        found = [] if named else self.opened.variables.variables(int(arguments["variablesReference"]), start, count)
        self.connection.answer(request, {"variables": found})

    def evaluate(self, request: Message, arguments: Message) -> None:
        text = self.opened.evaluate(str(arguments.get("expression", "")))
        self.connection.answer(request, {"result": text, "variablesReference": 0})

    def source(self, request: Message, arguments: Message) -> None:
        asked = arguments.get("source") or {}
        reference = asked.get("sourceReference") or arguments.get("sourceReference")
        program = self.opened.program
        if reference == LISTING and program.listing is not None:
            self.connection.answer(request, {"content": program.listing, "mimeType": "text/x-uir"})
        else:
            self.connection.answer(request, {"content": program.text, "mimeType": "text/x-uir"})

    def loaded_sources(self, request: Message, arguments: Message) -> None:
        self.connection.answer(request, {"sources": [self.opened.source()]})

    def exception_info(self, request: Message, arguments: Message) -> None:
        text = self.opened.fault_text()
        body = {"exceptionId": "outside its memory", "description": text, "breakMode": "always"}
        self.connection.answer(request, body)

    # -- breakpoints ---------------------------------------------------------------------------------------------------
    def set_breakpoints(self, request: Message, arguments: Message) -> None:
        asked = arguments.get("breakpoints")
        if asked is None:
            asked = [{"line": line} for line in arguments.get("lines") or []]
        found = self.opened.set_breakpoints(arguments.get("source") or {}, asked)
        self.connection.answer(request, {"breakpoints": found})

    def data_breakpoint_info(self, request: Message, arguments: Message) -> None:
        reference = int(arguments.get("variablesReference") or 0)
        self.connection.answer(request, self.opened.data_breakpoint_info(reference, str(arguments.get("name", ""))))

    def set_data_breakpoints(self, request: Message, arguments: Message) -> None:
        found = self.opened.set_data_breakpoints(arguments.get("breakpoints") or [])
        self.connection.answer(request, {"breakpoints": found})

    def set_nothing(self, request: Message, arguments: Message) -> None:
        """Breakpoints on functions and exceptions: there are none, and some clients ask all the same."""
        self.connection.answer(request, {"breakpoints": []})


_HANDLERS: dict[str, Callable[[Adapter, Message, Message], None]] = {
    "initialize": Adapter.initialize,
    "launch": Adapter.launch,
    "configurationDone": Adapter.configuration_done,
    "uirShown": Adapter.shown,
    "disconnect": Adapter.disconnect,
    "terminate": Adapter.terminate,
    "continue": Adapter.proceed,
    "reverseContinue": Adapter.reverse,
    "next": Adapter.next_line,
    "stepBack": Adapter.line_back,
    "stepIn": Adapter.step_in,
    "stepOut": Adapter.step_out,
    "pause": Adapter.pause,
    "threads": Adapter.threads,
    "stackTrace": Adapter.stack_trace,
    "scopes": Adapter.scopes,
    "variables": Adapter.variables,
    "evaluate": Adapter.evaluate,
    "source": Adapter.source,
    "loadedSources": Adapter.loaded_sources,
    "exceptionInfo": Adapter.exception_info,
    "setBreakpoints": Adapter.set_breakpoints,
    "dataBreakpointInfo": Adapter.data_breakpoint_info,
    "setDataBreakpoints": Adapter.set_data_breakpoints,
    "setFunctionBreakpoints": Adapter.set_nothing,
    "setExceptionBreakpoints": Adapter.set_nothing,
}


def _leave_room() -> None:
    """Raises MemoryError when there is not ROOM left for what a slice remembers and for saying that memory ends."""
    try:
        mmap.mmap(-1, ROOM).close()
    except OSError:
        raise MemoryError from None
