#!/bin/bash
# install.sh DIR: puts the MCP Inspector and the node it needs into DIR, at the versions
# of package-lock.json. Needs npm and the npm registry; compiles nothing. An existing DIR
# is complete and is kept.
set -euo pipefail
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$dir" ] && exit 0

part=$dir.part
rm -rf "$part"
mkdir -p "$part"
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$part/"
cd "$part"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
mv "$part" "$dir"
