#!/bin/bash
# test.sh DIR PROGRAM: what a person does first, by the Windows program in the Wine of DIR: tree, entry, change, question, code
# symbols, undo, check, doctor; and the tool server and the language server by their first request, with a path of Windows.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
project=$dir/root/project
rm -rf "$project" "$dir/root/program"
mkdir -p "$project/src" "$dir/root/program"
cp "$2" "$dir/root/program/brv-lsp.exe"
printf 'package src\r\n\r\n// Cut cuts a release.\r\nfunc Cut() {}\r\n' >"$project/src/cut.go"

brv() { timeout 120 "$here/run.sh" "$dir" 'Z:\program\brv-lsp.exe' "$@" | tr -d '\r'; }
# says PATTERN ARG...: what the program prints has the pattern.
says() {
	local pattern=$1 said
	shift
	said=$(brv "$@" 2>&1) || true
	grep -q -- "$pattern" <<<"$said" && echo "passed: $*" && return
	printf 'FAILED: %s does not say %s:\n%s\n' "$*" "$pattern" "$said"
	exit 1
}
at=(--root 'Z:\project')
says 'windows/amd64, with code symbols$' version
says 'Made Z:' init --yes "${at[@]}"
says '^done   ADD' curate "${at[@]}" --op ADD --path eng/release --title 'Release day' --summary 'A release is cut on Tuesdays by the captain.' --reason t
says '^done   UPDATE' curate "${at[@]}" --op UPDATE --path eng/release/release_day.md --summary 'A release is cut on Fridays by the captain.' --reason t
says 'Fridays' query "${at[@]}" 'when is a release cut'
says 'src/cut.go:4' symbols "${at[@]}" Cut
says '^Undone: batch 2' undo "${at[@]}"
says 'Tuesdays' query "${at[@]}" 'when is a release cut'
says '0 errors' check "${at[@]}"
says '^0 wrong' doctor "${at[@]}"
[ -f "$project/.brv/context-tree/eng/release/release_day.md" ]

# In a console, where Wine draws over only parts of a screen: line by line.
TERM=xterm timeout 300 python3 - "$here/run.sh" "$dir" 'Z:\program\brv-lsp.exe' ui --plain "${at[@]}" <<'EOS'
import os, pty, sys
child, console = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b''
for text, key in [(b'To ask about', b'2'), (b'Sorted by name', b'j'), (b'2 of 2', b'q')]:
    while text not in said:
        said += os.read(console, 4096)
    os.write(console, key)
try:
    while os.read(console, 4096):
        pass
except OSError:  # the console is closed
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
EOS
echo 'passed: ui'

# Both servers answer the first request while their input stays open.
hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
coproc mcp { exec timeout 120 "$here/run.sh" "$dir" 'Z:\program\brv-lsp.exe' mcp "${at[@]}" 2>/dev/null; }
waited=$mcp_PID
printf '%s\n' "$hello" >&"${mcp[1]}"
IFS= read -r -t 60 answer <&"${mcp[0]}"
[[ $answer == *'"serverInfo"'* ]] && echo 'passed: mcp'
eval "exec ${mcp[1]}>&-"
wait "$waited"

hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"file:///z%3A/project","capabilities":{}}}'
coproc lsp { exec timeout 120 "$here/run.sh" "$dir" 'Z:\program\brv-lsp.exe' 2>/dev/null; }
waited=$lsp_PID
for message in "$hello" '{"jsonrpc":"2.0","id":2,"method":"shutdown"}' '{"jsonrpc":"2.0","method":"exit"}'; do
	printf 'Content-Length: %d\r\n\r\n%s' "${#message}" "$message" >&"${lsp[1]}"
	[ -n "${capabilities:-}" ] || {
		IFS=' ' read -r -t 60 _ length <&"${lsp[0]}"
		IFS= read -r -t 60 _ <&"${lsp[0]}"
		IFS= read -r -t 60 -N "${length%$'\r'}" capabilities <&"${lsp[0]}"
	}
done
[[ $capabilities == *'"hoverProvider"'* ]] && echo 'passed: language server'
wait "$waited" # it ends with 0 after an orderly shutdown
