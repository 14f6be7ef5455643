#!/bin/bash
# install.sh DIR: puts a small model, the server of llama.cpp for it and LiteLLM's proxy into DIR, at the versions and
# hashes of server.txt and proxy.txt. Needs Python 3.11 with venv, a C++ compiler, cmake and pip's package index. The
# server is compiled from its source, without what only this machine's processor has. An existing DIR is complete and is
# kept; without the proxy it is complete, too.
set -euo pipefail
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$dir" ] && exit 0

part=$dir.part
rm -rf "$part"
mkdir -p "$part"
install() { # NAME: the packages of NAME.txt
	python3 -m venv "$part/$1"
	CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF" \
		"$part/$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$here/$1.txt"
}
install server
install proxy || { echo "LiteLLM could not be installed: what needs it is SKIPPED" >&2 && rm -rf "$part/proxy"; }
mv "$part" "$dir"
