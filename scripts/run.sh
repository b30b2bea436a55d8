#!/bin/sh
# Opens examples/ in VS Code with the extension: in the `code` of the PATH, else in one served on 127.0.0.1.
# Either has settings and extensions of its own under .cache/, so that your own set-up stays as it is.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
if [ -z "${UIR_EMBEDDED:-}" ] && command -v code >/dev/null && [ -z "${VSCODE_IPC_HOOK_CLI:-}" ]; then
  home=$root/.cache/code
  mkdir -p "$home/user/User"
  .venv/bin/python -c 'import json, sys; print(json.dumps({"uir.interpreter": sys.argv[1], "workbench.startupEditor": "none"}, indent=2))' \
    "$root/.venv/bin/python" >"$home/user/User/settings.json"
  set -- --user-data-dir "$home/user" --extensions-dir "$home/extensions"
  code "$@" --install-extension vscode-extension/uir.vsix --force >/dev/null
  echo "Opening examples/ in $(command -v code)"
  exec code "$@" --new-window examples examples/gemm_256x256.uir
fi
scripts/install_vscode.sh
exec node scripts/serve.mjs
