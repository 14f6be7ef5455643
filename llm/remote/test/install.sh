#!/bin/bash
# install.sh DIR: puts a small model, the server of llama.cpp for it and LiteLLM's proxy into DIR, at the versions and
# hashes of server.txt and proxy.txt. Needs Python 3.11 with venv, a C++ compiler, cmake and pip's package index. The
# server is compiled from its source, without what only this machine's processor has, and kept in the folder wheels beside
# DIR. An existing DIR is kept; where it lacks the proxy that is tried again.
set -euo pipefail
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$dir/proxy" ] && exit 0

part=$dir.part
wheels=$(dirname "$dir")/wheels # what was compiled, which outlives DIR
rm -rf "$part"
mkdir -p "$part" "$wheels"

compiled=llama_cpp_python
of() { grep "$2" "^$compiled==" "$here/$1.txt"; } # NAME -h|-v: the lines of what is compiled, or all others
pip() { # NAME ARG...: the pip of NAME
	"$part/$1/bin/python" -m pip "${@:2}" --quiet --disable-pip-version-check --no-deps
}
install() { # NAME: the packages of NAME.txt
	python3 -m venv "$part/$1"
	of "$1" -v >"$part/rest"
	pip "$1" install --require-hashes --only-binary :all: -r "$part/rest"
}
compile() {
	local version kept
	version=$(of server -h | sed 's/ .*//; s/==/-/')
	kept=$(compgen -G "$wheels/$version-*.whl" || true)
	if [ -z "$kept" ]; then
		of server -h >"$part/rest"
		CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF -DCMAKE_PROJECT_llama.cpp_INCLUDE=$here/server.cmake" \
			pip server wheel --require-hashes -w "$wheels" -r "$part/rest"
		kept=$(compgen -G "$wheels/$version-*.whl")
	fi
	pip server install "$kept"
}
if [ ! -e "$dir" ]; then
	install server
	compile
	mv "$part" "$dir"
	mkdir "$part"
fi
if install proxy; then
	mv "$part/proxy" "$dir/proxy"
else
	echo "LiteLLM could not be installed: what needs it is SKIPPED" >&2
fi
rm -rf "$part"
