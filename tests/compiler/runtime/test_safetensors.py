""".safetensors files: written here by hand with NumPy, by the package of that name, and by an enemy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from uopc.dtype import DType, dtypes
from uopc.nptypes import Array, from_np_dtype
from uopc.runtime.arrays import ArrayAbout, list_arrays, load_array
from uopc.runtime.errors import InputError
from uopc.runtime.safetensors import MOST_HEADER


def write(path: Path, header: object, data: bytes = b"", length: int | None = None) -> Path:
    """A file of that header (JSON unless it is bytes), with another length in front when one is given."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)
    return path


def entry(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def load(path: Path, key: str | None, dtype: DType, count: int) -> Array:
    return load_array(path, key, dtype, count, "buffer 0")


NAMES = {
    "BOOL": np.bool_, "I8": np.int8, "U8": np.uint8, "I16": np.int16, "U16": np.uint16, "I32": np.int32,
    "U32": np.uint32, "I64": np.int64, "U64": np.uint64, "F16": np.float16, "F32": np.float32, "F64": np.float64,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_dtype(name: str, tmp_path: Path) -> None:
    values = np.array([[0, 1, 2], [100, 1, 0]]).astype(NAMES[name])
    raw = values.tobytes()
    path = write(tmp_path / "a.safetensors", {"w": entry(name, [2, 3], 0, len(raw))}, raw)
    dtype = from_np_dtype(values.dtype)
    assert dtype is not None
    got = load(path, "w", dtype, 6)
    assert got.dtype == values.dtype
    np.testing.assert_array_equal(got, values.reshape(6))
    assert list_arrays(path) == [ArrayAbout("w", dtype.name, (2, 3))]


def test_bf16_is_the_f32_that_it_equals(tmp_path: Path) -> None:
    """1, -2, the largest, the smallest above zero, both infinities, NaN: the upper half of the bits of an f32."""
    bits = [0x3F80, 0xC000, 0x7F7F, 0x0001, 0x7F80, 0xFF80, 0x7FC0]
    raw = np.array(bits, "<u2").tobytes()
    path = write(tmp_path / "a.safetensors", {"w": entry("BF16", [7], 0, 14)}, raw)
    want = [1.0, -2.0, (2 - 2**-7) * 2.0**127, 2.0**-133, np.inf, -np.inf, np.nan]
    np.testing.assert_array_equal(load(path, None, dtypes.f32, 7), np.array(want, np.float32))
    assert list_arrays(path)[0].dtype == "f32"


def test_several_tensors_metadata_and_padding(tmp_path: Path) -> None:
    """Offsets decide, not the order in the header; an odd start is no trouble; a header may end in blanks."""
    header = {
        "__metadata__": {"format": "pt"},
        "b": entry("F32", [2], 1, 9),
        "a": entry("U8", [1], 0, 1),
        "none": entry("F32", [0, 5], 9, 9),
        "one": entry("I64", [], 9, 17),
    }
    data = b"\x07" + np.array([1.5, -2], "<f4").tobytes() + np.array([-3], "<i8").tobytes()
    path = write(tmp_path / "a.safetensors", json.dumps(header).encode() + b"   ", data)
    np.testing.assert_array_equal(load(path, "b", dtypes.f32, 2), np.array([1.5, -2], np.float32))
    assert load(path, "a", dtypes.u8, 1)[0] == 7
    assert load(path, "one", dtypes.i64, 1).tolist() == [-3]
    assert load(path, "none", dtypes.f32, 0).size == 0
    with pytest.raises(InputError, match="which of its arrays is meant: b, a, none, one"):
        load(path, None, dtypes.f32, 2)
    with pytest.raises(InputError, match="no array 'c' in it"):
        load(path, "c", dtypes.f32, 2)
    with pytest.raises(InputError, match="holds uint8, and buffer 0 is f32"):
        load(path, "a", dtypes.f32, 1)
    with pytest.raises(InputError, match="2 elements, and buffer 0 has 3"):
        load(path, "b", dtypes.f32, 3)


def test_as_the_package_writes_and_reads(tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.numpy")
    generator = np.random.default_rng(3)
    made: dict[str, Array] = {
        f"layer.{k}.{name}": generator.integers(0, 100, (k, 3, 2)).astype(kind)
        for k in (0, 1, 5) for name, kind in NAMES.items()
    }  # fmt: skip
    path = tmp_path / "model.safetensors"
    package.save_file(made, path, {"format": "np"})
    listed = {about.key: about for about in list_arrays(path)}
    assert listed.keys() == made.keys()
    for key, array in made.items():
        dtype = from_np_dtype(array.dtype)
        assert dtype is not None and listed[key] == ArrayAbout(key, dtype.name, array.shape)
        np.testing.assert_array_equal(load(path, key, dtype, array.size), array.reshape(-1))


def test_what_is_written_by_hand_here_is_what_the_package_reads(tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.numpy")
    raw = np.arange(6, dtype="<f4").tobytes()
    path = write(tmp_path / "a.safetensors", {"w": entry("F32", [2, 3], 0, 24)}, raw)
    np.testing.assert_array_equal(package.load_file(path)["w"].reshape(-1), load(path, "w", dtypes.f32, 6))


HOSTILE: Mapping[str, tuple[object, bytes, int | None, str]] = {
    "header longer than the file": ({}, b"", 1 << 40, "is said to have 1,099,511,627,776 bytes"),
    "header of all bits": ({}, b"", (1 << 64) - 1, "is said to have"),
    "no JSON": (b"{nothing", b"", None, "cannot be read as JSON"),
    "no UTF-8": (b'{"\xff": 1}', b"", None, "cannot be read as JSON"),
    "endless lists": (b'{"a":' + b"[" * 100_000, b"", None, "lists in lists without end"),
    "a list": ([1], b"", None, "not a JSON object"),
    "an entry that is none": ({"w": 3}, b"", None, "no sound dtype"),
    "a shape of floats": ({"w": {**entry("F32", [1], 0, 4), "shape": [1.0]}}, bytes(4), None, "no sound dtype"),
    "a negative size": ({"w": entry("F32", [-1], 0, 4)}, bytes(4), None, "no sound dtype"),
    "three offsets": ({"w": {**entry("F32", [1], 0, 4), "data_offsets": [0, 4, 4]}}, bytes(4), None, "no sound"),
    "an endless number": (b'{"w": {"shape": [' + b"9" * 9999 + b"]}}", b"", None, "this is not a sound"),
    "backwards": ({"w": entry("F32", [1], 4, 0)}, bytes(4), None, "ends before it begins"),
    "beyond the file": ({"w": entry("F32", [2], 0, 8)}, bytes(4), None, "8 bytes together, and the file has 4"),
    "less than the shape": ({"w": entry("F32", [3], 0, 4)}, bytes(4), None, r"4 bytes, and F32 \[3\] takes 12"),
    "a product that overflows": (
        {"w": entry("F32", [1 << 32, 1 << 32, 4], 0, 0)}, b"", None, "0 bytes, and F32",
    ),
    "an overlap": ({"a": entry("U8", [4], 0, 4), "b": entry("U8", [4], 2, 6)}, bytes(6), None, "begins at byte 2"),
    "a hole": ({"a": entry("U8", [2], 0, 2), "b": entry("U8", [2], 4, 6)}, bytes(6), None, "begins at byte 4"),
    "a rest": ({"a": entry("U8", [2], 0, 2)}, bytes(6), None, "2 bytes together, and the file has 6"),
    "a name twice": (
        b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{}}', bytes(1), None, "in its header twice",
    ),
    "a thousand axes": ({"w": entry("U8", [1] * 1000, 0, 1)}, bytes(1), None, "1,000 axes"),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused_with_the_reason(what: str, tmp_path: Path) -> None:
    header, data, length, said = HOSTILE[what]
    path = write(tmp_path / "evil.safetensors", header, data, length)
    for read in (lambda: load(path, "w", dtypes.f32, 1), lambda: list_arrays(path)):
        with pytest.raises(InputError, match=said) as caught:
            read()
        assert str(caught.value).startswith(str(path)) and len(str(caught.value)) < 600


def test_cut_files_and_long_headers(tmp_path: Path) -> None:
    path = tmp_path / "cut.safetensors"
    for size in (0, 7):
        path.write_bytes(bytes(size))
        with pytest.raises(InputError, match=f"it has {size} bytes, and the length of its header alone takes 8"):
            load(path, None, dtypes.f32, 1)
    with path.open("wb") as file:
        file.write((MOST_HEADER + 1).to_bytes(8, "little"))
        file.truncate(MOST_HEADER + 100)  # sparse: nothing of it is on the disk
    with pytest.raises(InputError, match="more than any that is read"):
        load(path, None, dtypes.f32, 1)


def test_a_dtype_of_no_language_is_said_and_harms_no_other_tensor(tmp_path: Path) -> None:
    header = {"q": entry("F8_E4M3", [4], 0, 4), "w": entry("F32", [1], 4, 8)}
    path = write(tmp_path / "a.safetensors", header, bytes(4) + np.array([2.5], "<f4").tobytes())
    assert load(path, "w", dtypes.f32, 1)[0] == 2.5
    with pytest.raises(InputError, match="holds F8_E4M3, and no dtype of the language is that"):
        load(path, "q", dtypes.f32, 4)


def test_a_large_bf16_tensor_costs_nothing_when_it_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "large.safetensors"
    count = 20_000_000_000
    text = json.dumps({"w": entry("BF16", [count], 0, 2 * count)}).encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + 2 * count)  # sparse
    with pytest.raises(InputError, match="20,000,000,000 elements, and buffer 0 has 4"):
        load(path, "w", dtypes.f32, 4)
