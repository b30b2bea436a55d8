"""What comes with the answer to a run: the part of an output that is looked at."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from client import Client
from test_run import needs_compiler

from uir_lsp.looking import BadSlice, looked_at, read_slices, shape_of

BIG = """\
# uir: input 0 = arange
%0 = buffer 24000 : dtype=i32 slot=0
%1 = reshape %0, (3, 80, 100)
%2 = reshape %0, (24000,)
%3 = sink %1, %2
"""


def parts(client: Client, look: Any) -> list[Any]:
    uri = client.open(BIG)
    options = {"keep": True, **({} if look is None else {"look": look})}
    answer = client.request("uir/run", {"uri": uri, "options": options}, 60)
    return [output.get("part") for output in answer["outputs"]]


def elements(part: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(part["data"]), "<i4").reshape(part["shape"])


@needs_compiler
def test_a_large_output_brings_its_corner(client: Client) -> None:
    cube, vector = parts(client, None)
    assert cube["slice"] == [0, [0, 64, 1], [0, 64, 1]]
    whole = np.arange(24000, dtype=np.int32)
    np.testing.assert_array_equal(elements(cube), whole.reshape(3, 80, 100)[0, :64, :64])
    np.testing.assert_array_equal(elements(vector), whole[:4096])


@needs_compiler
def test_what_is_looked_at_comes_along(client: Client) -> None:
    whole = np.arange(24000, dtype=np.int32)
    cube, vector = parts(client, {"%1": [2, [64, 80, 1], [0, 100, 3]], "%2": []})
    np.testing.assert_array_equal(elements(cube), whole.reshape(3, 80, 100)[2, 64:80, ::3])
    np.testing.assert_array_equal(elements(vector), whole)


@needs_compiler
@pytest.mark.parametrize(
    "look", [{"%1": [5], "%2": "all"}, {"%1": [[0, 1], [0, 1], [0, 1], [0, 1]]}, [], "x", {"%1": [[0.5, 2]]}]
)
def test_a_look_that_does_not_fit_is_as_none(client: Client, look: Any) -> None:
    """It may be of a run before the shape was edited: that is no fault."""
    cube, _ = parts(client, look)
    assert cube["slice"] == [0, [0, 64, 1], [0, 64, 1]]


@pytest.mark.parametrize(
    ("shape", "part"),
    [
        ((), []),
        ((5,), [5]),
        ((3, 4), [3, 4]),
        ((0, 9), [0, 9]),
        ((5000,), [4096]),
        ((2, 300, 7), [64, 7]),
        ((9, 1, 5000), [1, 64]),
    ],
)
def test_what_a_table_shows_first(shape: tuple[int, ...], part: list[int]) -> None:
    assert shape_of(looked_at(None, shape)) == part


def test_a_bad_slice_says_why() -> None:
    with pytest.raises(BadSlice, match="at most 1 entries"):
        read_slices([0, 0], (4,))
    with pytest.raises(BadSlice, match="an axis of 4 "):
        read_slices([4], (4,))
    with pytest.raises(BadSlice):
        read_slices([True], (4,))
