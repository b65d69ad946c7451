#!/bin/bash
# No code of the host calls what runs on a GPU alone.
#
#   exec/cuda/host_calls.sh OBJECT...     objects of nvcc; exit code 1 where one has such a call
#
# nvcc rejects such a call, but not one in a template whose arguments decide what is called: then the function that is
# there for the host calls exit(1), and a rank ends without a word (docs/gpu-results.md). Nothing else of ours calls exit.
set -uo pipefail
status=0
for object in "$@"; do
  symbols=$(nm --undefined-only "$object") || exit 1
  if grep -qw exit <<<"$symbols"; then
    echo "$object: error: code of the host calls a __device__ function, which ends the process; expected ISOSHARD_HOST_DEVICE there" >&2
    status=1
  fi
done
exit $status
