#!/bin/sh
# Chromium, to look at the real editor, and ripgrep, for its search, where apt and root are at hand.
set -eu
missing=
[ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
  command -v google-chrome >/dev/null || missing=chromium
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "The editor's tests need Chromium: install it (sudo apt-get install $missing) or name it in CHROMIUM." >&2
  exit 1
fi
echo "Installing $missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing fonts-dejavu-core; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
