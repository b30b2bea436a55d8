"""A long C file as several, for compilers that work side by side.

The kernels of a fast program are functions without data of their own, called by one function at the end. They are dealt
out to files that all begin with the same helpers; what was `static` is hidden in the library instead, so that the files
find each other. Lines keep their numbers.
"""

from __future__ import annotations

import re

# gcc 12 takes 1.9 s of processor for the 170,000 bytes of a transformer of 12 layers, and 0.8 and 0.9 for its halves:
# half the time on two cores, and no more work. A file costs about 40 ms by itself, as much as 4,000 bytes.
_WORTH = 20_000  # bytes of functions in every file

_KERNEL = re.compile(r"static (?P<head>(?:__attribute__\(\(noinline\)\) )?void (?!uir_)\w+\([^{;]*\)) \{")
_MAIN = re.compile(r"(?:int|void) \w+\([^{;]*\) \{")
_HIDDEN = '__attribute__((visibility("hidden"))) '


def pieces(source: str, most: int) -> list[str]:
    """At most that many C files that together are `source`; the file itself when more would not pay."""
    lines = source.split("\n")
    begins = [k for k, line in enumerate(lines) if _KERNEL.fullmatch(line)]
    end = next((k for k in range(len(lines) - 1, -1, -1) if _MAIN.fullmatch(lines[k])), None)
    if not begins or end is None or end < begins[-1]:
        return [source]
    functions = {a: lines[a:b] for a, b in zip(begins, [*begins[1:], end])}
    sizes = {k: sum(map(len, text)) for k, text in functions.items()}
    count = min(most, sum(sizes.values()) // _WORTH, len(begins))
    if count < 2:
        return [source]
    declared = [_HIDDEN + _head(lines[k]) + ";" for k in begins]
    files = []
    for n, mine in enumerate(_dealt(sizes, count)):
        parts = [*lines[: begins[0]], *declared]
        for k in mine:
            parts += [f"#line {k + 1}", f"{_HIDDEN}{_head(lines[k])} {{", *functions[k][1:]]
        parts += [f"#line {end + 1}", *lines[end:]] if n == 0 else [""]
        files.append("\n".join(parts))
    return files


def _head(line: str) -> str:
    found = _KERNEL.fullmatch(line)
    assert found is not None
    return found["head"]


def _dealt(sizes: dict[int, int], count: int) -> list[list[int]]:
    """The functions in that many heaps of about equal size, the longest first to the lightest."""
    heaps: list[list[int]] = [[] for _ in range(count)]
    for k in sorted(sizes, key=lambda k: (-sizes[k], k)):
        min(heaps, key=lambda heap: sum(sizes[j] for j in heap)).append(k)
    return [sorted(heap) for heap in heaps]
