#!/bin/sh
# Makes .venv with the packages that pyproject.toml names. $1: the Python to make it with.
set -eu
cd "$(dirname "$0")/.."
if ! "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "Python 3.10 or newer is needed; \"$1\" is not. Name another: make PYTHON=/path/to/python" >&2
  exit 1
fi
if ! .venv/bin/python -c '' 2>/dev/null; then
  echo "Making .venv"
  "$1" -m venv --clear .venv
fi
echo "Installing Python packages"
.venv/bin/python -m pip install -qq --disable-pip-version-check -e '.[dev]'
