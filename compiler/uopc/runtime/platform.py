"""Everything that depends on the operating system, behind one small interface.

Linux is what the tests run on. macOS and Windows follow their documentation and lose only what they do not offer:
Windows has no limits on a process (the wall clock still holds), macOS does not enforce the one on memory.
The limits themselves are set by the child before it does anything else: see child.py.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

IS_WINDOWS = sys.platform == "win32"
IS_MAC = sys.platform == "darwin"
# Linux with the usual C library, which this Python uses, too.
IS_GLIBC = sys.platform == "linux" and "CS_GNU_LIBC_VERSION" in os.confstr_names

# How a child learns of its parent's end: Linux sends a signal, elsewhere a pipe between them is closed.
TIE = "signal" if sys.platform == "linux" else "pipe"

SHARED_SUFFIX = ".dll" if IS_WINDOWS else ".dylib" if IS_MAC else ".so"
PROGRAM_SUFFIX = ".exe" if IS_WINDOWS else ""

# What a child may see of this process's environment: where libraries and temporary files are, nothing else.
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "WINDIR")

_WINDOWS_DEATHS = {
    0xC0000005: "a segmentation fault (access violation)",
    0xC0000094: "an integer division by zero",
    0xC00000FD: "a stack overflow",
    0xC000001D: "an illegal instruction",
    0xC0000017: "lack of memory",
}
_SIGNAL_WORDS = {
    "SIGSEGV": "a segmentation fault",
    "SIGBUS": "a bus error",
    "SIGFPE": "an arithmetic trap (such as an integer division by zero)",
    "SIGILL": "an illegal instruction (was it built for another CPU?)",
    "SIGABRT": "its own abort",
    "SIGKILL": "the system (is the machine out of memory?)",
    "SIGXCPU": "its limit on CPU time",
    "SIGXFSZ": "its limit on the size of files",
}


def cache_dir() -> Path:
    """The folder for what can be built again: UIR_CACHE_DIR, else where this system keeps such things."""
    chosen = os.environ.get("UIR_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs  # 15 ms, and only a build needs it

    return Path(platformdirs.user_cache_dir("uir", appauthor=False))


def site_packages(environment: Path) -> list[Path]:
    """Where the packages of a virtual environment are."""
    if IS_WINDOWS:
        return [environment / "Lib" / "site-packages"]
    return sorted((environment / "lib").glob("python3.*/site-packages"))


# On a Mac without developer tools, every compiler in /usr/bin only opens a dialog that offers them.
_MAC_TOOLS = ("/Library/Developer/CommandLineTools/usr/bin", "/Applications/Xcode.app/Contents/Developer/usr/bin")


def is_stub(program: str) -> bool:
    """Whether that compiler is a stand-in for one that is not installed."""
    return IS_MAC and os.path.dirname(program) == "/usr/bin" and not any(map(os.path.isdir, _MAC_TOOLS))


def is_private(folder: Path) -> bool:
    """Whether nobody else can put files into `folder`. Windows profiles are private by inheritance."""
    if IS_WINDOWS:
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def own_group() -> dict[str, Any]:
    """Arguments of Popen that put a child into a process group (a session) of its own, so it can be ended whole."""
    if IS_WINDOWS:
        return {"creationflags": 0x00000200 | 0x08000000}  # CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW
    return {"start_new_session": True}


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Ends a child made with own_group() and all that it started. Nothing happens when they have ended already.

    Call it before the child is reaped: until then its number cannot belong to anybody else.
    """
    if process.returncode is not None:
        return
    if IS_WINDOWS:
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(process.pid)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS refuses when only zombies are left
        os.killpg(process.pid, signal.SIGKILL)


def watch_exit(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    """Sets `ended` when the child has ended, without reaping it where the system allows that. Blocks."""
    if hasattr(os, "waitid"):
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    else:
        process.wait()
    ended.set()


def death_words(returncode: int) -> str | None:
    """What ended a child, in words, when it did not end by itself; None for an ordinary exit."""
    if IS_WINDOWS:
        return _WINDOWS_DEATHS.get(returncode & 0xFFFFFFFF)
    if returncode >= 0:
        return None
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        return f"signal {-returncode}"
    return _SIGNAL_WORDS.get(name, f"the signal {name}")


def child_environment() -> dict[str, str]:
    """The environment of a child that runs a program; the number of threads it adds itself, when it has its job."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # Bound threads stay apart: unbound, two workers are often woken on one core and run at half speed.
    return kept | {"OMP_PROC_BIND": "true", "OMP_DYNAMIC": "false"}


def process_lives(pid: int) -> bool:
    """Whether a process of that number runs; true where that cannot be asked without harm."""
    if IS_WINDOWS:  # there, signal 0 would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Whether a process is only kept for its exit code, which whoever it was left to may never ask for."""
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:  # another system, or it is gone by now
        return False
    return status.rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])


def end_processes_in(folders: Iterable[str]) -> None:
    """Ends the processes that work in one of these folders, or below it, where the system tells (Linux)."""
    inside = tuple(os.path.realpath(folder) + os.sep for folder in folders)
    if not inside or sys.platform != "linux":
        return
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is somebody else's
            if (os.readlink(entry) + os.sep).startswith(inside):
                os.kill(int(entry.parent.name), signal.SIGKILL)


def physical_memory() -> int | None:
    """Bytes of memory of this machine, or None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def install_hint() -> str:
    """What to install on this system to have a C compiler."""
    if IS_WINDOWS:
        system = "install LLVM (winget install LLVM.LLVM) or MinGW-w64"
    elif IS_MAC:
        system = "run `xcode-select --install`"
    else:
        system = "install gcc (Debian, Ubuntu: `apt install gcc libc6-dev`; Fedora: `dnf install gcc`)"
    return f"{system}, or run `pip install ziglang`, or set UIR_CC to a compiler"
