#!/bin/bash
# test.sh DIST: installs the npm packages, the wheel and the Debian package of a release for this machine, each from its file
# into an empty folder, and asks something there. What must not need the network runs without one where the system allows it.
set -euo pipefail
dist=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $(uname -m) in
x86_64) node=linux-x64 wheel=x86_64 deb=amd64 ;;
aarch64) node=linux-arm64 wheel=aarch64 deb=arm64 ;;
*) echo "no packages for $(uname -sm)" && exit 1 ;;
esac
export HOME=$work/home XDG_CACHE_HOME=$work/home/.cache XDG_CONFIG_HOME=$work/home/.config
mkdir -p "$HOME" "$work/project/src"
printf '# Tortoise\n\n## Release day\n\nA release is cut on Tuesdays by the release captain.\n' >"$work/project/README.md"
printf 'package src\n\n// Cut cuts a release.\nfunc Cut() {}\n' >"$work/project/src/cut.go"

alone=()
if unshare -rn true 2>/dev/null; then alone=(unshare -rn); else echo "with the system's network"; fi

# asked NAME COMMAND...: the program says its version, answers from the folder's own documents, and knows the code's symbols.
asked() {
	local name=$1 said begun
	shift
	begun=$(date +%s%N)
	said=$("${alone[@]}" "$@" version)
	grep -q 'with code symbols' <<<"$said"
	said+=$'\n'$(cd "$work/project" && "${alone[@]}" "$@" query "when is a release cut" 2>&1)
	grep -q 'Tuesdays' <<<"$said"
	said+=$'\n'$(cd "$work/project" && "${alone[@]}" "$@" symbols Cut)
	grep -q 'src/cut.go:4' <<<"$said"
	printf '%-16s version, query and symbols in %d ms: %s\n' "$name" $((($(date +%s%N) - begun) / 1000000)) "$(head -n 1 <<<"$said")"
}

mkdir "$work/npm" && cd "$work/npm"
echo '{"private": true}' >package.json
"${alone[@]}" npm install --offline --no-audit --no-fund --loglevel=error "$dist"/npm/brv-lsp-"$node"-*.tgz "$dist"/npm/brv-lsp-[0-9]*.tgz >/dev/null
asked npm "$work/npm/node_modules/.bin/brv-lsp"
# The starter ends as the program ends, and passes on what stops it.
code=0
node_modules/.bin/brv-lsp nonsense 2>/dev/null || code=$?
[ "$code" = 2 ]
coproc server { trap - EXIT && exec node_modules/.bin/brv-lsp mcp 2>/dev/null; }
starter=$server_PID
echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' >&"${server[1]}"
read -r answer <&"${server[0]}"
grep -q serverInfo <<<"$answer"
program=$(pgrep -P "$starter")
kill -TERM "$starter"
wait "$starter" || true
if kill -0 "$program" 2>/dev/null; then echo "the starter left the program running" && exit 1; fi
if grep -l '"scripts"' node_modules/brv-lsp/package.json node_modules/@brv-lsp/*/package.json; then echo "npm would run a script" && exit 1; fi
npm uninstall --offline --no-audit --no-fund --loglevel=error brv-lsp "@brv-lsp/$node" >/dev/null
[ -z "$(find node_modules -name 'brv-lsp*')" ]

python3 -m venv "$work/venv"
"${alone[@]}" "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$dist"/pypi/*musllinux_1_1_"$wheel".whl
asked pip "$work/venv/bin/brv-lsp"
asked "python -m" "$work/venv/bin/python" -m brv_lsp
"$work/venv/bin/pip" uninstall --quiet --disable-pip-version-check -y brv-lsp
[ -z "$(find "$work/venv" -iname '*brv*')" ]

root=$work/root
mkdir -p "$root"/var/lib/dpkg/{updates,info}
touch "$root/var/lib/dpkg/status"
"${alone[@]}" dpkg --root="$root" --force-not-root --log=/dev/null --install "$dist"/deb/*_"$deb".deb >/dev/null
asked deb "$root/usr/bin/brv-lsp"
# Static: the same file runs where nothing but it is.
if [ "$(id -u)" = 0 ]; then
	mkdir -p "$root/project" && cp -r "$work/project/." "$root/project"
	chroot "$root" /usr/bin/brv-lsp query --root /project "when is a release cut" 2>/dev/null | grep -q Tuesdays
	echo "deb, in a root folder with no other program: answers"
fi
dpkg --root="$root" --force-not-root --log=/dev/null --purge brv-lsp >/dev/null
[ -z "$(find "$root" -name 'brv-lsp*' -not -path '*/project/*')" ]
echo "removed without a trace: npm, pip, deb"
