"""The debug adapter, driven over its pipes as an editor does it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dap_client import DapClient, Refused
from stepping_help import OUTSIDE

GEMM = """\
# uir: input 0 = arange
# uir: input 1 = arange
%a = buffer 6 : dtype=f32 slot=0
%b = buffer 12 : dtype=f32 slot=1
%am = reshape %a, (2, 3, 1)
%ax = expand %am, (2, 3, 4)
%bm = reshape %b, (1, 3, 4)
%bx = expand %bm, (2, 3, 4)
%ab = mul %ax, %bx
%p = permute %ab, (0, 2, 1)
%c = reduce %p : op=add pop=1
"""
if sys.platform != "win32":
    import resource
NOW = "Counters, accumulators, this line"


@pytest.fixture
def client() -> Iterator[DapClient]:
    found = DapClient()
    yield found
    found.close()


@pytest.fixture
def gemm(tmp_path: Path) -> Path:
    file = tmp_path / "gemm.uir"
    file.write_text(GEMM)
    return file


def listing(client: DapClient) -> list[str]:
    text = client.ask("source", sourceReference=1, source={"sourceReference": 1})["content"]
    return ["", *text.splitlines()]  # from 1


def line_of(client: DapClient, start: str) -> int:
    return next(k for k, line in enumerate(listing(client)) if line.strip().startswith(start))


def test_it_stops_at_the_first_line_that_does_something(client: DapClient, gemm: Path) -> None:
    client.launch(gemm)
    assert client.event("stopped")["reason"] == "entry"
    assert "%i = range 2" in listing(client)[client.line()]
    bottom = client.frames()[-1]
    assert bottom["source"]["path"] == str(gemm)
    assert (bottom["name"], bottom["line"]) == ("%c = reduce", 11)


def test_lines_forward_and_back_show_the_same(client: DapClient, gemm: Path) -> None:
    client.launch(gemm)
    client.event("stopped")
    seen = []
    for _ in range(40):
        seen.append((client.line(), client.counters(), client.scope(NOW), client.scope("Buffers")))
        client.go("next")
    for before in reversed(seen):
        client.go("stepBack")
        assert before == (
            client.line(),
            client.counters(),
            client.scope(NOW),
            client.scope("Buffers"),
        )
    assert client.go("stepBack")["description"] == "This is the beginning."


def test_counters_stack_and_loads_at_a_conditional_breakpoint(client: DapClient, gemm: Path) -> None:
    """i = 1, j = 2, k = 1: A[1, 1] is element 4 and B[1, 2] element 6; 4 * 6 is added to A[1, 0] * B[0, 2] = 3 * 2."""
    client.launch(gemm, stopOnEntry=False)  # nothing is set yet: it runs to its end
    assert "ended" in client.event("stopped")["description"]
    lines = listing(client)
    line = next(k for k, text in enumerate(lines) if " = mul %v" in text and "load" in lines[k - 1])
    condition = "i == 1 && j == 2 && k == 1"
    (answer,) = client.ask(
        "setBreakpoints", source={"sourceReference": 1}, breakpoints=[{"line": line, "condition": condition}]
    )["breakpoints"]
    assert answer["verified"]
    stopped = client.go("reverseContinue")
    assert (stopped["reason"], stopped["hitBreakpointIds"]) == ("breakpoint", [answer["id"]])
    assert client.counters() == {"i": "1  (0..1)", "j": "2  (0..3)", "k": "1  (0..2)"}
    assert [f["name"] for f in client.frames()][:3] == ["for k = 1 in 0..2", "for j = 2 in 0..3", "for i = 1 in 0..1"]
    assert client.frames()[-1]["name"] == "%ab = mul"
    facts = client.scope(NOW)
    assert facts["this line"] == "4.0 * 6.0 → 24.0"
    assert facts["that is"].startswith("%p[1, 2, 1]") and "%ab[1, 1, 2]" in facts["that is"]
    assert facts["%acc0"] == "6.0  (add for %c[1, 2])"
    assert client.value("k + 10 * i") == "11"
    assert client.value("%acc0") == "6.0"
    client.go("next")
    assert client.value("file:%ab") == "24.0  = %p[1, 2, 1] = %ab[1, 1, 2]"


def test_a_breakpoint_on_a_line_of_the_file_stops_at_the_lines_made_for_it(client: DapClient, gemm: Path) -> None:
    answers = client.launch(gemm, {"file": [{"line": 9}, {"line": 5}, {"line": 1}]})
    assert [a["verified"] for a in answers] == [True, True, True]
    assert [a["line"] for a in answers] == [9, 5, 3]  # a comment: the next statement
    client.event("stopped")
    assert client.go("continue")["hitBreakpointIds"] == [answers[1]["id"], answers[2]["id"]]
    assert "load" in client.scope(NOW)["this line"]
    assert client.go("continue")["hitBreakpointIds"] == [answers[0]["id"]]
    assert client.scope(NOW)["this line"] == "0.0 * 0.0 → 0.0"


def test_rounds_and_loops_are_stepped_into_and_out_of(client: DapClient, gemm: Path) -> None:
    client.launch(gemm)
    client.event("stopped")
    counters = []
    for _ in range(5):
        client.go("stepIn")
        counters.append({name: value.split()[0] for name, value in client.counters().items()})
    assert counters == [
        {"i": "0"},
        {"i": "0", "j": "0"},
        {"i": "0", "j": "0", "k": "0"},
        {"i": "0", "j": "0", "k": "1"},
        {"i": "0", "j": "0", "k": "2"},
    ]
    client.go("stepOut")
    assert list(client.counters()) == ["i", "j"]
    client.go("stepOut")
    assert {name: value.split()[0] for name, value in client.counters().items()} == {"i": "1"}


def test_buffers_come_in_pages_and_say_what_was_just_touched(client: DapClient, gemm: Path) -> None:
    client.launch(gemm)
    client.event("stopped")
    buffers = client.variables(client.reference("Buffers"))
    assert {b["name"]: b["indexedVariables"] for b in buffers} == {"%b0": 6, "%b1": 12, "%b2": 8}
    b1 = next(b for b in buffers if b["name"] == "%b1")
    page = client.variables(b1["variablesReference"], start=9, count=2)
    assert [(v["name"], v["value"]) for v in page] == [("[9]", "9.0"), ("[10]", "10.0")]
    b2 = next(b for b in buffers if b["name"] == "%b2")
    info = client.ask("dataBreakpointInfo", variablesReference=b2["variablesReference"], name="[5]")
    client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
    assert client.go("continue")["reason"] == "data breakpoint"
    (element,) = client.variables(b2["variablesReference"], start=5, count=1)
    # C[1, 1] = 3 * 1 + 4 * 5 + 5 * 9
    assert element["value"] == "68.0  (%c[1, 1])  ← just written"
    client.go("stepBack")
    (element,) = client.variables(b2["variablesReference"], start=5, count=1)
    assert element["value"] == "0.0  (%c[1, 1])"


def test_log_messages_come_in_order(client: DapClient, gemm: Path) -> None:
    client.launch(gemm, {"file": [{"line": 9, "logMessage": "at {i}, {j}, {k}", "condition": "k == 2 and i == 1"}]})
    client.event("stopped")
    client.ask("continue", threadId=1)
    assert [client.event("output")["output"] for _ in range(4)] == [f"at 1, {j}, 2\n" for j in range(4)]


def test_a_hit_count(client: DapClient, gemm: Path) -> None:
    client.launch(gemm, {"file": [{"line": 9, "hitCondition": "% 5"}]})
    client.event("stopped")
    client.go("continue")  # the fifth product: i = 0, j = 1, k = 1
    assert [v.split()[0] for v in client.counters().values()] == ["0", "1", "1"]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("q == 1", "there is no `q` here: the counters are i, j, k"),
        ("i == ", "the expression ends too early"),
        ("i = 1", "`=` has no meaning here"),
        ("__import__('os')", "`'` has no meaning here"),
    ],
)
def test_a_condition_that_cannot_be_read_is_refused_with_the_reason(
    client: DapClient, gemm: Path, condition: str, message: str
) -> None:
    (answer,) = client.launch(gemm, {"file": [{"line": 9, "condition": condition}]})
    assert (answer["verified"], answer["message"]) == (False, message)


def test_a_load_outside_its_memory_names_the_line_and_can_be_stepped_back_from(
    client: DapClient, tmp_path: Path
) -> None:
    file = tmp_path / "outside.uir"
    file.write_text(OUTSIDE)
    client.launch(file)
    client.event("stopped")
    stopped = client.go("continue")
    assert stopped["reason"] == "exception"
    assert stopped["text"] == "line 8: %put (store): store outside its memory: index 3 is not in 0..2, at i = 3"
    assert client.ask("exceptionInfo", threadId=1)["description"] == stopped["text"]
    assert client.line() == 8
    assert client.frames()[0]["source"]["path"] == str(file)
    client.go("stepBack")
    assert client.line() == 7


def test_a_loop_program_is_stepped_through_in_its_own_file(client: DapClient) -> None:
    file = Path(__file__).parents[2] / "examples" / "row_sum_loops.uir"
    lines = ["", *file.read_text().splitlines()]
    (answer,) = client.launch(file, {"file": [{"line": lines.index("%total = load %a3"), "condition": "i == 1"}]})
    assert answer["verified"]
    client.event("stopped")
    client.go("continue")
    assert lines[client.line()] == "%total = load %a3"
    assert client.scope(NOW)["this line"] == "load %acc → 22.0"  # 4 + 5 + 6 + 7


def test_a_program_of_many_steps_is_cut_with_what_to_shrink(client: DapClient, tmp_path: Path) -> None:
    file = tmp_path / "many.uir"
    file.write_text(
        "%x = buffer 256 : dtype=f32 slot=0\n%r = reshape %x, (256, 1, 1)\n%e = expand %r, (256, 256, 256)\n"
        "%y = mul %e, 2.0\n%s = reduce %y : op=max pop=2\n"
    )
    client.launch(file, maxSteps=200_000)
    client.event("stopped")
    client.ask("continue", threadId=1)
    client.ask("pause", threadId=1)  # heard while it runs
    assert client.event("stopped")["reason"] == "pause"
    stopped = client.go("continue")
    assert "200,000 steps were followed" in stopped["text"]
    assert "i 256 × j 256 × k 256" in stopped["text"]
    client.go("stepBack")


def test_without_a_limit_of_its_own_a_session_ends_after_two_million_steps(client: DapClient, tmp_path: Path) -> None:
    file = tmp_path / "many.uir"
    file.write_text(
        "%x = buffer 1000 : dtype=f32 slot=0\n%r = reshape %x, (1000, 1)\n"
        "%e = expand %r, (1000, 1000)\n%y = mul %e, 2.0\n"
    )
    client.launch(file, stopOnEntry=False)
    assert "2,000,000 steps were followed" in client.event("stopped")["text"]
    assert client.frames()


# -- memory --------------------------------------------------------------------------------------------------------
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads and sets the limits of another process")


def room(client: DapClient, more: int) -> None:
    """Leaves the adapter so many bytes more than it has mapped now."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    mapped = int(status.partition("VmSize:")[2].split()[0]) << 10
    resource.prlimit(client.process.pid, resource.RLIMIT_AS, (mapped + more, resource.RLIM_INFINITY))


