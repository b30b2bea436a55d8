"""What the parameters of a method must look like, and the check of it.

A shape is a dictionary of the members that are read (a name that ends in `?` may be absent or null), a list with the
shape of each entry, or one of the checks below. Members that no shape names are nobody's business: what a client of
the future adds changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from uir_lsp.refusal import InvalidParams

Check: TypeAlias = Callable[[Any], bool]
Shape: TypeAlias = "dict[str, Any] | list[Any] | Check"

MAX_UINTEGER = 2**31 - 1  # the protocol's largest line or column


def number(value: Any) -> bool:
    """a whole number of 0..2147483647"""
    return type(value) is int and 0 <= value <= MAX_UINTEGER


def integer(value: Any) -> bool:
    """a whole number"""
    return type(value) is int


def text(value: Any) -> bool:
    """a string"""
    return isinstance(value, str)


def truth(value: Any) -> bool:
    """true or false"""
    return isinstance(value, bool)


def token(value: Any) -> bool:
    """a number or a string"""
    return type(value) is int or isinstance(value, str)


def anything(_: Any) -> bool:
    """anything"""
    return True


POSITION: Shape = {"line": number, "character": number}
RANGE: Shape = {"start": POSITION, "end": POSITION}
ABOUT: dict[str, Any] = {"textDocument": {"uri": text}}
AT: dict[str, Any] = {**ABOUT, "position": POSITION}
WITHIN: dict[str, Any] = {**ABOUT, "range": RANGE}


def check(value: Any, shape: Shape, place: str = "params") -> None:
    """Raises InvalidParams, with the place and what is wanted there, if a value has not the shape."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise InvalidParams(f"invalid params: {place} is an object")
        for name, inner in shape.items():
            found = value.get(name.rstrip("?"))
            if found is None and name.endswith("?"):
                continue
            if found is None and name not in value:
                raise InvalidParams(f"invalid params: {place}.{name} is missing")
            check(found, inner, f"{place}.{name.rstrip('?')}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise InvalidParams(f"invalid params: {place} is a list")
        for k, entry in enumerate(value):
            check(entry, shape[0], f"{place}[{k}]")
    elif not shape(value):
        raise InvalidParams(f"invalid params: {place} is {shape.__doc__}")
