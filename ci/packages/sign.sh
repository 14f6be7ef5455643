#!/bin/bash
# sign.sh programs|sums|verify KEYS DIST: signs a release, or verifies the signatures, with what is in the folder KEYS. What has no
# key there stays unsigned, and that is said.
#   windows.p12  programs for Windows (Authenticode, by osslsigncode); TIMESTAMP is the address of a time stamp server
#   macos.p12    programs for macOS, with a hardened runtime (by rcodesign)
#   password     of both
#   sums         the checksums, and so every file of the release: an OpenSSH key that signs SHA256SUMS; verify needs sums.pub
set -euo pipefail
keys=$2 dist=$3
name=brv-lsp # the identity and the namespace of the signature

case $1 in
programs)
	for f in "$dist"/brv-lsp-windows-*.exe; do
		[ -e "$f" ] || continue
		[ -e "$keys/windows.p12" ] || { echo "${f##*/}: not signed, there is no windows.p12" && continue; }
		osslsigncode sign -pkcs12 "$keys/windows.p12" -readpass "$keys/password" -h sha256 -n "$name" ${TIMESTAMP:+-ts "$TIMESTAMP"} \
			-in "$f" -out "$f.signed" >/dev/null
		mv "$f.signed" "$f" && chmod +x "$f"
		echo "${f##*/}: signed"
	done
	for f in "$dist"/brv-lsp-darwin-*; do
		[ -e "$f" ] || continue
		[ -e "$keys/macos.p12" ] || { echo "${f##*/}: not signed, there is no macos.p12" && continue; }
		rcodesign sign --p12-file "$keys/macos.p12" --p12-password-file "$keys/password" --code-signature-flags runtime "$f" >/dev/null
		echo "${f##*/}: signed"
	done
	;;
sums)
	[ -e "$keys/sums" ] || { echo "SHA256SUMS: not signed, there is no key sums" && exit; }
	ssh-keygen -q -Y sign -f "$keys/sums" -n "$name" "$dist/SHA256SUMS"
	echo "SHA256SUMS: signed"
	;;
verify)
	allowed=$(mktemp)
	trap 'rm -f "$allowed"' EXIT
	echo "$name $(cat "$keys/sums.pub")" >"$allowed"
	ssh-keygen -q -Y verify -f "$allowed" -I "$name" -n "$name" -s "$dist/SHA256SUMS.sig" <"$dist/SHA256SUMS"
	(cd "$dist" && sha256sum --check --quiet --strict SHA256SUMS)
	;;
esac
