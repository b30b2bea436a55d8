"""Finding a compiler, building with it, and the cache of what was built."""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from runtime_help import fake_compiler, wait_until

from uopc.runtime import cache as cache_module
from uopc.runtime import library as library_module
from uopc.runtime import platform
from uopc.runtime.cache import Cache, default_folder
from uopc.runtime.cancel import CancelToken
from uopc.runtime.errors import BuildError, Cancelled, NoCompilerError
from uopc.runtime.library import BASELINE, all_flags, build_library, has_threads
from uopc.runtime.toolchain import Compiler, find_compiler

ANSWER = "int answer(void) { return 42; }\n"


@pytest.fixture
def cache(tmp_path: Path, scratch: Path) -> Cache:
    folder = tmp_path / "cache"
    folder.mkdir()
    return Cache(folder)


def loaded(path: Path) -> int:
    return int(ctypes.CDLL(str(path)).answer())


# -- finding -------------------------------------------------------------------------------------------------------
def test_no_compiler_names_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("UIR_CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(NoCompilerError, match=r"no C compiler found: .*pip install ziglang.*UIR_CC"):
        find_compiler()


def test_order_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UIR_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("clang", "gcc", "cc"):
        fake_compiler(tmp_path, "exit 1", name)
        assert find_compiler().command == (str(tmp_path / name),)


def test_setting_goes_before_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = fake_compiler(tmp_path, "", "one"), fake_compiler(tmp_path, "", "other")
    monkeypatch.setenv("UIR_CC", str(one))
    assert find_compiler().command == (str(one),)
    assert find_compiler(str(other)).command == (str(other),)


def test_setting_with_blanks_in_its_path_and_with_arguments(tmp_path: Path) -> None:
    path = fake_compiler(tmp_path / "my tools", "", "cc")
    assert find_compiler(str(path)).command == (str(path),)
    plain = fake_compiler(tmp_path, "", "wrapper")
    assert find_compiler(f"{plain} gcc").command == (str(plain), "gcc")


def test_setting_that_does_not_exist() -> None:
    with pytest.raises(NoCompilerError, match="'/no/such/cc' does not exist"):
        find_compiler("/no/such/cc")


def test_nothing_of_the_current_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that somebody opens may hold a `cc`."""
    fake_compiler(tmp_path, "touch ran", "cc")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UIR_CC", raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", os.environ["PATH"]]))
    assert find_compiler().command[0] != str(tmp_path / "cc")
    assert os.path.isabs(find_compiler().command[0])


def test_tcc_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_compiler(tmp_path, "", "tcc")
    (tmp_path / "cc").symlink_to(tmp_path / "tcc")
    monkeypatch.delenv("UIR_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(NoCompilerError):
        find_compiler()
    with pytest.raises(NoCompilerError, match="tcc"):
        find_compiler("cc")


@pytest.fixture
def no_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder of the PATH: empty."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("UIR_CC", "UIR_ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    return tmp_path / "bin"


def fake_zig(site: Path) -> Path:
    """A package `ziglang` in a folder of packages."""
    program = fake_compiler(site / "ziglang", "exit 1", "zig")
    (site / "ziglang" / "__init__.py").write_text("")
    return program


def test_wheel_of_zig_comes_last(no_compilers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_zig(tmp_path / "site")
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delenv("UIR_CC", raising=False)
    monkeypatch.setenv("PATH", str(no_compilers))
    found = find_compiler()
    assert found.command == (str(program), "cc")
    assert found.is_zig
    assert "-fno-sanitize=all" in all_flags(ANSWER, (), found)
    on_path = fake_compiler(no_compilers, "", "zig")
    assert find_compiler().command == (str(on_path), "cc")
    fake_compiler(no_compilers, "", "clang")
    assert not find_compiler().is_zig


@pytest.mark.parametrize(
    ("windows", "packages"), [(False, "lib/python3.12/site-packages"), (True, "Lib/site-packages")]
)
def test_zig_of_the_environment_that_an_editor_made(
    no_compilers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, windows: bool, packages: str
) -> None:
    monkeypatch.setattr(platform, "IS_WINDOWS", windows)
    program = fake_zig(tmp_path / "environment" / packages)
    with pytest.raises(NoCompilerError):
        find_compiler()
    monkeypatch.setenv("UIR_ENVIRONMENT", str(tmp_path / "environment"))
    assert find_compiler().command == (str(program), "cc")
    monkeypatch.chdir(tmp_path)  # a relative one would be looked for in whatever folder is open
    monkeypatch.setenv("UIR_ENVIRONMENT", "environment")
    with pytest.raises(NoCompilerError):
        find_compiler()


def test_a_macs_stand_ins_for_compilers_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without developer tools /usr/bin/cc only opens a dialog."""
    monkeypatch.setattr(platform, "IS_MAC", True)
    monkeypatch.setattr(platform, "_MAC_TOOLS", ("/no/such/tools",))
    assert platform.is_stub("/usr/bin/cc")
    assert not platform.is_stub("/opt/homebrew/bin/gcc")
    monkeypatch.setattr(platform, "_MAC_TOOLS", ("/no/such/tools", "/"))
    assert not platform.is_stub("/usr/bin/cc")


def test_zig_has_no_threads_and_keeps_nothing_of_a_build(cache: Cache, tmp_path: Path) -> None:
    said = tmp_path / "said"
    script = f'echo "$ZIG_LOCAL_CACHE_DIR|$ZIG_GLOBAL_CACHE_DIR|$*" >>"{said}"; exit 1'
    zig = find_compiler(f"{shlex.quote(str(fake_compiler(tmp_path / 'bin', script, 'zig')))} cc")
    assert "-fopenmp" not in all_flags(ANSWER, ("-fopenmp",), zig)
    with pytest.raises(BuildError):
        build_library(ANSWER, ("-fopenmp",), cache=cache, compiler=zig)
    local, kept, _ = said.read_text().splitlines()[0].split("|")
    assert not Path(local).exists()  # the folder of this build, gone with it
    assert kept == os.environ.get("ZIG_GLOBAL_CACHE_DIR", str(platform.cache_dir() / "zig"))


def test_whether_threads_came_out_is_read_from_the_library(cache: Cache) -> None:
    loop = "void f(int *a) {\n#pragma omp parallel for\nfor (int i = 0; i < 9; i++) a[i] = i;\n}\n"
    assert has_threads(build_library(loop, ("-fopenmp",), cache=cache).path)
    assert not has_threads(build_library(loop, (), cache=cache).path)


def test_version_and_identity() -> None:
    found = find_compiler()
    assert any(c.isdigit() for c in found.version())
    assert find_compiler().identity == found.identity


# -- building ------------------------------------------------------------------------------------------------------
def test_build_and_find_again(cache: Cache) -> None:
    first = build_library(ANSWER, cache=cache)
    again = build_library(ANSWER, cache=cache)
    assert loaded(first.path) == 42
    assert (first.cached, again.cached, again.path) == (False, True, first.path)


def test_key_depends_on_all_that_matters(cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {build_library(ANSWER, cache=cache).key}
    keys.add(build_library(ANSWER + "\n", cache=cache).key)
    keys.add(build_library(ANSWER, ("-DX=1",), cache=cache).key)
    monkeypatch.setattr(library_module.cpu, "identity", lambda: "another CPU")
    keys.add(build_library(ANSWER, cache=cache).key)
    real = find_compiler()
    keys.add(build_library(ANSWER, cache=cache, compiler=Compiler(real.command, real.identity + "newer")).key)
    assert len(keys) == 5


def test_elementwise_operations_are_not_contracted(cache: Cache) -> None:
    """a*b + c rounded twice: with (1 + 2^-12)^2 - 1 - 2^-11 the fused result is 2^-24, the rounded one 0."""
    source = "float f(float a, float b, float c) { return a * b + c; }\n"
    function = ctypes.CDLL(str(build_library(source, cache=cache).path)).f
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float] * 3
    assert function(1 + 2**-12, 1 + 2**-12, -1 - 2**-11) == 0.0


def test_nan_survives(cache: Cache) -> None:
    source = "int f(float a) { return a != a; }\n"
    function = ctypes.CDLL(str(build_library(source, cache=cache).path)).f
    function.argtypes = [ctypes.c_float]
    assert function(float("nan")) == 1
    assert not any("fast-math" in flag for flag in all_flags(source, (), find_compiler()))


def test_flags_of_the_renderer_come_last_and_once() -> None:
    flags = all_flags(ANSWER, ("-fopenmp", "-fno-math-errno"), find_compiler())
    assert set(BASELINE) <= set(flags)
    assert flags[-1] == "-fopenmp"
    assert len(flags) == len(set(flags))


@pytest.mark.parametrize(("lines", "seconds"), [(1000, 10), (4000, 20), (30_000, 30)])
def test_long_functions_build_in_seconds(cache: Cache, lines: int, seconds: float) -> None:
    """At -O2 alone, 4,000 of these lines take twenty seconds and 30,000 minutes."""
    body = "".join(f"v = v > {k % 7} ? v * 3u : v + 7u;\n" if k % 2 else f"v = v % 1009 + {k};\n" for k in range(lines))
    source = f"int answer(void) {{\nunsigned v = 1;\n{body}return 42 + 0 * v;\n}}\n"
    began = time.monotonic()
    built = build_library(source, cache=cache)
    assert time.monotonic() - began < seconds
    assert loaded(built.path) == 42


def test_many_short_functions_keep_the_full_level() -> None:
    source = "".join(f"int f{k}(int a) {{\n  return a + {k};\n}}\n" for k in range(5000))
    flags = all_flags(source, (), find_compiler())
    assert "-O2" in flags
    assert "-fno-gcse" not in flags


def test_errors_of_the_compiler_are_shown_without_our_folder(cache: Cache, scratch: Path) -> None:
    with pytest.raises(BuildError, match=r"program\.c:2:\d+: error") as caught:
        build_library("int answer(void) {\n return nothing_of_the_kind;\n}\n", cache=cache)
    assert str(scratch) not in str(caught.value)
    assert list(cache.folder.iterdir()) == []


def test_many_errors_are_cut(cache: Cache) -> None:
    with pytest.raises(BuildError) as caught:
        build_library("".join(f"int a{k} = b{k};\n" for k in range(100)), cache=cache)
    assert len(str(caught.value).splitlines()) <= 6


def test_compiler_that_fails_silently(cache: Cache, tmp_path: Path) -> None:
    for script, said in (
        ("exit 7", "exit code 7"),
        ("kill -SEGV $$", "stopped by a segmentation fault"),
        ("exit 0", "failed"),
    ):
        broken = find_compiler(str(fake_compiler(tmp_path / "bin", script)))
        with pytest.raises(BuildError, match=said):
            build_library(ANSWER, cache=cache, compiler=broken)


def test_compiler_without_the_optional_flags(cache: Cache, tmp_path: Path) -> None:
    """Apple's compiler refuses -fopenmp, some refuse -march=native: the program is built without."""
    real = find_compiler().command[0]
    refuse = 'echo "error: unsupported option $a" >&2; exit 1'
    script = f'for a; do case $a in -march=native|-fopenmp) {refuse};; esac; done\nexec {real} "$@"'
    picky = find_compiler(str(fake_compiler(tmp_path / "bin", script)))
    assert loaded(build_library(ANSWER, ("-fopenmp",), cache=cache, compiler=picky).path) == 42


def test_compiler_that_stops_over_a_fault_of_its_own(cache: Cache, tmp_path: Path) -> None:
    """It is asked again for less."""
    real = find_compiler().command[0]
    fault = 'echo "program.c:1:1: internal compiler error: in convert_mode_scalar" >&2; exit 1'
    script = f'case "$*" in *-fno-tree-forwprop*) exec {real} "$@";; esac\n{fault}'
    faulty = find_compiler(str(fake_compiler(tmp_path / "bin", script)))
    assert loaded(build_library(ANSWER, cache=cache, compiler=faulty).path) == 42


def test_slow_compiler_is_ended_with_all_it_started(cache: Cache, tmp_path: Path) -> None:
    slow = fake_compiler(tmp_path / "bin", f"sleep 60 & echo $! > {tmp_path}/pid; wait")
    began = time.monotonic()
    with pytest.raises(BuildError, match=r"longer than 0\.5 s"):
        build_library(ANSWER, cache=cache, compiler=find_compiler(str(slow)), timeout=0.5)
    assert time.monotonic() - began < 10
    assert_gone(int((tmp_path / "pid").read_text()))


def test_cancel_ends_the_compiler(cache: Cache, tmp_path: Path) -> None:
    slow = find_compiler(str(fake_compiler(tmp_path / "bin", f"echo $$ > {tmp_path}/pid; exec sleep 60")))
    token = CancelToken()
    caught: list[BaseException] = []

    def work() -> None:
        try:
            build_library(ANSWER, cache=cache, compiler=slow, cancel=token)
        except Cancelled as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip() != "")
    token.cancel()
    thread.join(10)
    assert caught
    assert_gone(int((tmp_path / "pid").read_text()))


