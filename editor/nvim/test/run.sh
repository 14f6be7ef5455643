#!/bin/bash
# run.sh NVIM SERVER: runs session.lua in that Neovim with that server, on a copy of the
# fixture and with none of the user's own configuration.
set -euo pipefail
nvim=$1
export BRV_SERVER=$2
here=$(cd "$(dirname "$0")" && pwd)

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp -r "$here/../../testdata/workspace" "$home/shop"
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data XDG_STATE_HOME=$home/state XDG_CACHE_HOME=$home/cache
cd "$home/shop"
timeout 120 "$nvim" --headless --clean -i NONE --cmd "set rtp^=$here/.." -c "luafile $here/session.lua" \
	</dev/null 2>"$home/messages" || { cat "$home/messages" && exit 1; }
