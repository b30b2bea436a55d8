"""The lines of docs/editors.md for the debuggers of Neovim and Emacs: what the editors read in them begins a session.

nvim-dap and dape themselves are not there: they are stood in for by the tables that they read.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from client import ROOT
from dap_client import DapClient

TEXT = "%x = buffer 6 : dtype=f32 slot=0\n%m = reshape %x, (2, 3)\n%s = reduce %m : op=add pop=1\n"
NVIM = """
local dap = { adapters = {}, configurations = {} }
package.preload['dap'] = function() return dap end
dofile('lines.lua')
local adapter, configuration = dap.adapters.uir, dap.configurations.uir[1]
io.stdout:write(vim.fn.json_encode({ adapter, configuration }))
vim.cmd('qa!')
"""
EMACS = """
(require 'json)
(defvar dape-configs nil)
(load-file "lines.el")
(let ((config (cdr (assq 'uir dape-configs))) (found nil))
  (dolist (key '(modes command command-args :type :request :program))
    (push (cons (format "%s" key) (format "%s" (plist-get config key))) found))
  (princ (json-encode found)))
"""


def block(name: str) -> str:
    page = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```\w+ {name}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return str(found)


def said(folder: Path, *command: str) -> Any:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def begins(folder: Path, arguments: dict[str, Any]) -> None:
    """A session as these clients begin it: everything of the configuration goes into the launch."""
    file = folder / "rows.uir"
    file.write_text(TEXT)
    client = DapClient()
    try:
        client.launch(file, **{key: value for key, value in arguments.items() if key not in ("name", "program")})
        assert client.event("stopped")["reason"] == "entry"
        assert client.frames()[-1]["source"]["path"] == str(file)
    finally:
        assert client.close() == 0


def test_nvim_dap(tmp_path: Path) -> None:
    if shutil.which("nvim") is None:
        pytest.skip("nvim is not installed (Debian: apt-get install neovim)")
    (tmp_path / "lines.lua").write_text(block("nvim-dap"))
    (tmp_path / "stand_in.lua").write_text(NVIM)
    command = ("nvim", "--headless", "-n", "-i", "NONE", "-u", "NONE", "-c", "luafile stand_in.lua")
    adapter, configuration = said(tmp_path, *command)
    assert (adapter["type"], [adapter["command"], *adapter["args"]]) == ("executable", ["uir", "dap"])
    assert configuration["type"] == "uir"  # the key of dap.adapters
    assert (configuration["request"], configuration["program"]) == ("launch", "${file}")
    begins(tmp_path, configuration)


def test_dape(tmp_path: Path) -> None:
    if shutil.which("emacs") is None:
        pytest.skip("emacs is not installed (Debian: apt-get install emacs-nox)")
    (tmp_path / "lines.el").write_text(block("dape"))
    (tmp_path / "stand_in.el").write_text(EMACS)
    found = dict(said(tmp_path, "emacs", "--batch", "-Q", "-l", "stand_in.el"))
    assert (found["modes"], found["command"], found["command-args"]) == ("(uir-mode)", "uir", "(dap)")
    assert (found[":request"], found[":program"]) == ("launch", "dape-buffer-default")
    begins(tmp_path, {"type": found[":type"], "request": found[":request"]})
