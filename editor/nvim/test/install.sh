#!/bin/bash
# install.sh SUITE DIR: puts SUITE's Neovim into DIR, beside the system's.
set -euo pipefail
suite=$1 dir=$2
"$(dirname "$0")/../../test/unpack.sh" "$suite" "$dir" neovim

# The parsers stand outside Neovim's default search path.
cat >"$dir/nvim" <<'EOF'
#!/bin/bash
dir=$(cd "$(dirname "$0")" && pwd)
export VIM=$dir/root/usr/share/nvim VIMRUNTIME=$dir/root/usr/share/nvim/runtime
exec "$dir/run" usr/bin/nvim --cmd "set rtp^=$dir/root/usr/lib/nvim" "$@"
EOF
chmod +x "$dir/nvim"
