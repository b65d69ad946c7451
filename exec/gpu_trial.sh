#!/bin/bash
# Everything that can be tried on a machine with one GPU, in one go (docs/gpu-results.md has what came out).
#
#   exec/gpu_trial.sh build FOLDER      here: builds the programs, static but for CUDA's libraries, NCCL and glibc
#   exec/gpu_trial.sh run FOLDER OUT [STEP...]
#                                       there: runs them all, or those steps; one log for each in OUT and a summary at the end.
#                                       gpu1, gpu-oversub and gpuN stand for the steps on one GPU, with several ranks on one,
#                                       and on several GPUs
#   exec/gpu_trial.sh standin OUT [STEP...]
#                                       where there is no GPU: the steps that run programs and exec_bench, on the stand-in and in
#                                       small sizes, to see that the script, its options and its tables are right
#
# `build` needs nvcc, NCCL beside it and Google Benchmark; `run` needs a driver, and cuBLASLt and NCCL from the toolkit or
# from Python packages. Every step has a time limit; the exit code is 1 when one fails and 77 when there is nothing to
# build with or no GPU.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cuda=/usr/local/cuda
# What programs run on, and in what sizes; `standin` has others.
export device="cuda --oversubscribe" bench_device="" mlp="--set b=8192 --set d=1024 --set f=4096" small_mlp="--set b=32 --set d=256 --set f=256"
export sweep="-e 16M -f 32" pairs="" shard_of_mlp="--batch 2048"
export patience=1  # times the limits of seconds
export at_once=5   # programs
if nvcc=$(command -v nvcc); then cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")"); fi

