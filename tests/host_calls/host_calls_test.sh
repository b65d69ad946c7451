#!/bin/bash
# exec/cuda/host_calls.sh on what NVCC makes of a wrong file and of its right twin:  host_calls_test.sh NVCC RIGHT WRONG
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" -arch=sm_90 -c "$2" -o "$folder/right.o"
"$1" -arch=sm_90 -c "$3" -o "$folder/wrong.o"
check=$(dirname "$0")/../../exec/cuda/host_calls.sh
"$check" "$folder/right.o"
if told=$("$check" "$folder/right.o" "$folder/wrong.o" 2>&1); then
  echo "$3 is accepted"
  exit 1
fi
[[ $told == "$folder/wrong.o: error: code of the host calls a __device__ function, which ends the process; expected ISOSHARD_HOST_DEVICE there" ]]
