"""The child process: what it computes, and how each way to die becomes a sentence."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from runtime_help import Argument, wait_until

from uopc.dtype import dtypes
from uopc.runtime.cache import Cache
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import Cancelled, LoadError, RunError, Stopped
from uopc.runtime.execute import Execution, execute
from uopc.runtime.library import build_library
from uopc.runtime.limits import Limits

DOUBLE = "for (int i = 0; i < 4; i++) o[i] = a[i] * 2;"


def test_result_and_time(run_c) -> None:
    done = run_c(DOUBLE)
    np.testing.assert_array_equal(done.outputs[1], np.array([0, 2, 4, 6], np.float32))
    assert done.check == 0
    assert 0 < done.kernel_ms < 1000


def test_first_run_counts_although_more_are_timed(run_c) -> None:
    done = run_c("static float calls; o[0] = calls++; o[1] = o[2] = o[3] = 7;")
    np.testing.assert_array_equal(done.outputs[1], np.array([0, 7, 7, 7], np.float32))


def test_timing_repeats(run_c) -> None:
    """The first run sleeps longer than the others; the shortest is told."""
    body = "static int calls; struct timespec t = {0, calls++ ? 500000 : 6000000}; nanosleep(&t, 0); o[0] = 1;"
    assert 0.4 < run_c(body, before="#include <time.h>").kernel_ms < 5.5


def test_a_long_run_is_not_repeated(run_c) -> None:
    began = time.monotonic()
    done = run_c("struct timespec t = {0, 400000000}; nanosleep(&t, 0);", before="#include <time.h>")
    assert done.kernel_ms >= 400
    assert time.monotonic() - began < 400e-3 * 2.5 + 5  # the machine may be busy; fifty runs would be 20 s


def test_check_number(shared_cache: Cache, scratch: Path) -> None:
    built = build_library("int program(float *o) { o[0] = 1; return 3; }\n", cache=shared_cache)
    done = execute(built.path, "program", (Argument(0, dtypes.f32, 1, True),), {}, checked=True)
    assert done.check == 3
    assert done.outputs == {}


def test_every_dtype_and_no_elements(shared_cache: Cache, scratch: Path) -> None:
    source = "#include <string.h>\nvoid program(const void *a, void *o, void *e) { memcpy(o, a, BYTES); }\n"
    for dtype in dtypes.all[:-1]:
        size = 3
        built = build_library(source.replace("BYTES", str(size * dtype.itemsize)), cache=shared_cache)
        args = (Argument(0, dtype, size, False), Argument(1, dtype, size, True), Argument(2, dtype, 0, True))
        from uopc.nptypes import np_dtype

        data = np.array([1, 0, 1], np_dtype(dtype))
        done = execute(built.path, "program", args, {0: data})
        np.testing.assert_array_equal(done.outputs[1], data)
        assert done.outputs[1].dtype == data.dtype
        assert done.outputs[2].shape == (0,)


def test_outputs_start_as_zeros_or_as_given(shared_cache: Cache, scratch: Path) -> None:
    """An output with first contents is filled again before each timed run, so a sum in place is added once."""
    built = build_library("void program(float *o) { for (int i = 0; i < 3; i++) o[i] += 1; }\n", cache=shared_cache)
    args = (Argument(5, dtypes.f32, 3, True),)
    np.testing.assert_array_equal(execute(built.path, "program", args, {}).outputs[0], [1, 1, 1])
    given = {5: np.array([10, 20, 30], np.float32)}
    np.testing.assert_array_equal(execute(built.path, "program", args, given).outputs[0], [11, 21, 31])
    np.testing.assert_array_equal(given[5], [10, 20, 30])


def test_program_cannot_change_its_inputs(shared_cache: Cache, scratch: Path) -> None:
    built = build_library("void program(float *a, float *o) { a[0] = 99; o[0] = a[1]; }\n", cache=shared_cache)
    data = np.array([1, 2], np.float32)
    args = (Argument(0, dtypes.f32, 2, False), Argument(1, dtypes.f32, 1, True))
    assert execute(built.path, "program", args, {0: data}).outputs[1][0] == 2
    np.testing.assert_array_equal(data, [1, 2])


def test_strided_input(shared_cache: Cache, scratch: Path) -> None:
    built = build_library(
        "void program(const float *a, float *o) { for (int i = 0; i < 6; i++) o[i] = a[i]; }\n", cache=shared_cache
    )
    data = np.arange(6, dtype=np.float32).reshape(2, 3).T
    args = (Argument(0, dtypes.f32, 6, False), Argument(1, dtypes.f32, 6, True))
    np.testing.assert_array_equal(execute(built.path, "program", args, {0: data}).outputs[1], [0, 3, 1, 4, 2, 5])


def test_wrong_input_is_refused(shared_cache: Cache, scratch: Path) -> None:
    built = build_library("void program(float *o) {}\n", cache=shared_cache)
    args = (Argument(0, dtypes.f32, 4, True),)
    for data in (np.zeros(3, np.float32), np.zeros(4, np.float64)):
        with pytest.raises(RunError, match="buffer 0 is 4 elements of f32"):
            execute(built.path, "program", args, {0: data})


# -- deaths --------------------------------------------------------------------------------------------------------
def test_segmentation_fault(run_c) -> None:
    with pytest.raises(Stopped, match="stopped by a segmentation fault"):
        run_c("*(volatile int *)0 = 1;")


def test_abort(run_c) -> None:
    with pytest.raises(Stopped, match="its own abort"):
        run_c("__builtin_abort();")


def test_integer_trap(run_c) -> None:
    with pytest.raises(Stopped, match="integer division by zero"):
        run_c('volatile int z = 0; __asm__ volatile("cltd; idivl %0" :: "m"(z), "a"(1) : "edx");')


def test_endless_loop(run_c) -> None:
    began = time.monotonic()
    with pytest.raises(Stopped, match=r"took longer than 0\.5 s \(raise --timeout\)"):
        run_c("volatile int go = 1; while (go);", limits=Limits(seconds=0.5))
    assert time.monotonic() - began < 5


def test_memory_is_limited(run_c) -> None:
    """The program takes memory until it gets no more, and tells how much it got."""
    body = """
        long got = 0;
        while (got < 8192) { char *p = malloc(1 << 20); if (!p) break; memset(p, 1, 1 << 20); got++; }
        o[0] = got;"""
    done = run_c(body, limits=Limits(seconds=30, memory=64 << 20), before="#include <stdlib.h>\n#include <string.h>")
    assert 10 < done.outputs[1][0] < 64 + 512 + 160 + 1


def test_buffers_beyond_the_limit(shared_cache: Cache, scratch: Path) -> None:
    built = build_library("void program(float *o) {}\n", cache=shared_cache)
    args = (Argument(0, dtypes.f32, 1 << 40, True),)
    with pytest.raises(Stopped, match=r"more memory than the limit of 64\.0 MB \(raise --memory\)"):
        execute(built.path, "program", args, {}, limits=Limits(memory=64 << 20))


def test_output_flood_is_bounded(run_c) -> None:
    """A program that prints for ever is ended like any other, and what it prints is not kept."""
    began = time.monotonic()
    with pytest.raises(Stopped, match="took longer"):
        run_c('for (;;) puts("flood flood flood flood");', limits=Limits(seconds=1), before="#include <stdio.h>")
    assert time.monotonic() - began < 10


def test_what_it_prints_is_no_answer(run_c) -> None:
    """Standard output of the program is not the pipe of the answer."""
    printed = r'puts("{\"ok\": false, \"why\": \"load\", \"text\": \"no\"}"); fflush(stdout); write(1, "{}\n", 3);'
    done = run_c(printed + DOUBLE, before="#include <stdio.h>\n#include <unistd.h>")
    np.testing.assert_array_equal(done.outputs[1], [0, 2, 4, 6])


def test_exit_without_an_answer(run_c) -> None:
    with pytest.raises(Stopped, match="ended with exit code 3: so long"):
        run_c('fputs("so long\\n", stderr); exit(3);', before="#include <stdio.h>\n#include <stdlib.h>")


def test_files_are_limited(run_c) -> None:
    """A program cannot fill the disk: writing stops at the size of its largest output and a little."""
    body = """
        FILE *f = fopen("big", "w"); static char block[1 << 20]; long wrote = 0;
        signal(SIGXFSZ, SIG_IGN);
        while (wrote < 64 && fwrite(block, 1, sizeof block, f) == sizeof block) wrote++;
        o[0] = wrote;"""
    done = run_c(body, before="#include <stdio.h>\n#include <signal.h>")
    assert done.outputs[1][0] <= 2


def test_no_descriptors_are_inherited(run_c) -> None:
    """Descriptors that are open here, even inheritable ones, are not open there, and standard input is empty."""
    ours, other = os.pipe()
    os.set_inheritable(ours, True)
    os.dup2(ours, 63)
    os.set_inheritable(63, True)
    try:
        body = "char c; o[0] = fcntl(63, F_GETFD); o[1] = read(0, &c, 1);"
        done = run_c(body, before="#include <fcntl.h>\n#include <unistd.h>")
    finally:
        for descriptor in (ours, other, 63):
            os.close(descriptor)
    assert done.outputs[1][0] == -1
    assert done.outputs[1][1] == 0


def test_environment_is_not_passed_on(run_c, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UIR_TEST_TOKEN", "secret")
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere.py")
    assert run_c('o[0] = getenv("UIR_TEST_TOKEN") != 0;', before="#include <stdlib.h>").outputs[1][0] == 0


def test_descendants_die_with_it(run_c, tmp_path: Path) -> None:
    """A child of the child that stays behind is ended with its group, also after a good run."""
    marks = tmp_path / "marks"
    marks.mkdir()
    body = f"""
        if (fork() == 0) {{ for (int k = 0; k < 600; k++) {{
            char name[4096]; sprintf(name, "{marks}/%d", k); close(creat(name, 0600)); usleep(50000); }} _exit(0); }}
        usleep(200000); o[0] = 1;"""
    before = "#include <stdio.h>\n#include <unistd.h>\n#include <fcntl.h>"
    limits = Limits(seconds=20, memory=256 << 20)
    run_c(body, before=before, limits=limits)
    first = len(list(marks.iterdir()))
    time.sleep(0.5)
    assert 0 < first == len(list(marks.iterdir())) < 100


def test_cancel_ends_it(run_c, scratch: Path) -> None:
    token = CancelToken()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            run_c("volatile int go = 1; while (go);", limits=Limits(seconds=60), cancel=token)
        except Cancelled as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: any(scratch.glob("uir-run-*/job")))
    time.sleep(0.2)
    began = time.monotonic()
    token.cancel()
    thread.join(10)
    assert not thread.is_alive()
    assert time.monotonic() - began < 5
    assert raised


def test_cancelled_before_it_began(run_c) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        run_c(DOUBLE, cancel=token)


def test_library_that_is_none(scratch: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"not a library")
    with pytest.raises(LoadError, match="cannot be loaded"):
        execute(broken, "program", (Argument(0, dtypes.f32, 1, True),), {})


def test_missing_symbol(shared_cache: Cache, scratch: Path) -> None:
    built = build_library("void other(void) {}\n", cache=shared_cache)
    with pytest.raises(LoadError, match="program"):
        execute(built.path, "program", (), {})


def test_threads_variable(run_c) -> None:
    body = 'o[0] = atoi(getenv("OMP_NUM_THREADS")); o[1] = !strcmp(getenv("OMP_PROC_BIND"), "true");'
    done: Execution = run_c(body, before="#include <stdlib.h>\n#include <string.h>", limits=Limits(threads=2))
    np.testing.assert_array_equal(done.outputs[1][:2], [2, 1])
