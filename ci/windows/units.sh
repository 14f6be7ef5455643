#!/bin/bash
# units.sh DIR PACKAGE...: the unit tests of the packages, compiled for Windows without cgo and run in the Wine of DIR. Tests that
# wine.txt names may fail; any other that fails fails the run, and so does a program that stops on the way.
# As units.sh DIR -exec PROGRAM ARG... it runs one test program: go test calls it so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
shift
if [ "${1:-}" = -exec ]; then
	program=${2#"$dir/root"}
	export IN=${PWD#"$dir/root"}
	said=$(mktemp) code=0 # into a file: the server of Wine lives longer than the program, and would hold a pipe open
	timeout 600 "$here/run.sh" "$dir" "Z:${program//\//\\}" "${@:3}" >"$said" 2>&1 || code=$?
	cat "$said" && rm "$said"
	exit "$code"
fi
source=$dir/root/source
rm -rf "$source" "$dir/root/units"
mkdir -p "$source" "$dir/root/units"
(cd "$here/../.." && git ls-files -z | tar c --null -T -) | tar x -C "$source"
cd "$source"
skip=$(sed -n 's/^skip *\(Test[^ ]*\) .*/\1/p' "$here/wine.txt" | paste -sd '|')
GOTMPDIR=$dir/root/units GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go test -short -count=1 -json -vet=off -ldflags='-s -w' \
	-skip "^($skip)\$" -exec "'$here/units.sh' '$dir' -exec" "$@" >"$dir/units.json" 2>"$dir/units.err" || true
cat "$dir/units.err"
python3 - "$here/wine.txt" "$dir/units.json" <<'EOS'
import collections, json, sys
known = {}
for line in open(sys.argv[1]):
    word, name, reason = (line.split(None, 2) + [''] * 3)[:3]
    if word in ('fail', 'skip'):
        known[name] = (word, reason.strip())
ended, printed, whole = {}, collections.defaultdict(list), {}
for line in open(sys.argv[2]):
    e = json.loads(line)
    at = e.get('Package', ''), e.get('Test', '')
    if e['Action'] == 'output':
        printed[at].append(e['Output'])
    elif e['Action'] == 'run':
        ended.setdefault(at, 'stopped')
    elif e['Action'] in ('pass', 'fail', 'skip'):
        (ended if at[1] else whole)[at] = e['Action']
bad = []
for (package, test), how in sorted(ended.items()):
    top, said = test.split('/')[0], [l.rstrip() for l in printed[package, test] if not l.startswith(('===', '---'))]
    if how == 'skip':
        print(f'skipped  {package.split("/", 3)[-1]} {test}: {said[0].strip() if said else ""}')
    elif how != 'pass' and known.get(top, '')[:1] == ('fail',):
        if test == top:
            print(f'Wine     {package.split("/", 3)[-1]} {test}: {known[top][1]}')
    elif how != 'pass':
        bad.append(test)
        print(f'FAILED   {package.split("/", 3)[-1]} {test} ({how})', *said[:12], sep='\n    ')
for (package, _), how in whole.items():
    if how == 'fail' and not any(p == package and h != 'pass' for (p, _), h in ended.items()):
        bad.append(package)
        print(f'FAILED   {package}', *printed[package, ''][-12:])
for name, (word, reason) in known.items():
    if word == 'skip':
        print(f'left out {name}: {reason}')
count = collections.Counter(ended.values())
print(f'{len(ended)} tests and cases of {len(whole)} packages ran in Wine: {count["pass"]} passed, {count["skip"]} skipped, '
      f'{len(ended) - count["pass"] - count["skip"] - len(bad)} failed by Wine, {len(bad)} failed')
sys.exit(bool(bad) or not ended)
EOS
