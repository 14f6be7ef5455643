#!/bin/bash
# run.sh DIR PROGRAM ARG...: starts a Windows program in the Wine of DIR, which editor/test/unpack.sh made, with DIR/root as the
# root folder, Z: inside, and in the folder IN of it. Needs root, or a system that lets a user make namespaces.
set -euo pipefail
root=$1/root
shift
if [ ! -e "$root/ready" ]; then
	mkdir -p "$root"/{proc,dev,sys,tmp,root,etc}
	for folder in bin lib lib64; do [ -e "$root/$folder" ] || ln -s "usr/$folder" "$root/$folder"; done
	echo 'root:x:0:0:root:/root:/bin/false' >"$root/etc/passwd"
	# Packages bring this beside Wine, and a script of theirs would put it in; scripts are not run.
	cp "$root"/usr/x86_64-w64-mingw32ucrt/lib/*.dll "$root/usr/lib/x86_64-linux-gnu/wine/x86_64-windows/"
	touch "$root/ready"
fi
own=(unshare -m)
[ "$(id -u)" = 0 ] || own=(unshare -rm)
export WINE_ROOT=$root
exec "${own[@]}" bash -c '
	for folder in proc dev sys; do mount --rbind /$folder "$WINE_ROOT/$folder"; done
	system=$WINE_ROOT/root/wine/drive_c/windows/system32
	[ ! -d "$system" ] || cp -n "$WINE_ROOT"/usr/x86_64-w64-mingw32ucrt/lib/*.dll "$system" # consoles find them only there
	exec env -i ${TERM:+TERM=$TERM} HOME=/root WINEPREFIX=/root/wine WINEDEBUG=-all PATH=/usr/bin LANG=C.UTF-8 \
		"$(command -v unshare)" --root="$WINE_ROOT" --wd="${IN:-/}" /usr/lib/x86_64-linux-gnu/wine/wine "$@"' - "$@"
