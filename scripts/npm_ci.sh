#!/bin/sh
# Installs the locked npm packages of the folder $1.
set -eu
cd "$(dirname "$0")/../$1"
if ! node -e 'process.exit(Number(process.versions.node.split(".")[0] < 20))' 2>/dev/null; then
  echo "Node 20 or newer is needed, with npm." >&2
  exit 1
fi
echo "Installing npm packages of $1"
npm ci --silent --ignore-scripts --no-audit --no-fund
