#!/bin/bash
# run.sh DIR: the session in the Vim and ALE that unpack.sh has put into DIR.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export VIMRUNTIME=$1/root/usr/share/vim/vim90 BRV_ALE=$1/root/usr/share/vim-ale BRV_REPORT=$HOME/report
export BRV_CONFIGURATION=$here/../brv.vim
# Vim wants a terminal.
result=0
script -qec "TERM=xterm '$1/run' usr/bin/vim.nox -N -n -i NONE -u '$here/session.vim'" /dev/null </dev/null >"$HOME/screen" 2>&1 || result=$?
cat "$BRV_REPORT" || cat "$HOME/screen"
exit "$result"
