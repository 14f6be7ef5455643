#!/bin/bash
# units.sh DIR PACKAGE...: the unit tests of the packages, compiled for Windows without cgo and run in the Wine of DIR.
# As units.sh DIR -exec PROGRAM ARG... it runs one test program: go test calls it so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
shift
if [ "${1:-}" = -exec ]; then
	program=${2#"$dir/root"}
	export IN=${PWD#"$dir/root"}
	exec timeout 180 "$here/run.sh" "$dir" "Z:${program//\//\\}" "${@:3}"
fi
source=$dir/root/source
rm -rf "$source" "$dir/root/units"
mkdir -p "$source" "$dir/root/units"
(cd "$here/../.." && git ls-files -z | tar c --null -T -) | tar x -C "$source"
cd "$source"
GOTMPDIR=$dir/root/units GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go test -short -count=1 -v -vet=off -ldflags='-s -w' \
	-exec "'$here/units.sh' '$dir' -exec" "$@" | tr -d '\r' >"$dir/units" || true
