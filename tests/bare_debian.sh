# A bare Debian 12 in a folder that goes when the script ends: for scripts that source this. Needs root (chroot, mounts), mmdebstrap
# and a Debian mirror; exit code 77 says what is missing. KEEP=1 leaves the folder for a look.

skip() {
  echo "skipped: $1"
  exit 77
}

# make_bare PACKAGES [MIRROR...]: `bare` is its path. PACKAGES: beside apt and what it needs, with commas between or nothing;
# MIRROR: as in mmdebstrap, a URL or a line of sources.list (default: Debian's).
make_bare() {
  local packages=$1 tool
  shift
  if [[ $(id -u) != 0 ]]; then skip "needs root to mount and chroot; run: sudo $0"; fi
  for tool in mmdebstrap git unshare; do
    if ! command -v $tool >/dev/null; then skip "needs $tool; run: apt-get install mmdebstrap git util-linux"; fi
  done
  bare=$(mktemp -d "${TMPDIR:-/tmp}/isoshard-bare.XXXXXX")
  trap clean_up EXIT
  if ! unshare --mount --pid --fork true; then skip "this machine does not let root mount"; fi
  if ! mmdebstrap --quiet --variant=apt ${packages:+--include="$packages"} bookworm "$bare" "$@"; then
    skip "mmdebstrap made no Debian; is there a mirror?"
  fi
  cp --remove-destination /etc/resolv.conf "$bare/etc/resolv.conf"
}

clean_up() {
  if [[ -n ${KEEP:-} ]]; then echo "left in $bare"; else rm -rf --one-file-system "$bare"; fi
}

# inside FOLDER COMMAND: in this folder of the bare system, with a login's environment and nothing of ours. The mounts end with
# the command.
inside() {
  unshare --mount --pid --fork /bin/bash -euc '
    mount -t proc proc "$0/proc"
    mkdir -p "$0/dev/shm" "$0/dev/pts"
    mount -t tmpfs tmpfs "$0/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$0/dev/pts"
    exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb /bin/bash -c "cd $1 && $2"
  ' "$bare" "$1" "$2"
}

# says FOLDER COMMAND: runs it inside, with its exit code and seconds.
says() {
  local start=$SECONDS code=0
  echo "bare$ $2"
  inside "$1" "$2" || code=$?
  echo "exit code $code after $((SECONDS - start)) s"
  return $code
}
