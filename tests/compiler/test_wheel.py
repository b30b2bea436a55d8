"""The built wheel in an empty environment: what `pip install uir` gives a person."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
WINDOWS = sys.platform == "win32"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with our wheel, and NumPy and platformdirs as they are here: no network is asked for them."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT], check=True)
    venv.create(folder / "env", with_pip=False, symlinks=not WINDOWS)
    python = folder / "env" / ("Scripts/python.exe" if WINDOWS else "bin/python")
    install = [*pip, "--python", str(python), "install", "--no-deps", *map(str, folder.glob("*.whl"))]
    subprocess.run(install, check=True)
    _lend(folder / "env", "numpy", "numpy.libs", "platformdirs")
    return folder / "env"


def _lend(environment: Path, *names: str) -> None:
    """Makes packages of this environment importable in another."""
    [packages] = [Path(p) for p in sys.path if p.endswith("site-packages") and (Path(p) / "numpy").exists()]
    [target] = environment.glob("Lib/site-packages" if WINDOWS else "lib/python3.*/site-packages")
    for name in names:
        if (packages / name).exists():
            (target / name).symlink_to(packages / name)


def call(environment: Path, name: str, *args: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs an installed script in a folder that is not ours."""
    script = environment / ("Scripts" if WINDOWS else "bin") / name
    return subprocess.run([script, *args], cwd=environment, input=given, capture_output=True, timeout=120)


def test_uir_runs_a_program(environment: Path) -> None:
    (environment / "a.uir").write_text(
        "# uir: input 0 = arange\n%0 = buffer 12 : dtype=f32 slot=0\n%x = reshape %0, (3, 4)\n"
        "%y = reduce %x : op=add axes=(1)\n"
    )
    done = call(environment, "uir", "run", "--json", "a.uir")
    answer = json.loads(done.stdout)
    assert (answer["error"], answer["verified"]) == (None, True)
    assert answer["outputs"][0]["stats"]["max"] == 8 + 9 + 10 + 11
    assert call(environment, "uir", "check", "a.uir").returncode == 0


@pytest.mark.parametrize("command", [["uir-lsp"], ["uir", "lsp"]])
def test_the_server_answers(environment: Path, command: list[str]) -> None:
    messages = (
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    )
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    done = call(environment, *command, given=b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(b), b) for b in bodies))
    assert done.returncode == 0, done.stderr
    assert b'"hoverProvider"' in done.stdout
