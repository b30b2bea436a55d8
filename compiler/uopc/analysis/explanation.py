"""What is said about one value, as data. Texts are plain, without Markdown; lines are 0-based."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from uopc.analysis.style import counted, grouped
from uopc.analysis.trace import TraceLine


@dataclass(frozen=True)
class User:
    """A value that uses the explained one, and its line."""

    name: str
    line: int


@dataclass(frozen=True)
class Layout:
    """A strided view: strides and offset in elements."""

    strides: tuple[int, ...]
    offset: int
    contiguous: bool

    @property
    def text(self) -> str:
        """`strides (1, 4), offset 1 · a single strided view, not contiguous`."""
        kind = "contiguous" if self.contiguous else "a single strided view, not contiguous"
        return f"strides {self.strides}, offset {grouped(self.offset)} · {kind}"


@dataclass(frozen=True)
class Reduction:
    """A reduction's size.

    axes: number and size of each removed axis, of the operand a person wrote; operations: steps when every element is
    evaluated once; formula: the same as a product of sizes; evaluations: elements the textbook lowering evaluates in
    all, None when it is not known.
    """

    axes: tuple[tuple[int, int], ...]
    elements: int
    operations: int
    formula: str
    evaluations: int | None

    @property
    def text(self) -> str:
        """`removes axis 2 (64) · 2·32·16·64 = 65,536 operations · evaluated once an element`."""
        removed = ", ".join(f"axis {k} ({grouped(n)})" for k, n in self.axes)
        work = counted(self.operations, "operation")
        parts = [f"removes {removed}" if removed else "removes no axis"]
        parts.append(f"{self.formula} = {work}" if self.formula else work)
        if self.evaluations is not None:
            parts.append(self._evaluated(self.evaluations))
        return " · ".join(parts)

    def _evaluated(self, evaluations: int) -> str:
        if evaluations == self.elements:
            return "evaluated once" if self.elements == 1 else "each element evaluated once"
        if evaluations < self.elements:
            return f"{grouped(evaluations)} of {counted(self.elements, 'element')} evaluated"
        return f"{counted(self.elements, 'element')} evaluated {grouped(evaluations)} times in all"


@dataclass(frozen=True)
class Explanation:
    """What is known about a value.

    name: with %; type: `f32[2, 3]`, empty when unknown; summary: the step in a phrase; equation: the step as lines;
    places: where its elements are in the end; reads: how much of each place; zero: where a pad shows its operand;
    same_as: other names of the same value; unknown: why nothing more is known, else empty.
    """

    name: str
    line: int
    op: str
    type: str
    summary: str
    equation: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    layout: Layout | None = None
    why_not_strided: str = ""
    reduction: Reduction | None = None
    zero: str = ""
    used_by: tuple[User, ...] = ()
    more_users: int = 0
    same_as: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: str = ""
    trace: tuple[TraceLine, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The explanation as data for JSON; lines count from 1 there, as everywhere outside."""
        data = asdict(self)
        data["line"] = self.line + 1
        data["used_by"] = [{"name": u.name, "line": u.line + 1} for u in self.used_by]
        for key, part in (("layout", self.layout), ("reduction", self.reduction)):
            if part is not None:
                data[key]["text"] = part.text
        return data
