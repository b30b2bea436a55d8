"""Who checks a text does not wait for modules that say, compute or compile more than that."""

from __future__ import annotations

import subprocess
import sys

TEXT = "%0 = buffer 12 : dtype=f32 slot=0\\n%1 = reshape %0, (3, 4)\\n%2 = reduce %1 : op=add pop=1\\n"


def test_checking_a_text_loads_little() -> None:
    code = f'import sys, uopc.uir\nassert uopc.uir.analyze("{TEXT}").diagnostics == ()\nprint(*sys.modules)'
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = ("numpy", "uopc.analysis.explain", "uopc.analysis.index_map", "uopc.symbolic", "uopc.rangeify")
    assert [m for m in done.stdout.split() if m in heavy] == []
