#!/bin/bash
# session.sh SERVER COMMAND...: runs a command in a copy of the fixture, with the server as
# brv-lsp on the PATH and with none of the user's own configuration.
set -euo pipefail
server=$(realpath "$1")
shift
fixture=$(cd "$(dirname "$0")/../testdata/workspace" && pwd)

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp -r "$fixture" "$home/shop"
mkdir "$home/bin"
ln -s "$server" "$home/bin/brv-lsp"
export HOME=$home PATH=$home/bin:$PATH XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data XDG_STATE_HOME=$home/state XDG_CACHE_HOME=$home/cache
cd "$home/shop"
timeout 120 "$@"
