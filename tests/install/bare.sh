#!/bin/bash
# Installs a build tree into a bare Debian 12 that has g++, make, CMake, pkg-config and the three libraries that
# docs/library.md names, and builds the program of that page there by find_package and by pkg-config. Each must find
# examples/tp_mlp.shard right and a wrong file in its place wrong. What it needs, and KEEP=1: ../bare_debian.sh. It fetches 100 MB and
# takes minutes, so it runs where ISOSHARD_NIGHTLY is set.
#
#   tests/install/bare.sh BUILD [MIRROR...]     BUILD: the tree, which has been built; MIRROR: as in mmdebstrap
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tests/bare_debian.sh"
build=$(cd "$1" && pwd)
shift

if [[ -z ${ISOSHARD_NIGHTLY:-} ]]; then skip "takes minutes and a Debian mirror; ISOSHARD_NIGHTLY=1, or ./dev test --nightly, runs it"; fi
cd "$root"
make_bare g++,make,cmake,pkg-config,libgmp10,libnettle8,libzip4 "$@"
cmake --install "$build" --prefix "$bare/usr/local" --strip >/dev/null
inside / ldconfig

user=$bare/root/user
mkdir -p "$user"/{source,right/examples,wrong/examples}
cp "$root/examples/tp_mlp.shard" "$user/right/examples/tp_mlp.shard"
grep -v '^check @right ' "$root/examples/wrong/missing_all_reduce.shard" >"$user/wrong/examples/tp_mlp.shard"
sed -n '/^```cpp$/,/^```$/ { /^```/d; p }' docs/library.md >"$user/source/mine.cc"
{
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(mine CXX)\nadd_executable(mine mine.cc)\n'
  sed -n '/^```cmake$/,/^```$/ { /^```/d; p }' docs/library.md
} >"$user/source/CMakeLists.txt"

says /root/user 'cmake -S source -B build && cmake --build build'
says /root/user 'c++ -std=c++17 source/mine.cc -o by_pkg_config $(pkg-config --cflags --libs isoshard)'
for program in build/mine by_pkg_config; do
  says /root/user/right "../$program"
  code=0
  says /root/user/wrong "../$program" || code=$?
  if ((code != 1)); then
    echo "exit code $code of a wrong file; expected 1"
    exit 1
  fi
done
says / '/usr/local/bin/isoshard --version'
