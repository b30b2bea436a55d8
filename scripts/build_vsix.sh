#!/bin/sh
# Packages the extension, with the language server and the packages it needs inside, as vscode-extension/uir.vsix.
set -eu
cd "$(dirname "$0")/.."
echo "Building vscode-extension/uir.vsix"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -rf vscode-extension/dist
if ! {
  rm -rf vscode-extension/examples && cp -r examples vscode-extension/examples &&
  .venv/bin/python scripts/bundle_server.py vscode-extension/server &&
    cd vscode-extension && npm run --silent build && npm run --silent package
} >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
