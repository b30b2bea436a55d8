"""What a compiler writes as assembly, made readable: instructions and the labels and data they name, nothing else.

Every line knows the lines of the C it was made for, the innermost first: of an instruction of an inlined function that
is the line in the function, then the line of the call. Clang writes the calls beside its `.loc`, as in
`f.c:25:13 @[ f.c:170:24 ]`; of gcc's they are read from the debugging information that -dA annotates. Forms: ELF,
Mach-O, and COFF with its own `.cv_loc`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+(?:"(?:[^"\\]|\\.)*"\s+)?"((?:[^"\\]|\\.)*)"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)")
_CV_FILE = re.compile(r'\s*\.cv_file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"')
_CV_LOC = re.compile(r"\s*\.cv_loc\s+(\d+)\s+(\d+)\s+(\d+)")
_CV_SITE = re.compile(r"\s*\.cv_inline_site_id\s+(\d+)\s+within\s+(\d+)\s+inlined_at\s+(\d+)\s+(\d+)")
_CALLS = re.compile(r"@\[ *([^\]]*?):(\d+)(?::\d+)?")
_LABEL = re.compile(r'\s*("?[\w.$?@]+"?):(?=\s|$)')
_DEBUG = re.compile(r"\s*\.section\s+\"?(?:\.debug|__DWARF|\.note|\.comment|\.eh_frame|__LD,|\.llvm|\.drectve)")
_DATA = re.compile(
    r"\s*\.(?:byte|short|value|2byte|hword|long|int|4byte|quad|xword|8byte|zero|space|ascii|asciz|string|octa|float|double)\b"
)
_COMMENT = re.compile(r"\s+(?:##?|//|;|@)(?:\s.*)?$")
_WORD = re.compile(r"[\w.$?@]+")
_DIE = re.compile(r"\(DIE \(0x[0-9a-f]+\) (DW_TAG_\w+)\)")
_VALUE = re.compile(r"\s*\.\w+\s+([^\s#]+)\s*#\s*DW_AT_(\w+)")
_RANGE = re.compile(r"\s*\.\w+\s+(\.LBB\d+)-\S+\s+# Range begin address \(\*(\.\w+)\)")
_BEGIN = re.compile(r"\s*(\.LBB\d+):")
_END = re.compile(r"\s*\.LBE(\d+):")
_INDENT, _OPERANDS = 8, 10


class AsmLine(NamedTuple):
    """One line, and the lines of the C (0-based) behind it, innermost first."""

    text: str
    c: tuple[int, ...]


class _Row(NamedTuple):
    """A line before it is known which labels are named."""

    kind: str  # "label", "data" or "code"
    text: str
    c: tuple[int, ...]


def cleaned(text: str, source: str) -> list[AsmLine]:
    """The readable lines of an assembly file that was made of the C file `source`."""
    lines = text.splitlines()
    mach = any("__TEXT,__text" in line for line in lines[:200])
    rows = list(_rows(lines, _inlined(lines), source))
    used = _named(rows)
    out = []
    for row in rows:
        if row.kind == "label" and row.text not in used:
            continue
        out.append(AsmLine(_shown(row, mach), row.c))
    return out


# -- lines -------------------------------------------------------------------------------------------------------------
def _rows(lines: Iterable[str], calls: dict[str, int], source: str) -> Iterable[_Row]:
    places = _Places(source)
    inside: list[str] = []  # gcc's blocks around this line, outermost first
    debug = False
    for line in lines:
        if _DEBUG.match(line):
            debug = True
        elif re.match(r"\s*\.(?:text|data|section|rdata)\b", line):
            debug = False
        if debug or places.read(line):
            continue
        if found := _BEGIN.match(line):
            inside.append(found[1])
        elif found := _END.match(line):
            inside = [b for b in inside if b != f".LBB{found[1]}"]
        elif row := _row(line, places.here, inside, calls):
            yield row


class _Places:
    """Follows the directives that say where the instructions after them come from."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.files: set[str] = set()  # numbers of our file
        self.sites: dict[str, tuple[str, list[int]]] = {}  # COFF: inlined function -> (the one around it, its call)
        self.here: tuple[int, ...] = ()

    def read(self, line: str) -> bool:
        """Takes a line; whether it was such a directive."""
        if found := _FILE.match(line) or _CV_FILE.match(line):
            if self._ours(found[2]):
                self.files.add(found[1])
        elif found := _LOC.match(line):
            calls = [int(n) - 1 for file, n in _CALLS.findall(line) if self._ours(file)]
            self.here = (*self._line(found[1], found[2]), *calls)
        elif found := _CV_SITE.match(line):
            self.sites[found[1]] = (found[2], self._line(found[3], found[4]))
        elif found := _CV_LOC.match(line):
            lines, function = self._line(found[2], found[3]), found[1]
            while function in self.sites:
                function, call = self.sites[function]
                lines = lines + call
            self.here = tuple(lines)
        else:
            return False
        return True

    def _ours(self, file: str) -> bool:
        return re.split(r"[\\/]", file)[-1] == self.source

    def _line(self, file: str, line: str) -> list[int]:
        return [int(line) - 1] if file in self.files and int(line) else []


