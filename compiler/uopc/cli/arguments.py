"""Kinds of arguments that several commands take."""

from __future__ import annotations

import argparse
import math


def positive(text: str) -> float:
    """A number above 0, and below 1e9."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return value


def thread_count(text: str) -> int:
    """A number of threads, 1 to 256."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 256):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of threads (1..256)")
    return int(text)