@linux
def test_the_adapter_has_the_memory_of_a_run(client: DapClient) -> None:
    client.ask("initialize")
    with pytest.raises(Refused):
        client.ask("launch")  # by now it is all there
    soft, _ = resource.prlimit(client.process.pid, resource.RLIMIT_AS)
    assert soft == 4 << 30


@linux
def test_a_program_that_memory_is_too_small_for_is_refused_and_a_smaller_one_begins(
    client: DapClient, gemm: Path, tmp_path: Path
) -> None:
    large = tmp_path / "large.uir"
    large.write_text("%x = buffer 400000 : dtype=f32 slot=0\n%y = mul %x, 2.0\n")
    client.ask("initialize")
    with pytest.raises(Refused):
        client.ask("launch", program=str(tmp_path / "no.uir"))
    room(client, 2 << 20)
    with pytest.raises(Refused, match="not enough memory"):
        client.ask("launch", program=str(large))
    room(client, 256 << 20)
    client.launch(gemm)
    assert client.event("stopped")["reason"] == "entry"


@linux
def test_memory_that_ends_while_it_runs_stops_it_and_it_can_be_looked_at(client: DapClient, tmp_path: Path) -> None:
    file = tmp_path / "long.uir"
    file.write_text("%x = buffer 200000 : dtype=f32 slot=0\n%y = mul %x, 2.0\n")
    client.launch(file)
    client.event("stopped")
    room(client, 24 << 20)
    stopped = client.go("continue")
    assert stopped["text"].startswith("there is not enough memory")
    room(client, 256 << 20)
    (counter,) = client.counters().values()
    client.go("stepOut")
    client.go("stepBack")
    assert int(counter.split()[0]) > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%x = buffer 4 : dtype=f32 slot=0\n%y = reshape %x, (3)\n", "line 2: "),
        ("%x = buffer 4000000 : dtype=f32 slot=0\n%y = mul %x, 2.0\n", "too large to step through"),
        ('# uir: input 0 = file "no.npy"\n%x = buffer 4 : dtype=f32 slot=0\n%y = mul %x, 2.0\n', "no.npy"),
    ],
)
def test_what_cannot_be_launched_is_said(client: DapClient, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.uir"
    file.write_text(text)
    client.ask("initialize")
    with pytest.raises(Refused, match=message):
        client.ask("launch", program=str(file))


def test_stepping_to_a_value(client: DapClient, gemm: Path) -> None:
    client.launch(gemm, value="%ab")
    client.event("stopped")
    assert client.frames()[0]["source"]["name"] == "gemm %ab.loops.uir"
    assert not any("reduce" in line for line in listing(client))


def test_requests_that_make_no_sense_are_refused_and_the_session_lives(client: DapClient, gemm: Path) -> None:
    client.ask("initialize")
    with pytest.raises(Refused, match="nothing has been launched"):
        client.ask("stackTrace", threadId=1)
    with pytest.raises(Refused):
        client.ask("noSuchRequest")
    client.launch(gemm)
    client.event("stopped")
    with pytest.raises(Refused):
        client.ask("variables", variablesReference="x")
    assert client.ask("variables", variablesReference=99_999)["variables"] == []
    with pytest.raises(Refused, match="not computed yet"):
        client.value("%v12")
    assert client.frames()


def test_disconnect_ends_the_process_while_it_runs(client: DapClient, tmp_path: Path) -> None:
    file = tmp_path / "many.uir"
    file.write_text("%x = buffer 262144 : dtype=f32 slot=0\n%y = mul %x, 2.0\n")
    client.launch(file)
    client.event("stopped")
    client.ask("continue", threadId=1)
    assert client.close() == 0


def test_the_end_of_the_client_ends_the_process(gemm: Path) -> None:
    client = DapClient()
    client.launch(gemm)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(30) == 0