build() {
  local folder=$1 linked=(-Xcompiler "-O3,-mfma,-ffp-contract=off,-static-libstdc++,-static-libgcc")
  local device=(nvcc -std=c++17 -O3 -arch=sm_90 -fmad=false -I"$root")
  if [[ -z $nvcc || ! -f $cuda/include/nccl.h ]]; then
    echo "gpu_trial: no nvcc in PATH, or no nccl.h beside it"
    exit 77
  fi
  set -e
  mkdir -p "$folder"
  "${device[@]}" "${linked[@]}" "$root/bench/gpu/scalar_bits.cu" -o "$folder/scalar_bits" &
  "${device[@]}" "${linked[@]}" "$root/bench/gpu/bench_gpu_products.cu" -o "$folder/bench_gpu_products" -lcublasLt
  # Debian has Google Benchmark as a shared library only: it travels along.
  cp -L "$(g++ -print-file-name=libbenchmark.so.1debian)" "$folder/"
  for program in bench_gpu_rates bench_gpu_fusion; do
    "${device[@]}" -Xcompiler -O3,-ffp-contract=off "$root/bench/gpu/$program.cu" -o "$folder/$program" -lbenchmark \
      -Xlinker -rpath,'$ORIGIN'
  done
  g++ -std=c++20 -O2 -Wall -Wextra -I"$root" -isystem "$cuda/include" "$root"/bench/gpu/nccl/*.cc -o "$folder/nccl_ranks" \
    -static-libstdc++ -static-libgcc -L"$cuda/lib64" -l:libcudart_static.a -l:libnccl.so.2 -lpthread -ldl -lrt
  wait $!
  # The whole program, where it is built with CUDA: `apps` of the folder of a build in ISOSHARD_BUILD, or of ./dev.
  local apps=${ISOSHARD_BUILD:-$root/build/release}/apps
  if [[ ! -f $apps/libisoshard_exec_cuda.so ]]; then return; fi
  cp "$apps/isoshard" "$apps/libisoshard_exec_cuda.so" "$apps"/../bench/{exec_bench,libisoshard_by_hand_cuda.so} "$folder/"
  if [[ -f $apps/../tests/kernel_tests_gpu ]]; then cp "$apps/../tests/kernel_tests_gpu" "$folder/"; fi
  # Its libraries that a bare Debian lacks, libzip and what that needs.
  ldd "$apps/isoshard" | awk '$2 == "=>" && $3 !~ /lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)\.so/ { print $3 }' | xargs -r cp -Lt "$folder"
}

# libraries: the folders of cuBLASLt and NCCL, of Python packages first.
libraries() {
  python3 - 2>/dev/null <<'END'
import importlib.util
for name in ("nvidia.nccl", "nvidia.cu13", "nvidia.cublas"):
    try:
        spec = importlib.util.find_spec(name)
    except ImportError:
        continue
    if spec and spec.submodule_search_locations:
        print(list(spec.submodule_search_locations)[0] + "/lib", end=":")
END
  echo "$cuda/lib64"
}

failed=()
# step NAME SECONDS COMMAND...: its output goes to OUT/NAME.log and to the terminal.
step() {
  local name=$1 limit=$2 start=$SECONDS status=0
  shift 2
  if [[ -n $only && " $only " != *" $name "* ]]; then return; fi
  echo "== $name"
  timeout $((limit * patience)) "$@" 2>&1 | tee "$out/$name.log" || status=$?
  echo "== $name: code $status, $((SECONDS - start)) s"
  if [[ $status == 77 ]]; then exit 77; fi
  if [[ $status != 0 ]]; then failed+=("$name"); fi
}

# ranks N VARIABLE=VALUE... -- COMMAND...: N processes on one GPU, each a host of its own to NCCL, which refuses two ranks of
# one host on a GPU.
ranks() {
  local n=$1 settings=() pids=() status=0 id
  shift
  while [[ $1 != -- ]]; do settings+=("$1"); shift; done
  shift
  id=$(mktemp -u)
  for ((r = 0; r < n; ++r)); do
    env NCCL_HOSTID="rank$r" NCCL_NET=Socket NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=lo NCCL_MNNVL_ENABLE=0 NCCL_RAS_ENABLE=0 NCCL_DEBUG=WARN \
      "${settings[@]}" RANK="$r" WORLD_SIZE="$n" LOCAL_RANK="$r" UID_FILE="$id" timeout -k 5 50 "$@" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
  rm -f "$id"
  return "$status"
}

# program FOLDER NAME OPTION...: runs an example, a model or a text of JAX on the GPU, with one process for each rank, and
# compares with sim. Says what came out in a line; fails where that is neither EQUAL nor undecided or not supported (code 3).
program() {
  local folder=$1 name=$2 status=0 text
  shift 2
  if [[ $name == *.shard ]]; then name=examples/$name; fi
  text=$(cd "$root" && timeout $((60 * patience)) "$folder/isoshard" run "$name" --device $device --check --deadline $((40 * patience)) "$@" 2>&1 </dev/null) || status=$?
  if [[ $status == 3 ]]; then status=0; fi
  if [[ $status != 0 ]]; then echo "$text" | tail -25; fi
  echo "$name $*: $(grep -E 'EQUAL|UNDECIDED|error' <<<"$text" | tail -1)"
  return "$status"
}

# programs FOLDER: `program` for each line of the standard input, several at a time; then how many had which verdict.
programs() {
  local status=0 told
  told=$(xargs -P "$at_once" -L 1 bash -c 'program "$@"' - "$1") || status=1
  echo "$told"
  echo "in all:"
  sed -nE 's/^.*: ((NOT )?EQUAL.*|UNDECIDED):?.*$/\1/p; s/^.*(error):.*(\[.*\])$/\1 \2/p; /: $/s/.*/no verdict/p' <<<"$told" | sort | uniq -c
  return "$status"
}

# launched FOLDER: two ranks that a launcher started, in its variables.
launched() {
  local pids=() status=0
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank LOCAL_WORLD_SIZE=2 GROUP_RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 TORCHELASTIC_RUN_ID=trial \
      timeout 50 "$1/isoshard" run "$root/examples/tp_mlp.shard" --mesh data=1,model=2 --device $device --check --deadline 30 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
  return "$status"
}

# lost FOLDER SIGNAL: what a run says when one of its ranks is killed (KILL), or sleeps (STOP), in the middle of its steps, and how long
# that takes.
lost() {
  local pid begin status=0
  timeout 50 "$1/isoshard" run "$root/examples/train_step.shard" --mesh data=1,tp=2 --launcher processes --device $device --repeat 100000 --deadline 5 &
  pid=$!
  sleep 8
  begin=$(date +%s%N)
  pkill "-$2" -n -P "$(pgrep -P $pid)" || return 2
  wait "$pid" || status=$?
  echo "code $status, $((($(date +%s%N) - begin) / 1000000)) ms after SIG$2"
  [[ $status == 1 ]]
}

