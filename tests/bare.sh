#!/bin/bash
# What a newcomer meets: makes a bare Debian 12 in a folder, clones the last commit into it, and runs the two commands of
# README.md there. Needs root (chroot, mounts), mmdebstrap, git, and a Debian mirror.
#
#   tests/bare.sh [MIRROR...]     MIRROR: as in mmdebstrap, a URL or a line of sources.list (default: Debian's)
#   KEEP=1 tests/bare.sh          leaves the folder for a look
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ $(id -u) != 0 ]]; then
  echo "tests/bare.sh: needs root to mount and chroot; run: sudo $0 $*" >&2
  exit 77
fi
for tool in mmdebstrap git unshare; do
  if ! command -v $tool >/dev/null; then
    echo "tests/bare.sh: needs $tool; run: apt-get install mmdebstrap git util-linux" >&2
    exit 77
  fi
done

bare=$(mktemp -d "${TMPDIR:-/tmp}/isoshard-bare.XXXXXX")
clean_up() {
  if [[ -n ${KEEP:-} ]]; then echo "left in $bare"; else rm -rf --one-file-system "$bare"; fi
}
trap clean_up EXIT

# inside COMMAND: in the clone, with a login's environment and nothing of ours. The mounts end with the command.
inside() {
  unshare --mount --pid --fork /bin/bash -euc '
    mount -t proc proc "$0/proc"
    mkdir -p "$0/dev/shm" "$0/dev/pts"
    mount -t tmpfs tmpfs "$0/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$0/dev/pts"
    exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb /bin/bash -c "cd /root/isoshard && $1"
  ' "$bare" "$1"
}

# says COMMAND: runs it inside, with its exit code and seconds.
says() {
  local start=$SECONDS code=0
  echo "bare$ $1"
  inside "$1" || code=$?
  echo "exit code $code after $((SECONDS - start)) s"
  return $code
}

mmdebstrap --quiet --variant=apt bookworm "$bare" "$@"
cp --remove-destination /etc/resolv.conf "$bare/etc/resolv.conf"
git clone --quiet "$root" "$bare/root/isoshard"

says './dev run check examples/tp_mlp.shard'
says './dev run check examples/tp_mlp.shard'
says './dev test'
