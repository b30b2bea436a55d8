#!/bin/sh
# Neovim and Emacs with Eglot, to attach them to the server, where apt and root are at hand. Without them their tests are
# left out and say so: nothing else needs them. $1: a stamp to touch when all are there.
set -eu
missing=
command -v nvim >/dev/null || missing="$missing neovim"
command -v emacs >/dev/null || missing="$missing emacs-nox"
find /usr/share/emacs -type d -name 'eglot*' -o -name 'eglot.el*' 2>/dev/null | grep -q . || missing="$missing elpa-eglot"
if [ -z "$missing" ]; then
  touch "$1"
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "Left out: the tests of the server in other editors. They need:$missing (sudo apt-get install$missing)" >&2
  exit 0
fi
echo "Installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # several words on purpose
if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  touch "$1"
else
  cat "$log" >&2
  echo "Left out: the tests of the server in other editors, which need:$missing" >&2
fi
