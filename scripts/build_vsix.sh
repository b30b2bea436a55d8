#!/bin/sh
# Packages the extension, with the language server's wheel inside, as vscode-extension/uir.vsix.
set -eu
cd "$(dirname "$0")/.."
echo "Building vscode-extension/uir.vsix"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -rf vscode-extension/dist
if ! {
  .venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir vscode-extension/dist . &&
    cd vscode-extension && npm run --silent build && npm run --silent package
} >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
