"""How a fast program is computed and why, in words: kernel by kernel, and in each of them stage by stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from uopc.ops import Ops
from uopc.uop import UOp

Name = Callable[[UOp], "str | None"]


@dataclass(frozen=True)
class StagePlan:
    """One value with memory or registers of its own. node: in the program's graph; why: it is a stage; how: it is
    computed, what was applied and what was refused."""

    node: UOp
    why: str
    how: tuple[str, ...]


@dataclass(frozen=True)
class KernelPlan:
    """One call of a kernel. notes: about all of its stages (what is joined, what is not, threads)."""

    name: str
    stages: tuple[StagePlan, ...]
    notes: tuple[str, ...]

    def words(self) -> list[str]:
        """All that is said about how it is computed, each thing once."""
        return list(dict.fromkeys((*self.notes, *(text for s in self.stages for text in s.how))))


@dataclass(frozen=True)
class Plan:
    """The calls in order, the switched-off transformations, and the bytes of memory between the kernels."""

    off: tuple[str, ...] = ()
    calls: tuple[KernelPlan, ...] = ()
    scratch: int = 0

    def lines(self, name: Name = lambda node: None) -> list[str]:
        """The plan as text. `name` gives a node's name in the file."""
        out = [f"switched off: {', '.join(self.off)}"] if self.off else []
        said: set[str] = set()
        for call in self.calls:
            if call.name in said:
                out.append(f"{call.name} again: {', '.join(_named(s.node, name) for s in call.stages)}")
                continue
            said.add(call.name)
            out.append(f"{call.name}: {len(call.stages)} stage{'s' * (len(call.stages) > 1)}")
            out += [f"  {note}" for note in call.notes]
            for stage in call.stages:
                out += [f"  {_named(stage.node, name)}{_made(stage.node)}", f"    a stage: {stage.why}"]
                out += [f"    {text}" for text in stage.how]
        return [*out, f"between kernels: {self.scratch:,} bytes of memory"] if self.scratch else out

    def to_dict(self, name: Name) -> dict[str, Any]:
        """The plan as plain data."""
        return {
            "off": list(self.off),
            "scratch": self.scratch,
            "kernels": [
                {
                    "name": call.name,
                    "notes": list(call.notes),
                    "stages": [
                        {
                            "value": name(s.node),
                            "dtype": str(s.node.dtype),
                            "shape": list(s.node.shape),
                            "why": s.why,
                            "how": list(s.how),
                        }
                        for s in call.stages
                    ],
                }
                for call in self.calls
            ],
        }


def _named(node: UOp, name: Name) -> str:
    kind = f"{node.dtype}[{', '.join(map(str, node.shape))}]"
    own = name(node)
    return f"{own} : {kind}" if own else kind


_WORDS = {Ops.ADD: "sum", Ops.MUL: "product", Ops.MAX: "maximum"}


def _made(node: UOp) -> str:
    """What a reduction combines."""
    if node.op is not Ops.REDUCE:
        return ""
    removed = node.src[0].shape[len(node.shape) :]
    return f" = {_WORDS[node.arg[0]]} over {' x '.join(map(str, removed))}"
