"""The data of buffers: defaults by slot, directives, files that may be anything."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from uopc.dtype import DType, dtypes
from uopc.nptypes import Array, np_dtype
from uopc.runtime.arrays import ArrayAbout, ArrayFile, list_arrays
from uopc.runtime.errors import InputError
from uopc.runtime.inputs import BufferUse, buffers_of, default_input, from_spec, make_inputs
from uopc.uir import analyze
from uopc.uop import buf, range_, sink


def inputs_of(text: str, folder: Path, files: dict[int, ArrayFile] | None = None) -> dict[int, Array]:
    analysis = analyze(text)
    assert analysis.root is not None, analysis.diagnostics
    return make_inputs(buffers_of(analysis.root), analysis.directives.inputs, folder, files)


def one(directive: str, folder: Path, dtype: str = "f32", n: int = 4) -> Array:
    text = f"# uir: input 0 = {directive}\n%0 = buffer {n} : dtype={dtype} slot=0\n%1 = add %0, %0\n"
    if dtype == "bool":
        text = text.replace("add", "or")
    return inputs_of(text, folder)[0]


# -- which buffers -------------------------------------------------------------------------------------------------
def test_uses() -> None:
    a, b, o = buf(0, 4), buf(1, 4), buf(2, 4)
    assert [(u.slot, u.read, u.stored) for u in buffers_of(sink(o.store(a + b)))] == [
        (0, True, False),
        (1, True, False),
        (2, False, True),
    ]


def test_a_view_of_memory_is_read_and_a_view_as_destination_is_not() -> None:
    a, o = buf(0, 4), buf(1, 4)
    uses = buffers_of(sink(o.reshape((2, 2)).store(a.reshape((2, 2)))))
    assert [(u.slot, u.read, u.stored) for u in uses] == [(0, True, False), (1, False, True)]
    assert buffers_of(a)[0].read
    assert buffers_of(a.index(2))[0].read


def test_loop_program_that_adds_in_place() -> None:
    a, r = buf(3, 4), range_(4, 0)
    at = a.index(r)
    use = buffers_of(sink(at.store(at.load() + 1.0).end(r)))[0]
    assert (use.slot, use.read, use.stored) == (3, True, True)


def test_loop_program_that_gathers() -> None:
    """A buffer whose elements are places is read too."""
    a, places, o, r = buf(0, 4), buf(1, 4, dtypes.i32), buf(2, 4), range_(4, 0)
    body = o.index(r).store(a.index(places.index(r).load()).load())
    assert [(u.slot, u.read) for u in buffers_of(sink(body.end(r)))] == [(0, True), (1, True), (2, False)]


# -- defaults ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", dtypes.all[:-1], ids=str)
def test_default(dtype: DType) -> None:
    generator = np.random.default_rng(3)
    if dtype.is_float:
        want = generator.standard_normal(50)
    elif dtype is dtypes.bool:
        want = generator.integers(0, 2, 50)
    elif dtype.is_unsigned:
        want = generator.integers(0, 17, 50)
    else:
        want = generator.integers(-8, 9, 50)
    got = default_input(3, dtype, 50)
    assert got.dtype == np_dtype(dtype)
    np.testing.assert_array_equal(got, want.astype(np_dtype(dtype)))


def test_output_buffers_have_no_default(tmp_path: Path) -> None:
    buffers = "%a = buffer 4 : dtype=f32 slot=0\n%o = buffer 4 : dtype=f32 slot=1\n"
    text = buffers + "%b = neg %a\n%s = store %o, %b\n%k = sink %s\n"
    assert sorted(inputs_of(text, tmp_path)) == [0]


# -- directives ----------------------------------------------------------------------------------------------------
def test_words(tmp_path: Path) -> None:
    np.testing.assert_array_equal(one("arange", tmp_path), [0, 1, 2, 3])
    np.testing.assert_array_equal(one("zeros", tmp_path), [0, 0, 0, 0])
    np.testing.assert_array_equal(one("ones", tmp_path, "i8"), [1, 1, 1, 1])
    np.testing.assert_array_equal(one("full 2.5", tmp_path), [2.5] * 4)
    np.testing.assert_array_equal(one("full -1", tmp_path, "i64"), [-1] * 4)
    np.testing.assert_array_equal(one("arange", tmp_path, "bool"), [False, True, True, True])
    np.testing.assert_array_equal(one("arange", tmp_path, "u8", 300)[254:258], [254, 255, 0, 1])
    assert one("zeros", tmp_path, n=0).shape == (0,)
    assert one("full 3", tmp_path, n=0).shape == (0,)


def test_random(tmp_path: Path) -> None:
    want = np.random.default_rng(7).standard_normal(4).astype(np.float32)
    np.testing.assert_array_equal(one("randn seed=7", tmp_path), want)
    want = np.random.default_rng(0).uniform(-2, 5, 4)
    np.testing.assert_array_equal(one("uniform -2 5", tmp_path, "f64"), want)


def test_lists(tmp_path: Path) -> None:
    np.testing.assert_array_equal(one("[1, -2.5, inf, nan]", tmp_path), np.array([1, -2.5, np.inf, np.nan], np.float32))
    np.testing.assert_array_equal(one("[true, false, 1, 0]", tmp_path, "bool"), [True, False, True, False])
    big = one("[18446744073709551615, 0, 1, 9223372036854775808]", tmp_path, "u64")
    assert [int(x) for x in big] == [2**64 - 1, 0, 1, 2**63]
    assert np.signbit(one("[-0.0, 0, 0, 0]", tmp_path)[0])
    half = one("[70000, 1, 1, 1]", tmp_path, "f16")
    assert half[0] == np.inf


def test_specs_that_do_not_fit_are_errors_here_too() -> None:
    """The checker says so first; this is for those who come without it."""
    spec = analyze("# uir: input 0 = [1, 2, 3]\n%0 = buffer 3 : dtype=f32 slot=0\n").directives.inputs[0]
    with pytest.raises(InputError, match="3 numbers, and the buffer 4"):
        from_spec(spec, BufferUse(0, dtypes.f32, 4, True, False), Path())
    spec = analyze("# uir: input 0 = [1.5]\n%0 = buffer 1 : dtype=f32 slot=0\n").directives.inputs[0]
    with pytest.raises(InputError, match=r"i32, and 1\.5 is a float"):
        from_spec(spec, BufferUse(0, dtypes.i32, 1, True, False), Path())
    spec = analyze("# uir: input 0 = full 300\n%0 = buffer 1 : dtype=f32 slot=0\n").directives.inputs[0]
    with pytest.raises(InputError, match="cannot hold"):
        from_spec(spec, BufferUse(0, dtypes.u8, 1, True, False), Path())
    spec = analyze("# uir: input 0 = randn\n%0 = buffer 1 : dtype=f32 slot=0\n").directives.inputs[0]
    with pytest.raises(InputError, match="randn gives floats"):
        from_spec(spec, BufferUse(0, dtypes.i32, 1, True, False), Path())


# -- files ---------------------------------------------------------------------------------------------------------
def test_file_relative_to_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "a.npy", np.arange(4, dtype=np.float32).reshape(2, 2))
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(one('file "data/a.npy"', tmp_path), [0, 1, 2, 3])


def test_column_major_big_endian_and_empty(tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", np.asfortranarray(np.arange(4, dtype=np.float32).reshape(2, 2)))
    np.testing.assert_array_equal(one('file "f.npy"', tmp_path), [0, 1, 2, 3])
    np.save(tmp_path / "b.npy", np.arange(4).astype(">f4"))
    got = one('file "b.npy"', tmp_path)
    np.testing.assert_array_equal(got, [0, 1, 2, 3])
    assert got.dtype == np.dtype("<f4")
    np.save(tmp_path / "e.npy", np.zeros((0, 3), np.float32))
    assert one('file "e.npy"', tmp_path, n=0).shape == (0,)


def test_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.arange(4, dtype=np.float32), y=np.ones(4, np.float32))
    np.testing.assert_array_equal(one('file "a.npz" "y"', tmp_path), [1, 1, 1, 1])
    with pytest.raises(InputError, match="no array 'z' in it, there is x, y"):
        one('file "a.npz" "z"', tmp_path)
    with pytest.raises(InputError, match="which of its arrays is meant: x, y"):
        one('file "a.npz"', tmp_path)


def test_input_option_goes_before_the_directive(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(4, dtype=np.float32))
    text = "# uir: input 0 = zeros\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = neg %0\n"
    np.testing.assert_array_equal(inputs_of(text, Path(), {0: ArrayFile(tmp_path / "a.npy")})[0], [0, 1, 2, 3])
    with pytest.raises(InputError, match=r"no buffer 5 \(its slots: 0\)"):
        inputs_of(text, Path(), {5: ArrayFile(tmp_path / "a.npy")})


class Evil:
    """Leaves a mark when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return (open, ("/tmp/uir-pickle-was-loaded", "w"))


