"""`uir explain --stages` for a person: what each stage made of the program, its loops, and what the rules did."""

from __future__ import annotations

from uopc.analysis.style import counted, grouped
from uopc.cli.terminal import printable, width
from uopc.stages.record import Record, Stage
from uopc.stages.rules import Rule

_PROGRAMS = {
    "fast": "as it is run",
    "plain": "as the textbook computes it",
    "loops": "whose loops are written in the file",
}


def stages_text(found: Record) -> str:
    """The table of stages, the loops of the last one that has any, and the rules."""
    total = sum(s.milliseconds or 0 for s in found.stages)
    blocks = [[f"The program {_PROGRAMS[found.program]}, in {len(found.stages)} stages and {_time(total)}:", ""]]
    blocks[0] += _table([("stage", "nodes", "lines", "time", "changed"), *(_row(s) for s in found.stages)])
    nest = next(s for s in reversed(found.stages) if "loops" in s.forms)
    blocks.append([f"{nest.title}:", "", *nest.text("loops").lines])
    rules = [r for s in found.stages for r in s.rules]
    if rules:
        blocks.append(["What the rewrite rules did:", "", *_rules(rules)])
    return "\n\n".join("\n".join(map(printable, block)) for block in blocks)


def _row(s: Stage) -> tuple[str, ...]:
    lines = grouped(len(s.text().lines))
    took = "" if s.milliseconds is None else _time(s.milliseconds)
    return s.name, "" if s.nodes is None else grouped(s.nodes), lines, took, _changed(s)


def _changed(s: Stage) -> str:
    if s.changes is None:
        return "" if s.before is None else "another form"
    came, went = s.changes
    return f"+{came:,} -{went:,}" if came or went else "nothing"


def _time(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds >= 100 else f"{milliseconds:.1f} ms"


def _fine(milliseconds: float) -> str:
    return f"{milliseconds:.2f} ms" if milliseconds < 10 else _time(milliseconds)


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns of one width; the first and the last begin at their left, numbers end at their right."""
    widths = [max(width(row[k]) for row in rows) for k in range(len(rows[0]))]
    last = len(widths) - 1
    texts = (
        "   ".join(cell.ljust(w) if k in (0, last) else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths)))
        for row in rows
    )
    return ["  " + text.rstrip() for text in texts]


def _rules(rules: list[Rule]) -> list[str]:
    longest = max(len(r.name) for r in rules)
    lines = []
    for r in rules:
        lines.append(f"  {r.name:<{longest}}  {counted(r.count, 'time'):>9}  {_fine(r.ms):>8}   {r.law}")
        lines += [f"      {e.before}  ->  {e.after}" for e in r.examples]
    return lines
