#!/bin/sh
# Installs VS Code's workbench and server (as packaged in the npm package code-server) into .cache/.
# Nothing is compiled: the two native modules it would build are replaced by the files of vscode-shims/.
set -eu
cd "$(dirname "$0")/.."
version=4.100.3 # the last series that runs on Node 20
target=.cache/vscode-$version
[ -e "$target/.ready" ] && exit 0

echo "Installing VS Code from the npm package code-server@$version"
work=.cache/vscode-install.$$
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
(cd "$work" && npm pack --silent "code-server@$version" >/dev/null && tar xzf code-server-*.tgz package/lib/vscode)
vscode=$work/package/lib/vscode
(cd "$vscode" && npm ci --silent --omit=dev --ignore-scripts --legacy-peer-deps --no-audit --no-fund)
ln -sfn node_modules "$vscode/node_modules.asar"
cp scripts/vscode-shims/spdlog.js "$vscode/node_modules/@vscode/spdlog/index.js"
cp scripts/vscode-shims/native-watchdog.js "$vscode/node_modules/native-watchdog/index.js"
if rg=$(command -v rg); then # search and Ctrl+P need it, nothing else does
  mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
  ln -sfn "$rg" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
fi
touch "$vscode/.ready"
mv -T "$vscode" "$target" 2>/dev/null || [ -e "$target/.ready" ] # another install may have been faster
