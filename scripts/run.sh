#!/bin/sh
# Opens examples/ in VS Code with the extension: in the `code` of the PATH, else (or with UIR_EMBEDDED=1) in one
# served on 127.0.0.1. Either has settings and extensions of its own under .cache/, so that yours stay as they are.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
# The `code` of a terminal inside VS Code speaks to that window only: it cannot open one with other settings.
if [ -z "${UIR_EMBEDDED:-}" ] && command -v code >/dev/null && [ -z "${VSCODE_IPC_HOOK_CLI:-}" ]; then
  home=$root/.cache/code
  .venv/bin/python scripts/code_settings.py "$home/user/User/settings.json" "$root/.venv/bin/python"
  set -- --user-data-dir "$home/user" --extensions-dir "$home/extensions"
  [ "$(id -u)" != 0 ] || set -- --no-sandbox "$@" # VS Code refuses to start as root otherwise
  code "$@" --install-extension vscode-extension/uir.vsix --force >/dev/null
  echo "Opening examples/ in $(command -v code)"
  exec code "$@" --new-window examples examples/gemm_256x256.uir
fi
scripts/install_vscode.sh
exec node scripts/serve.mjs