# timed FOLDER: how long steps of an MLP take on one GPU, whole and small, with its own products and cuBLASLt's, call by
# call and as a graph.
timed() {
  local sizes products graph status=0
  for sizes in "$mlp" "$small_mlp"; do
    for products in exact library; do
      for graph in off on; do
        echo "tp_mlp $sizes --products $products --graph $graph"
        timeout $((100 * patience)) "$1/isoshard" run tp_mlp --device $device --mesh data=1,model=1 $sizes --products $products --graph $graph --time --repeat 6 | grep step || status=1
      done
    done
  done
  return "$status"
}

# benched FOLDER OUT RANKS OPTION...: collectives, and how much of their communication programs hide.
benched() {
  local folder=$1 out=$2 ranks=$3 status=0
  shift 3
  set -- "$@" $bench_device
  "$folder/exec_bench" collectives -n "$ranks" $sweep "$@" --json "$out/collectives_$ranks.json" || status=$?
  "$folder/exec_bench" overlap tp_mlp --mesh "data=1,model=$ranks" $mlp "$@" --json "$out/tp_mlp_$ranks.json" || status=$?
  "$folder/exec_bench" overlap ring_matmul --mesh "model=$ranks" "$@" --json "$out/ring_matmul_$ranks.json" || status=$?
  "$folder/exec_bench" overlap train_step --mesh "tp=$ranks,dp=1,pp=1" --set model=transformer "$@" --json "$out/train_step_$ranks.json" || status=$?
  "$folder/exec_bench" by_hand --only tp_mlp -n "$ranks" $shard_of_mlp "$@" --json "$out/by_hand_$ranks.json" || status=$?
  return "$status"
}

# by_hand FOLDER OUT: what one rank issues beside the same by hand, call by call and as a graph.
by_hand() {
  local dtype status=0
  for dtype in bf16 f32; do
    "$1/exec_bench" by_hand -d "$dtype" $pairs $bench_device --json "$2/by_hand_$dtype.json" || status=$?
  done
  return "$status"
}

# The steps of a CTest label (tests/CMakeLists.txt).
steps_of() {
  case "$1" in
    gpu1) echo device kernels kernels_watched rates fusion products timed by_hand jax scalar_bits ;;
    gpu-oversub) echo duplicate_device sweep_{1,2,4,8} rounding_{2,4,8} rounding_ring_{2,4,8} killed crossed crossed_on_one_stream mismatch programs models imports launched lost_kill lost_stop benched_2 ;;
    gpuN) echo benched_all programs_all threads_all ;;
    *) echo "$1" ;;
  esac
}

# only_steps STEP...: those that are asked for; all where none is.
only_steps() {
  only=$(for name in "$@"; do steps_of "$name"; done | tr '\n' ' ')
}

# on_gpu FOLDER: what is compiled for a GPU alone.
on_gpu() {
  local folder=$1
  step device 20 nvidia-smi
  if [[ -f $folder/kernel_tests_gpu ]]; then
    step kernels 120 bash -c "cd '$root' && '$folder/kernel_tests_gpu' --gtest_print_time=1"
    step kernels_watched 90 bash -c "cd '$root' && compute-sanitizer --error-exitcode 9 '$folder/kernel_tests_gpu' --gtest_filter='-LocalCalls.EveryOp*'"
  fi
  if python3 -c 'import jax' 2>/dev/null; then step jax 90 python3 "$root/bench/gpu/jax_mlp.py" 8192 1024 4096; fi
  step rates 60 "$folder/bench_gpu_rates" --benchmark_out="$out/rates.json" --benchmark_out_format=json
  step fusion 60 "$folder/bench_gpu_fusion" --benchmark_out="$out/fusion.json" --benchmark_out_format=json
  step products 90 "$folder/bench_gpu_products"
  step duplicate_device 60 bash -c "ranks 2 NCCL_HOSTID=same -- '$folder/nccl_ranks' sweep 2>&1 | grep 'Duplicate GPU'"
  for n in 1 2 4 8; do step "sweep_$n" 60 bash -c "ranks $n -- '$folder/nccl_ranks' sweep"; done
  for n in 2 4 8; do
    step "rounding_$n" 40 bash -c "ranks $n -- '$folder/nccl_ranks' rounding"
    step "rounding_ring_$n" 40 bash -c "ranks $n NCCL_ALGO=Ring NCCL_PROTO=Simple -- '$folder/nccl_ranks' rounding"
  done
  for mode in killed crossed crossed_on_one_stream mismatch; do
    step "$mode" 60 bash -c "ranks 2 -- '$folder/nccl_ranks' $mode"
  done
}

