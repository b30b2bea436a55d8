"""What hover, hints and warnings say about values: index maps as text, strides, costs, lints. No NumPy, no LSP, no I/O.

Modules, from the bottom up:
    style names linear expressions numeric counting   how things are written and counted
    digits dependence                                 what varies along what
    composition equation index_map                    where elements come from
    strides cost products lints                       facts about values and programs
    summary trace explanation explain                 what is said about one value
"""

from uopc.analysis.cost import Cost, estimate
from uopc.analysis.explain import explain, explain_json
from uopc.analysis.explanation import Explanation
from uopc.analysis.index_map import IndexMap, index_map
from uopc.analysis.lints import Finding, findings, program_findings
from uopc.analysis.strides import as_strided, why_not
from uopc.analysis.trace import TraceLine, trace, trace_text

__all__ = [
    "Cost",
    "Explanation",
    "Finding",
    "IndexMap",
    "TraceLine",
    "as_strided",
    "estimate",
    "explain",
    "explain_json",
    "findings",
    "index_map",
    "program_findings",
    "trace",
    "trace_text",
    "why_not",
]
