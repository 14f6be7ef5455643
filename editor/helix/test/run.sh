#!/bin/bash
# run.sh DIR: one session in the Helix that unpack.sh has put into DIR, with keys and eyes: in
# a terminal of tmux, looking at what stands on the screen.
set -euo pipefail
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$XDG_CONFIG_HOME/helix"
cp "$here/../languages.toml" "$XDG_CONFIG_HOME/helix/"
export HELIX_RUNTIME=$dir/root/usr/lib/hx/runtime
entries=.brv/context-tree
socket=$HOME/tmux
trap 'tmux -S "$socket" kill-server 2>/dev/null || true' EXIT

screen() { tmux -S "$socket" capture-pane -p; }
press() { tmux -S "$socket" send-keys "$@"; }
write() { tmux -S "$socket" send-keys -l "$1"; }

# within SECONDS PATTERN: waits until the screen has it.
within() {
	local end=$((SECONDS + $1))
	until screen | grep -qe "$2"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

see() { within 20 "$1" || fail "no “$1” on the screen"; }

fail() {
	echo "FAILED  $*"
	screen
	exit 1
}

ok() { echo "ok      $*"; }

# at PATH TEXT: opens a file with the cursor on a text.
at() {
	press Escape Escape
	write ":open $1"
	press Enter
	see "NOR.*$1"
	press g g
	write "/$2"
	press Enter
	sleep 0.2
}

# hover PATTERN: asks until it is there: the first may come before the folder is read.
hover() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		press Space k
		within 2 "$1" && press Escape && return
		press Escape
	done
	fail "no hover with “$1”"
}

"$dir/run" usr/lib/hx/hx --version
tmux -S "$socket" -f /dev/null new-session -d -x 140 -y 50 "TERM=tmux-256color '$dir/run' usr/lib/hx/hx"
see NOR

at $entries/database/migrations/online_migrations.md restore.md
see 'no such entry'
ok 'a relation that leads nowhere is a problem'

write '\;' # a search selects what it has found
press Space a
see 'Create missing entry database/backups/restore.md'
! screen | grep -q 'Write down what the next person should know' || fail 'the cursor counts as a selection'
press Enter
for _ in $(seq 200); do [ -e $entries/database/backups/restore.md ] && break || sleep 0.05; done
write ':write-all'
press Enter
for _ in $(seq 200); do grep -q 'title: Restore' $entries/database/backups/restore.md && break || sleep 0.05; done
grep -q 'title: Restore' $entries/database/backups/restore.md || fail 'no entry'
ok 'its fix makes the entry'

at $entries/database/migrations/online_migrations.md refresh_rotation
hover 'A refresh token is used once'
ok 'hover on a relation'

press g d
see 'NOR.*refresh_rotation.md.* 2:'
ok 'definition of a relation'

at $entries/authentication/tokens/access_tokens.md 'Access tokens'
press Space r
see 'rename-to:'
press C-u
write 'Access passes'
press Enter
see 'title: "Access passes"'
ok 'rename of a title'

press g e o
write 'see @rota'
see 'tokens/refresh_rotation.md .*reference'
ok 'completion behind @'
press Escape Escape u

at src/auth/tokens.ts rotateRefreshToken
hover 'names rotateRefreshToken'
ok 'hover on a code symbol'

press x Space a
see 'Write down what the next person should know'
press Enter
see 'Write “'
press Enter
see 'NOR.*tokens/rotate_refresh_token.md \[+\]'
ok 'a curated selection is asked for, and opens as a buffer to be saved'

press Escape
write ':quit-all!'
press Enter