def _row(line: str, where: tuple[int, ...], inside: Sequence[str], calls: dict[str, int]) -> _Row | None:
    if found := _LABEL.match(line):
        return _Row("label", found[1], ())
    code = _COMMENT.sub("", line.expandtabs(1)).strip()
    if not code or code[0] in "#;/@":
        return None
    if code.startswith("."):
        return _Row("data", code, ()) if _DATA.match(code) else None
    around = [calls[b] for b in reversed(inside) if b in calls]
    return _Row("code", code, (*where, *around))


def _named(rows: Sequence[_Row]) -> set[str]:
    """The labels that are shown: functions, and what instructions and shown data name."""
    labels = {r.text for r in rows if r.kind == "label"}
    owner = ""
    names: dict[str, set[str]] = {}  # label -> labels that what follows it names
    for row in rows:
        if row.kind == "label":
            owner = row.text
        else:
            names.setdefault(owner, set()).update(w for w in _WORD.findall(row.text) if w in labels)
    found = {r.text for r in rows if r.kind == "label" and _is_function(r.text)}
    return found.union(*names.values()) if names else found


def _is_function(label: str) -> bool:
    """Whether a label is no compiler's own: those begin with `.L`, on macOS with `L` or `l`."""
    return not re.match(r"\.L|L\w*\d|l_?\.?\w*\d|ltmp|\$|\"?l\.", label)


def _shown(row: _Row, mach: bool) -> str:
    if row.kind == "label":
        return f"{row.text.removeprefix('_') if mach else row.text}:"
    text = re.sub(r"(?<![\w.$])_([A-Za-z]\w*)", r"\1", row.text) if mach else row.text
    word, _, rest = text.partition(" ")
    return " " * _INDENT + (f"{word:<{_OPERANDS}} {' '.join(rest.split())}" if rest else word)


# -- gcc: which call an inlined function stands for --------------------------------------------------------------------
def _inlined(lines: Iterable[str]) -> dict[str, int]:
    """Label at which the code of an inlined function begins -> the line (0-based) of its call."""
    found: dict[str, int] = {}
    ranges: dict[str, list[str]] = {}
    pending: list[tuple[str, int]] = []  # (range list, line)
    die: dict[str, str] = {}
    for line in lines:
        if start := _DIE.search(line):
            die = {"tag": start[1]}
        elif value := _VALUE.match(line):
            die[value[2]] = value[1]
            if value[2] == "call_line" and die.get("tag") == "DW_TAG_inlined_subroutine":
                number = int(value[1], 0) - 1
                if "ranges" in die:
                    pending.append((die["ranges"], number))
                elif "low_pc" in die:
                    found[die["low_pc"]] = number
        elif part := _RANGE.match(line):
            ranges.setdefault(part[2], []).append(part[1])
    for name, number in pending:
        found.update(dict.fromkeys(ranges.get(name, ()), number))
    return found
