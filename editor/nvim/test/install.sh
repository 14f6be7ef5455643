#!/bin/bash
# install.sh SUITE DIR: unpacks SUITE's Neovim, with every library it needs down to the C
# library, into DIR. Nothing outside DIR changes, so a newer Neovim runs beside the
# system's. Packages come from the Debian mirror this machine's apt is set up with and
# are checked against Debian's keys. An existing DIR is complete and is kept.
set -euo pipefail
suite=$1 dir=$2
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
apt install -y --download-only --no-install-recommends neovim >/dev/null
for deb in "$part"/apt/cache/archives/*.deb; do dpkg-deb -x "$deb" "$part/root"; done
rm -rf "$part/apt"

# Its own loader and libraries; the parsers stand outside Neovim's default search path.
cat >"$part/nvim" <<'EOF'
#!/bin/bash
root=$(cd "$(dirname "$0")/root" && pwd)
lib=$(dirname "$(find "$root/usr/lib" -name 'ld-linux*.so*' | head -n 1)")
export VIM=$root/usr/share/nvim VIMRUNTIME=$root/usr/share/nvim/runtime
exec "$lib"/ld-linux*.so* --library-path "$lib:$root/usr/lib" --argv0 nvim \
	"$root/usr/bin/nvim" --cmd "set rtp^=$root/usr/lib/nvim" "$@"
EOF
chmod +x "$part/nvim"
mv "$part" "$dir"