def assert_gone(pid: int) -> None:
    def gone() -> bool:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return True
        return stat.rpartition(")")[2].split()[0] == "Z"

    wait_until(gone, 5)


def test_arguments_are_a_list(cache: Cache, tmp_path: Path) -> None:
    """A cache folder or flag with shell characters is only a text."""
    odd = Cache(tmp_path / "a b; touch pwned $(touch pwned)")
    odd.folder.mkdir()
    assert loaded(build_library(ANSWER, cache=odd).path) == 42
    assert not list(tmp_path.rglob("pwned"))


# -- the cache -----------------------------------------------------------------------------------------------------
_BUILDER = """
import ctypes, sys
from pathlib import Path
from uopc.runtime.library import build_library
from uopc.runtime.cache import Cache
built = build_library("int answer(void) { return 42; }\\n", cache=Cache(Path(sys.argv[1])))
print(ctypes.CDLL(str(built.path)).answer())
"""


def test_concurrent_builders(cache: Cache) -> None:
    """Six processes build the same at once; each gets a whole library and nothing else is left."""
    command = [sys.executable, "-c", _BUILDER, str(cache.folder)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    answers = [process.communicate(timeout=120) for process in running]
    assert [out.strip() for out, _ in answers] == [b"42"] * 6, answers
    assert len(list(cache.folder.iterdir())) == 1


def test_oldest_entries_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_YOUNG", -1.0)
    cache = Cache(tmp_path, max_bytes=3500)
    block = tmp_path.parent / f"{tmp_path.name}-block"
    block.write_bytes(bytes(1000))
    for k, key in enumerate("abcd"):
        path = cache.put(key, block)
        os.utime(path, (1000 + k, 1000 + k))
    cache.put("e", block)
    assert [cache.find(key) is not None for key in "abcde"] == [False, False, True, True, True]


def test_use_keeps_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_YOUNG", -1.0)
    cache = Cache(tmp_path, max_files=2)
    block = tmp_path.parent / f"{tmp_path.name}-block"
    block.write_bytes(b"x")
    for k, key in enumerate("ab"):
        os.utime(cache.put(key, block), (1000 + k, 1000 + k))
    assert cache.find("a")
    cache.put("c", block)
    assert cache.find("a")
    assert not cache.find("b")


def test_young_entries_stay_although_there_are_too_many(tmp_path: Path) -> None:
    """Somebody may be about to load them."""
    cache = Cache(tmp_path, max_files=1)
    block = tmp_path.parent / f"{tmp_path.name}-block"
    block.write_bytes(b"x")
    for key in "abc":
        cache.put(key, block)
    assert all(cache.find(key) for key in "abc")


def test_half_written_files_of_the_dead_are_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    old, new = tmp_path / ".new-old", tmp_path / ".new-new"
    for path in (old, new):
        path.write_bytes(b"x")
    os.utime(old, (1000, 1000))
    block = tmp_path.parent / f"{tmp_path.name}-block"
    block.write_bytes(b"x")
    cache.put("a", block)
    assert not old.exists()
    assert new.exists()


def test_folder_that_others_can_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody could put a library of theirs there."""
    monkeypatch.setenv("UIR_CACHE_DIR", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine" / "build"
    (tmp_path / "mine" / "build").chmod(0o777)
    assert default_folder() != tmp_path / "mine" / "build"


def test_cache_where_there_can_be_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UIR_CACHE_DIR", str(tmp_path / "file"))
    assert default_folder().is_dir()
