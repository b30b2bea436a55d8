"""The `uir` command as a person or an editor runs it, for every test that asks for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_help import Uir


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    names = ("PATH", "HOME", "PYTHONPATH", "LANG", "VIRTUAL_ENV")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    yield {**kept, "UIR_CACHE_DIR": str(tmp_path_factory.mktemp("cache")), "PYTHONUTF8": "1"}


@pytest.fixture
def uir(tmp_path: Path, environment: dict[str, str]) -> Uir:
    return Uir(tmp_path, environment)
