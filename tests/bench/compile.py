"""From text to C, and how that grows: `python tests/bench/compile.py`.

The program is a transformer (see tests/compiler/transformer.py) of 3 to 24 layers. Times are the processor's, the best
of a few. With tinygrad installed, the same layers written with its tensors go from tensors to the source of every
kernel, in this process, without its C compiler; what it finds equal it compiles once.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("DEV", "CPU")
sys.path.insert(0, str(Path(__file__).parents[1] / "compiler"))

from transformer import Transformer

from uopc.pipeline import compile_program
from uopc.uir import analyze, dump

LAYERS = (3, 6, 12, 24)
RUNS = 3


def best(run: Callable[[], object]) -> float:
    """Processor seconds of the fastest of a few runs."""
    found = []
    for _ in range(RUNS):
        gc.collect()
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return min(found)


def written(layers: int) -> tuple[int, str]:
    """How many operations so many layers have, and their text."""
    root = Transformer().layers(layers)
    return len(root.toposort()), dump(root)


def ours(text: str) -> tuple[float, float]:
    """Seconds from the text to the graph, and from there to C. Graphs are dropped between runs, and what they knew."""
    graph = best(lambda: analyze(text))
    whole = best(lambda: compile_program(analyze(text).root))  # type: ignore[arg-type]
    return graph, whole - graph


class TheirTransformer:
    """The same layers with tinygrad's tensors."""

    def __init__(self, tokens: int = 128, width: int = 64, heads: int = 4) -> None:
        from tinygrad import Tensor

        self.tensor: Any = Tensor
        self.tokens, self.width, self.heads = tokens, width, heads

    def weight(self, *shape: int) -> Any:
        """A fresh input."""
        return self.tensor.empty(*shape).realize()

    def layers(self, count: int) -> Any:
        """The output of that many layers."""
        x = self.weight(self.tokens, self.width)
        for _ in range(count):
            x = x + self.attention(self.norm(x))
            x = x + self.feed_forward(self.norm(x))
        return x

    def norm(self, x: Any) -> Any:
        """Rows of mean 0 and variance 1, then learned weights."""
        d = x - x.sum(1, keepdim=True) * (1 / self.width)
        variance = (d * d).sum(1, keepdim=True) * (1 / self.width)
        return d * (variance + 1e-5).sqrt().reciprocal() * self.weight(self.width) + self.weight(self.width)

    def linear(self, x: Any, width: int) -> Any:
        """x times a weight, plus a bias."""
        return x @ self.weight(width, x.shape[1]).T + self.weight(width)

    def attention(self, x: Any) -> Any:
        """Softmax of scores between all tokens, head by head."""
        t, h, d = self.tokens, self.heads, self.width // self.heads
        q, k, v = (self.linear(x, self.width).reshape(t, h, d).permute(1, 0, 2) for _ in range(3))
        scores = q @ k.permute(0, 2, 1) * d**-0.5
        out = scores.softmax(2) @ v
        return self.linear(out.permute(1, 0, 2).reshape(t, self.width), self.width)

    def feed_forward(self, x: Any) -> Any:
        """Two linear maps with x * sigmoid(x) between them."""
        y = self.linear(x, 4 * self.width)
        return self.linear(y * y.sigmoid(), self.width)


def theirs(count: int) -> tuple[float, int]:
    """Seconds tinygrad takes from tensors to the source of every kernel, and how many kernels it made."""
    from tinygrad import Device
    from tinygrad.codegen import to_program, to_program_cache
    from tinygrad.uop.ops import Ops

    renderer = Device["CPU"].renderer
    renderer.compiler.compile_cached = lambda source: b""  # its C compiler is not what is measured
    sources: list[Any] = []

    def run() -> None:
        to_program_cache.clear()
        sources.clear()
        linear = out.schedule_linear()
        calls = [c.src[0] for c in linear.src if c.op is Ops.CALL and c.src[0].op is Ops.SINK]
        sources.extend(to_program(ast, renderer) for ast in calls)

    found = []
    for _ in range(RUNS):
        out = TheirTransformer().layers(count)
        gc.collect()
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return min(found), len(sources)


def main() -> None:
    """Prints the table."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    try:
        import tinygrad  # noqa: F401

        beside = True
    except ImportError:
        beside = False
    columns = ("layers", "operations", "text to graph s", "graph to C s", "tinygrad s", "ratio")
    print(" ".join(f"{c:>{w}s}" for c, w in zip(columns, (6, 10, 15, 12, 10, 6))))
    for count in LAYERS:
        operations, text = written(count)
        graph, code = ours(text)
        other = theirs(count)[0] if beside else None
        shown = f"{other:10.2f} {other / (graph + code):6.1f}" if other is not None else f"{'-':>10s} {'-':>6s}"
        print(f"{count:6d} {operations:10,d} {graph:15.3f} {code:12.3f} {shown}", flush=True)


if __name__ == "__main__":
    main()
