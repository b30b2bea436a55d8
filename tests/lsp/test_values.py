"""What a panel asks for after a run: parts of outputs, values of lines, inputs and the edits that change them."""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from client import Client, ResponseError, splice
from test_run import needs_compiler, until

from uir_lsp.kept import KeptRuns, NotKept, Output, read, write
from uopc.dtype import DType, dtypes

CUBE = """\
# uir: input 0 = arange
%0 = buffer 60 : dtype=f32 slot=0
%1 = reshape %0, (3, 4, 5)
%2 = mul %1, 2.0
"""
WHOLE = np.arange(60, dtype=np.float32).reshape(3, 4, 5) * 2


def kept_run(client: Client, text: str, uri: str = "file:///cube.uir") -> Any:
    client.open(text, uri)
    result = client.request("uir/run", {"uri": uri, "options": {"keep": True}}, 60)
    assert result["run"] is not None, result["error"]
    return result


def decoded(answer: Any, dtype: str = "<f4") -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(answer["data"]), dtype).reshape(answer["shape"])


@pytest.fixture(scope="module")
def cube(shared: Client) -> Callable[..., Any]:
    run = kept_run(shared, CUBE)["run"]
    return lambda *slices: shared.request(
        "uir/values", {"uri": "file:///cube.uir", "run": run, "output": "%2", "slice": list(slices)}
    )


@needs_compiler
@pytest.mark.parametrize(
    ("slices", "index"),
    [
        ((), np.s_[:]),
        ((1,), np.s_[1]),
        ((2, [1, 3]), np.s_[2, 1:3]),
        (([0, 3], 0, [0, 5, 2]), np.s_[:, 0, ::2]),
        ((0, 0, 0), np.s_[0, 0, 0]),
        (([0, 0],), np.s_[0:0]),
    ],
)
def test_a_slice_is_what_numpy_makes_of_it(cube: Callable[..., Any], slices: Any, index: Any) -> None:
    answer = cube(*slices)
    assert answer["dtype"] == "f32"
    assert np.array_equal(decoded(answer), WHOLE[index])


@needs_compiler
@pytest.mark.parametrize("slices", [(3,), (-1,), ([0, 5],), ([2, 1],), ([0, 3, 0],), (True,), ("x",), (0, 0, 0, 0)])
def test_a_slice_outside_the_output_is_invalid(cube: Callable[..., Any], slices: Any) -> None:
    with pytest.raises(ResponseError) as caught:
        cube(*slices)
    assert caught.value.code == -32602


@needs_compiler
def test_two_outputs_of_different_types_and_a_scalar(client: Client) -> None:
    text = (
        "# uir: input 0 = [1, 5, 2]\n%0 = buffer 3 : dtype=i64 slot=0\n%1 = cmplt %0, 3\n"
        "%2 = reduce %0 : op=add pop=1\n%3 = sink %1, %2\n"
    )
    run = kept_run(client, text)["run"]
    about = {"uri": "file:///cube.uir", "run": run}
    flags = client.request("uir/values", {**about, "output": "%1"})
    assert decoded(flags, "u1").tolist() == [1, 0, 1]
    total = client.request("uir/values", {**about, "output": "%2"})
    assert (total["dtype"], total["shape"], decoded(total, "<i8").item()) == ("i64", [], 8)


@needs_compiler
def test_runs_are_forgotten_and_leave_no_file(client: Client) -> None:
    run = kept_run(client, CUBE)["run"]
    about = {"uri": "file:///cube.uir", "run": run, "output": "%2"}
    assert "data" in client.request("uir/values", about)
    assert client.request("uir/values", {**about, "uri": "file:///other.uir"})["gone"]
    assert "no output" in client.request("uir/values", {**about, "output": "%9"})["gone"]
    if os.name != "nt":
        folders = list(Path(tempfile.gettempdir()).glob(f"uir-kept-{client.process.pid}.*-*"))
        assert [list(folder.iterdir()) for folder in folders] == [[]]
    client.notify("uir/forget", {"uri": "file:///cube.uir"})
    until(lambda: "gone" in client.request("uir/values", about))
    assert client.close() == 0
    assert not list(Path(tempfile.gettempdir()).glob(f"uir-kept-{client.process.pid}.*-*"))