# with_exec FOLDER GPUS OPTION...: what exec issues.
with_exec() {
  local folder=$1 gpus=$2
  shift 2
  export -f ranks program programs timed benched by_hand launched lost
  export root
  if [[ -f $folder/isoshard ]]; then
    step programs 300 bash -c "programs '$folder' <'$root/exec/gpu_programs.txt'"
    step imports 300 bash -c "cd '$root' && ls tests/data/stablehlo/cases/*/sharded.mlir | grep -v norm_grad_not_reduced | programs '$folder'"
    step models 300 bash -c "'$folder/isoshard' models | cut -d' ' -f1 | programs '$folder'"
    step launched 60 bash -c "launched '$folder'"
    step lost_kill 60 bash -c "lost '$folder' KILL"
    step lost_stop 60 bash -c "lost '$folder' STOP"
    step timed 200 bash -c "timed '$folder'"
  fi
  if [[ -f $folder/exec_bench ]]; then
    step by_hand 240 bash -c "by_hand '$folder' '$out'"
    step benched_2 240 bash -c "benched '$folder' '$out' 2 $*"
    if [[ $gpus -gt 1 ]]; then
      step benched_all 300 bash -c "benched '$folder' '$out' $gpus"
      step programs_all 120 "$folder/isoshard" run "$root/examples/tp_mlp.shard" --device "${device%% *}" --mesh "data=1,model=$gpus" --check
      step threads_all 120 "$folder/isoshard" run "$root/examples/tp_mlp.shard" --device "${device%% *}" --launcher threads --mesh "data=1,model=$gpus" --check
    fi
  fi
}

told_failed() {
  echo "== failed: ${failed[*]:-none}"
  [[ ${#failed[@]} == 0 ]]
}

run() {
  local folder=$1
  out=$2
  only_steps "${@:3}"
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
  if [[ $gpus == 0 ]]; then
    echo "gpu_trial: no GPU here (nvidia-smi -L names none)"
    exit 77
  fi
  if [[ $gpus == 1 && ${*:3} == gpuN ]]; then
    echo "gpu_trial: one GPU here; expected several"
    exit 77
  fi
  mkdir -p "$out"
  LD_LIBRARY_PATH=$folder:$(libraries)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  on_gpu "$folder"
  with_exec "$folder" "$gpus" --oversubscribe
  step scalar_bits 240 "$folder/scalar_bits"
  told_failed
}

standin() {
  local built=${ISOSHARD_BUILD:-$root/build/release} folder file
  out=$1
  only_steps "${@:2}"
  folder=$(mktemp -d)
  trap "rm -rf '$folder'" EXIT
  for file in apps/isoshard apps/libisoshard_exec_standin.so bench/exec_bench bench/libisoshard_by_hand_standin.so; do
    if [[ ! -f $built/$file ]]; then
      echo "gpu_trial: no $built/$file; build it, or name the folder of the build in ISOSHARD_BUILD" >&2
      exit 2
    fi
    ln -s "$(realpath "$built/$file")" "$folder/"
  done
  mkdir -p "$out"
  export ISOSHARD_EXEC_PATH=$folder STANDIN_QUERY_MS=3
  device="cpu-standin" bench_device="--device cpu-standin -s 3 -w 1" mlp="--set b=8 --set d=16 --set f=24" small_mlp="--set b=4 --set d=8 --set f=12"
  sweep="-b 768 -e 3K -f 4 -m 2" shard_of_mlp="--batch 4 --features 16 --hidden 48"
  patience=10 pairs="$shard_of_mlp --rows 8 --columns 64 -m 3 --launches 5"
  with_exec "$folder" 3
  echo "== left out: what is compiled for a GPU alone (device, rates, fusion, products, NCCL by itself, scalar_bits)"
  told_failed
}

case "${1:-} $#" in
  "build 2") build "$2" ;;
  "run "[3-9] | "run "[1-9][0-9]) run "$(cd "$2" && pwd)" "${@:3}" ;;
  "standin "[2-9] | "standin "[1-9][0-9]) standin "${@:2}" ;;
  *) echo "usage: exec/gpu_trial.sh build FOLDER | run FOLDER OUT [STEP...] | standin OUT [STEP...]" >&2; exit 2 ;;
esac
