#!/bin/bash
# run.sh DIR: the session in the Emacs that unpack.sh has put into DIR.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export BRV_CONFIGURATION=$here/../brv.el
share=$1/root/usr/share/emacs
lisp=$(echo "$share"/[0-9]*/lisp)
EMACSLOADPATH=$(find "$lisp" -type d | paste -sd :)
for package in "$share"/site-lisp/elpa-src/*; do [ ! -d "$package" ] || EMACSLOADPATH=$EMACSLOADPATH:$package; done
EMACSPATH=$(echo "$1"/root/usr/libexec/emacs/*/*)
export EMACSLOADPATH EMACSPATH EMACSDATA=${lisp%lisp}etc
dump=$(find "$1/root/usr/libexec/emacs" -name '*.pdmp')
exec "$1/run" usr/bin/emacs-nox --dump-file="$dump" --batch -Q -l "$here/session.el"