@needs_compiler
def test_a_run_keeps_nothing_unless_asked(client: Client) -> None:
    result = client.request("uir/run", {"uri": client.open(CUBE)}, 60)
    assert "run" not in result
    assert "kept" not in result


@needs_compiler
def test_a_digest_is_of_the_elements(client: Client) -> None:
    first = kept_run(client, CUBE)
    again = kept_run(client, CUBE)
    other = kept_run(client, CUBE.replace("2.0", "3.0"))
    digests = [result["outputs"][0]["digest"] for result in (first, again, other)]
    assert digests[0] == digests[1] != digests[2]
    assert first["run"] != again["run"]
    assert first["outputs"][0]["text"].startswith("[[[0, 2, 4, 6, 8], [10,")


@needs_compiler
def test_what_is_not_as_expected_is_said_with_place_and_size(client: Client) -> None:
    text = CUBE.replace("60", "4").replace("(3, 4, 5)", "(2, 2)") + "# uir: expect = [0, 2, 5, 7]\n"
    result = kept_run(client, text)
    assert (result["ok"], result["expect"], result["verified"]) == (False, False, True)
    (found,) = result["differences"]
    assert (found["output"], found["against"], found["index"]) == ("%2", "expect", [1, 0])
    assert (float(found["got"]), float(found["wanted"])) == (4.0, 5.0)
    assert (found["count"], found["size"], found["largest"]) == (2, 4, 1.0)
    assert result["operations"] == 4
    assert result["memory_bytes"] == 32


# -- keeping -----------------------------------------------------------------------------------------------------------
def stored(kept: KeptRuns, uri: str, *arrays: tuple[str, DType, Any]) -> int | None:
    place = kept.place()
    return kept.take(uri, place, write(place, arrays))


def test_the_oldest_runs_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptRuns()
    array = np.arange(100, dtype=np.float32)
    numbers = [stored(kept, f"file:///{k}.uir", ("%0", dtypes.f32, array)) for k in range(10)]
    with pytest.raises(NotKept):
        kept.output("file:///1.uir", numbers[1], "%0")
    run, output = kept.output("file:///9.uir", numbers[9], "%0")
    assert read(run, output, [(0, 100, 1)]) == array.tobytes()
    monkeypatch.setattr("uir_lsp.kept.MOST_BYTES", 900)
    last = stored(kept, "file:///9.uir", ("%0", dtypes.f32, array))
    with pytest.raises(NotKept):
        kept.output("file:///8.uir", numbers[8], "%0")
    assert kept.output("file:///9.uir", last, "%0")
    assert stored(kept, "file:///9.uir", ("%0", dtypes.f64, np.zeros(1000))) is None
    kept.close()


def test_every_type_is_kept_bit_by_bit() -> None:
    kept = KeptRuns()
    types = [dtypes.bool, dtypes.i8, dtypes.u16, dtypes.f16, dtypes.f32, dtypes.i64, dtypes.u64, dtypes.f64]
    kinds = ["?", "i1", "<u2", "<f2", "<f4", "<i8", "<u8", "<f8"]
    arrays = [np.array([[0, 1, 3], [1, 0, 2]]).astype(kind) for kind in kinds]
    number = stored(kept, "file:///t.uir", *((f"%{k}", t, a) for k, (t, a) in enumerate(zip(types, arrays))))
    for k, array in enumerate(arrays):
        assert read(*kept.output("file:///t.uir", number, f"%{k}"), [(0, 2, 1), 2]) == array[:, 2].tobytes()
    kept.close()


def test_an_output_without_elements() -> None:
    kept = KeptRuns()
    number = stored(kept, "file:///t.uir", ("%0", dtypes.f32, np.zeros((0, 3), np.float32)))
    run, output = kept.output("file:///t.uir", number, "%0")
    assert isinstance(output, Output)
    assert read(run, output, [(0, 0, 1), (0, 3, 1)]) == b""
    kept.close()


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be asked for there")
def test_what_a_killed_server_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from uopc.runtime.scratch import _room

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead, living = (tmp_path / f"uir-kept-{pid}.{_room()}-x" for pid in (999999999, os.getpid()))
    for folder in (dead, living):
        folder.mkdir()
        (folder / "1").write_bytes(b"left")
    kept = KeptRuns()
    kept.place()
    assert not dead.exists()
    assert living.exists()
    kept.close()


