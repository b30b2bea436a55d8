"""Hand-written C in place of compiled programs, and folders in which anything left behind is seen."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from runtime_help import Argument

from uopc.dtype import dtypes
from uopc.runtime import job
from uopc.runtime.cache import Cache
from uopc.runtime.cancel import CancelToken
from uopc.runtime.execute import Execution, execute
from uopc.runtime.library import build_library
from uopc.runtime.limits import Limits
from uopc.runtime.verified import Verified


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """One cache for all tests that do not look at it."""
    return Cache(tmp_path_factory.mktemp("libraries"))


@pytest.fixture(autouse=True)
def nothing_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test verified is not known to this one."""
    monkeypatch.setattr(job, "_verified", Verified())


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary folders are made during the test; it must be empty at the end."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert sorted(p.name for p in folder.rglob("*")) == []


RunC = Callable[..., Execution]


@pytest.fixture
def run_c(shared_cache: Cache, scratch: Path) -> RunC:
    """Builds the body of `void program(const float *a, float *o)` on n elements and runs it on 0, 1, 2 ..."""

    def run(
        body: str, n: int = 4, limits: Limits | None = None, before: str = "", cancel: CancelToken | None = None
    ) -> Execution:
        source = f"{before}\nvoid program(const float *restrict a, float *restrict o) {{ {body} }}\n"
        built = build_library(source, cache=shared_cache)
        args = (Argument(0, dtypes.f32, n, False), Argument(1, dtypes.f32, n, True))
        data = {0: np.arange(n, dtype=np.float32)}
        return execute(built.path, "program", args, data, limits=limits or Limits(seconds=20), cancel=cancel)

    return run
