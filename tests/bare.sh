#!/bin/bash
# What a newcomer meets: makes a bare Debian 12 in a folder, clones the last commit into it, and runs the two commands of
# README.md there. What it needs, and KEEP=1: bare_debian.sh.
#
#   tests/bare.sh [MIRROR...]     MIRROR: as in mmdebstrap, a URL or a line of sources.list (default: Debian's)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tests/bare_debian.sh"

make_bare "" "$@"
git clone --quiet "$root" "$bare/root/isoshard"

says /root/isoshard './dev run check examples/tp_mlp.shard'
says /root/isoshard './dev run check examples/tp_mlp.shard'
says /root/isoshard './dev test'