# -- files and speed ---------------------------------------------------------------------------------------------------
@needs_compiler
def test_an_output_is_saved_as_numpy_reads_it(client: Client, tmp_path: Path) -> None:
    text = CUBE + "%3 = cmplt %1, 7.0\n%4 = reduce %2 : op=add pop=3\n%5 = shrink %2, ((0, 3), (2, 2), (0, 5))\n"
    run = kept_run(client, text + "%6 = sink %2, %3, %4, %5\n")["run"]
    wanted = {"%2": WHOLE, "%3": WHOLE / 2 < 7, "%4": WHOLE.sum(), "%5": WHOLE[:, 2:2]}
    for name, want in wanted.items():
        path = tmp_path / f"{name}.npy"
        path.write_text("what was there before")
        params = {"uri": "file:///cube.uir", "run": run, "output": name, "path": str(path)}
        assert client.request("uir/saveValues", params, 30) == {"saved": str(path)}
        got = np.load(path)
        assert got.dtype == np.asarray(want).dtype and got.shape == np.shape(want)
        np.testing.assert_array_equal(got, want)
    assert {path.suffix for path in tmp_path.iterdir()} == {".npy"}
    nowhere = {**params, "path": str(tmp_path / "none" / "a.npy")}
    assert "cannot be written: No such file" in client.request("uir/saveValues", nowhere)["error"]
    assert "no longer kept" in client.request("uir/saveValues", {**params, "run": 99})["gone"]
    with pytest.raises(ResponseError):
        client.request("uir/saveValues", {**params, "path": "relative.npy"})