def bad_files(folder: Path) -> dict[str, str]:
    """Names of files that must not be read as four f32, and what is said about them."""
    np.save(folder / "short.npy", np.zeros(3, np.float32))
    np.save(folder / "wide.npy", np.zeros(4, np.float64))
    np.save(folder / "object.npy", np.array([Evil(), 1, 2, 3], object), allow_pickle=True)
    (folder / "pickle.npy").write_bytes(pickle.dumps([1, 2, 3, 4]))
    (folder / "empty.npy").write_bytes(b"")
    (folder / "text.npy").write_text("1 2 3 4")
    whole = (folder / "short.npy").read_bytes()
    (folder / "cut.npy").write_bytes(whole[:-5])
    huge = whole.replace(b"(3,)", b"(10000000000000,)").replace(b" " * 13 + b"\n", b"\n")
    (folder / "huge.npy").write_bytes(huge)
    (folder / "bad.npz").write_bytes(b"PK nothing")
    with zipfile.ZipFile(folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", bytes(50_000_000))
    np.savez(folder / "object.npz", x=np.array([Evil(), 1, 2, 3], object))
    (folder / "folder.npy").mkdir()
    return {
        "missing.npy": "there is no such file",
        "short.npy": "3 elements, and buffer 0 has 4",
        "wide.npy": "holds float64, and buffer 0 is f32",
        "object.npy": "pickle",
        "pickle.npy": "not a .npy file",
        "empty.npy": "not a .npy file",
        "text.npy": "not a .npy file",
        "cut.npy": "cannot be read as an array",
        "huge.npy": "cannot be read as an array",
        "bad.npz": "cannot be read as an array",
        "bomb.npz": "far more than 4 elements",
        "object.npz": "pickle",
        "folder.npy": "not a file",
    }


def test_bad_files(tmp_path: Path) -> None:
    for name, said in bad_files(tmp_path).items():
        with pytest.raises(InputError, match=said) as caught:
            one(f'file "{name}"', tmp_path)
        assert name in str(caught.value)
    assert not Path("/tmp/uir-pickle-was-loaded").exists()


def test_the_arrays_of_a_file_are_listed_without_reading_them(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 3), np.int16))
    assert list_arrays(tmp_path / "a.npy") == [ArrayAbout("", "i16", (2, 3))]
    np.savez_compressed(tmp_path / "a.npz", w=np.zeros((1000, 1000), np.float16), c=np.zeros(2, np.complex64))
    assert list_arrays(tmp_path / "a.npz") == [ArrayAbout("w", "f16", (1000, 1000)), ArrayAbout("c", "complex64", (2,))]
    for name in bad_files(tmp_path).keys() - {"short.npy", "wide.npy", "object.npy", "object.npz", "huge.npy"}:
        if name != "cut.npy":  # its header is whole
            with pytest.raises(InputError, match=name):
                list_arrays(tmp_path / name)
