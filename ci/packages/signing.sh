#!/bin/bash
# signing.sh: signs a made-up release with keys that are thrown away, by the steps of ./release --sign. What was signed is verified;
# a changed program, changed sums and another's key are refused. macOS's step runs in the hosted workflow only.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/keys" "$work/other" "$work/dist"
echo secret >"$work/keys/password"
openssl req -x509 -newkey rsa:2048 -noenc -days 2 -subj /CN=nobody -addext extendedKeyUsage=codeSigning -keyout "$work/key" -out "$work/certificate" 2>/dev/null
openssl pkcs12 -export -inkey "$work/key" -in "$work/certificate" -passout "file:$work/keys/password" -out "$work/keys/windows.p12"
for keys in keys other; do ssh-keygen -q -t ed25519 -N '' -C '' -f "$work/$keys/sums"; done

printf 'package main\nfunc main() {}\n' >"$work/main.go"
GOFLAGS=-trimpath GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -o "$work/dist/brv-lsp-windows-amd64.exe" "$work/main.go"
program=$work/dist/brv-lsp-windows-amd64.exe
genuine() { osslsigncode verify -CAfile "$work/certificate" -in "$program" >/dev/null 2>&1; }
refused() {
	if "${@:2}" 2>/dev/null >&2; then echo "FAILED: $1 is accepted" && exit 1; fi
	echo "refused: $1"
}
refused "a program without a signature" genuine
./sign.sh programs "$work/keys" "$work/dist"
genuine
(cd "$work/dist" && sha256sum -- *.exe >SHA256SUMS)
./sign.sh sums "$work/keys" "$work/dist"
./sign.sh verify "$work/keys" "$work/dist"
echo "verified: both signatures"
refused "another's key" ./sign.sh verify "$work/other" "$work/dist"
printf x | dd of="$program" bs=1 seek=4096 conv=notrunc status=none
refused "a changed program" genuine
refused "a changed file of the release" ./sign.sh verify "$work/keys" "$work/dist"
(cd "$work/dist" && sha256sum -- *.exe >SHA256SUMS)
refused "changed sums" ./sign.sh verify "$work/keys" "$work/dist"
