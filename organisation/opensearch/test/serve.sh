#!/bin/bash
# serve.sh DIR COMMAND...: runs a command beside a cluster of three nodes, two with data, whose jars and class are in DIR.
# BRV_OPENSEARCH has the addresses of all three, BRV_OPENSEARCH_NODES their names and process ids, as n1=123,n2=124,n3=125.
set -euo pipefail
dir=$1
data=$(mktemp -d)
pids=()
# shellcheck disable=SC2317
end() {
	for pid in "${pids[@]}"; do kill -CONT "$pid" 2>/dev/null && kill -9 "$pid" 2>/dev/null; done
	wait 2>/dev/null
	rm -rf "$data"
}
trap end EXIT
mapfile -t ports < <(python3 -c '
import socket
held = [socket.socket() for _ in range(6)]
for s in held: s.bind(("127.0.0.1", 0))
for s in held: print(s.getsockname()[1])')
seeds=127.0.0.1:${ports[3]},127.0.0.1:${ports[4]},127.0.0.1:${ports[5]}
addresses=() nodes=()
for i in 0 1 2; do
	roles=cluster_manager,data heap=384m
	[ $i = 2 ] && roles=cluster_manager heap=192m
	java -Xms$heap -Xmx$heap -XX:+UseSerialGC -cp "$dir/classes:$dir/lib/*" Node n$((i + 1)) "$data/n$i" "${ports[i]}" "${ports[i + 3]}" \
		"$seeds" n1,n2,n3 "$roles" >"$data/n$i.log" 2>&1 &
	pids+=($!) addresses+=("http://127.0.0.1:${ports[i]}") nodes+=("n$((i + 1))=$!")
done
for _ in $(seq 240); do
	curl -s -m 2 "${addresses[0]}/_cluster/health" 2>/dev/null | grep -q '"number_of_nodes":3' && break
	sleep 1
done
curl -s -m 5 "${addresses[0]}/_cluster/health" | grep -q '"number_of_nodes":3' || { tail -n 20 "$data"/*.log && exit 1; }
join() { (IFS=, && echo "$*"); }
BRV_OPENSEARCH=$(join "${addresses[@]}") BRV_OPENSEARCH_NODES=$(join "${nodes[@]}") "${@:2}"
