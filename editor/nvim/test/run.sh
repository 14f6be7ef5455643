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
git init --quiet
git add .
GIT_COMMITTER_DATE=2026-10-01T00:00:00Z git -c user.name=Ann -c user.email=ann@example.com -c commit.gpgsign=false \
	commit --quiet --message "Begin the shop" --date 2026-10-01T00:00:00Z
team=$home/team/.brv/context-tree/money/rates
mkdir -p "$team"
printf -- '---\ntitle: Exchange rates\nsummary: Six digits.\n---\n## Facts\n- Exchange rates have six digits\n' >"$team/exchange.md"
"$BRV_SERVER" tree add team "$home/team" >/dev/null
"$BRV_SERVER" tree add me >/dev/null
timeout 120 "$nvim" --headless --clean -i NONE --cmd "set rtp^=$here/.." -c "luafile $here/session.lua" \
	</dev/null 2>"$home/messages" || { cat "$home/messages" && exit 1; }
