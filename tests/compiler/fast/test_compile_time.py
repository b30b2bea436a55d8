"""The compiler's own speed: a transformer of 2,000 operations in about a second, and no more than linear growth."""

from __future__ import annotations

import time

from transformer import transformer

from uopc.pipeline import compile_program
from uopc.uir import dump, parse


def seconds(operations: int) -> float:
    """Processor time from text to C."""
    text = dump(transformer(operations)[0])
    began = time.process_time()
    compile_program(parse(text))
    return time.process_time() - began


def test_two_thousand_operations_take_about_a_second() -> None:
    assert min(seconds(2000) for _ in range(2)) < 2.0  # 0.8 s on a quiet machine; others may be at work


def test_time_grows_no_faster_than_the_graph() -> None:
    small, large = min(seconds(1000) for _ in range(2)), min(seconds(4000) for _ in range(2))
    assert large < 5 * small
