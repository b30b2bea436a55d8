"""How fast the language server is, beside mlir-lsp-server (the nearest relative) where that is installed.

    python tests/bench/lsp.py [--lines 100 1000 10000] [--repeat 20] [--json]

Each figure is a median, in milliseconds, seen from the client: from the moment a message is written to the moment the
answer is read. `start`: a new process to the answer to `initialize`; `start / python`: the same divided by the time in
which a new Python does nothing; `first`: a new process to the diagnostics of a file that is opened at once. `hover`: on
names of lines of every kind; `hover after an edit`: of line 20 or so, asked for in the same write, in the middle of the
file. `open`, `edit`: to the diagnostics; `95%` is the 95th percentile instead, and `processor` what the server itself
computed for an edit, which says more than the clock on a machine that others use. `break`, `mend`: an edit in the
middle that makes an error, and one that takes it away. `burst`: 50 edits in one write, to the last diagnostics; and
how many times diagnostics were published. `broken`: hovers answered of 25 asked for while one line of the file has an
error. `memory`: MB resident in the end.

Where the server is to keep a figure at a size, the row says so, and whether it does.

Two programs: a chain, in which every line depends on the one before; and `mixed`, layers of a network with its
reductions, stages, comments and a hint in each layer.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lsp"))
from client import Client, change, splice

PUBLISH = "textDocument/publishDiagnostics"
PAUSE = 0.06  # seconds between edits: a person who types fast


@dataclass(frozen=True)
class Subject:
    """A server, and a file of its language: line k of it with a given variant, and where that line can be edited."""

    name: str
    command: list[str] | None
    language: str
    text: Callable[[int], str]
    edit: Callable[[str, int, int], dict[str, Any]]
    break_line: Callable[[str, int], dict[str, Any]]
    hover_column: int


def uir_text(lines: int) -> str:
    """A chain of elementwise and movement operations."""
    text = ["%0 = buffer 4096 : dtype=f32 slot=0", "%1 = reshape %0, (64, 64)"]
    steps = ("add %{0}, %1", "permute %{0}, (1, 0)", "mul %{0}, 0.5", "max %{0}, %1")
    text += [f"%{k} = {steps[k % 4].format(k - 1)}" for k in range(2, lines)]
    return "\n".join(text) + "\n"


_LAYER = """
# layer {k}
%w{k} = buffer 256 : dtype=f32 slot={next}
%u{k} = reshape %w{k}, (1, 16, 16)
%x{k} = reshape %h{k}, (16, 1, 16)
%y{k} = expand %x{k}, (16, 16, 16)
%v{k} = expand %u{k}, (16, 16, 16)
%p{k} = mul %y{k}, %v{k}
%m{k} = reduce %p{k} : op=add pop=1
%r{k} = max %m{k}, 0.0
%s{k} = stage %r{k}
%t{k} = permute %s{k}, (1, 0)
%c{k} = shrink %t{k}, ((1, 16), (0, 16))
%d{k} = pad %c{k}, ((0, 1), (0, 0))  # shifted
%q{k} = mul %d{k}, 0.5
%n{k} = reduce %q{k} : op=max pop=1
%o{k} = reshape %n{k}, (16, 1)
%b{k} = sub %q{k}, %o{k}
%g{k} = reshape %b{k}, (16, 16)
%h{next} = stage %g{k}
"""


def mixed_text(lines: int) -> str:
    """Layers of a network."""
    head = "# uir: input 0 = randn seed=1\n%a = buffer 256 : dtype=f32 slot=0\n%h0 = reshape %a, (16, 16)\n"
    layers = max(1, lines // 20)
    body = "".join(_LAYER.format(k=k, next=k + 1) for k in range(layers))
    return f"{head}{body}%out = sink %h{layers}\n"


def mlir_text(lines: int) -> str:
    """A function with a chain of additions."""
    body = [f"  %{k} = arith.addf %{k - 1 if k else 'a'}, %x0 : f32" for k in range(lines - 3)]
    head = "func.func @f(%a: f32, %x0: f32, %x1: f32) -> f32 {"
    return "\n".join([head, *body, f"  return %{lines - 4} : f32", "}"]) + "\n"


def uir_edit(text: str, line: int, k: int) -> dict[str, Any]:
    """Another number in a `mul` at or after a line."""
    lines = text.split("\n")
    line = next(n for n in (*range(line, len(lines)), *range(line, -1, -1)) if "0.5" in lines[n])
    column = lines[line].index("0.5") + 2
    return splice(line, column, column + 1, str(1 + k % 9))


def mlir_edit(text: str, line: int, k: int) -> dict[str, Any]:
    """The other operand in an addition."""
    column = text.split("\n")[line].index("%x0") + 2
    return splice(line, column, column + 1, str(1 - k % 2))


# What the server is to keep, at a number of lines: below these, in the units of the table.
TARGETS: dict[int, dict[str, float]] = {
    10_000: {
        "edit anywhere": 10,
        "edit anywhere, 95%": 25,
        "hover": 2,
        "open": 800,
        "memory": 150,
        "burst publishes": 2,
    },
    1_000: {"edit anywhere": 5, "open": 100},
}

_MLIR = next((name for name in ("mlir-lsp-server", "mlir-lsp-server-16") if shutil.which(name)), "mlir-lsp-server")
SUBJECTS = (
    Subject("uir-lsp", None, "uir", uir_text, uir_edit, lambda _, n: splice(n, 0, 0, "?? "), 1),
    Subject("uir-lsp, mixed", None, "uir", mixed_text, uir_edit, lambda _, n: splice(n, 0, 0, "?? "), 1),
    Subject("mlir-lsp-server", [_MLIR], "mlir", mlir_text, mlir_edit, lambda _, n: splice(n, 0, 0, "?? "), 3),
)


class Session:
    """A server with one open file."""

    def __init__(self, subject: Subject, lines: int, rest: float = 0.5) -> None:
        self.subject = subject
        began = time.monotonic()
        self.client = Client(server=subject.command)
        offered = self.client.initialize()["capabilities"]["textDocumentSync"]
        self.incremental = (offered if isinstance(offered, int) else offered["change"]) == 2
        self.start = time.monotonic() - began
        time.sleep(rest)  # what a server does after `initialized` is not counted against the first file
        self.uri = f"file:///bench.{subject.language}"
        self.text = subject.text(lines)
        self.middle = lines // 2
        self.version = 1

    def published(self) -> list[float]:
        """When diagnostics came."""
        return [at for at, message in list(self.client.received) if message.get("method") == PUBLISH]

    def until_published(self, act: Callable[[], None]) -> float:
        """Milliseconds from the act to the next diagnostics."""
        before = len(self.published())
        began = time.monotonic()
        act()
        found = self.client.wait_until(lambda: found if len(found := self.published()) > before else None)
        return (found[before] - began) * 1e3

    def open(self) -> float:
        """Open the file."""
        item = {"uri": self.uri, "languageId": self.subject.language, "version": 1, "text": self.text}
        return self.until_published(lambda: self.client.notify("textDocument/didOpen", {"textDocument": item}))

    def message(self, edit: dict[str, Any]) -> dict[str, Any]:
        """The notification of an edit of one line, as the server wants it: the change or the whole text."""
        self.version += 1
        if self.incremental:
            return change(self.uri, self.version, edit)
        lines = self.text.split("\n")
        place = edit["range"]
        line = lines[place["start"]["line"]]
        lines[place["start"]["line"]] = (
            line[: place["start"]["character"]] + edit["text"] + line[place["end"]["character"] :]
        )
        return change(self.uri, self.version, {"text": "\n".join(lines)})

    def edits(self, lines: Sequence[int]) -> list[float]:
        """Edits one by one, with a pause before each."""
        return [self.edit(self.subject.edit(self.text, line, k)) for k, line in enumerate(lines)]

    def edit(self, edit: dict[str, Any]) -> float:
        """One edit after a pause."""
        time.sleep(PAUSE)
        message = self.message(edit)
        return self.until_published(lambda: self.client.send(message))

    def breaks_and_mends(self, repeat: int) -> tuple[float, float]:
        """A line in the middle broken and mended, again and again."""
        edit = self.subject.break_line(self.text, self.middle)
        place = edit["range"]["start"]
        undo = splice(place["line"], place["character"], place["character"] + len(edit["text"]), "")
        broken, mended = zip(*((self.edit(edit), self.edit(undo)) for _ in range(repeat)))
        return statistics.median(broken), statistics.median(mended)

    def processor(self) -> float:
        """Milliseconds that the server has computed; nan where the system does not say."""
        found = Path(f"/proc/{self.client.process.pid}/task").glob("*/schedstat")
        return sum(int(stat.read_text().split()[0]) for stat in found) / 1e6 or float("nan")

    def memory(self) -> float:
        """Megabytes resident; nan where the system does not say."""
        status = Path(f"/proc/{self.client.process.pid}/status")
        rows = status.read_text().splitlines() if status.exists() else []
        return next((int(row.split()[1]) / 1024 for row in rows if row.startswith("VmRSS")), float("nan"))

    def hovers(self, repeat: int) -> tuple[float, int]:
        """Hovers on names of different lines: the time of one, and how many had an answer."""
        times, answered = [], 0
        for line in self.statements(repeat):  # as many kinds of line as there are, and none twice
            began = time.monotonic()
            found = self.client.at("textDocument/hover", self.uri, line, self.subject.hover_column)
            times.append((time.monotonic() - began) * 1e3)
            answered += found is not None
        return statistics.median(times), answered

    def statements(self, count: int) -> list[int]:
        """The first lines below the middle that are more than a comment."""
        lines = self.text.split("\n")
        found = [k for k, line in enumerate(lines) if k > self.middle + 1 and line.strip() and line[0] != "#"]
        return found[:count]

    def hovers_after_edits(self, repeat: int) -> float:
        """A hover in the middle, in the same write as an edit at the top: the time to its answer."""
        times = []
        for k, line in enumerate(self.statements(repeat)):
            time.sleep(0.6)  # so that nothing is left of the edit before
            edit = self.message(self.subject.edit(self.text, min(20, self.middle), k))
            position = {"line": line, "character": self.subject.hover_column}
            asked = {"textDocument": {"uri": self.uri}, "position": position}
            began = time.monotonic()
            self.client.result(self.client.start("textDocument/hover", asked, before=edit))
            times.append((time.monotonic() - began) * 1e3)
        return statistics.median(times)

    def burst(self) -> tuple[float, int]:
        """Fifty edits at once: time to the last diagnostics, and how many times there were some."""
        time.sleep(0.5)
        before = len(self.published())
        messages = []
        for k in range(50):
            messages.append(self.message(self.subject.edit(self.text, self.middle, k + 1)))
        began = time.monotonic()
        self.client.send(*messages)
        self.client.wait_until(lambda: True if len(self.published()) > before else None)
        while time.monotonic() - self.published()[-1] < 1.0:
            time.sleep(0.1)
        found = self.published()
        return (found[-1] - began) * 1e3, len(found) - before

    def broken(self) -> int:
        """Hovers answered of 25 while a line in the middle is broken."""
        message = self.message(self.subject.break_line(self.text, self.middle))
        self.until_published(lambda: self.client.send(message))
        return self.hovers(25)[1]


def measure(subject: Subject, lines: int, repeat: int) -> dict[str, float]:
    """All figures of one server at one size."""
    firsts = [first_diagnostics(subject, lines) for _ in range(3)]
    starts, opens = [], []
    for _ in range(3):
        session = Session(subject, lines)
        starts.append(session.start * 1e3)
        opens.append(session.open())
        if len(starts) < 3:
            session.client.close()
    found = {"start": statistics.median(starts)}
    found["start / python"] = found["start"] / python_time()
    found["first"] = statistics.median(firsts)
    found["open"] = statistics.median(opens)
    found["hover"], _ = session.hovers(repeat)
    session.edits([session.middle] * 3)
    found["edit in the middle"] = statistics.median(session.edits([session.middle] * repeat))
    found["edit near the end"] = statistics.median(session.edits([lines - 10] * repeat))
    rng = random.Random(1)
    before = session.processor()
    anywhere = sorted(session.edits([rng.randrange(4, lines - 4) for _ in range(2 * repeat)]))
    found["edit anywhere"] = statistics.median(anywhere)
    found["edit anywhere, 95%"] = anywhere[int(0.95 * len(anywhere))]
    found["edit anywhere, processor"] = (session.processor() - before) / len(anywhere)
    found["break"], found["mend"] = session.breaks_and_mends(max(3, repeat // 3))
    found["hover after an edit"] = session.hovers_after_edits(max(3, repeat // 4))
    found["burst"], found["burst publishes"] = session.burst()
    found["broken: hovers of 25"] = session.broken()
    found["memory"] = session.memory()
    session.client.close()
    return found


def first_diagnostics(subject: Subject, lines: int) -> float:
    """Milliseconds from a new process to the diagnostics of a file that is opened as soon as that may be."""
    began = time.monotonic()
    session = Session(subject, lines, rest=0.0)
    session.open()
    session.client.close()
    return (session.published()[0] - began) * 1e3


@functools.cache
def python_time() -> float:
    """Milliseconds in which a new Python does nothing and ends."""
    times = []
    for _ in range(5):
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        times.append((time.monotonic() - began) * 1e3)
    return statistics.median(times)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    subjects = [s for s in SUBJECTS if s.command is None or shutil.which(s.command[0])]
    prepare()
    for lines in args.lines:
        figures = {subject.name: measure(subject, lines, args.repeat) for subject in subjects}
        if args.json:
            print(json.dumps({"lines": lines, **figures}), flush=True)
        else:
            show(lines, figures)


def prepare() -> None:
    """Let Python keep the compiled form of our modules, as it does for a person, and make it once."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    client = Client()
    client.initialize()
    client.close()


def show(lines: int, figures: dict[str, dict[str, float]]) -> None:
    """One table a size; then ours on the chain divided by theirs, and what ours is to keep."""
    ours, theirs = figures["uir-lsp"], figures.get("mlir-lsp-server")
    columns = "".join(f"{name:>17}" for name in figures) + ("  ours/theirs" if theirs else "")
    print(f"\n{lines:,} lines".ljust(27) + columns)
    for key, value in ours.items():
        row = f"{key:26}" + "".join(f"{one[key]:17,.2f}" for one in figures.values())
        if theirs:
            row += f"{value / theirs[key] if theirs[key] else float('inf'):13.2f}"
        print(row + verdict(lines, key, figures), flush=True)


def verdict(lines: int, key: str, figures: dict[str, dict[str, float]]) -> str:
    """Whether a row is as it is to be, for each of our files."""
    limit = TARGETS.get(lines, {}).get(key)
    if limit is None:
        return ""
    met = [one[key] <= limit for name, one in figures.items() if name.startswith("uir-lsp")]
    said = ", ".join("met" if ok else "NOT MET" for ok in met)
    return f"   at most {limit:g}: {said}"


if __name__ == "__main__":
    main()
