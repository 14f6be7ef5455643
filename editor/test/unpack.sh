#!/bin/bash
# unpack.sh SUITE DIR PACKAGE...: unpacks packages of a Debian suite, with every library they
# need down to the C library, into DIR/root, and writes DIR/run, which starts one of their
# programs. Nothing outside DIR changes, so that any version runs beside the system's own.
# Packages come from the Debian mirror this machine's apt is set up with and are checked
# against Debian's keys. An existing DIR is complete and is kept.
set -euo pipefail
suite=$1 dir=$2
shift 2
[ -e "$dir" ] && exit 0

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | head -n 1)
if [ -z "$mirror" ]; then
	echo "apt knows no Debian mirror (run apt-get update first)" >&2
	exit 1
fi

part=$dir.part
rm -rf "$part"
mkdir -p "$part/apt/lists/partial" "$part/apt/cache/archives/partial" "$part/root"
: >"$part/apt/status" # an empty status file: nothing counts as installed already
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$part/apt/sources.list"
apt() {
	apt-get -qq \
		-o Dir::Etc::sourcelist="$part/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$part/apt/lists" -o Dir::State::status="$part/apt/status" \
		-o Dir::Cache="$part/apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}
apt update
apt install -y --download-only --no-install-recommends "$@" >/dev/null
for deb in "$part"/apt/cache/archives/*.deb; do dpkg-deb -x "$deb" "$part/root"; done
rm -rf "$part/apt"

cat >"$part/run" <<'EOS'
#!/bin/bash
# run PROGRAM ARG...: PROGRAM, a path below root, with the loader and the libraries beside it.
root=$(cd "$(dirname "$0")/root" && pwd)
loader=$(find "$root/lib" "$root/usr/lib" -name 'ld-linux*.so*' 2>/dev/null | head -n 1)
libs=$(dirname "$loader")
libs=$libs:$root/usr/lib/$(basename "$libs"):$root/usr/lib
program=$root/$1
shift
exec "$loader" --library-path "$libs" --argv0 "$program" "$program" "$@"
EOS
chmod +x "$part/run"
mv "$part" "$dir"