def test_the_arrays_of_a_file_are_told(client: Client, start: Callable[..., Client], tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", w=np.zeros((2, 3), np.float32), b=np.zeros(4, np.int64))
    uri = client.open(CUBE, (tmp_path / "x.uir").as_uri())
    found = client.request("uir/arrays", {"uri": uri, "path": "a.npz"}, 30)["arrays"]
    assert found == [{"key": "w", "dtype": "f32", "shape": [2, 3]}, {"key": "b", "dtype": "i64", "shape": [4]}]
    assert "there is no such file" in client.request("uir/arrays", {"uri": uri, "path": "b.npz"}, 30)["error"]
    restricted = start()
    restricted.initialize(trusted=False)
    assert "not trusted" in restricted.request("uir/arrays", {"uri": restricted.open(CUBE), "path": "a.npz"})["error"]


@needs_compiler
def test_a_run_is_told_against_the_peak_once_that_is_measured(start: Callable[..., Client], tmp_path: Path) -> None:
    client = start(env={"UIR_CACHE_DIR": str(tmp_path)})
    client.initialize()
    result = kept_run(client, CUBE)
    assert result["speed"]["compute"]["peak"] is None
    params = {name: result[name] for name in ("operations", "memory_bytes", "kernel_ms")}
    speed = client.request("uir/speed", {"uri": "file:///cube.uir", "dtype": "f32", **params}, 60)["speed"]
    assert speed["compute"]["peak"] > speed["compute"]["rate"] > 0
    assert kept_run(client, CUBE)["speed"]["compute"]["peak"] == speed["compute"]["peak"]
    with pytest.raises(ResponseError):
        client.request("uir/speed", {"uri": "file:///cube.uir", "dtype": "f32", **params, "kernel_ms": "fast"})


# -- values of lines ---------------------------------------------------------------------------------------------------
def line_values(client: Client, text: str) -> dict[str, str]:
    answer = client.request("uir/lineValues", {"uri": client.open(text, "file:///lines.uir")}, 60)
    return {one["name"]: one["text"] for one in answer["values"]}


def test_each_line_has_its_first_elements(client: Client) -> None:
    found = line_values(client, CUBE)
    assert found["%0"].startswith("[0, 1, 2, 3,")
    assert found["%2"].startswith("[[[0, 2, 4, 6, 8], [10, 1")


def test_a_preview_fits_beside_its_line_and_the_whole_is_there_on_asking(client: Client) -> None:
    answer = client.request("uir/lineValues", {"uri": client.open(CUBE, "file:///lines.uir")}, 60)
    (whole,) = [one["whole"] for one in answer["values"] if one["name"] == "%1"]
    assert all(len(one["text"]) <= 30 for one in answer["values"])
    assert np.array_equal(np.array(eval(whole)), np.arange(60).reshape(3, 4, 5))


def test_short_values_are_whole_and_numbers_short(client: Client) -> None:
    text = "# uir: input 0 = [1, 2, 3, -inf]\n%0 = buffer 4 : dtype=f32 slot=0\n%1 = reshape %0, (2, 2)\n"
    text += "%2 = mul %1, 0.3333333333\n%3 = cmplt %0, 2.0\n%4 = reduce %0 : op=max pop=1\n%5 = sink %2, %3, %4\n"
    found = line_values(client, text)
    assert found["%1"] == "[[1, 2], [3, -inf]]"
    assert found["%2"] == "[[0.3333, 0.6667], [1, …"
    assert found["%3"] == "[true, false, false, true]"
    assert found["%4"] == "3"


def test_a_value_too_large_for_a_preview_is_left_out(client: Client) -> None:
    text = "%0 = buffer 512 : dtype=f32 slot=0\n%1 = reshape %0, (1, 512)\n%2 = expand %1, (4096, 512)\n"
    text += "%3 = reduce %2 : op=add pop=1\n"
    assert {"%0", "%1", "%3"} == set(line_values(client, text))


def test_no_values_of_a_file_with_errors_or_without_trust(client: Client, start: Callable[..., Client]) -> None:
    assert line_values(client, CUBE + "%3 = neg %none\n") == {}
    restricted = start()
    restricted.initialize(trusted=False)
    answer = restricted.request("uir/lineValues", {"uri": restricted.open(CUBE)})
    assert answer["values"] == []
    assert "not trusted" in answer["message"]


# -- inputs ------------------------------------------------------------------------------------------------------------
TWO = "%0 = buffer 4 : dtype=f32 slot=0\n# uir: input 1 = randn seed=3\n%1 = buffer 4 : dtype=i32 slot=1\n"
TWO += "%2 = cast %1, f32\n%3 = add %0, %2\n"


def applied(client: Client, text: str, slot: int, source: str) -> str:
    uri = client.open(text, "file:///in.uir")
    (edit,) = client.request("uir/inputEdit", {"uri": uri, "slot": slot, "source": source})["edits"]
    lines = text.split("\n")
    first, last = edit["range"]["start"], edit["range"]["end"]
    head = lines[first["line"]][: first["character"]]
    tail = lines[last["line"]][last["character"] :] if last["line"] < len(lines) else ""
    before, after = lines[: first["line"]], lines[last["line"] + 1 :]
    return "\n".join([*before, head + edit["newText"] + tail, *after])


def test_the_inputs_of_a_program(client: Client) -> None:
    found = client.request("uir/inputs", {"uri": client.open(TWO)})["inputs"]
    assert [(one["slot"], one["name"], one["dtype"], one["size"], one["source"]) for one in found] == [
        (0, "%0", "f32", 4, None),
        (1, "%1", "i32", 4, "randn seed=3"),
    ]


def test_a_directive_is_replaced_added_and_taken_away(client: Client) -> None:
    assert applied(client, TWO, 1, "full 7") == TWO.replace("randn seed=3", "full 7")
    below = TWO.replace("seed=3\n", "seed=3\n# uir: input 0 = arange\n")
    assert applied(client, TWO, 0, "arange") == below
    assert applied(client, TWO, 1, "") == TWO.replace("# uir: input 1 = randn seed=3\n", "")
    plain = TWO.replace("# uir: input 1 = randn seed=3\n", "")
    assert applied(client, "# a title\n\n" + plain, 0, "ones") == "# a title\n\n# uir: input 0 = ones\n" + plain


@pytest.mark.parametrize("source", ["nothing", "full", "ones\n%9 = neg %0", "uniform 1", "randn seed=-1", "ones # x"])
def test_a_source_that_is_none_is_a_sentence(client: Client, source: str) -> None:
    uri = client.open(TWO)
    assert client.request("uir/inputEdit", {"uri": uri, "slot": 0, "source": source})["error"]


def test_an_edit_answers_to_the_newest_text(client: Client) -> None:
    uri = client.open(TWO)
    client.edit(uri, 2, splice(0, 0, 0, "# first\n"))
    (edit,) = client.request("uir/inputEdit", {"uri": uri, "slot": 1, "source": "ones"})["edits"]
    assert edit["range"]["start"]["line"] == 2
